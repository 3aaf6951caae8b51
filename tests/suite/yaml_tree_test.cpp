#include "harness/suite/yaml/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness {
namespace {

using Kind = YamlValue::Kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

YamlValue plain(const std::string& text) {
  YamlValue value;
  value.text = text;
  resolve_plain_scalar(value);
  return value;
}

std::string first_error(const std::string& text, YamlLimits limits = {}) {
  ErrorList errors;
  const YamlTree tree(text, "t.yaml", errors, limits);
  const std::vector<Error> all = errors.take();
  return all.empty() ? "" : to_string(all.front().where) + ": " + all.front().message;
}

TEST(YamlScalar, FollowsTheCoreSchemaOfYaml12) {
  for (const char* text : {"true", "True", "TRUE", "false", "False", "FALSE"})
    EXPECT_EQ(plain(text).kind, Kind::boolean) << text;
  for (const char* text : {"", "~", "null", "Null", "NULL"}) EXPECT_EQ(plain(text).kind, Kind::null) << text;
  for (const char* text : {"0", "-5", "+7", "0o17", "0xFf", "007"})
    EXPECT_EQ(plain(text).kind, Kind::integer) << text;
  for (const char* text : {"1.5", ".5", "1.", "1e3", "-1.5E-3", "+.5"})
    EXPECT_EQ(plain(text).kind, Kind::real) << text;
  for (const char* text :
       {"yes", "no", "on", "off", "y",   "nULL",  "tRUE", "1_000", "0b11", "12:30", "1e", "e3",
        ".",   "-",  "+",  "0x",  "0o8", "1.2.3", "f16",  "250ms", "1%",   "-.",    ".e3"})
    EXPECT_EQ(plain(text).kind, Kind::text) << text;
}

TEST(YamlScalar, HoldsTheValueThatWasWritten) {
  EXPECT_TRUE(plain("True").boolean);
  EXPECT_FALSE(plain("False").boolean);
  EXPECT_EQ(plain("0x1F").integer, 31);
  EXPECT_EQ(plain("0o17").integer, 15);
  EXPECT_EQ(plain("+12").integer, 12);
  EXPECT_EQ(plain("-9223372036854775808").integer, INT64_MIN);
  EXPECT_DOUBLE_EQ(plain("-1.5e3").real, -1500);
  EXPECT_DOUBLE_EQ(plain("+.5").real, 0.5);
}

TEST(YamlScalar, RefusesNumbersThatCannotBeHeld) {
  for (const char* text : {"9223372036854775808", "0xFFFFFFFFFFFFFFFFF", "1e999", ".inf", "-.Inf", ".nan"}) {
    YamlValue value;
    value.text = text;
    EXPECT_FALSE(resolve_plain_scalar(value)) << text;
  }
}

TEST(YamlTree, QuotedScalarsStayText) {
  ErrorList errors;
  const YamlTree tree("a: '1'\nb: \"true\"\nc: !!str 5\nd: 5\n", "t.yaml", errors);
  ASSERT_TRUE(errors.empty());
  EXPECT_EQ(tree.root()->find("a")->kind, Kind::text);
  EXPECT_EQ(tree.root()->find("b")->kind, Kind::text);
  EXPECT_EQ(tree.root()->find("c")->kind, Kind::text);
  EXPECT_EQ(tree.root()->find("d")->kind, Kind::integer);
}

TEST(YamlTree, KnowsTheLineAndColumnOfKeysAndValues) {
  ErrorList errors;
  const YamlTree tree(
      "\xEF\xBB\xBF"
      "a: 1\nbc:\n  - x\n  - {d: y}\ne:\n",
      "t.yaml", errors);
  ASSERT_TRUE(errors.empty());
  const YamlValue& root = *tree.root();
  EXPECT_EQ(root.find("a")->place.column, 4);
  EXPECT_EQ(root.members[1].place.line, 2);
  const YamlValue& second = *root.find("bc")->items[1];
  EXPECT_EQ(second.place.line, 4);
  EXPECT_EQ(second.place.column, 5);
  EXPECT_EQ(second.members[0].place.column, 6);
  EXPECT_EQ(second.members[0].value->place.column, 9);
  EXPECT_EQ(root.find("e")->place.line, 5);  // the key's place: there is no value
}

TEST(YamlTree, AnAliasSharesItsValue) {
  ErrorList errors;
  const YamlTree tree("a: &x [1, 2]\nb: *x\n", "t.yaml", errors);
  ASSERT_TRUE(errors.empty());
  EXPECT_EQ(tree.root()->find("a"), tree.root()->find("b"));
}

TEST(YamlTree, CountsAliasesAsCopies) {
  YamlLimits limits;
  limits.values = 12;  // the map, two lists of four, and the four again
  EXPECT_EQ(first_error("a: &x [1, 2, 3]\nb: *x\nc: 1\n", limits), "");
  EXPECT_THAT(first_error("a: &x [1, 2, 3]\nb: *x\nc: *x\n", limits),
              AllOf(StartsWith("t.yaml:3:4: "), HasSubstr(" 12 ")));
}

TEST(YamlTree, CountsLevelsThroughAliases) {
  YamlLimits limits;
  limits.depth = 3;
  EXPECT_EQ(first_error("a: &x [[1]]\nb: 1\n", limits), "");
  EXPECT_THAT(first_error("a: [[[1]]]\n", limits), AllOf(StartsWith("t.yaml:1:6: "), HasSubstr(" 3 ")));
  EXPECT_THAT(first_error("a: &x [[1]]\nb: [*x]\n", limits),
              AllOf(StartsWith("t.yaml:2:5: "), HasSubstr(" 3 ")));
}

TEST(YamlTree, RefusesMalformedUtf8Wherever) {
  for (const char* bytes : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF8\x88\x80\x80\x80", "\xE2\x82"})
    EXPECT_TRUE(first_error(std::string("a: x") + bytes).starts_with("t.yaml:1:5: not UTF-8")) << bytes;
  for (const char* bytes : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(first_error(std::string("a: x") + bytes), "") << bytes;
}

TEST(YamlTree, AQuoteThatNeverClosesIsAnError) {
  for (const char* text : {"a: \"x", "a: 'it''s", "a: \"x\\\"", "a: &n \"x", "- 'a'\n- 'b"})
    EXPECT_THAT(first_error(text), HasSubstr("quoted")) << text;
  for (const char* text : {"a: \"x\\\\\"", "a: 'it''s'", "a: ''", "a: \"\"", "a: &n 'x'", "a: ! x"})
    EXPECT_EQ(first_error(text), "") << text;
}

TEST(YamlTree, SyntaxErrorsNameTheTabAboveThem) {
  EXPECT_THAT(first_error("a:\n  b: 1\n\tc: 2\n"), AllOf(StartsWith("t.yaml:3:1: "), HasSubstr("tab")));
  EXPECT_THAT(first_error("a: b: c\n\td: 2\n"), AllOf(StartsWith("t.yaml:1:5: "), Not(HasSubstr("tab"))));
}

}  // namespace
}  // namespace harness
