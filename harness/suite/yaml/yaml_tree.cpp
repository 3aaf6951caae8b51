#include "harness/suite/yaml/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "harness/suite/yaml/yaml_text.h"

namespace harness {
namespace {

// Thrown through the parser once an error that ends reading is in the list.
struct TooMuch {};

TextPosition place_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

}  // namespace

// Turns the parser's events into values. An event-driven reading, rather than the library's own tree,
// sees every key (duplicates too), stops at the limits before memory is spent, and is several times
// faster.
class YamlBuilder final : public YAML::EventHandler {
 public:
  YamlBuilder(YamlTree& tree, std::string file, ErrorList& errors, YamlLimits limits, const YamlWords& words)
      : tree_(tree), file_(std::move(file)), errors_(errors), limits_(limits), words_(words) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      stop(mark, "a second document begins here",
           fmt::format("a file holds one {}: remove the `---` between", words_.what));
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (at_key()) stop(mark, "a key is missing here", "write `name: value`");
    YamlValue& value = add(mark, anchor);
    value.text = "null";
    value.open = false;
    put(value, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (at_key()) {
      begin_member(mark, text);
      return;
    }
    YamlValue& value = add(mark, anchor);
    value.text = text;
    value.open = false;
    resolve(value, mark, tag);
    put(value, mark);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (at_key()) stop(mark, "a key cannot be an alias", "write the key out");
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) stop(mark, "the alias names no anchor", "define it with `&name` first");
    if (found->second->open)
      stop(mark, "the alias stands inside the value that it names, which would never end",
           "move the anchored value out, or write it out here");
    put(*found->second, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    begin_container(mark, tag, anchor, YamlValue::Kind::list);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    begin_container(mark, tag, anchor, YamlValue::Kind::map);
  }
  void OnSequenceEnd() override { end_container(); }
  void OnMapEnd() override { end_container(); }

  // Where the last text in quotes begins; line 0 when there is none.
  [[nodiscard]] TextPosition last_quoted() const { return last_quoted_; }

 private:
  struct Frame {
    YamlValue* container;
    YAML::Mark mark;
    std::unordered_map<std::string, int> lines = {};  // of a map's keys so far
    bool has_key = false;                             // the next event is a member's value
    bool drop = false;                                // ... of a key that is there already
    YamlMember member = {};
  };

  [[nodiscard]] Location location(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }

  [[noreturn]] void stop(const YAML::Mark& mark, std::string message, std::string advice = {}) {
    errors_.add(location(mark), std::move(message), std::move(advice));
    throw TooMuch{};
  }

  [[nodiscard]] bool at_key() const {
    return !frames_.empty() && frames_.back().container->kind == YamlValue::Kind::map &&
           !frames_.back().has_key;
  }

  YamlValue& add(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (tree_.values_.size() >= limits_.values) too_many(mark);
    YamlValue& value = tree_.values_.emplace_back();
    value.place = place_of(mark);
    if (anchor != 0) anchors_[anchor] = &value;
    return value;
  }

  [[noreturn]] void too_many(const YAML::Mark& mark) {
    stop(
        mark,
        fmt::format("the {} has more than {} values, aliases counted as copies", words_.what, limits_.values),
        words_.smaller);
  }

  void begin_member(const YAML::Mark& mark, const std::string& name) {
    Frame& frame = frames_.back();
    const auto [first, is_new] = frame.lines.emplace(name, mark.line + 1);
    if (!is_new)
      errors_.add(location(mark), fmt::format("duplicate key {}", in_ticks(name)),
                  fmt::format("it is there already, on line {}; keep one of them", first->second));
    frame.has_key = true;
    frame.drop = !is_new;
    frame.member = YamlMember{name, place_of(mark), nullptr};
  }

  void begin_container(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YamlValue::Kind kind) {
    // This is also how the parser sees a list or a map that the end of the file leaves open.
    if (at_key())
      stop(mark, "a list or a map stands where a key is expected",
           "close it with `]` or `}` if it is a value; quote it if it is a text");
    if (static_cast<int>(frames_.size()) >= limits_.depth) too_deep(mark);
    YamlValue& value = add(mark, anchor);
    value.kind = kind;
    const std::string expected = kind == YamlValue::Kind::list ? "seq" : "map";
    if (tag != "?" && tag != "!" && !tag.empty() && tag != "tag:yaml.org,2002:" + expected)
      unknown_tag(value, mark, tag);
    frames_.push_back(Frame{&value, mark});
  }

