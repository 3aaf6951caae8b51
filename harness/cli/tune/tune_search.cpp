#include "harness/cli/tune/tune_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/measure_into.h"
#include "harness/store/store.h"
#include "harness/suite/plan/tuned_points.h"
#include "harness/verdict/tune/halving.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

// Processes of each arm in the first rung. Each further rung has twice as many, because it has half as many
// arms.
constexpr int first_rung = 3;
constexpr int largest_rung = 24;
constexpr Seconds longest_tuning = 1e9;  // fits the clock's range

Clock::time_point later_by(Clock::time_point begin, Seconds seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(std::clamp(seconds, 0.0, longest_tuning)));
}

class TuneRun {
 public:
  TuneRun(Store& store, Record& record, const Prepared& prepared, const TuneOptions& options,
          std::vector<TunePoint>& points, double alpha)
      : store_(store),
        record_(record),
        prepared_(prepared),
        options_(options),
        points_(points),
        alpha_(alpha) {}

  // False when the user interrupted it.
  Result<bool> run() {
    for (int rung = first_rung; is_searching(points_); rung = std::min(2 * rung, largest_rung)) {
      const Result<bool> went = take_rung(rung);
      if (!went || !*went) return went;
      if (ended_) break;
    }
    return take_verification();
  }

  [[nodiscard]] const std::vector<TuneRung>& rungs() const { return rungs_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] Seconds took() const { return seconds_since(begin_); }

 private:
  // The time that the search leaves to the verification: half of all before anything is known.
  [[nodiscard]] Seconds search_budget() const {
    if (measured_ == 0) return options_.budget / 2;
    double pairs = 0;
    for (const TunePoint& point : points_) pairs += 2 * verified_processes(point);
    return std::max(options_.budget / 2, options_.budget - pairs * took() / static_cast<double>(measured_));
  }

  [[nodiscard]] const PlannedCase& planned(const TuneArm& arm) const {
    const auto& cases = prepared_.plan.cases;
    return *std::find_if(cases.begin(), cases.end(),
                         [&](const PlannedCase& one) { return one.id == arm.case_id; });
  }

  [[nodiscard]] int verified_processes(const TunePoint& point) const {
    return std::max(planned(point.arms.front()).sampling.processes, Policy{}.min_processes);
  }

  Result<RunReport> measure_arms(const std::map<std::string, int>& processes, const std::string& label,
                                 Seconds until) {
    Plan plan = prepared_.plan;
    std::erase_if(plan.cases, [&](const PlannedCase& one) { return !processes.contains(one.id); });
    for (PlannedCase& one : plan.cases) one.sampling.processes = processes.at(one.id);
    MeasureOptions how{options_.measuring.quiet, label, later_by(begin_, until)};
    how.measure_ceilings = false;
    how.processes_before = searched_;
    Result<RunReport> report = measure_into(store_, record_, plan, prepared_, how);
    if (!report) return report;
    Result<Record> stored = store_.load(record_.id);
    if (!stored) return fail(stored.error());
    record_ = std::move(*stored);
    measured_ = measured_pairs(record_).size();
    return report;
  }

  Result<bool> take_rung(int processes) {
    std::map<std::string, int> arms;
    for (const TunePoint& point : points_)
      for (const TuneArm& arm : point.arms)
        if (arm.end == ArmEnd::open) arms[arm.case_id] = processes;
    const Result<RunReport> report =
        measure_arms(arms, fmt::format("rung {}", rungs_.size() + 1), search_budget());
    if (!report) return fail(report.error());
    searched_ += processes;
    rungs_.push_back({searched_, arms.size()});
    ended_ = report->ended;
    if (ended_)
      end_search(points_, record_);
    else
      end_rung(points_, record_, alpha_);
    return !report->interrupted;
  }

  Result<bool> take_verification() {
    std::map<std::string, int> sides;
    for (const TunePoint& point : points_) {
      const TuneArm& leader = point.arms[point.best];
      if (leader.end != ArmEnd::leader || point.best == 0) continue;
      sides[leader.case_id] = sides[point.arms.front().case_id] = verified_processes(point);
    }
    bool interrupted = false;
    if (!sides.empty()) {
      const Result<RunReport> report = measure_arms(sides, "verification", options_.budget);
      if (!report) return fail(report.error());
      ended_ |= report->ended;
      interrupted = report->interrupted;
    }
    verify(points_, record_, searched_, alpha_);
    return !interrupted;
  }

  Store& store_;
  Record& record_;
  const Prepared& prepared_;
  const TuneOptions& options_;
  std::vector<TunePoint>& points_;
  double alpha_;
  Clock::time_point begin_ = Clock::now();
  std::vector<TuneRung> rungs_;
  int searched_ = 0;          // processes of the rungs
  std::size_t measured_ = 0;  // results
  bool ended_ = false;
};

}  // namespace

std::vector<TunePoint> points_to_tune(const Plan& plan) {
  std::vector<TunePoint> points;
  std::map<std::string, std::size_t> places;
  for (const PlannedCase& one : plan.cases) {
    const std::string id = tuned_id(one);
    const auto [place, is_new] = places.emplace(id, points.size());
    if (is_new) {
      TunePoint& point = points.emplace_back();
      point.id = id;
      point.device = one.device;
      point.where = one.where;
    }
    points[place->second].arms.push_back({one.id, one.tuned, ArmEnd::open, 0, {}, {}});
  }
  return points;
}

Result<TuneSearch> tune(Prepared& prepared, const TuneOptions& options) {
  TuneSearch done;
  std::vector<TunePoint> points = points_to_tune(prepared.plan);
  const auto locks = lock_devices(prepared, {options.measuring.wait});
  if (!locks) return fail(locks.error());
  const auto clocks = lock_clocks(prepared, options.clocks);
  if (!clocks) return fail(clocks.error());
  const auto store = Store::empty("the search");
  if (!store) return fail(store.error());
  Result<OpenRun> run =
      begin_run(**store, prepared.plan, {.commit = options.commit, .partial = true, .kept = false});
  if (!run) return fail(run.error());
  TuningReport& report = done.report;
  report.suite = prepared.plan.suite.name;
  report.budget = options.budget;
  report.alpha = prepared.plan.cases.front().gate.alpha;
  for (const PlannedCase& one : prepared.plan.cases) report.alpha = std::min(report.alpha, one.gate.alpha);
  TuneRun search(**store, run->record, prepared, options, points, report.alpha);
  const Result<bool> went = search.run();
  if (!went) return fail(went.error());
  done.interrupted = !*went;
  report.rungs = search.rungs();
  report.ended = search.ended();
  report.took = search.took();
  report.points = std::move(points);
  done.record = std::move(run->record);
  return done;
}

}  // namespace harness
