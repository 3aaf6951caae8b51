#include "source_parts.h"

#include <algorithm>
#include <cctype>

#include "harness/base/text.h"

namespace harness::tree {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  SourceParts scan() {
    while (at_ < text_.size()) {
      if (starts("//"))
        line_comment();
      else if (starts("/*"))
        block_comment();
      else if (starts("R\"") && !is_word_before())
        raw_literal();
      else if (text_[at_] == '"')
        literal();
      else if (text_[at_] == '\'' && !is_word_before())
        character();
      else
        keep();
    }
    return std::move(parts_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  // A quote behind a digit separates thousands; an R behind a letter ends a name.
  [[nodiscard]] bool is_word_before() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }
  void keep() {
    if (text_[at_] == '\n') ++line_;
    parts_.code += text_[at_++];
  }
  [[nodiscard]] bool is_alone_on_its_line() const {
    const std::size_t begin = parts_.code.rfind('\n') + 1;
    return trim(std::string_view(parts_.code).substr(begin)).empty();
  }
  void line_comment() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view behind = text_.substr(at_ + 2, end - at_ - 2);
    const bool indented = behind.starts_with("  ");  // a formula, a table or an example
    const std::string text(indented ? std::string_view{} : trim(behind));
    const bool alone = is_alone_on_its_line();
    if (alone && line_ == last_alone_ + 1)
      parts_.comments.back().text += text.empty() ? ". " : " " + text;
    else
      parts_.comments.push_back({line_, text});
    if (alone) last_alone_ = line_;
    at_ = end;
  }
  void block_comment() {
    const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
    parts_.comments.push_back({line_, std::string(text_.substr(at_ + 2, end - at_ - 2))});
    skip(std::min(end + 2, text_.size()));
  }
  void raw_literal() {
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    parts_.literals.push_back({line_, std::string(text_.substr(open + 1, end - open - 1))});
    parts_.code += "\"\"";
    skip(std::min(end + close.size(), text_.size()));
  }
  void literal() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    const std::size_t begin = parts_.code.rfind('\n') + 1;
    const std::string before(trim(std::string_view(parts_.code).substr(begin)));
    if (!before.starts_with("#"))
      parts_.literals.push_back({line_, std::string(text_.substr(at_ + 1, end - at_ - 1))});
    parts_.code += "\"\"";
    skip(std::min(end + 1, text_.size()));
  }
  void character() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '\'' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    parts_.code += text_.substr(at_, end + 1 - at_);
    skip(std::min(end + 1, text_.size()));
  }
  void skip(std::size_t to) {
    const auto lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                  text_.begin() + static_cast<std::ptrdiff_t>(to), '\n');
    line_ += static_cast<int>(lines);
    parts_.code.append(static_cast<std::size_t>(lines), '\n');
    at_ = to;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int last_alone_ = -1;
  SourceParts parts_;
};

}  // namespace

SourceParts take_apart(std::string_view text) {
  return Scanner(text).scan();
}

std::vector<Piece> line_comments(std::string_view script) {
  std::vector<Piece> found;
  int number = 0;
  int last = -1;
  for (const std::string& line : split(script, '\n')) {
    ++number;
    std::string_view text = trim(line);
    if (!text.starts_with("#") && !text.starts_with("//")) continue;
    text.remove_prefix(text.find_first_not_of("#/!") == std::string_view::npos
                           ? text.size()
                           : text.find_first_not_of("#/!"));
    const bool is_prose = text.starts_with(" ") && !text.starts_with("  ");
    if (is_prose && last == number - 1)
      found.back().text += std::string(text);
    else if (is_prose)
      found.push_back({number, std::string(trim(text))});
    last = is_prose ? number : -1;
  }
  return found;
}

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> found;
  std::string sentence;
  for (std::size_t i = 0; i < text.size(); ++i) {
    sentence += text[i] == '\n' ? ' ' : text[i];
    const bool ends = std::string_view(".:!?").find(text[i]) != std::string_view::npos &&
                      (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n');
    if (!ends) continue;
    found.emplace_back(trim(sentence));
    sentence.clear();
  }
  if (!trim(sentence).empty()) found.emplace_back(trim(sentence));
  return found;
}

std::vector<Piece> paragraphs(std::string_view markdown) {
  std::vector<Piece> found;
  bool fenced = false;
  bool goes_on = false;
  int number = 0;
  for (const std::string& line : split(markdown, '\n')) {
    ++number;
    std::string text(trim(line));
    if (text.starts_with("```")) fenced = !fenced;
    const bool is_prose = !fenced && !text.empty() && !text.starts_with("```") && !text.starts_with("|") &&
                          !text.starts_with("#") && !text.starts_with("<") && !line.starts_with("    ");
    const bool is_entry =
        text.starts_with("- ") || text.starts_with("* ") ||
        (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0 && text.find(". ") < 3);
    if (is_prose && is_entry) text = text.substr(text.find(' ') + 1);
    if (is_prose && goes_on && !is_entry)
      found.back().text += " " + text;
    else if (is_prose)
      found.push_back({number, text});
    goes_on = is_prose;
  }
  return found;
}

}  // namespace harness::tree
