#include "harness/store/adapters/read_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::size_t error_limit = 50;

std::string text_of_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return fmt::format("{}", value);
}

}  // namespace

void SampleErrors::add(Error error) {
  if (errors_.size() < error_limit)
    errors_.push_back(std::move(error));
  else
    ++more_;
}

std::vector<Error> SampleErrors::take(const std::string& file) && {
  if (more_ > 0)
    errors_.push_back({ErrorKind::usage, fmt::format("and {} more errors", more_), Location{file}, {}});
  return std::move(errors_);
}

Checked<ToolFile> read_json(std::string_view text, const std::string& file, const TakeJson& take) {
  const auto reader = JsonReader::parse(text, {file, 1}, JsonNumbers::with_nan);
  if (!reader) return fail_checked(reader.error());
  ToolFile read;
  take((*reader)->root(), read);
  if ((*reader)->error()) return fail_checked(*(*reader)->error());
  return read;
}

Checked<ToolFile> read_json_lines(std::string_view text, const std::string& file, const TakeJson& take,
                                  const std::function<void(ToolFile&)>& at_the_end) {
  ToolFile read;
  SampleErrors errors;
  each_line(text, [&](std::string_view line, int number) {
    if (trim(line).empty()) return;
    const auto reader = JsonReader::parse(line, {file, number}, JsonNumbers::with_nan);
    if (!reader) return errors.add(reader.error());
    take((*reader)->root(), read);
    if ((*reader)->error()) errors.add(*(*reader)->error());
  });
  if (!errors.errors().empty()) return tl::unexpected(std::move(errors).take(file));
  if (at_the_end) at_the_end(read);
  return read;
}

Checked<ToolFile> with_cases(ToolFile read, const std::string& file, const std::string& advice) {
  if (read.cases.empty()) return fail_checked({ErrorKind::usage, "holds no samples", Location{file}, advice});
  return read;
}

void each_line(std::string_view text, const std::function<void(std::string_view, int)>& read) {
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    read(text.substr(begin, end - begin), number);
    begin = end + 1;
  }
}

bool begins_as_json(std::string_view text, std::string_view open,
                    std::initializer_list<std::string_view> keys) {
  text = beginning_of(text);
  for (const char wanted : open) {
    text = trim(text);
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(1);
  }
  return std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return text.find(fmt::format("\"{}\"", key)) != std::string_view::npos;
  });
}

Cause unusable_time(std::string member, double value, const std::string& advice_if_zero) {
  Cause cause{CauseCode::time_unusable, {{"member", std::move(member)}, {"value", text_of_number(value)}}};
  if (value == 0 && !advice_if_zero.empty()) cause.figures.emplace_back("advice", advice_if_zero);
  return cause;
}

std::optional<double> time_of(const JsonNode& node, CaseRecord& one, const std::string& advice_if_zero) {
  const double value = node.number();
  if (!node.present() || !node.ok()) return std::nullopt;
  if (value < 0 && std::isfinite(value)) {
    node.problem(fmt::format("is {}; a time is above 0", value));
    return std::nullopt;
  }
  if (value > 0 && std::isfinite(value)) return value;
  ToolFile::end(one, Outcome::failed, unusable_time(node.path(), value, advice_if_zero));
  return std::nullopt;
}

std::vector<double> times_of(const JsonNode& array, CaseRecord& one, const std::string& advice_if_zero) {
  std::vector<double> times;
  times.reserve(array.size());
  bool usable = true;
  array.each_element([&](const JsonNode& element) {
    const std::optional<double> time = time_of(element, one, advice_if_zero);
    usable = usable && time.has_value();
    times.push_back(time.value_or(0));
  });
  if (array.present() && times.empty()) array.problem("is empty; expected at least one number");
  if (!usable) times.clear();
  return times;
}

constexpr const char* changed_file =
    "a tool writes no such numbers: the file was changed, or holds parts of two";

void check_order(const JsonNode& statistics) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> ordered{
      {{"min", "median"}, {"median", "max"}, {"min", "mean"}, {"mean", "max"}, {"min", "max"}}};
  constexpr double rounding = 1e-9;  // a mean of equal numbers may be off in its last digits
  for (const auto& [less, more] : ordered) {
    const JsonNode low = statistics.find(less), high = statistics.find(more);
    if (!low.present() || !high.present() || low.is_null() || high.is_null()) continue;
    if (low.number() > high.number() + rounding * std::abs(high.number()))
      high.problem(fmt::format("is {}, below `{}`, which is {}", high.number(), less, low.number()),
                   changed_file);
  }
}

void check_within(const JsonNode& statistics, const JsonNode& samples) {
  constexpr double rounding = 1e-6;  // tools write fewer digits of one than of the other
  const JsonNode low = statistics.find("min"), high = statistics.find("max");
  if (!low.present() || !high.present() || low.is_null() || high.is_null()) return;
  samples.each_element([&](const JsonNode& sample) {
    const double value = sample.number();
    if (!(value > 0)) return;  // no time, which ends its case
    const bool below = value<low.number() * (1 - rounding), above = value> high.number() * (1 + rounding);
    if (below || above)
      sample.problem(fmt::format("is {}, {} `{}`, which is {}", value, below ? "below" : "above",
                                 below ? "min" : "max", (below ? low : high).number()),
                     changed_file);
  });
}

std::string text_of(const JsonNode& object, std::string_view member) {
  const JsonNode node = object.find(member);
  if (!node.present() || node.is_null()) return {};
  const auto value = node.scalar();
  return value ? sdk::to_string(*value) : std::string();
}

Texts scalars_of(const JsonNode& object) {
  Texts texts;
  if (!object.present() || object.is_null()) return texts;
  object.each_member([&](std::string_view name, const JsonNode& value) {
    if (!value.is_scalar()) return;
    if (const auto scalar = value.scalar()) texts.emplace(std::string(name), sdk::to_string(*scalar));
  });
  return texts;
}

std::string name_of(const JsonNode& node) {
  std::string name = node.text();
  if (node.present() && name.empty()) node.problem("is empty");
  return name;
}

std::string launch_shape(std::string shape) {
  while (shape.ends_with("x1")) shape.resize(shape.size() - 2);
  return shape;
}

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

std::string without_folders(const std::string& command) {
  std::string shown;
  char quote = 0;
  std::size_t word = 0;  // where the present word begins in `shown`
  bool is_path = true;   // the program, and words that begin as paths do
  for (const char sign : command) {
    const bool parts =
        quote == 0 ? std::string_view(" =;|&'\"").find(sign) != std::string_view::npos : sign == quote;
    if (parts) {
      if (quote != 0 || sign == '\'' || sign == '"') quote = quote == 0 ? sign : 0;
      shown += sign;
      word = shown.size();
      is_path = is_path && word == 1;  // a quoted program
    } else if (sign == '/' && (is_path || shown.size() == word || shown[word] == '.' || shown[word] == '~')) {
      is_path = true;
      shown.resize(word);
    } else {
      shown += sign;
    }
  }
  return shown;
}

}  // namespace harness
