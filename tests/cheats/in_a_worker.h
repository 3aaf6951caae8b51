// Measures a kernel of plugin/ in a worker process, as a run does.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/measure/schedule/run.h"
#include "tests/measure/cases.h"

namespace harness {

class InAWorker {
 public:
  InAWorker() { setenv("HARNESS_LOCK_DIR", folder_.path().c_str(), 1); }
  ~InAWorker() { shm_unlink(("/harness-cheat-" + std::to_string(getpid())).c_str()); }  // of leaves_memory
  InAWorker(const InAWorker&) = delete;
  InAWorker& operator=(const InAWorker&) = delete;

  static PlannedCase planned_in_worker(const std::string& workload, const std::string& variant,
                                       std::int64_t n = 4096) {
    PlannedCase planned = planned_line(variant, n);
    planned.workload = workload;
    planned.id = workload + "/" + variant;
    planned.sampling.processes = 1;  // which is audited, then
    planned.sampling.placements = 10;
    planned.sampling.samples = 40;
    return planned;
  }

  // All results, in the order in which the cases ended.
  static std::vector<ProcessResult> results_of(std::vector<PlannedCase> cases, std::uint64_t order_seed = 1) {
    Plan plan;
    plan.modules = {CHEATS_PLUGIN};
    plan.cases = std::move(cases);
    RunOptions options;
    options.order_seed = order_seed;
    options.worker_command = {TEST_WORKER};
    options.measure_ceilings = false;
    std::vector<ProcessResult> results;
    options.on_result = [&](EncodedResult one) -> Status {
      results.push_back(std::move(one.result));
      return {};
    };
    const Result<RunReport> report = run_plan(plan, options);
    if (!report) ADD_FAILURE() << report.error().text();
    return results;
  }

  // The first result that is no measurement, if any. A busy machine can make a long batch no longer than a
  // short one, which tells nothing of a cheat: then it is measured again.
  static ProcessResult first_ended(const PlannedCase& planned) {
    constexpr int most_attempts = 20;
    ProcessResult result;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const std::vector<ProcessResult> results = results_of({planned});
      if (results.empty()) return {};
      const auto ended = std::find_if(results.begin(), results.end(), [](const ProcessResult& one) {
        return one.outcome != Outcome::measured;
      });
      result = ended == results.end() ? results.front() : *ended;
      if (!result.reason || result.reason->code != CauseCode::cannot_be_timed) break;
    }
    return result;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace harness
