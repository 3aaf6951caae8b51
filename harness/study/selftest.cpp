#include "harness/study/selftest.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "harness/stats/hypothesis/proportion.h"
#include "harness/study/calibrate.h"
#include "harness/study/peers/peer_rates.h"
#include "harness/verdict/compare.h"

namespace harness {
namespace {

constexpr int cases_that_decide = 10;
constexpr int cases_alone = 10;
constexpr double found_change = 0.03;
constexpr std::size_t splits_a_task = 25;
constexpr std::size_t errors_a_row = 4;
constexpr std::size_t most_peer_splits = 200;  // some rules draw a thousand resamples each

enum Question : std::size_t { unchanged_red, called, family_called, passed, found, questions };

using Counts = std::array<ErrorRate, questions>;

void count(ErrorRate& rate, bool hit) {
  ++rate.trials;
  if (hit) ++rate.hits;
}

// One row of the report: the noise and the plan to simulate.
struct Setting {
  Noise noise;
  MeasuringPlan plan;
};

bool go_together(Noise noise, const MeasuringPlan& plan) {
  if (plan.shared) return noise != Noise::sessions && noise != Noise::devices;
  return noise != Noise::drift || (plan.looks.empty() && plan.baseline == 0);
}

// Whether the rule may decide nothing, because each look has fewer processes than a verdict needs.
bool decides_nothing(const MeasuringPlan& plan, const SelftestOptions& options) {
  return plan.processes < (plan.shared ? options.min_shared_processes : options.min_processes);
}

class Trials {
 public:
  Trials(const Setting& setting, const Rule& rule, const SelftestOptions& options)
      : rule_(rule),
        options_(options),
        unchanged_(setting.noise, setting.plan, cases_that_decide + cases_alone, 0),
        at_margin_(setting.noise, setting.plan, cases_that_decide, cases_alone) {}

  void run(std::uint64_t seed, Counts& counts) {
    bool red = false;
    for (const ComparisonRow& row : judge(unchanged_, 0, seed)) red |= row.verdict == Verdict::regressed;
    count(counts[unchanged_red], red);

    const std::vector<ComparisonRow> slower = judge(at_margin_, Gate{}.margin, seed + 1);
    bool any = false;
    for (std::size_t i = 0; i < slower.size(); ++i) {
      const bool regressed = slower[i].verdict == Verdict::regressed;
      if (i < cases_that_decide) any |= regressed;
      if (i < cases_that_decide || !at_margin_.is_shaped(static_cast<int>(i))) continue;
      count(counts[called], regressed);
      count(counts[passed], is_pass(slower[i].verdict));
    }
    count(counts[family_called], any);
  }

  void look_for_change(std::uint64_t seed, Counts& counts) {
    const std::vector<ComparisonRow> rows = judge(unchanged_, found_change, seed);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (unchanged_.is_shaped(static_cast<int>(i)))
        count(counts[found], rows[i].verdict == Verdict::regressed);
  }

 private:
  std::vector<ComparisonRow> judge(Simulator& simulator, double change, std::uint64_t seed) {
    const SimulatedPair& pair = simulator.draw(change, seed);
    Policy policy = simulator.policy();
    policy.min_processes = options_.min_processes;
    policy.min_shared_processes = options_.min_shared_processes;
    return rule_(pair.baseline, pair.current, policy);
  }

