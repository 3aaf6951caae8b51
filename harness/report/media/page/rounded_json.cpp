#include "harness/report/media/page/rounded_json.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "harness/report/media/page/page_json.h"
#include "harness/report/media/page/page_samples.h"

namespace harness::report {
namespace {

class Rounding : public nlohmann::json_sax<Json> {
 public:
  Rounding(int digits, const std::function<std::string(std::size_t)>& row_end)
      : digits_(digits), row_end_(row_end) {}

  std::string take() { return std::move(out_); }

  bool null() override { return put("null"); }
  bool boolean(bool value) override { return put(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(std::to_string(value)); }
  bool number_float(number_float_t value, const string_t&) override {
    return put(number(rounded(value, digits_)).dump());
  }
  bool string(string_t& value) override { return put(quoted(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open('{'); }
  bool start_array(std::size_t) override { return open('['); }
  bool end_array() override { return close(']'); }

  bool key(string_t& name) override {
    separate();
    out_ += quoted(name);
    out_ += ':';
    after_key_ = true;
    if (empty_.size() == 1) in_rows_ = name == "cases";
    return true;
  }

  bool end_object() override {
    if (empty_.size() == 3 && in_rows_ && row_end_) {
      separate();
      out_ += row_end_(row_++);
    }
    return close('}');
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    throw std::logic_error(error.what());  // a report of ours
  }

 private:
  static std::string quoted(const std::string& text) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    if (std::all_of(text.begin(), text.end(), is_plain)) return '"' + text + '"';
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void separate() {
    if (!after_key_ && !empty_.empty() && !empty_.back()) out_ += ',';
    if (!empty_.empty()) empty_.back() = false;
    after_key_ = false;
  }

  bool put(std::string_view value) {
    separate();
    out_ += value;
    return true;
  }

  bool open(char bracket) {
    separate();
    out_ += bracket;
    empty_.push_back(true);
    return true;
  }

  bool close(char bracket) {
    empty_.pop_back();
    out_ += bracket;
    return true;
  }

  int digits_;
  const std::function<std::string(std::size_t)>& row_end_;
  std::string out_;
  std::vector<bool> empty_;  // of each open bracket
  bool after_key_ = false, in_rows_ = false;
  std::size_t row_ = 0;
};

}  // namespace

std::string rounded_json(std::string_view text, int digits,
                         const std::function<std::string(std::size_t)>& row_end) {
  Rounding rounding(digits, row_end);
  Json::sax_parse(text, &rounding);
  return rounding.take();
}

}  // namespace harness::report
