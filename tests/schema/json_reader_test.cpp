#include "harness/schema/json_reader.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace harness