  const Rule& rule_;
  const SelftestOptions& options_;
  Simulator unchanged_, at_margin_;
};

// A few trials of one setting, taken by a thread at a time.
struct Task {
  std::size_t setting = 0;
  std::size_t first = 0, last = 0;  // trials
  Counts counts = {};
};

std::vector<Task> tasks_of(std::size_t settings, std::size_t splits) {
  std::vector<Task> tasks;
  for (std::size_t setting = 0; setting < settings; ++setting)
    for (std::size_t first = 0; first < splits; first += splits_a_task)
      tasks.push_back({setting, first, std::min(first + splits_a_task, splits), {}});
  return tasks;
}

// Different settings and trials share no generator state: splitmix64 separates neighbouring seeds.
std::uint64_t seed_of(std::uint64_t seed, std::size_t setting, std::size_t trial) {
  return (seed << 40) + (static_cast<std::uint64_t>(setting) << 32) + 4 * trial;
}

void work_on(Task& task, const Setting& setting, const Rule& rule, const SelftestOptions& options) {
  Trials trials(setting, rule, options);
  for (std::size_t trial = task.first; trial < task.last; ++trial) {
    const std::uint64_t own = seed_of(options.seed, task.setting, trial);
    trials.run(own, task.counts);
    if (trial % 10 == 0) trials.look_for_change(own + 2, task.counts);
  }
}

// On several threads. The calling one reports the progress. False: stopped.
bool work_on_all(std::vector<Task>& tasks, const std::vector<Setting>& settings, const Rule& rule,
                 const SelftestOptions& options) {
  std::size_t all = 0;
  for (const Task& task : tasks) all += task.last - task.first;
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> stopped{false};
  const auto work = [&](bool tells) {
    for (std::size_t i = next++; i < tasks.size() && !stopped; i = next++) {
      work_on(tasks[i], settings[tasks[i].setting], rule, options);
      done += tasks[i].last - tasks[i].first;
      if (tells && options.on_progress && !options.on_progress(done, all)) stopped = true;
    }
  };
  const unsigned threads = options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work, false);
  work(true);
  helpers.clear();
  return !stopped;
}

void set_bounds(ErrorRate& rate, double limit, double confidence, std::size_t together) {
  rate.limit = limit;
  const stats::Bounds bounds = stats::clopper_pearson(rate.hits, rate.trials, confidence);
  rate.bounds = {bounds.lo, bounds.hi};
  const double of_all = 1 - (1 - confidence) / static_cast<double>(together);
  rate.surely = stats::clopper_pearson(rate.hits, rate.trials, of_all).lo;
}

SelftestRow row_of(const Setting& setting, const Counts& counts, double confidence, std::size_t rows,
                   bool nothing) {
  SelftestRow row{setting.noise,         setting.plan,   counts[unchanged_red], counts[called],
                  counts[family_called], counts[passed], counts[found]};
  const double nominal = nothing ? 0 : Gate{}.alpha;
  const double limit = nothing ? 0 : std::max(nominal, unavoidable(setting.noise, setting.plan));
  const std::size_t together = errors_a_row * rows;
  set_bounds(row.unchanged_red, limit, confidence, together);
  set_bounds(row.called, limit, confidence, together);
  set_bounds(row.family_called, limit, confidence, together);
  set_bounds(row.passed, passing_alpha, confidence, together);
  set_bounds(row.found, 1, confidence, together);
  return row;
}

}  // namespace

std::optional<SelftestReport> selftest(const SelftestOptions& options) {
  std::vector<Setting> settings;
  for (const Noise noise : options.noises)
    for (const MeasuringPlan& plan : options.plans)
      if (go_together(noise, plan) && (noise == options.noises.front() || !decides_nothing(plan, options)))
        settings.push_back({noise, plan});
  const Rule rule = options.rule ? options.rule : Rule(verdicts);
  std::vector<Task> tasks = tasks_of(settings.size(), options.splits);
  if (!work_on_all(tasks, settings, rule, options)) return std::nullopt;
  SelftestReport report;
  report.seed = options.seed;
  report.splits = options.splits;
  report.margin = Gate{}.margin;
  report.alpha = Gate{}.alpha;
  report.found_change = found_change;
  report.cases = cases_that_decide + cases_alone;
  std::vector<Counts> counts(settings.size());
  for (const Task& task : tasks)
    for (std::size_t i = 0; i < questions; ++i) {
      counts[task.setting][i].hits += task.counts[i].hits;
      counts[task.setting][i].trials += task.counts[i].trials;
    }
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const MeasuringPlan& plan = settings[i].plan;
    const bool nothing = decides_nothing(plan, options);
    report.rows.push_back(row_of(settings[i], counts[i], report.confidence, settings.size(), nothing));
    const double chance = unavoidable(settings[i].noise, plan);
    if (nothing)
      report.remarks.push_back(
          {SelftestRemarkCode::too_few,
           {{"row", i}, {"needed", plan.shared ? options.min_shared_processes : options.min_processes}}});
    else if (chance > report.alpha)
      report.remarks.push_back({SelftestRemarkCode::unavoidable, {{"row", i}, {"chance", chance}}});
  }
  return report;
}

SelftestRun halves_of(const std::vector<Record>& records, const SelftestOptions& options) {
  CalibrationOptions calibration;
  calibration.seed = options.seed;
  calibration.splits = options.splits;
  calibration.halves = true;
  const CalibrationReport report = calibrate(records, calibration);
  SelftestRun run;
  run.suite = report.suite;
  run.device = report.machine_class + " " + report.device_uuid;
  run.processes = report.split_processes;
  run.red = {report.suite_alarms, report.splits, Gate{}.alpha, {}, 0};
  for (const CalibratedCase& one : report.cases) {
    run.red.limit = std::max(run.red.limit, one.alpha);
    run.cases.push_back({one.case_id, one.metric, one.alarms});
  }
  set_bounds(run.red, run.red.limit, SelftestReport{}.confidence, 1);
  if (report.splits == 0) run.needed = Policy{}.min_processes;
  if (run.processes > 0 && !records.empty())
    run.peers =
        peer_rates(records.front(), run.processes, std::min(report.splits, most_peer_splits), options.seed);
  for (PeerRate& rate : run.peers) set_bounds(rate.red, 1, SelftestReport{}.confidence, 1);
  return run;
}

}  // namespace harness
