// decision_rates: error rates of the rule of harness/compare on real samples, by random splits of
// processes that measured the same thing (so that every call is false) or a kernel and the same kernel
// with more work (so that every miss is one). README.md of this folder says what comes out.
//
// One seed a split, so the table does not depend on the number of threads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/files.h"
#include "harness/compare/compare.h"
#include "harness/model/codec.h"
#include "harness/stats/estimator.h"
#include "harness/stats/multiplicity.h"
#include "harness/stats/proportion.h"
#include "harness/stats/welch.h"

namespace harness {
namespace {

constexpr const char* metric = "gpu_time";
constexpr double confidence = 0.99;

// One session of the probe: by case, the samples of each process.
class Session {
 public:
  explicit Session(Record record) : record_(std::move(record)) {
    for (const CaseRecord& one : record_.cases) cases_.push_back(one.id);
  }

  [[nodiscard]] const std::vector<std::string>& cases() const { return cases_; }
  [[nodiscard]] std::size_t processes() const {
    return record_.cases.front().series.front().processes.size();
  }

  [[nodiscard]] const Series& series(const std::string& id) const {
    for (const CaseRecord& one : record_.cases)
      if (one.id == id) return one.series.front();
    throw std::runtime_error("no case " + id);
  }

  // A record of the processes `chosen`, numbered anew, of the cases in `wanted`: (case to take, its name
  // in the record); of all their placements or of those in `placements`.
  [[nodiscard]] Record part(const std::vector<std::size_t>& chosen,
                            const std::vector<std::pair<std::string, std::string>>& wanted,
                            const std::vector<std::size_t>& placements = {}) const {
    Record record = record_;
    record.cases.clear();
    for (const auto& [from, name] : wanted) {
      CaseRecord one;
      one.id = name;
      one.device = "import";
      const Series& whole = series(from);
      Series series{whole.metric, whole.unit, whole.direction, {}};
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        series.processes.push_back(whole.processes.at(chosen[i]));
        series.processes.back().process = static_cast<int>(i) + 1;
        if (!placements.empty()) keep_only(series.processes.back().placements, placements);
      }
      one.series.push_back(std::move(series));
      record.cases.push_back(std::move(one));
    }
    return record;
  }

  [[nodiscard]] std::size_t placements() const {
    return record_.cases.front().series.front().processes.front().placements.size();
  }

 private:
  static void keep_only(std::vector<Placement>& all, const std::vector<std::size_t>& wanted) {
    std::vector<Placement> kept;
    for (const std::size_t one : wanted)
      if (one < all.size()) kept.push_back(all[one]);
    all = std::move(kept);
  }

  Record record_;
  std::vector<std::string> cases_;
};

// Two records as `harness ab` makes them where both builds share their processes.
void pair_up(Record& baseline, Record& current) {
  baseline.pairing = current.pairing = Pairing{"rates", Pairing::Kind::process};
}

std::vector<std::pair<std::string, std::string>> as_they_are(const std::vector<std::string>& cases) {
  std::vector<std::pair<std::string, std::string>> wanted;
  for (const std::string& name : cases) wanted.emplace_back(name, name);
  return wanted;
}

// What a rule says about a pair of records: the cases that it calls slower.
using Rule = std::function<std::vector<std::string>(const Record&, const Record&)>;

struct Setup {
  std::string name;
  std::size_t baseline = 5;  // processes
  std::size_t current = 5;
  Rule rule;
  bool same_processes = false;  // both sides measured in the `current` processes
};

std::vector<double> all_samples(const Series& series, bool without_outliers) {
  std::vector<double> all;
  for (const ProcessSamples& process : series.processes)
    for (const Placement& placement : process.placements)
      all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  if (!without_outliers) return all;
  const stats::Fences fences = stats::tukey_fences(all);
  std::erase_if(all, [&](double sample) { return sample < fences.mild_low || sample > fences.mild_high; });
  return all;
}

// What most comparers do: Welch's two-sided test on all samples as if they were independent.
Rule raw_welch(double alpha, bool without_outliers, double least_change, bool corrected) {
  return [=](const Record& baseline, const Record& current) {
    std::vector<double> p;
    std::vector<std::string> slower;
    std::vector<bool> worse;
    for (std::size_t i = 0; i < current.cases.size(); ++i) {
      const auto before = all_samples(baseline.cases[i].series.front(), without_outliers);
      const auto after = all_samples(current.cases[i].series.front(), without_outliers);
      const auto test = stats::welch(before, after);
      p.push_back(2 * std::min(test->p_above(0), test->p_below(0)));
      worse.push_back(test->difference > least_change * stats::mean(before));
    }
    const std::vector<double> judged = corrected ? stats::holm(p) : p;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (judged[i] < alpha && worse[i]) slower.push_back(current.cases[i].id);
    return slower;
  };
}

Rule of_policy(const Policy& policy, const std::vector<int>& looks = {}) {
  return [=](const Record& baseline, const Record& measured) {
    std::vector<std::string> slower;
    Record current = measured;
    for (CaseRecord& one : current.cases) one.gate.looks = looks;
    for (const ComparisonRow& row : compare(baseline, current, policy).rows)
      if (row.verdict == Verdict::regressed) slower.push_back(row.case_id);
    return slower;
  };
}

struct Count {
  std::size_t hits = 0;
  std::size_t trials = 0;

