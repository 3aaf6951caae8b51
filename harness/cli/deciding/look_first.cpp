#include "harness/cli/deciding/look_first.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/measure/program/program_results.h"

namespace harness {

void keep_look(Looks& looks, EncodedResult result) {
  if (result.result.outcome != Outcome::looked_at || !result.result.identity) return;
  const std::string id = result.result.case_id;
  looks.results.insert_or_assign(id, std::move(result));
}

Result<Looks> look_at(Store& store, Record& record, const Plan& plan, const Prepared& prepared, bool quiet) {
  const auto begin = std::chrono::steady_clock::now();
  Looks looks;
  MeasureOptions options{quiet, "look"};
  options.measure_ceilings = false;
  options.look = [&](EncodedResult result) { keep_look(looks, std::move(result)); };
  const Result<RunReport> report = measure_into(store, record, plan, prepared, options);
  if (!report) return fail(report.error());
  looks.interrupted = report->interrupted;
  looks.took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return looks;
}

Record with_looks(Record record, const Looks& looks) {
  for (CaseRecord& one : record.cases)
    if (const auto found = looks.results.find(one.id); found != looks.results.end())
      add_result(one, found->second.result);
  return record;
}

namespace {

// In the order of a step, as in a measured record.
Status put_kernels(RecordKeeper& keeper, const Looks& looks, const PlannedCase& program,
                   const std::vector<KernelUse>& step) {
  const std::string begin = program.id + "/";
  std::vector<const EncodedResult*> kernels;
  for (auto one = looks.results.lower_bound(begin);
       one != looks.results.end() && one->first.starts_with(begin); ++one)
    kernels.push_back(&one->second);
  const auto place = [&](const EncodedResult* one) {
    return std::find(step.begin(), step.end(), one->result.kernels.front());
  };
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](const auto* one, const auto* other) { return place(one) < place(other); });
  for (const EncodedResult* one : kernels) {
    const PlannedCase kernel = benchmark_case(program, one->result.case_id.substr(begin.size()));
    if (Status added = keeper.add_case(kernel); !added) return added;
    if (Status kept = keeper.put(*one); !kept) return kept;
  }
  return {};
}

}  // namespace

Status put_spared(RecordKeeper& keeper, const Looks& looks, const std::set<std::string>& spared,
                  const Plan& plan) {
  for (const PlannedCase& planned : plan.cases) {
    const auto look = looks.results.find(planned.id);
    if (!spared.contains(planned.id) || look == looks.results.end()) continue;
    if (Status kept = keeper.put(look->second); !kept) return kept;
    if (!planned.is_traced()) continue;
    if (Status kept = put_kernels(keeper, looks, planned, look->second.result.kernels); !kept) return kept;
  }
  return {};
}

std::size_t runnable(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) { return !one.skip; }));
}

}  // namespace harness
