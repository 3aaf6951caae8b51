// Expansion of a group's points: names and values checked against the workload's parameters, then the
// product of axes and zipped points, each completed by the workload's fallbacks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

inline constexpr std::size_t most_cases = 100'000;  // of one suite

// What a group's names refer to. The workload outlives it.
struct Target {
  const sdk::Workload* workload = nullptr;
  std::vector<sdk::ParamSpec> specs;
  std::vector<sdk::ParamSpec> modes;  // axes of measuring (model/modes.h) that no parameter hides
  std::vector<std::string> variants;  // of this group
  std::vector<std::string> devices;   // of those variants

  // A parameter or a mode.
  [[nodiscard]] const sdk::ParamSpec* find(const std::string& name) const;
};

// A complete point, modes at its end where the suite varies them, and the place in the suite that it comes
// from.
struct ExpandedPoint {
  sdk::Params params;
  Location where;
};

// The value as the parameter's kind has it (an integer where a real is expected becomes one);
// std::nullopt, with an error, when it has another kind, is no choice or too small.
std::optional<sdk::Value> checked_value(const Target& target, const sdk::ParamSpec& spec,
                                        const At<sdk::Value>& value, ErrorList& errors);

// Checks a point that selects cases (`exclude`, `match`): parameters, and in `match` and `exclude`
// also "variant" and "device".
bool check_selector(const Target& target, const Point& selector, ErrorList& errors);

// True when the case has every value that a checked selector names.
bool selects(const Target& target, const Point& selector, const sdk::Params& params,
             const std::string& variant, const std::string& device);

// All points but for `exclude`, which needs the variant. `where` is the group's place. Empty, with
// errors, when something is wrong.
std::vector<ExpandedPoint> expand_points(const Target& target, const Points& points, const Location& where,
                                         ErrorList& errors);

}  // namespace harness