  [[nodiscard]] std::string text() const {
    if (trials == 0) return "-";
    const stats::Bounds bounds = stats::clopper_pearson(hits, trials, confidence);
    const auto percent = [](double share) {
      return fmt::format("{:.{}f}", share * 100, share > 0 && share < 0.01 ? 2 : 1);
    };
    return fmt::format("{} % [{}, {}]", percent(static_cast<double>(hits) / static_cast<double>(trials)),
                       percent(bounds.lo), percent(bounds.hi));
  }
};

// Runs `trial(random)` once a split on all cores. Each adds to counts of its own.
template <class Trial>
std::vector<Count> repeat(std::size_t splits, std::uint64_t seed, std::size_t counts, Trial trial) {
  std::vector<std::atomic<std::size_t>> hits(counts), trials(counts);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned core = 0; core < cores; ++core)
    threads.emplace_back([&] {
      for (std::size_t split = next++; split < splits; split = next++) {
        std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(split)};
        std::mt19937_64 random(seeds);
        const std::vector<Count> mine = trial(random);
        for (std::size_t i = 0; i < counts; ++i) {
          hits[i] += mine[i].hits;
          trials[i] += mine[i].trials;
        }
      }
    });
  threads.clear();
  std::vector<Count> sums(counts);
  for (std::size_t i = 0; i < counts; ++i) sums[i] = {hits[i], trials[i]};
  return sums;
}

std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

std::vector<std::size_t> slice(const std::vector<std::size_t>& all, std::size_t from, std::size_t count) {
  return {all.begin() + static_cast<std::ptrdiff_t>(from),
          all.begin() + static_cast<std::ptrdiff_t>(from + count)};
}

// The same processes on both sides, and nothing differs: half of each process's placements stand for one
// build and half for the other, which share their process but, unlike real builds, not their placements.
std::pair<Record, Record> halves(const Session& session, const Setup& setup,
                                 const std::vector<std::pair<std::string, std::string>>& cases,
                                 std::mt19937_64& random) {
  const auto processes = slice(shuffled(session.processes(), random), 0, setup.current);
  const auto placements = shuffled(session.placements(), random);
  const std::size_t half = placements.size() / 2;
  Record baseline = session.part(processes, cases, slice(placements, 0, half));
  Record current = session.part(processes, cases, slice(placements, half, half));
  pair_up(baseline, current);
  return {std::move(baseline), std::move(current)};
}

// Two halves of one session, or two sessions: nothing differs. {case falsely slower, suite red}.
std::vector<Count> false_alarms(const Session& one, const Session& other, const Setup& setup,
                                std::size_t splits, std::uint64_t seed) {
  const bool same = &one == &other;
  const auto cases = as_they_are(one.cases());
  return repeat(splits, seed, 2, [&](std::mt19937_64& random) {
    if (setup.same_processes) {
      const auto [baseline, current] = halves(one, setup, cases, random);
      const std::size_t called = setup.rule(baseline, current).size();
      return std::vector<Count>{{called, cases.size()}, {called > 0 ? std::size_t{1} : 0, 1}};
    }
    const auto first = shuffled(one.processes(), random);
    const auto second = same ? first : shuffled(other.processes(), random);
    const Record baseline = one.part(slice(first, 0, setup.baseline), cases);
    const Record current = other.part(slice(second, same ? setup.baseline : 0, setup.current), cases);
    const std::size_t called = setup.rule(baseline, current).size();
    return std::vector<Count>{{called, cases.size()}, {called > 0 ? std::size_t{1} : 0, 1}};
  });
}

