#include "harness/suite/read_settings.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "harness/base/units.h"
#include "harness/suite/setting_keys.h"

namespace harness {
namespace {

constexpr Seconds longest = 24 * 3600.0;

template <class T>
struct Inner {
  using Type = T;
};
template <class T>
struct Inner<std::optional<T>> {
  using Type = T;
};

// The unit of a margin that is no share: "points" of "0.5 points"; "" of "1%" and 0.01.
std::string own_unit_of(const YamlValue& margin) {
  const std::size_t space = margin.text.find_last_of(' ');
  if (margin.kind != YamlValue::Kind::text || space == std::string::npos) return {};
  std::string unit = margin.text.substr(space + 1);
  return unit == "%" ? std::string() : unit;
}

class SettingsReader {
 public:
  SettingsReader(const std::string& file, ErrorList& errors) : file_(file), errors_(errors) {}

  template <class Struct>
  void read(const YamlValue& map, Written<Struct>& out) {
    for_each_field<Struct>([&](const auto& field) {
      if (field.doc.empty()) return;
      const YamlValue* found = find(map, field.key.empty() ? field.name : field.key);
      if (found == nullptr) return;
      if (auto value = value_of(*found, field)) out.set(field.member, std::move(*value), at(*found));
    });
  }

  // `samples: 50` is a fixed number, whatever weaker places say.
  void short_samples(const YamlValue& sampling, Written<Sampling>& out) {
    const YamlValue* found = sampling.find("samples");
    if (found == nullptr || found->kind == YamlValue::Kind::map) return;
    out.set(&Sampling::samples, static_cast<int>(found->integer), at(*found));
    out.set(&Sampling::width, 0, at(*found));
  }

  // `preheat: 300ms` is exactly as long.
  void short_preheat(const YamlValue& sampling, Written<Sampling>& out) {
    const YamlValue* found = sampling.find("preheat");
    if (found == nullptr || found->kind == YamlValue::Kind::map) return;
    const std::optional<double> read = duration(*found, "preheat", false);
    if (!read) return;
    out.set(&Sampling::preheat, *read, at(*found));
    out.set(&Sampling::preheat_most, *read, at(*found));
  }

  // Two fields that one place names and that contradict each other.
  void check_bounds(const Written<Sampling>& sampling) {
    const Sampling& read = sampling.values();
    const Location* samples = sampling.place_of(&Sampling::samples);
    const Location* min_samples = sampling.place_of(&Sampling::min_samples);
    if (samples != nullptr && sampling.place_of(&Sampling::width_samples) != nullptr &&
        read.samples < read.width_samples)
      errors_.add(
          *samples,
          fmt::format("`samples`: `max`, {}, is less than `min`, {}", read.samples, read.width_samples),
          "the width is judged from `min` samples on, and sampling ends at `max` in any case");
    if (samples != nullptr && min_samples != nullptr && read.min_samples > read.samples)
      errors_.add(*min_samples,
                  fmt::format("`min_samples`: {} is more than `samples`, {}", read.min_samples, read.samples),
                  "give at most `samples`: it is the number that `max_time` cannot cut");
    const Location* preheat_most = sampling.place_of(&Sampling::preheat_most);
    if (preheat_most != nullptr && sampling.place_of(&Sampling::preheat) != nullptr &&
        read.preheat_most < read.preheat)
      errors_.add(*preheat_most,
                  fmt::format("`preheat`: `max` is less than `min`, {}", format_seconds(read.preheat)),
                  "give it at least as long; `preheat: 300ms` is for a fixed time");
  }

  void metric_gates(const YamlValue& gate, std::vector<Written<MetricGate>>& out) {
    const YamlValue* metrics = gate.find("metrics");
    if (metrics == nullptr) return;
    for (const YamlMember& member : metrics->members) {
      if (member.value->rejected) continue;
      Written<MetricGate>& one = out.emplace_back();
      one.set(&MetricGate::metric, member.name, {file_, member.place.line, member.place.column});
      read(*member.value, one);
      // A share replaces a margin in a unit, and the other way round.
      if (const YamlValue* margin = member.value->find("margin"); margin != nullptr && !margin->rejected)
        one.set(&MetricGate::unit, own_unit_of(*margin), at(*margin));
    }
  }

 private:
  [[nodiscard]] Location at(const YamlValue& value) const {
    return {file_, value.place.line, value.place.column};
  }

  // `samples.max` is the member `max` of the map `samples`.
  static const YamlValue* find(const YamlValue& map, std::string_view key) {
    const std::size_t dot = key.find('.');
    const YamlValue* found = map.find(key.substr(0, dot));
    return found == nullptr || dot == std::string_view::npos ? found : found->find(key.substr(dot + 1));
  }

