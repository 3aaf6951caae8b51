// JsonWriter: JSON text written piece by piece, with a layout for each container: one line a placement for
// diffs, one line a row in the store. Not thread-safe. The caller closes what it opens.
//
// Text is always valid JSON in valid UTF-8: a byte that is not UTF-8 becomes U+FFFD, a number that is not
// finite becomes null. Doubles take the shortest digits that read back as the same double.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness {

enum class JsonLayout {
  lines,  // every member or element on a line of its own, indented by two
  line,   // all on one line, and all that is inside too
};

class JsonWriter {
 public:
  JsonWriter& open_object(JsonLayout layout = JsonLayout::lines) { return open('{', '}', layout); }
  JsonWriter& open_array(JsonLayout layout = JsonLayout::lines) { return open('[', ']', layout); }
  JsonWriter& close();

  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& flag(bool value);
  JsonWriter& number(double value);  // 3.0 is written "3"
  JsonWriter& real(double value);    // 3.0 is written "3.0", so that it reads back as no integer
  JsonWriter& null();

  template <std::integral T>
  JsonWriter& integer(T value) {
    separate();
    out_ += std::to_string(value);
    return *this;
  }

  // The text so far; later text is written behind it.
  std::string take() { return std::exchange(out_, {}); }
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  struct Level {
    char closer;
    JsonLayout layout;
    bool empty = true;
  };

  JsonWriter& open(char opener, char closer, JsonLayout layout);
  void separate();
  void line_break();
  void quote(std::string_view value);

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace harness
