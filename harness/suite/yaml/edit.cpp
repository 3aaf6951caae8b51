#include "harness/suite/yaml/edit.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/suite/yaml/yaml_tree.h"

namespace harness {
namespace {

std::size_t indent_of(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? line.size() : first;
}

bool is_content(const std::string& line) {
  const std::string_view trimmed = trim(line);
  return !trimmed.empty() && trimmed.front() != '#';
}

// The lines of a text, and what ends them.
class Lines {
 public:
  explicit Lines(const std::string& text) : lines_(split(text, '\n')) {
    if (!lines_.empty() && lines_.back().empty())
      lines_.pop_back();
    else
      ends_ = false;
    carriage_return_ = !lines_.empty() && lines_.front().ends_with('\r');
  }

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] const std::string& at(std::size_t i) const { return lines_[i]; }
  void insert(std::size_t at, std::string line) {
    if (carriage_return_) line += '\r';
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), std::move(line));
  }
  void erase(std::size_t at) { lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(at)); }
  [[nodiscard]] std::string text() const { return join(lines_, "\n") + (ends_ ? "\n" : ""); }

 private:
  std::vector<std::string> lines_;
  bool ends_ = true;  // with a newline
  bool carriage_return_ = false;
};

// Where the block that begins at line `first` ends: after its last line of content. `inside` says of a line
// of content whether it belongs to the block.
template <class Inside>
std::size_t end_of_block(const Lines& lines, std::size_t first, Inside inside) {
  std::size_t end = first + 1;
  for (std::size_t i = first + 1; i < lines.size(); ++i) {
    if (!is_content(lines.at(i))) continue;
    if (!inside(lines.at(i))) break;
    end = i + 1;
  }
  return end;
}

Error refusal(const std::string& file, const GroupEdit& edit, const std::string& why) {
  std::string by_hand = "add by hand:\n    overrides:";
  for (const std::string& entry : edit.entries) by_hand += "\n+     - " + entry;
  return {ErrorKind::usage, why, Location{file, edit.line}, by_hand};
}

const YamlValue* group_at(const YamlValue& root, int line) {
  const YamlValue* cases = root.find("cases");
  if (cases == nullptr) return nullptr;
  for (const YamlValue* group : cases->items)
    if (group->place.line == line && group->kind == YamlValue::Kind::map && !group->members.empty())
      return group;
  return nullptr;
}

char character_at(const Lines& lines, TextPosition place) {
  const auto line = static_cast<std::size_t>(place.line) - 1;
  const auto column = static_cast<std::size_t>(place.column) - 1;
  return line < lines.size() && column < lines.at(line).size() ? lines.at(line)[column] : '\0';
}

// Entries marked as ours within [first, end).
std::size_t erase_marked(Lines& lines, std::size_t first, std::size_t end) {
  for (std::size_t i = end; i-- > first;) {
    const std::string_view line = trim(lines.at(i));
    if (!line.starts_with("- {") || !line.ends_with(trim(override_mark))) continue;
    lines.erase(i);
    --end;
  }
  return end;
}

Status edit_group(Lines& lines, const YamlValue& root, const std::string& file, const GroupEdit& edit) {
  const YamlValue* group = group_at(root, edit.line);
  if (group == nullptr) return fail(refusal(file, edit, "is no place where a group of cases begins"));
  if (character_at(lines, group->place) == '{')
    return fail(
        refusal(file, edit, "this group is written in one pair of braces, to which nothing can be added"));
  const auto first = static_cast<std::size_t>(edit.line) - 1;
  const auto indent = static_cast<std::size_t>(group->members.front().place.column) - 1;
  const auto of_group = [&](const std::string& line) { return indent_of(line) >= indent; };
  const auto member = std::find_if(group->members.begin(), group->members.end(),
                                   [](const YamlMember& one) { return one.name == "overrides"; });
  if (member == group->members.end()) {
    std::size_t end = end_of_block(lines, first, of_group);
    lines.insert(end++, std::string(indent, ' ') + "overrides:");
    for (const std::string& entry : edit.entries)
      lines.insert(end++, std::string(indent + 2, ' ') + "- " + entry + std::string(override_mark));
    return {};
  }
  const YamlValue& list = *member->value;
  if (list.kind != YamlValue::Kind::list || list.items.empty() || list.place.line <= member->place.line ||
      character_at(lines, list.place) == '[')
    return fail(refusal(file, edit, "the `overrides` of this group are not a list with one entry a line"));
  const auto key = static_cast<std::size_t>(member->place.line) - 1;
  const auto item = static_cast<std::size_t>(list.items.front()->place.line) - 1;
  const std::size_t dash = indent_of(lines.at(item));
  if (item <= key || lines.at(item).substr(dash, 2) != "- ")
    return fail(refusal(file, edit, "the `overrides` of this group are not a list with one entry a line"));
  std::size_t end = end_of_block(lines, item, [&](const std::string& line) {
    return indent_of(line) > dash || (indent_of(line) == dash && line[dash] == '-');
  });
  end = erase_marked(lines, item, end);
  for (const std::string& entry : edit.entries)
    lines.insert(end++, std::string(dash, ' ') + "- " + entry + std::string(override_mark));
  return {};
}

}  // namespace

Result<std::string> with_overrides(const std::string& text, const std::string& file,
                                   const std::vector<GroupEdit>& edits) {
  ErrorList errors;
  const YamlTree tree(text, file, errors);
  if (tree.root() == nullptr || !errors.empty()) {
    std::vector<Error> all = errors.take();
    return fail(all.empty() ? Error{ErrorKind::usage, "is no suite", Location{file}, {}} : all.front());
  }
  std::vector<GroupEdit> from_the_end = edits;  // so that earlier places stay valid
  std::sort(from_the_end.begin(), from_the_end.end(),
            [](const GroupEdit& a, const GroupEdit& b) { return a.line > b.line; });
  Lines lines(text);
  for (const GroupEdit& edit : from_the_end)
    if (!edit.entries.empty())
      if (const Status done = edit_group(lines, *tree.root(), file, edit); !done) return fail(done.error());
  return lines.text();
}

}  // namespace harness
