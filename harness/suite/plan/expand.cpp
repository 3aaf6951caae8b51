#include "harness/suite/plan/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

std::string workload_name(const Target& target) {
  return in_ticks(std::string(target.workload->name()));
}

std::vector<std::string> param_names(const Target& target) {
  std::vector<std::string> names;
  for (const sdk::ParamSpec& spec : target.specs) names.push_back(spec.name);
  return names;
}

std::vector<std::string> mode_names(const Target& target) {
  std::vector<std::string> names;
  for (const sdk::ParamSpec& mode : target.modes) names.push_back(mode.name);
  return names;
}

std::string described(const sdk::Value& value) {
  const std::string text = sdk::to_string(value);
  if (std::holds_alternative<std::string>(value))
    return text.empty() ? "an empty text" : "the text " + in_ticks(text);
  if (std::holds_alternative<bool>(value)) return "`" + text + "`";
  return (std::holds_alternative<double>(value) ? "the number " : "the integer ") + text;
}

std::string expected_values(const sdk::ParamSpec& spec) {
  switch (spec.kind) {
    case sdk::ParamKind::integer: return fmt::format("an integer of at least {}", spec.least);
    case sdk::ParamKind::real: return "a number";
    case sdk::ParamKind::boolean: return "true or false";
    case sdk::ParamKind::text: break;
  }
  return spec.choices.empty() ? "a text" : "one of " + join(spec.choices, ", ");
}

std::string advice_for_value(const sdk::ParamSpec& spec, const sdk::Value& value) {
  const std::string text = sdk::to_string(value);
  const bool is_text = std::holds_alternative<std::string>(value);
  if (spec.kind == sdk::ParamKind::text && !is_text) {
    const bool listed = std::find(spec.choices.begin(), spec.choices.end(), text) != spec.choices.end();
    if (listed || spec.choices.empty()) return fmt::format("quote it to make it a text: \"{}\"", text);
  }
  if (const auto near = nearest(text, spec.choices)) return "did you mean `" + *near + "`?";
  if (is_text && spec.kind != sdk::ParamKind::text && !text.empty() &&
      text.find_first_not_of("0123456789.-+eE") == std::string::npos)
    return "remove the quotes to make it a number";
  return spec.summary;
}

std::optional<sdk::Value> converted(const sdk::ParamSpec& spec, const sdk::Value& value) {
  const auto* real = std::get_if<double>(&value);
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* text = std::get_if<std::string>(&value);
  switch (spec.kind) {
    case sdk::ParamKind::integer: {
      // 1e6 is a real number to YAML, and a size to whoever wrote it.
      if (real != nullptr && std::trunc(*real) == *real && std::fabs(*real) < 0x1p53)
        return converted(spec, static_cast<std::int64_t>(*real));
      if (integer != nullptr && *integer >= spec.least) return value;
      return std::nullopt;
    }
    case sdk::ParamKind::real:
      if (integer != nullptr) return static_cast<double>(*integer);
      if (real != nullptr) return value;
      return std::nullopt;
    case sdk::ParamKind::boolean:
      if (std::holds_alternative<bool>(value)) return value;
      return std::nullopt;
    case sdk::ParamKind::text:
      if (text == nullptr || (printable(*text) != *text)) return std::nullopt;
      if (spec.choices.empty() ||
          std::find(spec.choices.begin(), spec.choices.end(), *text) != spec.choices.end())
        return value;
      return std::nullopt;
  }
  return std::nullopt;
}

bool check_name(const Target& target, const At<std::string>& name, ErrorList& errors) {
  if (target.find(name.value) != nullptr) return true;
  std::vector<std::string> known = param_names(target);
  for (std::string& mode : mode_names(target)) known.push_back(std::move(mode));
  std::string advice = known.empty() ? "this workload has no parameters" : suggestion(name.value, known, 32);
  errors.add(name.where,
             fmt::format("unknown axis {} of workload {}", in_ticks(name.value), workload_name(target)),
             std::move(advice));
  return false;
}

