// Split document: a JSON object without its longest list, and that list element by element, so that a text of
// any size is read and parsed piece by piece. Nothing is checked here beyond brackets and strings: each piece
// is parsed later. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace harness {

// Where a member of an object begins, or npos.
std::size_t begin_of_member(std::string_view object, std::string_view name);

// The text of two members that follow each other and are objects, with the comma behind each. "" where there
// are no such members.
std::string_view two_members(std::string_view object, std::string_view first, std::string_view second);

// Splits a text that comes in pieces. It keeps only what was not yet used.
class DocumentSplitter {
 public:
  // Gets elements of the list in their order, which are valid during the call. False ends the splitting.
  using Use = std::function<bool(std::span<const std::string_view> elements)>;

  // The list is the member `member` of the outermost object. Elements are given out after each `batch` bytes.
  DocumentSplitter(std::string member, Use use, std::size_t batch = 4U << 20U)
      : member_(std::move(member)), use_(std::move(use)), batch_(batch) {}

  // False: no more pieces are needed, and finish() has no text.
  bool take(std::string_view piece);

  // The members before the list, as a text of their own. Empty until the list begins.
  [[nodiscard]] std::string beginning() const;

  // After the last piece: the text with an empty list in place of the list. std::nullopt where there is no
  // such list, where it holds anything but objects, where use() refused, or where the text is no JSON or is
  // nested deeply.
  std::optional<std::string> finish();

 private:
  enum class Phase { before, within, behind, failed };

  void split();
  void split_list();

  std::string member_;
  Use use_;
  std::size_t batch_;
  Phase phase_ = Phase::before;
  std::string rest_ = {};
  std::string buffer_ = {};   // text that is not yet in `rest_` and was not used
  std::size_t wait_for_ = 0;  // size of the buffer at which splitting goes on
  bool after_element_ = false;
};

}  // namespace harness
