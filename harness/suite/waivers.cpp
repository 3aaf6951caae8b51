#include "harness/suite/waivers.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/units.h"
#include "harness/suite/yaml/schema_check.h"
#include "harness/suite/yaml/yaml_tree.h"

namespace harness {
namespace {

constexpr std::size_t largest_waivers = 1 << 20;
const YamlWords waiver_words{"waivers file", "waive by pattern, and remove what has expired",
                             "write `version: 1` and `waivers: []`"};

bool is_a_day(const std::string& date) {
  namespace chrono = std::chrono;
  const auto part = [&](std::size_t at, std::size_t length) {
    return static_cast<unsigned>(std::stoul(date.substr(at, length)));  // digits, by the schema
  };
  return chrono::year_month_day{chrono::year{static_cast<int>(part(0, 4))}, chrono::month{part(5, 2)},
                                chrono::day{part(8, 2)}}
      .ok();
}

// Reads what the schema let pass.
class WaiverReader {
 public:
  WaiverReader(const std::string& file, ErrorList& errors) : file_(file), errors_(errors) {}

  std::vector<Waiver> read(const YamlValue& root) {
    std::vector<Waiver> waivers;
    const YamlValue* list = root.find("waivers");
    if (list == nullptr) return waivers;
    for (const YamlValue* entry : list->items)
      if (!entry->rejected) waivers.push_back(waiver(*entry));
    return waivers;
  }

 private:
  Waiver waiver(const YamlValue& entry) {
    Waiver read;
    read.where = location(entry);
    read.pattern = text(entry, "pattern");
    read.metric = text(entry, "metric");
    read.reason = text(entry, "reason");
    read.issue = text(entry, "issue");
    read.ceiling = ceiling(entry);
    read.expires = text(entry, "expires");
    if (const YamlValue* undecided = entry.find("undecided")) read.undecided = undecided->boolean;
    if (const YamlValue* expires = entry.find("expires"); expires != nullptr && !is_a_day(read.expires))
      errors_.add(location(*expires), fmt::format("`expires`: there is no day {}", in_ticks(read.expires)),
                  "write year-month-day, such as 2026-12-31");
    const auto [first, is_new] = known_.try_emplace(std::pair(read.pattern, read.metric), read.where.line);
    if (!is_new && !read.pattern.empty())
      errors_.add(location(*entry.find("pattern")),
                  fmt::format("a second waiver of {}{}", in_ticks(read.pattern),
                              read.metric.empty() ? "" : " for " + in_ticks(read.metric)),
                  fmt::format("line {} has one already; keep one of them", first->second));
    return read;
  }

  double ceiling(const YamlValue& entry) {
    const YamlValue* found = entry.find("ceiling");
    if (found == nullptr) return 0;
    if (found->kind == YamlValue::Kind::real) return found->real;
    const Result<double> parsed = parse_fraction(found->text);
    if (parsed && *parsed > 0) return *parsed;
    errors_.add(
        location(*found),
        parsed ? "`ceiling`: 0 % waives nothing" : fmt::format("`ceiling`: {}", parsed.error().message),
        parsed ? "name the worst change to accept, such as `5%`" : parsed.error().advice);
    return 0;
  }

  static std::string text(const YamlValue& entry, const char* name) {
    const YamlValue* found = entry.find(name);
    return found != nullptr ? found->text : std::string();
  }

  [[nodiscard]] Location location(const YamlValue& value) const {
    return {file_, value.place.line, value.place.column};
  }

  const std::string& file_;
  ErrorList& errors_;
  std::map<std::pair<std::string, std::string>, int> known_;  // lines of what was read, by pattern and metric
};

bool known_waivers_version(const YamlValue& root, const std::string& file, ErrorList& errors) {
  const YamlValue* version = root.find("version");
  if (version == nullptr || version->kind != YamlValue::Kind::integer || version->integer == 1) return true;
  errors.add({file, version->place.line, version->place.column},
             fmt::format("unknown version {} of the waivers file", version->integer),
             "this harness reads version 1; a newer harness may read this file");
  return false;
}

Error too_large(const std::string& file) {
  return {ErrorKind::usage, "the waivers file is larger than 1 MiB", Location{file}, waiver_words.smaller};
}

}  // namespace

Checked<std::vector<Waiver>> parse_waivers(const std::string& text, const std::string& file) {
  if (text.size() > largest_waivers) return fail_checked(too_large(file));
  ErrorList errors;
  const YamlTree tree(text, file, errors, {}, waiver_words);
  std::vector<Waiver> waivers;
  if (tree.root() != nullptr && known_waivers_version(*tree.root(), file, errors)) {
    check_schema(*tree.root(), waivers_schema(), file, errors);
    if (!tree.root()->rejected) waivers = WaiverReader(file, errors).read(*tree.root());
  }
  if (!errors.empty()) return tl::unexpected(errors.take());
  return waivers;
}

Checked<std::vector<Waiver>> load_waivers(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    return fail_checked({ErrorKind::usage, "no such waivers file", Location{path}, waiver_words.beginning});
  const Result<std::string> text = read_file(path, largest_waivers);
  if (!text) return fail_checked(text.error());
  return parse_waivers(*text, path);
}

}  // namespace harness
