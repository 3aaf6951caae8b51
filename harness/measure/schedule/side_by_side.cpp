#include "harness/measure/schedule/side_by_side.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "harness/measure/schedule/worker_process.h"

namespace harness {
namespace {

using Pairs = std::set<std::pair<std::string, int>>;

// Lanes write to each other's children's pipes no more than anybody else does, but each of them changes what
// SIGPIPE does for a moment: for all of that time it does nothing.
class QuietPipes {
 public:
  QuietPipes() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  ~QuietPipes() { sigaction(SIGPIPE, &before_, nullptr); }
  QuietPipes(const QuietPipes&) = delete;
  QuietPipes& operator=(const QuietPipes&) = delete;

 private:
  struct sigaction before_ {};
};

Plan part_of(const Plan& plan, const RunOptions& options, bool several) {
  Plan part = plan;
  std::erase_if(part.cases,
                [&](const PlannedCase& one) { return options.side_by_side.contains(one.device) != several; });
  return part;
}

class Lanes {
 public:
  Lanes(const Plan& plan, const RunOptions& options) : plan_(plan), options_(options) {
    for (const auto& [kind, devices] : options.side_by_side) count_ = std::max(count_, devices.size());
    finished_.resize(count_);
  }

  Result<RunReport> run() {
    const QuietPipes quiet;
    std::vector<Result<RunReport>> reports(count_, RunReport{});
    std::vector<std::thread> threads;
    for (std::size_t lane = 0; lane < count_; ++lane)
      threads.emplace_back(
          [this, lane, &reports] { reports[lane] = run_one_by_one(plan_, options_of(lane)); });
    for (std::thread& thread : threads) thread.join();
    RunReport all;
    for (const Result<RunReport>& report : reports) {
      if (!report) return fail(report.error());
      all.ended = all.ended || report->ended;
      all.interrupted = all.interrupted || report->interrupted;
    }
    return all;
  }

 private:
  // What a lane leaves to the others.
  [[nodiscard]] Pairs others(std::size_t lane) const {
    Pairs pairs;
    for (const PlannedCase& one : plan_.cases)
      for (int process = 1; process <= one.sampling.processes; ++process) {
        const std::size_t devices = options_.side_by_side.at(one.device).size();
        if (static_cast<std::size_t>(process - 1) % devices != lane) pairs.emplace(one.id, process);
      }
    return pairs;
  }

  // How many of them a run counts as done from the start.
  [[nodiscard]] std::size_t done_of(const Pairs& already) const {
    std::size_t count = 0;
    for (const PlannedCase& one : plan_.cases)
      for (int process = 1; !one.skip && process <= one.sampling.processes; ++process)
        count += already.count({one.id, process});
    return count;
  }

  RunOptions options_of(std::size_t lane) {
    RunOptions own = options_;
    own.side_by_side.clear();
    own.ending.reset();  // each has its own
    own.already.merge(others(lane));
    const std::size_t before = done_of(own.already);
    std::map<std::string, std::string> uuids;  // by case id
    for (const auto& [kind, devices] : options_.side_by_side) {
      if (lane >= devices.size()) continue;
      own.devices[kind] = devices[lane].name;
      own.device_uuids[kind] = devices[lane].uuid;
      for (const PlannedCase& one : plan_.cases)
        if (one.device == kind) uuids[one.id] = devices[lane].uuid;
    }
    own.on_result = [this, uuids](EncodedResult one) {
      const std::lock_guard<std::mutex> one_at_a_time(mutex_);
      // The worker names its device. A result of this process, after a crash, has no name yet.
      const auto uuid = uuids.find(one.result.case_id);
      if (uuid != uuids.end() && one.result.device_uuid != uuid->second) {
        one.result.device_uuid = uuid->second;
        one.text.clear();
      }
      return options_.on_result(std::move(one));
    };
    if (options_.on_machine)
      own.on_machine = [this](const std::string& kind, const Machine& machine) {
        const std::lock_guard<std::mutex> one_at_a_time(mutex_);
        options_.on_machine(kind, machine);
      };
    if (options_.may_begin)
      own.may_begin = [this] {
        const std::lock_guard<std::mutex> one_at_a_time(mutex_);
        return options_.may_begin();
      };
    if (options_.on_progress)
      own.on_progress = [this, lane, before](const Progress& now) { tell(now, lane, before); };
    return own;
  }

  // Each lane takes what it leaves to the others for done.
  void tell(const Progress& now, std::size_t lane, std::size_t before) {
    const std::lock_guard<std::mutex> one_at_a_time(mutex_);
    finished_[lane] = now.done - std::min(now.done, before);
    Progress all = now;
    std::size_t measured = 0;
    for (const std::size_t finished : finished_) measured += finished;
    all.done = done_of(options_.already) + measured;
    const auto open = static_cast<double>(all.total - std::min(all.done, all.total));
    all.left = measured == 0 ? 0 : now.elapsed / static_cast<double>(measured) * open;
    options_.on_progress(all);
  }

  const Plan& plan_;
  const RunOptions& options_;
  std::size_t count_ = 0;
  std::mutex mutex_;
  std::vector<std::size_t> finished_;  // (case, process) pairs by lane
};

}  // namespace

Result<RunReport> run_side_by_side(const Plan& plan, const RunOptions& options) {
  if (options.pair) return fail(ErrorKind::internal, "two builds in one process are measured on one device");
  const Plan alone = part_of(plan, options, false);
  if (!alone.cases.empty()) {
    RunOptions own = options;
    own.side_by_side.clear();
    const Result<RunReport> report = run_one_by_one(alone, own);
    if (!report || report->ended || report->interrupted) return report;
  }
  if (options.ending) options.ending->wait();
  const Plan shared = part_of(plan, options, true);
  return Lanes(shared, options).run();
}

}  // namespace harness
