#include "harness/schema/split_document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace harness {
namespace {

TEST(SplitDocument, GivesTheElementsAndTheRest) {
  const std::string text = R"({"a": {"list": [1]}, "list" : [ {"x": "]}\\\"{"}, {"y": [{}]} ], "b": 2})";
  const auto split = split_members(text, "list");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->rest, R"({"a": {"list": [1]}, "list" : [], "b": 2})");
  EXPECT_EQ(split->elements, (std::vector<std::string_view>{R"({"x": "]}\\\"{"})", R"({"y": [{}]})"}));
}

TEST(SplitDocument, AnEmptyListHasNoElements) {
  const auto split = split_members(R"({"list": [ ]})", "list");
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->elements.empty());
}

TEST(SplitDocument, LeavesTheUnusualToTheWholeParser) {
  for (const char* const text :
       {"", "[]", "{", R"({"a": 1})", R"({"list": {}})", R"({"list": 1})", R"({"list": [1]})",
        R"({"list": [{}, 2]})", R"({"list": [{},]})", R"({"list": [{} {}]})", R"({"list": [{}, ])",
        R"({"list": [{"a])", R"({"list": [{)", R"({"list")", R"({"list": )", R"({"a": {"list": [{}]}})"})
    EXPECT_FALSE(split_members(text, "list")) << text;
  const std::string deep = R"({"list": [{"a": )" + std::string(250, '[') + std::string(250, ']') + "}]}";
  EXPECT_FALSE(split_members(deep, "list"));
}

}  // namespace
}  // namespace harness
