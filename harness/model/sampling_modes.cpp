#include "harness/model/sampling_modes.h"

#include <algorithm>

namespace harness {
namespace {

template <NamedEnum Mode>
sdk::ParamSpec axis(const char* name, const char* summary) {
  return {name, sdk::ParamKind::text, summary, all_names<Mode>(), {}, 1};
}

bool names_one(std::span<const sdk::ParamSpec> specs, std::string_view name) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const sdk::ParamSpec& spec) { return spec.name == name; });
}

}  // namespace

const std::vector<sdk::ParamSpec>& mode_axes() {
  static const std::vector<sdk::ParamSpec> axes{
      axis<CacheMode>("cache",
                      "the cache before a call: cold, evicted; hot, as the last call left it; rotate, with "
                      "another set of buffers"),
      axis<TimingMode>(
          "timing",
          "how calls are timed: events, each by itself; batch, many in one go; auto, the one that "
          "serves"),
      axis<InputsMode>(
          "inputs", "the values on which calls are timed: drawn by the workload, zeros, uniform or normal")};
  return axes;
}

sdk::Params workload_params(const sdk::Params& params, std::span<const sdk::ParamSpec> specs) {
  sdk::Params own;
  for (const auto& [name, value] : params.entries())
    if (names_one(specs, name) || !names_one(mode_axes(), name)) own.set(name, value);
  return own;
}

}  // namespace harness
