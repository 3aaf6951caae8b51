#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "harness/base/text.h"
#include "harness/model/code/change_causes.h"
#include "harness/model/code/shifted_process.h"
#include "harness/model/device_kinds.h"
#include "harness/model/program_metrics.h"
#include "harness/report/documents/comparison/comparison_headline.h"
#include "harness/report/documents/comparison/comparison_remarks.h"
#include "harness/report/numbers.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {
namespace {

constexpr std::size_t most_named = 3;

using Rows = std::vector<const ComparisonRow*>;

template <class Wanted>
Rows rows_that(const Comparison& comparison, Wanted wanted) {
  Rows rows;
  for (const ComparisonRow& row : comparison.rows)
    if (wanted(row)) rows.push_back(&row);
  return rows;
}

Rows deciding(const Comparison& comparison, Verdict verdict) {
  return rows_that(comparison,
                   [&](const ComparisonRow& row) { return decides(row) && row.verdict == verdict; });
}

// "about 12 processes a side", "7 to 12 processes a side", or "" where no row tells.
std::string processes_text(const Rows& rows) {
  std::set<int> needed;
  for (const ComparisonRow* row : rows)
    if (row->processes_needed) needed.insert(*row->processes_needed);
  if (needed.empty()) return {};
  if (needed.size() == 1) return fmt::format("about {} processes a side", *needed.begin());
  return fmt::format("{} to {} processes a side, by case", *needed.begin(), *needed.rbegin());
}

int most_needed(const Rows& rows) {
  int most = 0;
  for (const ComparisonRow* row : rows) most = std::max(most, row->processes_needed.value_or(0));
  return most;
}

// The way to decide an inconclusive row.
enum class Remedy { cool_device, free_device, launch_gate, more_processes, session_or_margin, as_advised };

Remedy remedy_of(const ComparisonRow& row) {
  switch (row.reason.code) {
    case ReasonCode::throttled: return Remedy::cool_device;
    case ReasonCode::contaminated: return Remedy::free_device;
    case ReasonCode::waited: return Remedy::as_advised;
    case ReasonCode::forced_gates: return Remedy::launch_gate;
    case ReasonCode::slow_open:
    case ReasonCode::open_over_places:
    case ReasonCode::not_confirmed:
    case ReasonCode::zeros_vary: return Remedy::as_advised;
    default:
      return row.processes_needed.value_or(most_processes + 1) <= most_processes ? Remedy::more_processes
                                                                                 : Remedy::session_or_margin;
  }
}

std::string step_for(Remedy remedy, const Rows& rows, bool paired) {
  const std::string undecided = counted(rows.size(), "undecided result", "undecided results");
  switch (remedy) {
    case Remedy::more_processes: {
      const std::string processes = processes_text(rows);
      if (paired)
        return fmt::format("Measure more processes for {}: `--processes {}`, or accept a wider margin.",
                           undecided, most_needed(rows));
      return fmt::format(
          "Measure more processes for {} (`sampling: processes` in the suite{}) on a quiet "
          "machine, or accept a wider margin.",
          undecided, processes.empty() ? "" : "; " + processes);
    }
    case Remedy::session_or_margin:
      if (paired)
        return fmt::format(
            "More processes cannot decide {}: make the cases longer, the machine quieter, or the margin "
            "wider.",
            undecided);
      return fmt::format(
          "More processes cannot decide {}: measure both versions together with `harness ab`, or widen the "
          "margin.",
          undecided);
    case Remedy::cool_device:
      return fmt::format(
          "The device lowered its clock during {}: cool it, raise its power limit or lock a clock that it "
          "can "
          "hold, then measure again.",
          undecided);
    case Remedy::free_device:
      return fmt::format("Other processes used the device during {}: measure again without them.", undecided);
    case Remedy::launch_gate:
      return fmt::format(
          "The launch gate opened on its deadline during {}: raise `sampling: gate_deadline`, then measure "
          "again.",
          undecided);
    case Remedy::as_advised: break;
  }
  return {};
}

// One step for each remedy that the reasons of rows call for.
void add_advised(const Rows& rows, std::vector<std::string>& steps) {
  std::map<std::string, std::size_t> uses;
  std::vector<std::string> order;
  for (const ComparisonRow* row : rows)
    if (const std::string remedy = remedy_words(*row); ++uses[remedy] == 1) order.push_back(remedy);
  for (const std::string& remedy : order)
    if (!remedy.empty())
      steps.push_back(
          fmt::format("For {}: {}", counted(uses[remedy], "undecided result", "undecided results"), remedy));
}

void add_inconclusive(const Comparison& comparison, std::vector<std::string>& steps) {
  constexpr std::array<Remedy, 6> in_order{Remedy::cool_device,       Remedy::free_device,
                                           Remedy::launch_gate,       Remedy::more_processes,
                                           Remedy::session_or_margin, Remedy::as_advised};
  const Rows all = deciding(comparison, Verdict::inconclusive);
  if (std::any_of(all.begin(), all.end(),
                  [](const ComparisonRow* row) { return row->look.next.has_value(); }))
    steps.emplace_back(
        "Continue the undecided cases to their next look, with the current revision checked out and built: "
        "`harness compare --measure`.");
  const auto left_out = [](const ComparisonRow* row) { return row->reason.code == ReasonCode::left_out; };
  if (const auto count = std::count_if(all.begin(), all.end(), left_out); count > 0)
    steps.push_back(fmt::format(
        "{} left out: measure without the filter, the `--set` or the budget, or let them pass with "
        "`--allow left-out`.",
        counted(static_cast<std::size_t>(count), "case was", "cases were")));
  for (const Remedy remedy : in_order) {
    Rows rows;
    for (const ComparisonRow* row : all)
      if (!row->look.next && !left_out(row) && remedy_of(*row) == remedy) rows.push_back(row);
    if (remedy == Remedy::as_advised)
      add_advised(rows, steps);
    else if (!rows.empty())
      steps.push_back(step_for(remedy, rows, comparison.pairing.has_value()));
  }
}

const ComparisonRow* find_row(const Comparison& comparison, std::string_view id, std::string_view metric) {
  const auto found =
      std::find_if(comparison.rows.begin(), comparison.rows.end(),
                   [&](const ComparisonRow& row) { return row.case_id == id && row.metric == metric; });
  return found == comparison.rows.end() ? nullptr : &*found;
}

double largest_sd(const ComparisonRow& row) {
  return std::max(row.baseline.process_sd, row.current.process_sd);
}

// Where the wall time of a program is noise, its CPU time often decides.
void add_user_time(const Comparison& comparison, std::vector<std::string>& steps) {
  constexpr double notable = 0.5;  // of the wall time's spread
  if (comparison.suite_file.empty()) return;
  for (const ComparisonRow* row : deciding(comparison, Verdict::inconclusive)) {
    if (row->metric != cpu_kind.time_metric) continue;
    const ComparisonRow* user = find_row(comparison, row->case_id, user_time);
    if (user == nullptr || !user->informative || !has_numbers(*user)) continue;
    if (largest_sd(*user) > notable * largest_sd(*row)) continue;
    steps.push_back(fmt::format(
        "The user time of {} varies by {} between starts, its wall time by {}: let it decide as "
        "well, by `gate: {{metrics: {{user_time: {{margin: {}}}}}}}`. It does not see a program that "
        "waits.",
        row->case_id, short_percent(largest_sd(*user)), short_percent(largest_sd(*row)),
        plain_percent(row->margin)));
    return;  // one example is enough
  }
}

bool none_on_both_sides(const Comparison& comparison) {
  return std::all_of(comparison.rows.begin(), comparison.rows.end(),
                     [](const ComparisonRow& row) { return row.verdict == Verdict::missing; });
}

// Without any baseline every case is new; the missing thing is then the baseline.
void add_missing(const Comparison& comparison, std::vector<std::string>& steps) {
  if (is_first(comparison)) return;
  Rows fresh, removed, others;
  for (const ComparisonRow* row : deciding(comparison, Verdict::missing)) {
    const ReasonCode why = row->reason.code;
    if ((why == ReasonCode::new_case || why == ReasonCode::new_metric) && !comparison.baseline.id.empty())
      fresh.push_back(row);
    else if (why == ReasonCode::removed_case || why == ReasonCode::removed_metric)
      removed.push_back(row);
    else
      others.push_back(row);
  }
  const bool allowed = comparison.policy.allow_missing;
  const bool files =
      comparison.baseline.found.code == SourceCode::file && comparison.current.found.code == SourceCode::file;
  if (files && !fresh.empty() && !removed.empty() && none_on_both_sides(comparison)) {
    steps.emplace_back(
        "Cases are compared by name, and no name is on both sides: give both the same one, such as with "
        "`hyperfine -n NAME`.");
    return;
  }
  if (!others.empty())
    steps.emplace_back(
        allowed ? "Cases without a counterpart were let through; measure or promote a baseline that has them."
                : "Check out and rebuild the baseline revision and measure it with `harness run`, or pin a "
                  "reviewed record with `harness baseline promote HEAD --author NAME --reason TEXT`; "
                  "`--allow missing` lets cases without a "
                  "counterpart through.");
  if (!removed.empty())
    steps.push_back(
        fmt::format("{} only in the baseline: restore it, or promote the new record "
                    "if it was removed on purpose.",
                    counted(removed.size(), "result is", "results are")));
  if (!fresh.empty())
    steps.push_back(fmt::format("{} new and has no counterpart: the next baseline will have it{}",
                                counted(fresh.size(), "result is", "results are"),
                                allowed ? "." : "; `--allow missing` lets pull requests add cases."));
}

// Whether the time of a kernel with other code changed by so little that its place may be the cause.
bool may_have_moved(const ComparisonRow& row) {
  if (row.over_places || row.reason.code != ReasonCode::worse || row.causes == nullptr ||
      !is_time_of_device(row.metric) || std::abs(row.ratio - 1) >= most_by_place)
    return false;
  const std::vector<KernelSides>& kernels = row.causes->evidence.kernels;
  return std::any_of(kernels.begin(), kernels.end(), [](const KernelSides& one) {
    return !one.baseline || !one.current || one.baseline->code.empty() ||
           one.baseline->code != one.current->code;
  });
}

// One build alone cannot tell a slower kernel from one that lies elsewhere.
void add_places(const Comparison& comparison, std::vector<std::string>& steps) {
  if (comparison.pairing) return;
  const Rows all = deciding(comparison, Verdict::regressed);
  const auto count =
      std::count_if(all.begin(), all.end(), [](const ComparisonRow* row) { return may_have_moved(*row); });
  if (count == 0) return;
  const std::string suite =
      comparison.suite_file.empty() ? std::string("SUITE") : shell_quoted(comparison.suite_file);
  const std::string& commit = comparison.baseline.revision.commit;
  steps.push_back(fmt::format(
      "{} changed by less than {}, which the place of the code alone can do. Measure both builds at all "
      "places: `harness ab {} --baseline {}`.",
      counted(static_cast<std::size_t>(count), "regressed kernel time", "regressed kernel times"),
      plain_percent(most_by_place), suite, commit.empty() ? "REV" : commit.substr(0, 10)));
}

// A change can loosen its own gates.
void add_loosened(const Comparison& comparison, std::vector<std::string>& steps) {
  const Rows all = rows_that(comparison, [](const ComparisonRow& row) { return row.loosened.has_value(); });
  if (all.empty()) return;
  std::string text =
      fmt::format("Gates loosened for {} since the baseline: have that reviewed with the change.",
                  counted(all.size(), "result", "results"));
  const Rows hidden = rows_that(comparison, hides_regression);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(hidden.size(), most_named); ++i)
    names.push_back(fmt::format("{} {}{}", hidden[i]->case_id, hidden[i]->metric,
                                has_numbers(*hidden[i])
                                    ? fmt::format(" ({})", signed_percent(hidden[i]->ratio - 1))
                                    : std::string()));
  if (hidden.size() > names.size()) names.push_back(fmt::format("{} more", hidden.size() - names.size()));
  if (!names.empty()) text += " The baseline's gate would have failed " + join(names, ", ") + ".";
  steps.push_back(std::move(text));
}

