#include "harness/cli/deciding/look_first.h"

#include <algorithm>
#include <chrono>
#include <utility>

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

std::size_t runnable(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) { return !one.skip; }));
}

}  // namespace harness