// The value gets the kind of its parameter.
bool check_value(const Target& target, const sdk::ParamSpec& spec, At<sdk::Value>& value, ErrorList& errors) {
  if (std::optional<sdk::Value> good = converted(spec, value.value)) {
    value.value = std::move(*good);
    return true;
  }
  errors.add(value.where,
             fmt::format("{} of workload {}: expected {}, found {}", in_ticks(spec.name),
                         workload_name(target), expected_values(spec), described(value.value)),
             advice_for_value(spec, value.value));
  return false;
}

bool check_setting(const Target& target, Setting& setting, ErrorList& errors) {
  return check_name(target, setting.name, errors) &&
         check_value(target, *target.find(setting.name.value), setting.value, errors);
}

using Given = std::vector<std::pair<const std::string*, const sdk::Value*>>;

// The workload's parameters in their order, each as given or its fallback; the names of those that
// have neither go to `missing`.
sdk::Params completed(const Target& target, const Given& given, std::vector<std::string>& missing) {
  std::vector<std::pair<std::string, sdk::Value>> entries;
  entries.reserve(target.specs.size());
  for (const sdk::ParamSpec& spec : target.specs) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& entry) { return *entry.first == spec.name; });
    if (found != given.end())
      entries.emplace_back(spec.name, *found->second);
    else if (!spec.fallback.empty())
      entries.emplace_back(spec.name, spec.fallback.front());
    else
      missing.push_back(spec.name);
  }
  for (const sdk::ParamSpec& mode : target.modes)
    for (const auto& [name, value] : given)
      if (*name == mode.name) entries.emplace_back(mode.name, *value);
  return sdk::Params(std::move(entries));
}

class Expansion {
 public:
  Expansion(const Target& target, const Points& points, const Location& where, ErrorList& errors)
      : target_(target), points_(points), where_(where), errors_(errors) {}

  std::vector<ExpandedPoint> run() {
    if (!size_is_sane()) return {};
    const bool only_include = points_.axes.empty() && points_.zip.empty() && !points_.include.empty();
    if (!only_include) product();
    for (const Point& point : points_.include) {
      Given given;
      append(point, given);
      add(given, point.front().name.where);
    }
    return complete_ ? std::move(out_) : std::vector<ExpandedPoint>{};
  }

 private:
  [[nodiscard]] bool size_is_sane() {
    double size = static_cast<double>(std::max<std::size_t>(points_.zip.size(), 1));
    for (const Axis& axis : points_.axes) size *= static_cast<double>(axis.values.size());
    size += static_cast<double>(points_.include.size());
    if (size <= static_cast<double>(most_cases)) return true;
    errors_.add(where_,
                fmt::format("expands to {:.0f} points; a suite has at most {} cases", size, most_cases),
                "give fewer values");
    return false;
  }

  // Counts through the axes like an odometer, the last axis fastest, and all zipped points at each.
  void product() {
    std::vector<std::size_t> digits(points_.axes.size(), 0);
    bool more = true;
    while (more) {
      Given given;
      for (std::size_t i = 0; i < digits.size(); ++i)
        given.emplace_back(&points_.axes[i].name.value, &points_.axes[i].values[digits[i]].value);
      if (points_.zip.empty()) add(given, where_);
      for (const Point& zipped : points_.zip) {
        Given both = given;
        append(zipped, both);
        add(both, zipped.front().name.where);
      }
      more = false;
      for (std::size_t i = digits.size(); i > 0 && !more; --i) {
        more = ++digits[i - 1] < points_.axes[i - 1].values.size();
        if (!more) digits[i - 1] = 0;
      }
    }
  }

  static void append(const Point& point, Given& given) {
    for (const Setting& setting : point) given.emplace_back(&setting.name.value, &setting.value.value);
  }

