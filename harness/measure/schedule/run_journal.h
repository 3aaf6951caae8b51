// RunJournal: hands the results, machines and progress of one plan to the caller's callbacks, one call at a
// time, and counts what is done. Several threads may use it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "harness/measure/schedule/run_options.h"

namespace harness {

class RunJournal {
 public:
  RunJournal(const Plan& plan, const RunOptions& options);

  bool may_begin();
  void found_machine(const std::string& kind, const Machine& machine);
  void began_case(const std::string& id, int process);
  // Where two builds share processes and `baseline` is null, the result is both builds'. `measured`: a worker
  // spent time on it.
  Status add(EncodedResult result, const EncodedResult* baseline, bool measured);
  void show_progress();

 private:
  void show();

  const RunOptions& options_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> planned_;  // ids of cases
  Progress progress_;
  std::size_t measured_ = 0;  // pairs, by workers of this run
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace harness