  void refuse(const YamlValue& found, const FieldText& key) {
    const std::size_t dot = key.key.find('.');
    const std::string_view name = dot == std::string_view::npos ? key.key : key.key.substr(dot + 1);
    errors_.add(at(found),
                fmt::format("`{}`: expected {}, found {}", name, expectation(key), described(found)));
  }

  template <class Field>
  std::optional<typename Field::Member> value_of(const YamlValue& found, const Field& field) {
    using T = typename Inner<typename Field::Member>::Type;
    if constexpr (std::is_same_v<T, bool>) {
      return found.boolean;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(found.integer);
    } else if constexpr (NamedEnum<T>) {
      return parse_name<T>(found.text);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return found.text;
    } else if constexpr (std::is_same_v<T, double>) {
      if (const auto read = number(found, field_text(field))) return typename Field::Member(*read);
      return std::nullopt;
    } else if constexpr (std::is_same_v<T, std::vector<int>>) {
      return increasing(found, field_text(field));
    } else {
      return std::nullopt;  // metric_gates() reads these
    }
  }

  std::optional<double> number(const YamlValue& found, const FieldText& key) {
    const std::string name(key.key.substr(key.key.find('.') + 1));
    if (key.unit == Unit::seconds) return duration(found, name, key.above_lowest);
    if (key.own_unit && !own_unit_of(found).empty()) return std::strtod(found.text.c_str(), nullptr);
    const std::optional<double> read = fraction(found, name);
    if (!read) return std::nullopt;
    const bool too_low = key.above_lowest ? *read <= key.lowest : *read < key.lowest;
    const bool too_high = key.below_highest ? *read >= key.highest : *read > key.highest;
    if (!too_low && !too_high) return read;
    refuse(found, key);
    return std::nullopt;
  }

  std::optional<double> fraction(const YamlValue& found, std::string_view name) {
    if (found.kind == YamlValue::Kind::integer) return static_cast<double>(found.integer);
    if (found.kind == YamlValue::Kind::real) return found.real;
    const Result<double> parsed = parse_fraction(found.text);
    if (parsed) return *parsed;
    errors_.add(at(found), fmt::format("`{}`: {}", name, parsed.error().message), parsed.error().advice);
    return std::nullopt;
  }

  std::optional<double> duration(const YamlValue& found, std::string_view name, bool above_zero) {
    const Result<Seconds> parsed = parse_duration(found.text);
    if (!parsed) {
      errors_.add(at(found), fmt::format("`{}`: {}", name, parsed.error().message), parsed.error().advice);
      return std::nullopt;
    }
    if (*parsed <= longest && (*parsed > 0 || !above_zero)) return *parsed;
    errors_.add(at(found), fmt::format("`{}`: expected a duration {} and at most 24h, found {}", name,
                                       above_zero ? "above 0s" : "of at least 0s", described(found)));
    return std::nullopt;
  }

  std::optional<std::vector<int>> increasing(const YamlValue& list, const FieldText& key) {
    std::vector<int> numbers;
    for (const YamlValue* item : list.items) {
      if (item->rejected) return std::nullopt;
      if (!numbers.empty() && item->integer <= numbers.back()) {
        errors_.add(at(*item),
                    fmt::format("`{}`: {} does not come after {}", key.key, item->integer, numbers.back()),
                    fmt::format("write increasing numbers, such as `{}`", key.sample));
        return std::nullopt;
      }
      numbers.push_back(static_cast<int>(item->integer));
    }
    return numbers;
  }

  const std::string& file_;
  ErrorList& errors_;
};

}  // namespace

Overrides read_overrides(const YamlValue& map, const std::string& file, ErrorList& errors) {
  SettingsReader reader(file, errors);
  Overrides out;
  if (const YamlValue* sampling = map.find("sampling")) {
    reader.read(*sampling, out.sampling);
    reader.short_samples(*sampling, out.sampling);
    reader.short_preheat(*sampling, out.sampling);
    reader.check_bounds(out.sampling);
  }
  if (const YamlValue* gate = map.find("gate")) {
    reader.read(*gate, out.gate);
    reader.metric_gates(*gate, out.metric_gates);
  }
  return out;
}

Overrides read_program_settings(const YamlValue& program, const std::string& file, ErrorList& errors) {
  Overrides out = read_overrides(program, file, errors);
  SettingsReader(file, errors).read(program, out.sampling);
  return out;
}

}  // namespace harness