  void end_container() {
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    frame.container->open = false;
    put(*frame.container, frame.mark);
  }

  [[noreturn]] void too_deep(const YAML::Mark& mark) {
    stop(mark, fmt::format("lists and maps are nested more than {} levels deep", limits_.depth),
         fmt::format("a {} needs fewer than ten", words_.what));
  }

  // Puts a finished value where it belongs, and counts it there: an alias counts as much as a copy.
  void put(YamlValue& value, const YAML::Mark& mark) {
    if (frames_.empty()) {
      tree_.root_ = &value;
      return;
    }
    Frame& frame = frames_.back();
    YamlValue& container = *frame.container;
    container.size += value.size;
    if (container.size > limits_.values) too_many(mark);
    container.height = std::max(container.height, value.height + 1);
    if (static_cast<int>(frames_.size()) + value.height > limits_.depth + 1) too_deep(mark);
    if (container.kind == YamlValue::Kind::list) {
      container.items.push_back(&value);
      return;
    }
    // The parser places a missing value at whatever follows it, which may be lines below.
    if (value.kind == YamlValue::Kind::null) value.place = frame.member.place;
    if (!frame.drop) {
      frame.member.value = &value;
      container.members.push_back(std::move(frame.member));
    }
    frame.has_key = false;
  }

  void unknown_tag(YamlValue& value, const YAML::Mark& mark, const std::string& tag) {
    value.rejected = true;
    errors_.add(location(mark), fmt::format("the tag {} means nothing here", in_ticks(tag)),
                "remove it; to keep a number as text, quote it");
  }

  // "?" marks an unquoted scalar, "!" a quoted one.
  void resolve(YamlValue& value, const YAML::Mark& mark, const std::string& tag) {
    constexpr std::string_view core = "tag:yaml.org,2002:";
    value.kind = YamlValue::Kind::text;
    if (tag == "!") last_quoted_ = value.place;
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return;
    if (tag != "?" && !tag.empty()) {
      const std::string_view kind =
          std::string_view(tag).starts_with(core) ? std::string_view(tag).substr(core.size()) : "";
      if (kind != "int" && kind != "float" && kind != "bool" && kind != "null")
        return unknown_tag(value, mark, tag);
    }
    value.rejected = !resolve_plain_scalar(value);
    if (value.rejected)
      errors_.add(location(mark), fmt::format("the number {} cannot be held", in_ticks(value.text)),
                  "integers have at most 64 bits, other numbers are finite; quote it if it is text");
  }

  YamlTree& tree_;
  std::string file_;
  ErrorList& errors_;
  YamlLimits limits_;
  const YamlWords& words_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, YamlValue*> anchors_;
  int documents_ = 0;
  TextPosition last_quoted_;
};

YamlTree::YamlTree(const std::string& text, const std::string& file, ErrorList& errors, YamlLimits limits,
                   const YamlWords& words) {
  if (!check_yaml_text(text, file, limits, words, errors)) return;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const bool marked = text.starts_with(byte_order_mark);
  std::istringstream stream(marked ? text.substr(byte_order_mark.size()) : text);
  YamlBuilder builder(*this, file, errors, limits, words);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    const TextPosition last = builder.last_quoted();
    if (last.line > 0 && !quote_is_closed(stream.view(), last)) {
      errors.add({file, last.line, last.column}, "not valid YAML: the quoted text has no end",
                 "close it with the quote that opened it");
      root_ = nullptr;
      return;
    }
    if (root_ == nullptr || root_->kind == YamlValue::Kind::null) {
      errors.add({file, 1, 1}, fmt::format("the {} is empty", words.what), words.beginning);
      root_ = nullptr;
    }
  } catch (const TooMuch&) {
    root_ = nullptr;
  } catch (const YAML::Exception& error) {
    add_syntax_error(text, file, error.mark.is_null() ? TextPosition{} : place_of(error.mark), error.msg,
                     errors);
    root_ = nullptr;
  }
}

}  // namespace harness
