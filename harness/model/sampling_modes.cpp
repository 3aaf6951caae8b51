#include "harness/model/sampling_modes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace harness {
namespace {

constexpr std::array cache_names{std::pair{CacheMode::cold, std::string_view("cold")},
                                 std::pair{CacheMode::hot, std::string_view("hot")},
                                 std::pair{CacheMode::rotate, std::string_view("rotate")}};
constexpr std::array timing_names{std::pair{TimingMode::events, std::string_view("events")},
                                  std::pair{TimingMode::batch, std::string_view("batch")}};

template <class Names, class Mode>
std::string_view name_in(const Names& names, Mode mode) {
  return std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.first == mode; })->second;
}

template <class Mode, class Names>
std::optional<Mode> parse_in(const Names& names, std::string_view name) {
  for (const auto& [mode, known] : names)
    if (known == name) return mode;
  return std::nullopt;
}

template <class Names>
sdk::ParamSpec axis(const char* name, const char* summary, const Names& names) {
  sdk::ParamSpec spec{name, sdk::ParamKind::text, summary, {}, {}, 1};
  for (const auto& [mode, known] : names) spec.choices.emplace_back(known);
  return spec;
}

bool names_one(std::span<const sdk::ParamSpec> specs, std::string_view name) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const sdk::ParamSpec& spec) { return spec.name == name; });
}

}  // namespace

std::string_view name_of(CacheMode mode) {
  return name_in(cache_names, mode);
}

std::optional<CacheMode> parse_cache_mode(std::string_view name) {
  return parse_in<CacheMode>(cache_names, name);
}

std::string_view name_of(TimingMode mode) {
  return name_in(timing_names, mode);
}

std::optional<TimingMode> parse_timing_mode(std::string_view name) {
  return parse_in<TimingMode>(timing_names, name);
}

const std::vector<sdk::ParamSpec>& mode_axes() {
  static const std::vector<sdk::ParamSpec> axes{
      axis("cache",
           "the cache before a call: cold, evicted; hot, as the last call left it; rotate, with another set "
           "of buffers",
           cache_names),
      axis("timing", "how calls are timed: events, each by itself; batch, many in one go", timing_names)};
  return axes;
}

sdk::Params workload_params(const sdk::Params& params, std::span<const sdk::ParamSpec> specs) {
  sdk::Params own;
  for (const auto& [name, value] : params.entries())
    if (names_one(specs, name) || !names_one(mode_axes(), name)) own.set(name, value);
  return own;
}

}  // namespace harness
