#include "harness/suite/plan/tuned_points.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "harness/suite/plan/selection.h"

namespace harness {

void fix_tuned(Points& points) {
  const bool only_include = points.axes.empty() && points.zip.empty() && !points.include.empty();
  for (const Axis& axis : points.tune) {
    for (Point& point : points.include) point.push_back({axis.name, axis.values.front()});
    if (!only_include) points.axes.push_back({axis.name, {axis.values.front()}});
  }
}

std::vector<sdk::Params> tuned_values(const Points& points, ErrorList& errors) {
  if (points.tune.empty()) return {};
  std::size_t size = 1;
  for (const Axis& axis : points.tune)
    if ((size *= axis.values.size()) > most_cases) {
      errors.add(axis.name.where, fmt::format("`tune` has more than {} combinations", most_cases),
                 "give fewer values");
      return {};
    }
  std::vector<sdk::Params> all{sdk::Params()};
  for (const Axis& axis : points.tune) {
    std::vector<sdk::Params> longer;
    for (const sdk::Params& values : all)
      for (const At<sdk::Value>& value : axis.values) {
        longer.push_back(values);
        longer.back().set(axis.name.value, value.value);
      }
    all = std::move(longer);
  }
  return all;
}

sdk::Params named_tuned(sdk::Params params, const sdk::Params& values) {
  for (const auto& [name, value] : values.entries()) params.set(name, sdk::Value(std::string(tuned_value)));
  return params;
}

std::string tuned_id(const PlannedCase& arm) {
  return arm.workload + "/" + arm.variant + "/" + named_tuned(arm.params, arm.tuned).text_id();
}

void select_points(Plan& plan, const PlanOptions& options, ErrorList& errors) {
  Plan points{plan.suite, {}, {}, {}};
  std::set<std::string> ids;
  for (const PlannedCase& arm : plan.cases)
    if (const std::string id = tuned_id(arm); ids.insert(id).second) {
      points.cases.push_back(arm);
      points.cases.back().id = id;
    }
  select_cases(points, options, errors);
  ids.clear();
  for (const PlannedCase& point : points.cases) ids.insert(point.id);
  std::erase_if(plan.cases, [&](const PlannedCase& arm) { return !ids.contains(tuned_id(arm)); });
}

}  // namespace harness
