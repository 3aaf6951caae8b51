#include "harness/cli/run/leave_out_unselected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/text.h"

namespace harness {
namespace {

bool lacks(const Prepared& prepared, const std::string& wish) {
  return std::any_of(prepared.unmatched.begin(), prepared.unmatched.end(),
                     [&](const UnmatchedWish& one) { return one.wish == wish; });
}

bool lacks(const PlannedSuite& suite, const std::string& wish) {
  return !suite.plans.empty() && std::all_of(suite.plans.begin(), suite.plans.end(),
                                             [&](const Prepared* plan) { return lacks(*plan, wish); });
}

}  // namespace

bool PlannedSuite::is_selected() const {
  return plans.empty() || std::any_of(plans.begin(), plans.end(),
                                      [](const Prepared* plan) { return !plan->plan.cases.empty(); });
}

Status check_selected(const std::vector<PlannedSuite>& suites) {
  for (const Prepared* plan : suites.front().plans)
    for (const UnmatchedWish& one : plan->unmatched)
      if (std::all_of(suites.begin(), suites.end(),
                      [&](const PlannedSuite& suite) { return lacks(suite, one.wish); }))
        return fail(ErrorKind::usage, one.error.message + " in any of these suites", one.error.advice);
  bool any = false;
  for (const PlannedSuite& suite : suites) {
    any |= suite.is_selected();
    if (!suite.is_selected()) fmt::print(stderr, "{}: no case is selected\n", printable(suite.file));
  }
  if (any) return {};
  return fail(ErrorKind::usage, "the filters and tags together leave no case of these suites",
              "each alone matches some; drop one");
}

}  // namespace harness
