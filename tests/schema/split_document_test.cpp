#include "harness/schema/split_document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace harness {
namespace {

struct Split {
  std::optional<std::string> rest;
  std::vector<std::string> elements;
};

// The text comes in pieces of `piece` bytes.
Split split(std::string_view text, std::size_t piece, std::size_t batch = 1) {
  Split found;
  DocumentSplitter splitter(
      "list",
      [&](std::span<const std::string_view> elements) {
        found.elements.insert(found.elements.end(), elements.begin(), elements.end());
        return true;
      },
      batch);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
    if (!splitter.take(text.substr(0, piece))) break;
  found.rest = splitter.finish();
  return found;
}

TEST(SplitDocument, GivesTheElementsAndTheRest) {
  const std::string text = R"({"a": {"list": [1]}, "list" : [ {"x": "]}\\\"{"}, {"y": [{}]} ], "b": 2})";
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    for (const std::size_t batch : {std::size_t{1}, std::size_t{20}, text.size() + 1}) {
      const Split found = split(text, piece, batch);
      EXPECT_EQ(found.rest, R"({"a": {"list": [1]}, "list" : [], "b": 2})") << piece;
      EXPECT_EQ(found.elements, (std::vector<std::string>{R"({"x": "]}\\\"{"})", R"({"y": [{}]})"})) << piece;
    }
}

TEST(SplitDocument, AnEmptyListHasNoElements) {
  const Split found = split(R"({"list": [ ]})", 3);
  EXPECT_EQ(found.rest, R"({"list": []})");
  EXPECT_TRUE(found.elements.empty());
}

TEST(SplitDocument, LeavesTheUnusualToTheWholeParser) {
  const std::string deep = R"({"list": [{"a": )" + std::string(250, '[') + std::string(250, ']') + "}]}";
  for (const std::string text :
       {"", "[]", "{", R"({"a": 1})", R"({"list": {}})", R"({"list": 1})", R"({"list": [1]})",
        R"({"list": [{}, 2]})", R"({"list": [{},]})", R"({"list": [{} {}]})", R"({"list": [{}, ])",
        R"({"list": [{"a])", R"({"list": [{)", R"({"list")", R"({"list": )", R"({"a": {"list": [{}]}})",
        deep.c_str()})
    for (const std::size_t piece : {1, 7, 1000}) EXPECT_FALSE(split(text, piece).rest) << text;
}

TEST(SplitDocument, FindsTwoMembersThatFollowEachOther) {
  const std::string both = R"("b": {"x": "}"}, "c" : {"b": {}},)";
  EXPECT_EQ(two_members(R"({"a": {"b": {}, "c": {}}, )" + both + R"( "d": 1})", "b", "c"), both);
  for (const std::string text :
       {R"({"b": {}, "d": 1, "c": {}, "e": 1})", R"({"c": {}, "b": {}, "e": 1})", R"({"b": {}, "c": {}})",
        R"({"b": {}, "c": 1, "e": 1})", R"({"b": {} "c": {}, "e": 1})", R"({"a": "b": {}, "c": {}, "e": 1})",
        R"({"a": [{"b": {}, "c": {}, "e": 1}]})", R"(["b"])", R"({"b")", ""})
    EXPECT_EQ(two_members(text, "b", "c"), "") << text;
  EXPECT_EQ(begin_of_member(R"({"a": "b", "b": 1})", "b"), 11U);
  EXPECT_EQ(begin_of_member(R"({"a": "x, "b": 1})", "b"), std::string::npos) << "within a text";
}

TEST(SplitDocument, GivesElementsOutBeforeTheTextEnds) {
  std::size_t given = 0;
  DocumentSplitter splitter(
      "list", [&](std::span<const std::string_view> elements) { return (given += elements.size()) < 3; }, 1);
  EXPECT_TRUE(splitter.take(R"({"list": [{}, {}, {)"));
  EXPECT_EQ(given, 2U);
  EXPECT_FALSE(splitter.take("}"));  // refused
  EXPECT_FALSE(splitter.take("]}"));
  EXPECT_FALSE(splitter.finish());
}

}  // namespace
}  // namespace harness