// Names what the change itself would let pass.
void add_proposed(const Comparison& comparison, std::vector<std::string>& steps) {
  if (comparison.policy.accept_proposed || proposed_by_change(comparison).empty()) return;
  steps.emplace_back(
      "The baseline's gates and waivers decide, so the change cannot let itself pass. Have what it proposes "
      "reviewed; then `--accept-proposed` lets it count.");
}

bool only_steps_differ(const Comparison& comparison) {
  return std::all_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
    return row.verdict != Verdict::not_comparable || row.reason.code == ReasonCode::steps_differ;
  });
}

std::string step_for(Verdict verdict, const Comparison& comparison) {
  switch (verdict) {
    case Verdict::failed: return "Fix the failed cases first: a wrong or missing result has no speed.";
    case Verdict::regressed:
      return "If the regression is intended, say so in the change and promote the new record once it is "
             "merged (`harness baseline promote HEAD --author NAME --reason TEXT`); otherwise look at what "
             "changed between the two "
             "revisions.";
    case Verdict::not_comparable:
      if (only_steps_differ(comparison))
        return "Mark the step of the traced program with an NVTX range, and name it in the suite "
               "(`steps: nvtx`). Then measure both sides.";
      return "Measure both sides on the same device and settings; the differences are listed above.";
    case Verdict::improved:
      return comparison.policy.fail_on_improved
                 ? "Promote the new record as the baseline (`harness baseline promote HEAD --author NAME "
                   "--reason TEXT`). Compared with the old "
                   "one, losing this improvement again would go unnoticed."
                 : std::string();
    default: break;
  }
  return {};
}

}  // namespace

std::vector<std::string> next_steps(const Comparison& comparison) {
  std::vector<std::string> steps;
  const auto add = [&](Verdict verdict) {
    const std::string step =
        deciding(comparison, verdict).empty() ? std::string() : step_for(verdict, comparison);
    if (!step.empty()) steps.push_back(step);
  };
  add(Verdict::failed);
  add(Verdict::regressed);
  add_places(comparison, steps);
  add_loosened(comparison, steps);
  add_proposed(comparison, steps);
  add_missing(comparison, steps);
  add(Verdict::not_comparable);
  add_inconclusive(comparison, steps);
  add_user_time(comparison, steps);
  add(Verdict::improved);
  const bool waived = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                  [](const ComparisonRow& row) { return !row.informative && !decides(row); });
  if (waived)
    steps.emplace_back(
        "A waived result fails again after its date: fix it before, or promote the new record as the "
        "baseline.");
  return steps;
}

}  // namespace harness::report