// Processes that ran `gelu` against others that ran `gelu+x%` under its name, in a suite in which nothing
// else changed or as the only case. {found hot, found cold}.
std::vector<Count> found(const Session& session, const Setup& setup, const std::string& slowed, bool alone,
                         std::size_t splits, std::uint64_t seed) {
  const std::vector<std::string> modes{"hot", "cold"};
  std::vector<std::string> others;
  for (const std::string& name : session.cases())
    if (!name.starts_with("gelu")) others.push_back(name);
  return repeat(splits, seed, 2, [&](std::mt19937_64& random) {
    const auto order = shuffled(session.processes(), random);
    std::vector<Count> counts;
    for (const std::string& mode : modes) {
      const std::string name = "gelu/mode=" + mode;
      auto before = as_they_are(alone ? std::vector<std::string>{} : others), after = before;
      before.emplace_back(name, name);
      after.emplace_back(slowed + "/mode=" + mode, name);
      Record baseline = session.part(slice(order, 0, setup.baseline), before);
      Record current =
          session.part(slice(order, setup.same_processes ? 0 : setup.baseline, setup.current), after);
      if (setup.same_processes) pair_up(baseline, current);
      const auto slower = setup.rule(baseline, current);
      counts.push_back({std::count(slower.begin(), slower.end(), name) > 0 ? std::size_t{1} : 0, 1});
    }
    return counts;
  });
}

Policy policy_of(double margin) {
  Policy policy;
  policy.margin = margin;
  policy.alpha = 0.01;
  return policy;
}

std::vector<Setup> setups() {
  const Rule of_means = of_policy(policy_of(0.005));
  return {{"Welch on raw samples, p < .05", 5, 5, raw_welch(0.05, false, 0, false)},
          {"the same after Holm", 5, 5, raw_welch(0.05, false, 0, true)},
          {"Tukey's fences, then Welch on raw samples, p < .05", 5, 5, raw_welch(0.05, true, 0, false)},
          {"the same and > 1 %", 5, 5, raw_welch(0.05, true, 0.01, false)},
          {"process values, P = 5", 5, 5, of_means},
          {"process values, P = 8", 8, 8, of_means},
          {"process values, P = 16", 16, 16, of_means},
          {"process values, looks 5/10/20", 20, 20, of_policy(policy_of(0.005), {5, 10, 20})},
          {"both in one process, P = 4", 4, 4, of_means, true},
          {"both in one process, P = 5", 5, 5, of_means, true}};
}

struct Arguments {
  std::vector<std::string> sessions;
  std::size_t splits = 4000;
  std::uint64_t seed = 20261120;
};

Result<std::vector<Session>> load(const std::vector<std::string>& files) {
  std::vector<Session> sessions;
  for (const std::string& file : files) {
    const Result<std::string> text = read_file(file);
    if (!text) return fail(text.error());
    Result<Record> record = decode_record(*text, file);
    if (!record) return fail(record.error());
    sessions.emplace_back(std::move(*record));
  }
  return sessions;
}

void print(const std::vector<Session>& sessions, const Arguments& arguments) {
  fmt::print(
      "{} splits, seed {}; shares with their {:.0f} % Clopper-Pearson bounds; margin 0.5 %, alpha .01, "
      "Holm, where process values are tested\n\n",
      arguments.splits, arguments.seed, confidence * 100);
  fmt::print(
      "| rule | A/A: case called slower | A/A: suite of {} red | +2 % work found, hot | cold | in the suite, "
      "hot | cold | +5 % found, hot | cold |\n|---|---|---|---|---|---|---|---|---|\n",
      sessions[0].cases().size());
  for (const Setup& setup : setups()) {
    const auto wrong = false_alarms(sessions[0], sessions[0], setup, arguments.splits, arguments.seed);
    const auto two = found(sessions[0], setup, "gelu+2%", true, arguments.splits, arguments.seed + 1);
    const auto suite = found(sessions[0], setup, "gelu+2%", false, arguments.splits / 4, arguments.seed + 1);
    const auto five = found(sessions[0], setup, "gelu+5%", true, arguments.splits / 4, arguments.seed + 2);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", setup.name, wrong[0].text(),
               wrong[1].text(), two[0].text(), two[1].text(), suite[0].text(), suite[1].text(),
               five[0].text(), five[1].text());
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  CLI::App program("Error rates of the decision rule on real samples");
  Arguments arguments;
  program.add_option("sessions", arguments.sessions, "records of the three sessions")
      ->expected(3)
      ->required();
  program.add_option("--splits", arguments.splits)->capture_default_str();
  program.add_option("--seed", arguments.seed)->capture_default_str();
  CLI11_PARSE(program, argc, argv);
  const Result<std::vector<Session>> sessions = load(arguments.sessions);
  if (!sessions) {
    std::cerr << sessions.error().text() << '\n';
    return 2;
  }
  print(*sessions, arguments);
  return 0;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  return harness::run(argc, argv);
}