  void add(const Given& given, const Location& where) {
    std::vector<std::string> missing;
    sdk::Params params = completed(target_, given, missing);
    if (missing.empty()) {
      out_.push_back({std::move(params), where});
      return;
    }
    if (complete_)  // once is enough: the others lack the same
      errors_.add(
          where,
          fmt::format("no value for `{}` of workload {}", join(missing, "`, `"), workload_name(target_)),
          fmt::format("add it to `axes` or `zip`, for example `{}: [{}]`", missing.front(),
                      example(*target_.find(missing.front()))));
    complete_ = false;
  }

  static std::string example(const sdk::ParamSpec& spec) {
    switch (spec.kind) {
      case sdk::ParamKind::integer: return std::to_string(std::max<std::int64_t>(spec.least, 64));
      case sdk::ParamKind::real: return "0.5";
      case sdk::ParamKind::boolean: return "false";
      case sdk::ParamKind::text: break;
    }
    return spec.choices.empty() ? "text" : spec.choices.front();
  }

  const Target& target_;
  const Points& points_;
  const Location& where_;
  ErrorList& errors_;
  std::vector<ExpandedPoint> out_;
  bool complete_ = true;
};

}  // namespace

bool check_points(const Target& target, Points& points, ErrorList& errors) {
  bool good = true;
  for (const Axis& axis : points.tune)
    if (std::any_of(target.modes.begin(), target.modes.end(),
                    [&](const sdk::ParamSpec& mode) { return mode.name == axis.name.value; })) {
      errors.add(axis.name.where,
                 fmt::format("{} is a mode of measuring, which cannot be tuned", in_ticks(axis.name.value)),
                 "move it to `axes`, or to `sampling`");
      good = false;
    }
  for (std::vector<Axis>* axes : {&points.axes, &points.tune})
    for (Axis& axis : *axes) {
      if (!check_name(target, axis.name, errors)) {
        good = false;
        continue;
      }
      for (At<sdk::Value>& value : axis.values)
        good = check_value(target, *target.find(axis.name.value), value, errors) && good;
    }
  for (std::vector<Point>* list : {&points.zip, &points.include})
    for (Point& point : *list)
      for (Setting& setting : point) good = check_setting(target, setting, errors) && good;
  for (Point& selector : points.exclude) good = check_selector(target, selector, errors) && good;
  return good;
}

bool check_selector(const Target& target, Point& selector, ErrorList& errors) {
  bool good = true;
  for (Setting& setting : selector) {
    const std::string& name = setting.name.value;
    if (target.find(name) != nullptr && setting.value.value == sdk::Value(std::string(tuned_value))) continue;
    if (target.find(name) != nullptr || (name != "variant" && name != "device")) {
      good = check_setting(target, setting, errors) && good;
      continue;
    }
    std::vector<std::string> known;
    for (const sdk::Variant* variant : target.variants)
      if (const std::string& one = name == "variant" ? variant->name : variant->device;
          std::find(known.begin(), known.end(), one) == known.end())
        known.push_back(one);
    const std::string value = sdk::to_string(setting.value.value);
    setting.value.value = value;
    if (std::find(known.begin(), known.end(), value) != known.end()) continue;
    errors.add(setting.value.where, fmt::format("this case has no {} {}", name, in_ticks(value)),
               suggestion(value, known));
    good = false;
  }
  return good;
}

bool selects(const Point& selector, const sdk::Params& params, const std::string& variant,
             const std::string& device) {
  return std::all_of(selector.begin(), selector.end(), [&](const Setting& setting) {
    if (const sdk::Value* value = params.find(setting.name.value)) return *value == setting.value.value;
    if (setting.name.value == "variant") return sdk::Value(variant) == setting.value.value;
    return setting.name.value == "device" && sdk::Value(device) == setting.value.value;
  });
}

std::vector<ExpandedPoint> expand_points(const Target& target, const Points& points, const Location& where,
                                         ErrorList& errors) {
  return Expansion(target, points, where, errors).run();
}

}  // namespace harness
