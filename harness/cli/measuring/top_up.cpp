#include "harness/cli/measuring/top_up.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/decide/looks.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_processes = 1000;  // as in the suite

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "5,10,20"; none for "1".
Result<std::vector<int>> parse_looks(const std::string& text) {
  const std::string advice = "write increasing numbers of processes, such as 5,10,20, or 1 for a single look";
  std::vector<int> looks;
  for (const std::string& word : split(text, ',')) {
    const std::optional<int> look = whole_number(std::string(trim(word)));
    if (!look || *look < 1 || *look > most_processes)
      return fail(ErrorKind::usage,
                  fmt::format("--looks: `{}` is not a number of processes from 2 to {}", printable(word),
                              most_processes),
                  advice);
    looks.push_back(*look);
  }
  if (looks == std::vector<int>{1}) return std::vector<int>{};
  if (const std::string obstacle = looks_obstacle(looks); !obstacle.empty())
    return fail(ErrorKind::usage, fmt::format("--looks {}: {}", printable(text), obstacle), advice);
  return looks;
}

// The time that --budget gives.
Result<Seconds> budget_of(const LookArguments& arguments) {
  if (arguments.budget == "0") return 0.0;
  Result<Seconds> budget = parse_duration(arguments.budget);
  if (!budget) return fail(ErrorKind::usage, "--budget: " + budget.error().message, budget.error().advice);
  return budget;
}

class ToppingUp {
 public:
  ToppingUp(Store& store, Record& record, const TopUpOptions& options, Seconds budget)
      : store_(store), record_(record), options_(options), budget_(budget) {
    done_.budget = options.looks.budget;
  }

  Result<TopUp> run() {
    std::map<std::string, int> before;
    for (std::map<std::string, int> open = open_cases(); !open.empty() && open != before;
         open = open_cases()) {
      before = open;
      if (time_is_up()) break;
      if (const Status measured = measure(open); !measured) return fail(measured.error());
      if (done_.ended || done_.interrupted) break;
    }
    done_.took = elapsed();
    return std::move(done_);
  }

 private:
  // Cases that decide something and whose next look may settle them, and its number of processes.
  [[nodiscard]] std::map<std::string, int> open_cases() const {
    std::map<std::string, int> open;
    for (const ComparisonRow& row : compare(options_.baseline, record_, options_.policy).rows) {
      if (row.verdict != Verdict::inconclusive || !row.look.next || !decides(row)) continue;
      const auto [known, added] = open.emplace(row.case_id, *row.look.next);
      if (!added) known->second = std::min(known->second, *row.look.next);
    }
    return open;
  }

  [[nodiscard]] Seconds elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  bool time_is_up() {
    done_.ended = elapsed() >= budget_;
    return done_.ended;
  }

  // Measures each open case up to its next look.
  Status measure(const std::map<std::string, int>& open) {
    Plan plan = options_.plan;
    std::erase_if(plan.cases, [&](const PlannedCase& one) { return !open.contains(one.id); });
    std::string label = "next look";
    for (PlannedCase& one : plan.cases) {
      one.sampling.processes = open.at(one.id);
      label = fmt::format("look at {} processes", one.sampling.processes);
    }
    MeasureOptions options{options_.quiet, std::move(label), [&] { return !time_is_up(); }, false};
    const std::size_t had = measured_pairs(record_).size();
    const Result<RunReport> report = measure_into(store_, record_, plan, options_.prepared, options);
    if (!report) return fail(report.error());
    done_.ended = report->ended;
    done_.interrupted = report->interrupted;
    Result<Record> stored = store_.load(record_.id);
    if (!stored) return fail(stored.error());
    record_ = std::move(*stored);
    done_.results += measured_pairs(record_).size() - had;
    note_stage(open);
    return {};
  }

  void note_stage(const std::map<std::string, int>& open) {
    std::map<int, int> cases;  // by processes
    for (const auto& [id, processes] : open) ++cases[processes];
    for (const auto& [processes, count] : cases)
      done_.stages.push_back(
          fmt::format("{} case{} up to {} processes", count, count == 1 ? "" : "s", processes));
  }

  Store& store_;
  Record& record_;
  const TopUpOptions& options_;
  Seconds budget_;
  TopUp done_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

void add_looks_option(CLI::App& command, LookArguments& arguments) {
  command
      .add_option(
          "--looks", arguments.looks,
          "processes a side at which cases are judged, e.g. 5,10,20, or 1 for a single look; wins over "
          "the suite; default with --against: 1, 2 and 4 times the processes")
      ->type_name("LIST");
}

void add_budget_option(CLI::App& command, LookArguments& arguments) {
  command
      .add_option("--budget", arguments.budget,
                  "time for measuring cases that are still open on to their next look, e.g. 90s; 0s: none")
      ->capture_default_str()
      ->type_name("DURATION");
}

Status declare_looks(Plan& plan, const LookArguments& arguments, bool compared) {
  if (!arguments.looks.empty()) {
    const Result<std::vector<int>> looks = parse_looks(arguments.looks);
    if (!looks) return fail(looks.error());
    for (PlannedCase& one : plan.cases) one.gate.looks = *looks;
    return {};
  }
  if (!compared) return {};
  for (PlannedCase& one : plan.cases)
    if (one.gate.looks.empty() && one.sampling.processes > 1)
      one.gate.looks = default_looks(one.sampling.processes);
  return {};
}

Status check_budget(const LookArguments& arguments) {
  if (const Result<Seconds> budget = budget_of(arguments); !budget) return fail(budget.error());
  return {};
}

Result<TopUp> top_up(Store& store, Record& record, const TopUpOptions& options) {
  const Result<Seconds> budget = budget_of(options.looks);
  if (!budget) return fail(budget.error());
  return ToppingUp(store, record, options, *budget).run();
}

void tell(const TopUp& done, Comparison& comparison) {
  if (done.results > 0)
    comparison.remarks.push_back(fmt::format("measured on: {}; {} more result{} in {}",
                                             join(done.stages, ", then "), done.results,
                                             done.results == 1 ? "" : "s", format_seconds(done.took)));
  if (!done.ended) return;
  std::size_t left = 0;
  for (ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::inconclusive || !row.look.next || !decides(row)) continue;
    ++left;
    row.advice.push_back(
        fmt::format("the budget of {} ended before its look at {} processes", done.budget, *row.look.next));
  }
  comparison.remarks.push_back(fmt::format(
      "the budget of {} for measuring on ended with {} result{} open: raise --budget, or go on with "
      "`harness compare --measure`",
      done.budget, left, left == 1 ? "" : "s"));
}

}  // namespace harness
