#include "harness/schema/json_reader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <string>

namespace harness {
namespace {

Error refusal(const std::string& text) {
  const auto reader = JsonReader::parse(text, {"file.json"});
  return reader ? Error{ErrorKind::internal, "read", {}, {}} : reader.error();
}

TEST(JsonReader, RefusesANameThatAnObjectHasTwice) {
  const Error plain = refusal("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"a\": 3}");
  EXPECT_EQ(plain.kind, ErrorKind::usage);
  EXPECT_EQ(plain.where.line, 3);
  EXPECT_GT(plain.where.column, 1);
  for (const char* const text :
       {R"({"one": {"x": 1, "x": 2}})", R"([{"code": "a", "figure": 1, "figure": 1}])"}) {
    const Location where = refusal(text).where;
    EXPECT_EQ(where.line, 1);
    EXPECT_GT(where.column, 16) << "at the second name, not at the object";
  }
  EXPECT_EQ(refusal("[{\"a\": 1}, {\"a\": [{\"a\": 1, \"\\u0061\": 2}]}]").kind, ErrorKind::usage);
  std::string wide = "{\"twice\": 0";
  for (int i = 0; i < 1000; ++i) wide += ", \"name" + std::to_string(i) + "\": 0";
  EXPECT_TRUE(JsonReader::parse(wide + "}", {}));
  EXPECT_FALSE(JsonReader::parse(wide + ", \"twice\": 0}", {}));
  EXPECT_TRUE(JsonReader::parse("[{\"a\": 1}, {\"a\": 2, \"b\": {\"a\": 3}}, {\"a\": 4}]", {}));
}

TEST(JsonReader, RefusesDeepNestingBeforeItTakesMemory) {
  for (const char* const open : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    const Error error = refusal(text);
    EXPECT_EQ(error.kind, ErrorKind::usage);
    EXPECT_LT(error.where.column, 2000) << "it was read to its end";
  }
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_TRUE(JsonReader::parse(deep, {}));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// The address space may grow by so many bytes; then each allocation fails.
void limit_memory(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

// Parses in a process with little memory. 0: std::bad_alloc.
int parse_with_little_memory(const std::string& text, std::size_t bytes) {
  limit_memory(bytes);
  try {
    return JsonReader::parse(text, {}) ? 1 : 2;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

TEST(JsonReader, ThrowsWhereMemoryIsUsedUp) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs all addresses";
  std::string list = "[0", texts = "[0", one = "[\"";
  for (int i = 0; i < 1'000'000; ++i) {
    list += ",1.5";
    texts += ",\"a text that is too long to stand in its value\"";
  }
  one += std::string(20'000'000, 'a') + "\"]";
  for (const std::string* text : {&list, &texts, &one})
    for (const std::size_t bytes : {1U << 10U, 1U << 20U, 8U << 20U})
      EXPECT_EXIT(std::_Exit(parse_with_little_memory(*text, bytes)), testing::ExitedWithCode(0), "")
          << text->size() << " " << bytes;
}

}  // namespace
}  // namespace harness
