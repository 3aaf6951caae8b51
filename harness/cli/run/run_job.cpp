#include "harness/cli/run/run_job.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/base/environment.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/suite/plan/selection.h"

namespace harness {
namespace {

// Cases that --filter, --tag or --device leaves out are not removed cases: the baseline loses them as well. A
// case that is gone from the suite stays, and is missing.
void cut_to_selection(Record& baseline, const RunJob& job) {
  const SuiteOptions& options = job.arguments.plan;
  std::set<std::string_view> planned;
  for (const PlannedCase& one : job.prepared.plan.cases) planned.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) {
    const bool other_point = !options.axes.empty() && !one.program && !planned.contains(one.id);
    return other_point || job.prepared.left_out_devices.contains(one.device) ||
           !is_selected(one.id, one.program, one.tags, options.filter.patterns, options.tags);
  });
}

}  // namespace

AbRequest base_request(const RunArguments& arguments) {
  AbRequest request;
  request.plan = arguments.plan;
  request.baseline = arguments.against;
  request.build = arguments.build;
  request.build = build_of(request);
  return request;
}

BaselineChoice baseline_of(const Record& record, const RunJob& job) {
  BaselineChoice choice;
  choice.name = job.arguments.against;
  choice.select.folder = ".";
  choice.select.suite = record.suite.name;
  choice.select = judged_by(with_learned(*job.store, job.policy, record), choice.select);
  if (base_request(job.arguments).build.empty())
    choice.advice_if_missing =
        "or name the command that builds a commit, as `build` in the suite or with --build, to have it built "
        "and "
        "measured here";
  choice.adapt = [&](Record& baseline) { cut_to_selection(baseline, job); };
  choice.left_out_counts = environment::in_ci();
  choice.other_devices = job.prepared.left_out_devices;
  return choice;
}

}  // namespace harness
