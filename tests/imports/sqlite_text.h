// SQLite files as texts.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>

namespace harness {

// A SQLite file after these statements; `original` is the file before.
inline std::string sqlite_text(const std::string& statements, const std::string& original = "") {
  sqlite3* made = nullptr;
  sqlite3_open(":memory:", &made);
  if (!original.empty()) {
    const auto size = static_cast<sqlite3_int64>(original.size());
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(original.size()));
    std::copy(original.begin(), original.end(), copy);
    EXPECT_EQ(sqlite3_deserialize(made, "main", copy, size, size,
                                  SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
              SQLITE_OK);
  }
  EXPECT_EQ(sqlite3_exec(made, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(made) << ": " << statements;
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(made, "main", &size, 0);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(made);
  return text;
}

}  // namespace harness
