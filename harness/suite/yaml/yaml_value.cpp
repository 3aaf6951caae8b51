#include "harness/suite/yaml/yaml_value.h"
#include "harness/suite/yaml/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace harness {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// [-+]?[0-9]+ | 0o[0-7]+ | 0x[0-9a-fA-F]+
bool looks_like_integer(std::string_view text) {
  if (text.starts_with("0o"))
    return text.size() > 2 && text.find_first_not_of("01234567", 2) == std::string_view::npos;
  if (text.starts_with("0x"))
    return text.size() > 2 && text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool looks_like_real(std::string_view text) {
  const auto skip_digits = [&] {
    std::size_t count = 0;
    for (; !text.empty() && is_digit(text.front()); ++count) text.remove_prefix(1);
    return count;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = skip_digits();
  const bool begins_with_digit = digits > 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0 || (!begins_with_digit && digits < 1)) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return skip_digits() > 0 && text.empty();
}

bool parse_integer(std::string_view text, std::int64_t& value) {
  int base = 10;
  if (text.starts_with("0o") || text.starts_with("0x")) {
    base = text[1] == 'o' ? 8 : 16;
    text.remove_prefix(2);
  } else if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

const YamlValue* YamlValue::find(std::string_view name) const {
  for (const YamlMember& member : members)
    if (member.name == name) return member.value->rejected ? nullptr : member.value;
  return nullptr;
}

bool resolve_plain_scalar(YamlValue& value) {
  using Kind = YamlValue::Kind;
  const std::string_view text = value.text;
  value.kind = Kind::text;
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) {
    value.kind = Kind::null;
  } else if (is_one_of(text, {"true", "True", "TRUE", "false", "False", "FALSE"})) {
    value.kind = Kind::boolean;
    value.boolean = text.front() == 't' || text.front() == 'T';
  } else if (looks_like_integer(text)) {
    value.kind = Kind::integer;
    return parse_integer(text, value.integer);
  } else if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
                              ".nan", ".NaN", ".NAN"})) {
    value.kind = Kind::real;
    return false;
  } else if (looks_like_real(text)) {
    value.kind = Kind::real;
    const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value.real);
    return error == std::errc{} && end == digits.data() + digits.size() && std::isfinite(value.real);
  }
  return true;
}

std::string described(const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::null: return "nothing";
    case YamlValue::Kind::boolean: return fmt::format("`{}`", value.boolean);
    case YamlValue::Kind::integer: return "the integer " + value.text;
    case YamlValue::Kind::real: return "the number " + value.text;
    case YamlValue::Kind::text:
      return value.text.empty() ? "an empty text" : "the text " + in_ticks(value.text);
    case YamlValue::Kind::list: return value.items.empty() ? "an empty list" : "a list";
    case YamlValue::Kind::map: return value.members.empty() ? "an empty map" : "a map";
  }
  return "nothing";
}

}  // namespace harness
