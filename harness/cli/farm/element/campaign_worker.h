// CampaignWorker: one element of a campaign. It takes tasks until none is left, measures each on its device
// and stores it whole. Elements know nothing of each other. One thread uses it, with an InterruptGuard.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/farm/campaign.h"
#include "harness/cli/farm/campaign_tasks.h"
#include "harness/cli/farm/element/ask_patiently.h"
#include "harness/cli/farm/element/build_watch.h"
#include "harness/cli/farm/element/measure_task.h"
#include "harness/cli/farm/element/task_journal.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/clock_option.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/output/progress_line.h"
#include "harness/device/host/clock_lock.h"
#include "harness/measure/schedule/device_lock.h"
#include "harness/measure/schedule/run_options.h"
#include "harness/model/results/sick_device.h"
#include "harness/store/store.h"

namespace harness {

struct WorkOptions {
  DeviceOption device = {};  // not given: as planned
  MeasuringOptions measuring = {};
  ClockOption clocks = {};
  std::filesystem::path journal;
  Seconds patience = 600;      // with a store that is away
  bool stay = true;            // while others measure the last tasks, which they may lose
  std::optional<int> tasks{};  // at most so many
  Seconds time = 0;            // until it is ended; 0: nobody ends it
};

enum class WorkEnd {
  finished,
  cancelled,
  left_to_others,
  interrupted,
  quarantined,
  over_budget,
  needs_more_gpus,
  needs_fresh_time,  // the time that is left to this element is too short for the rest
  needs_more_time,   // all of its time was
};

struct WorkDone {
  WorkEnd end = WorkEnd::finished;
  int tasks = 0;
  std::string device = {};            // UUID
  std::optional<Sickness> sick = {};  // of a device in quarantine, where this element found it
  int gpus = 0;                       // that the rest needs: needs_more_gpus
  Seconds longest = 0;                // that a task of the rest was measured in vain
  int failed = 0;                     // results of these tasks that failed or are wrong
};

class CampaignWorker {
 public:
  CampaignWorker(Store& records, FarmStore& store, std::string id, Campaign campaign, WorkOptions options);

  Result<WorkDone> work();

 private:
  Result<WorkDone> measure_campaign();
  Status check_builds();
  Status choose();
  // Waits as long as it is told to for the first time, and then as long as it takes. The devices for a task
  // of `gpus_` GPUs: as many of its GPUs and, shared with other elements, the CPU. For a task of the CPU: the
  // CPU alone, and its first GPU, so that it stays this element's.
  Result<std::vector<DeviceLock>> lock();
  Result<WorkDone> take_tasks();
  // Whether the device is well. If it is not, it is in quarantine now.
  Result<bool> verify();
  void stay();
  Status leave();
  [[nodiscard]] WorkDone ended(WorkEnd end, int gpus = 0) const {
    return {end, done_, holder_.device, sick_, gpus, longest_, failed_};
  }
  Result<WorkDone> finished();
  Result<bool> is_over_budget();
  Result<std::optional<FarmTask>> take();
  Status judge(const FarmTask& task);
  Status measure_and_store(const FarmTask& task);
  Result<std::optional<MeasuredTask>> measure_same_build(const TaskMeasuring& how, const FarmTask& task);
  FarmTask keep_part(const FarmTask& task, const MeasuredTask& part, int processes);
  // How many cases the next task may have, by the time of this one.
  void learn_pace(const FarmTask& task, const Plan& plan, Seconds took);
  void tell_failures(const MeasuredTask& task);
  void renew(const FarmTask& task);
  Status store_task(const MeasuredTask& task);
  Status send_journal();
  // The tasks that are left when none is free that it takes with `gpus_`.
  struct Rest {
    bool open = false;                  // any task, at hand of others or not
    bool judging = false;               // one that judges is among them
    std::optional<int> next_gpus = {};  // those of the free task that comes next
    // The time of a free task that took all that this element has left, where no other task may come.
    Seconds longest = 0;
    int too_large = 0;  // GPUs of a free task, where all need more than this element has, and none is at hand
  };
  Result<Rest> look_at_rest();
  [[nodiscard]] std::vector<std::string> records() const;
  template <class Ask>
  auto patiently(Ask ask) -> decltype(ask()) {
    return ask_patiently(options_.patience, std::move(ask));
  }

  Store& records_;
  FarmStore& store_;
  std::string id_;
  Campaign campaign_;
  WorkOptions options_;
  Holder holder_;
  BuildWatch builds_;
  TaskJournal journal_;
  ProgressLine line_;
  Prepared prepared_;   // devices, and a case of each kind
  int most_gpus_ = 1;   // that it holds for a case
  int first_gpus_ = 1;  // of the tasks that come first; 0: all cases are of the CPU
  int gpus_ = 1;        // of the next task
  NextTask next_ = {};  // its size, by the time of the last one
  std::vector<ClockLock> clocks_;
  std::shared_ptr<EndingWorkers> ending_;  // of the check or task before, while the next task begins
  double renewed_ = 0;
  bool lost_ = false;  // the lease of the task
  bool verified_ = false;
  int checks_ = 0;  // of the device
  std::optional<Sickness> sick_;
  int done_ = 0;
  int failed_ = 0;  // results
  Seconds longest_ = 0;
  double began_;
};

}  // namespace harness
