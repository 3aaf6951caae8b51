// The part of Reader that reads `sampling:`, and the quantities that it shares with `gate:`.
#include <fmt/format.h>

#include "harness/base/units.h"
#include "harness/suite/reader.h"

namespace harness {
namespace {

constexpr Seconds longest = 24 * 3600.0;

std::optional<int> count(const YamlValue& map, const char* name) {
  const YamlValue* found = map.find(name);
  if (found == nullptr) return std::nullopt;
  return static_cast<int>(found->integer);
}

}  // namespace

void Reader::sampling(const YamlValue& value, Overrides& out) {
  out.processes = count(value, "processes");
  out.placements = count(value, "placements");
  samples(value, out);
  out.warmup = count(value, "warmup");
  if (const YamlValue* cache = value.find("cache")) out.cache = parse_name<CacheMode>(cache->text);
  if (const YamlValue* timing = value.find("timing")) out.timing = parse_name<TimingMode>(timing->text);
  out.batch_nodes =
      increasing(value, "batch_nodes", "write increasing numbers of calls, such as `[100, 200, 400]`");
  for (const YamlMember& member : value.members)
    if (member.name == "batch_nodes") out.batch_nodes_where = location(member.place);
  preheat(value, out);
  out.max_time = duration(value, "max_time", false);
  out.timeout = duration(value, "timeout", false);
  out.gate_deadline = duration(value, "gate_deadline", false);
  if (const YamlValue* seed = value.find("seed")) out.seed = static_cast<std::uint64_t>(seed->integer);
}

// `50`, or `{min: 20, max: 200, width: 0.3%}`. Either form replaces the other of a weaker place; what the map
// leaves out stays as a weaker place says.
void Reader::samples(const YamlValue& sampling, Overrides& out) {
  out.min_samples = count(sampling, "min_samples");
  const YamlValue* found = sampling.find("samples");
  if (found != nullptr && found->kind == YamlValue::Kind::map) {
    out.width = share(*found, "width", 0.5, "0.3% is usual");
    out.width_samples = count(*found, "min");
    out.samples = count(*found, "max");
    if (out.samples && out.width_samples && *out.samples < *out.width_samples)
      errors_.add(
          location(found->find("max")->place),
          fmt::format("`samples`: `max`, {}, is less than `min`, {}", *out.samples, *out.width_samples),
          "the width is judged from `min` samples on, and sampling ends at `max` in any case");
  } else if (found != nullptr) {
    out.samples = static_cast<int>(found->integer);
    out.width = 0;
  }
  if (out.samples && out.min_samples && *out.min_samples > *out.samples)
    errors_.add(location(sampling.find("min_samples")->place),
                fmt::format("`min_samples`: {} is more than `samples`, {}", *out.min_samples, *out.samples),
                "it is what `max_time` leaves at the least of `samples`");
}

// `300ms`, which is exactly as long, or `{min: 100ms, max: 1s, steady: 0.5%}`.
void Reader::preheat(const YamlValue& sampling, Overrides& out) {
  const YamlValue* found = sampling.find("preheat");
  if (found == nullptr) return;
  if (found->kind != YamlValue::Kind::map) {
    out.preheat = out.preheat_most = duration(sampling, "preheat", true);
    return;
  }
  out.preheat = duration(*found, "min", true);
  out.preheat_most = duration(*found, "max", true);
  out.steady = share(*found, "steady", 0.5, "0.5% is usual");
  if (out.preheat && out.preheat_most && *out.preheat_most < *out.preheat)
    errors_.add(location(found->find("max")->place),
                fmt::format("`preheat`: `max` is less than `min`, {}", format_seconds(*out.preheat)),
                "give it at least as long; `preheat: 300ms` is for a fixed time");
}

// A fraction above 0 and at most `most`.
std::optional<double> Reader::share(const YamlValue& map, const std::string& name, double most,
                                    const char* advice) {
  const std::optional<double> read = fraction(map, name);
  if (!read || (*read > 0 && *read <= most)) return read;
  errors_.add(location(map.find(name)->place),
              fmt::format("`{}`: expected a share above 0 % and at most {:g} %, found {}", name, most * 100,
                          described(*map.find(name))),
              advice);
  return std::nullopt;
}

std::optional<Seconds> Reader::duration(const YamlValue& map, const std::string& name, bool zero_allowed) {
  const YamlValue* found = map.find(name);
  if (found == nullptr) return std::nullopt;
  const Result<Seconds> parsed = parse_duration(found->text);
  if (!parsed) {
    errors_.add(location(found->place), fmt::format("`{}`: {}", name, parsed.error().message),
                parsed.error().advice);
    return std::nullopt;
  }
  if (*parsed > longest || (*parsed == 0 && !zero_allowed)) {
    errors_.add(location(found->place),
                fmt::format("`{}`: expected a duration {} and at most 24h, found {}", name,
                            zero_allowed ? "of at least 0s" : "above 0s", described(*found)));
    return std::nullopt;
  }
  return *parsed;
}

std::optional<double> Reader::fraction(const YamlValue& map, const std::string& name) {
  const YamlValue* found = map.find(name);
  if (found == nullptr) return std::nullopt;
  if (found->kind == YamlValue::Kind::integer) return static_cast<double>(found->integer);
  if (found->kind == YamlValue::Kind::real) return found->real;
  const Result<double> parsed = parse_fraction(found->text);
  if (parsed) return *parsed;
  errors_.add(location(found->place), fmt::format("`{}`: {}", name, parsed.error().message),
              parsed.error().advice);
  return std::nullopt;
}

}  // namespace harness
