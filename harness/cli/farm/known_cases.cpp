#include "harness/cli/farm/known_cases.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "harness/model/code/shifted_process.h"
#include "harness/model/known_metrics.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/verdict/read/process_values.h"

namespace harness {
namespace {

constexpr std::size_t most_records = 20;  // that are read, for cases that newer ones did not measure

// The standard deviation of their logarithms. Nothing below two values.
std::optional<double> log_sd_of(std::vector<double> values) {
  if (values.size() < 2) return std::nullopt;
  for (double& one : values) {
    if (!(one > 0)) return std::nullopt;
    one = std::log(one);
  }
  return stats::standard_deviation(values);
}

// Both results of a process that measures two builds hold all of its time.
int builds_of_process(const Record& record) {
  return record.pairing && record.pairing->kind == Pairing::Kind::process ? 2 : 1;
}

KnownCase known_of(const Record& record, const CaseRecord& one_case) {
  KnownCase known{{}, {}, record.started};
  Seconds all = 0;
  int processes = 0;
  for (const ProcessResult& one : one_case.processes) {
    if (one.outcome != Outcome::measured) continue;
    for (const Phase& phase : one.phases)
      if (!is_phase_of_process(phase)) all += phase.duration;
    ++processes;
  }
  if (processes > 0 && all > 0) known.cost = all / processes / builds_of_process(record);
  const auto time = std::find_if(one_case.series.begin(), one_case.series.end(),
                                 [](const Series& one) { return is_time_of_device(one.metric); });
  if (time != one_case.series.end()) known.sd = log_sd_of(process_values(*time));
  return known;
}

}  // namespace

bool is_phase_of_process(const Phase& phase) {
  return phase.name.starts_with("process_") || phase.name == "load";
}

Result<KnownCases> known_cases(Store& store, const Plan& plan) {
  std::set<std::string> wanted;
  for (const PlannedCase& one : plan.cases) wanted.insert(one.id);
  RunQuery query;
  query.suite = plan.suite.name;
  query.state = RunState::complete;
  query.count_results = false;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  KnownCases known;
  std::size_t read = 0;
  for (const RunInfo& run : *runs) {
    if (wanted.empty() || ++read > most_records) break;
    Result<Record> record = store.load_cases(run.id, wanted);
    if (!record && record.error().kind == ErrorKind::missing) continue;  // removed meanwhile
    if (!record) return fail(record.error());
    *record = without_shifted(std::move(*record));
    for (const CaseRecord& one : record->cases) {
      if (one.outcome != Outcome::measured) continue;
      known.emplace(one.id, known_of(*record, one));
      wanted.erase(one.id);
    }
  }
  return known;
}

}  // namespace harness
