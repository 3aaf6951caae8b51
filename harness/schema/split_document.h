// Split document: a JSON object without its longest list, and that list element by element, so that a text of
// any size is parsed piece by piece. Nothing is checked here beyond brackets and strings: each piece is
// parsed later. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

struct SplitDocument {
  std::string rest;                        // the text with an empty list in place of the list
  std::vector<std::string_view> elements;  // of the list, within the text
};

// The list `member` of the outermost object. std::nullopt where there is none, where it holds anything but
// objects, or where the text is no JSON or is nested deeply.
std::optional<SplitDocument> split_members(std::string_view text, std::string_view member);

}  // namespace harness
