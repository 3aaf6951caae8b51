#include "harness/schema/split_document.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace harness {
namespace {

constexpr int deepest_piece = 200;  // below the limit of JsonReader, whatever the piece
constexpr std::string_view space = " \t\r\n";

bool is_space(char c) {
  return space.find(c) != std::string_view::npos;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Whether brackets or strings begin or end at a character.
constexpr std::array<bool, 256> make_marks() {
  std::array<bool, 256> marks{};
  for (const char c : {'"', '{', '[', '}', ']'}) marks[static_cast<unsigned char>(c)] = true;
  return marks;
}
constexpr std::array<bool, 256> marks = make_marks();

std::size_t skip_to_mark(std::string_view text, std::size_t at) {
  while (at < text.size() && !marks[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

// Behind the string that begins at `at`, or npos.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('"', at + 1); end != std::string_view::npos;
       end = text.find('"', end + 1)) {
    std::size_t escapes = 0;
    while (text[end - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return end + 1;
  }
  return std::string_view::npos;
}

// Behind the object or list that begins at `at`, or npos.
std::size_t skip_container(std::string_view text, std::size_t at) {
  int depth = 0;
  for (at = skip_to_mark(text, at); at < text.size(); at = skip_to_mark(text, at)) {
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        if (at == std::string_view::npos) return at;
        continue;
      case '{':
      case '[':
        if (++depth > deepest_piece) return std::string_view::npos;
        break;
      default:
        if (--depth == 0) return at + 1;
    }
    ++at;
  }
  return std::string_view::npos;
}

struct Member {
  std::size_t begin = std::string_view::npos;  // of its name
  std::size_t value = std::string_view::npos;
};

// The member of the outermost object, if there is one.
Member find_member(std::string_view text, std::string_view member) {
  std::size_t at = skip_space(text, 0);
  if (at == text.size() || text[at] != '{') return {};
  bool may_begin = true;  // a member, here
  for (++at; at < text.size();) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      at = skip_container(text, at);
      may_begin = false;
      continue;
    }
    if (c == '}') break;
    if (c != '"') {
      if (!is_space(c)) may_begin = c == ',';
      ++at;
      continue;
    }
    const std::size_t begin = at, end = skip_string(text, at);
    if (end == std::string_view::npos) break;
    const std::string_view name = text.substr(begin + 1, end - begin - 2);
    at = skip_space(text, end);
    const bool begins = std::exchange(may_begin, false);
    if (at == text.size() || text[at] != ':') continue;
    at = skip_space(text, at + 1);
    if (begins && name == member) return {begin, at};
  }
  return {};
}

// Where the list `member` of the outermost object begins, or npos.
std::size_t find_list(std::string_view text, std::string_view member) {
  const std::size_t at = find_member(text, member).value;
  return at < text.size() && text[at] == '[' ? at : std::string_view::npos;
}

}  // namespace

std::size_t begin_of_member(std::string_view object, std::string_view name) {
  return find_member(object, name).begin;
}

std::string_view two_members(std::string_view object, std::string_view first, std::string_view second) {
  const Member one = find_member(object, first), other = find_member(object, second);
  const auto end_of = [&](const Member& member) {  // behind the comma, or npos
    if (member.value >= object.size() || object[member.value] != '{') return std::string_view::npos;
    const std::size_t end = skip_container(object, member.value);
    if (end == std::string_view::npos) return end;
    const std::size_t comma = skip_space(object, end);
    return comma < object.size() && object[comma] == ',' ? comma + 1 : std::string_view::npos;
  };
  const std::size_t middle = end_of(one), end = end_of(other);
  if (middle == std::string_view::npos || end == std::string_view::npos ||
      skip_space(object, middle) != other.begin)
    return {};
  return object.substr(one.begin, end - one.begin);
}

bool DocumentSplitter::take(std::string_view piece) {
  if (phase_ == Phase::failed) return false;
  if (phase_ == Phase::behind) {
    rest_ += piece;
    return true;
  }
  buffer_ += piece;
  if (buffer_.size() >= std::max(wait_for_, batch_)) split();
  return phase_ != Phase::failed;
}

std::string DocumentSplitter::beginning() const {
  return phase_ == Phase::within ? rest_ + "]}" : "";
}

std::optional<std::string> DocumentSplitter::finish() {
  if (phase_ == Phase::before || phase_ == Phase::within) split();
  if (phase_ != Phase::behind) return std::nullopt;
  return std::move(rest_);
}

void DocumentSplitter::split() {
  if (phase_ == Phase::before) {
    const std::size_t open = find_list(buffer_, member_);
    // Twice the text before the next search, so that a long text is not searched for each of its pieces.
    wait_for_ = 2 * buffer_.size();
    if (open == std::string_view::npos) return;
    phase_ = Phase::within;
    rest_ = buffer_.substr(0, open + 1);
    buffer_.erase(0, open + 1);
  }
  split_list();
}

void DocumentSplitter::split_list() {
  const std::string_view text = buffer_;
  std::vector<std::string_view> elements;
  std::size_t used = 0;
  while (phase_ == Phase::within) {
    std::size_t at = skip_space(text, used);
    if (at < text.size() && text[at] == ']') {
      phase_ = Phase::behind;
      rest_ += text.substr(at);
      break;
    }
    if (at < text.size() && after_element_) {
      if (text[at] != ',') phase_ = Phase::failed;
      at = skip_space(text, at + 1);
    }
    if (at >= text.size()) break;
    if (text[at] != '{') phase_ = Phase::failed;
    const std::size_t end = skip_container(text, at);
    if (end == std::string_view::npos) break;
    elements.push_back(text.substr(at, end - at));
    after_element_ = true;
    used = end;
  }
  if (phase_ != Phase::failed && !elements.empty() && !use_(elements)) phase_ = Phase::failed;
  wait_for_ = elements.empty() ? 2 * buffer_.size() : buffer_.size() - used + batch_;
  buffer_.erase(0, used);
}

}  // namespace harness
