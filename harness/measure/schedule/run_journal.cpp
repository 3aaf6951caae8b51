#include "harness/measure/schedule/run_journal.h"

#include <utility>

#include "harness/measure/schedule/schedule.h"

namespace harness {

using Guard = std::lock_guard<std::mutex>;

RunJournal::RunJournal(const Plan& plan, const RunOptions& options) : options_(options) {
  for (const PlannedCase& planned : plan.cases) {
    planned_.insert(planned.id);
    if (options.look && !can_be_looked_at(planned)) continue;
    for (int process = options.look ? look_process : 1;
         !planned.skip && process <= (options.look ? look_process : planned.sampling.processes); ++process) {
      ++progress_.total;
      progress_.done += options.already.count({planned.id, options.processes_before + process});
    }
  }
}

bool RunJournal::may_begin() {
  const Guard one_at_a_time(mutex_);
  return !options_.may_begin || options_.may_begin();
}

void RunJournal::found_machine(const std::string& kind, const Machine& machine) {
  const Guard one_at_a_time(mutex_);
  if (options_.on_machine) options_.on_machine(kind, machine);
}

void RunJournal::began_case(const std::string& id, int process) {
  const Guard one_at_a_time(mutex_);
  progress_.case_id = id;
  progress_.process = process;
  show();
}

Status RunJournal::add(EncodedResult result, const EncodedResult* baseline, bool measured) {
  const Guard one_at_a_time(mutex_);
  progress_.case_id = result.result.case_id;
  progress_.process = result.result.process;
  const bool planned = planned_.contains(progress_.case_id);
  if (measures_both(options_))
    if (Status taken = options_.on_baseline(baseline != nullptr ? *baseline : result); !taken) return taken;
  if (Status taken = options_.on_result(std::move(result)); !taken) return taken;
  progress_.done += planned ? 1 : 0;
  measured_ += planned && measured ? 1 : 0;
  show();
  return {};
}

void RunJournal::show_progress() {
  const Guard one_at_a_time(mutex_);
  show();
}

void RunJournal::show() {
  if (!options_.on_progress) return;
  progress_.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const auto remaining = static_cast<double>(progress_.total - progress_.done);
  progress_.left = measured_ == 0 ? 0 : progress_.elapsed / static_cast<double>(measured_) * remaining;
  options_.on_progress(progress_);
}

}  // namespace harness
