#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/base/text.h"
#include "harness/report/documents/comparison_remarks.h"
#include "harness/report/numbers.h"

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

std::string step_for(Remedy remedy, const Rows& rows) {
  const std::string undecided = counted(rows.size(), "undecided result", "undecided results");
  switch (remedy) {
    case Remedy::more_processes: {
      const std::string processes = processes_text(rows);
      return fmt::format(
          "Measure more processes for {} (`sampling: processes` in the suite{}) on a quiet "
          "machine, or accept a wider margin.",
          undecided, processes.empty() ? "" : "; " + processes);
    }
    case Remedy::session_or_margin:
      return fmt::format(
          "No number of processes settles {}: measure both versions together with `harness ab`, or widen "
          "the margin.",
          undecided);
    case Remedy::cool_device:
      return fmt::format(
          "The device held its clock down under {}: cool it, raise its power limit or lock a "
          "clock that it holds, then measure again.",
          undecided);
    case Remedy::free_device:
      return fmt::format("Others used the device under {}: measure again when nobody else does.", undecided);
    case Remedy::launch_gate:
      return fmt::format(
          "The launch gate opened on its deadline under {}: raise `sampling: gate_deadline`, "
          "then measure again.",
          undecided);
    default: break;
  }
  return fmt::format("For {}, follow the advice of each above.", undecided);
}

void add_inconclusive(const Comparison& comparison, std::vector<std::string>& steps) {
  constexpr std::array<Remedy, 6> in_order{Remedy::cool_device,       Remedy::free_device,
                                           Remedy::launch_gate,       Remedy::more_processes,
                                           Remedy::session_or_margin, Remedy::as_advised};
  const Rows all = deciding(comparison, Verdict::inconclusive);
  if (std::any_of(all.begin(), all.end(),
                  [](const ComparisonRow* row) { return row->look.next.has_value(); }))
    steps.emplace_back(
        "Measure the undecided cases on to their next look, with the current revision checked out and built: "
        "`harness compare --measure`.");
  for (const Remedy remedy : in_order) {
    Rows rows;
    for (const ComparisonRow* row : all)
      if (row->remedy == remedy && !row->look.next) rows.push_back(row);
    if (!rows.empty()) steps.push_back(step_for(remedy, rows));
  }
}

// Without any baseline every case is new, and it is the baseline that is missing.
void add_missing(const Comparison& comparison, std::vector<std::string>& steps) {
  Rows fresh, removed, others;
  for (const ComparisonRow* row : deciding(comparison, Verdict::missing)) {
    if (row->remedy == Remedy::next_baseline && !comparison.baseline.id.empty())
      fresh.push_back(row);
    else if (row->remedy == Remedy::restore_case)
      removed.push_back(row);
    else
      others.push_back(row);
  }
  const bool allowed = comparison.policy.allow_missing;
  if (!others.empty())
    steps.emplace_back(
        allowed ? "Cases without a counterpart were let through; measure or promote a baseline that has them."
                : "Check out and rebuild the baseline revision and measure it with `harness run`, or pin a "
                  "reviewed record with `harness baseline promote`; `--allow missing` lets cases without a "
                  "counterpart through.");
  if (!removed.empty())
    steps.push_back(
        fmt::format("{} only in the baseline: restore it in the suite, or promote the new record "
                    "if it was removed on purpose.",
                    counted(removed.size(), "result is", "results are")));
  if (!fresh.empty())
    steps.push_back(fmt::format("{} new and has no counterpart: the next baseline will have it{}",
                                counted(fresh.size(), "result is", "results are"),
                                allowed ? "." : "; `--allow missing` lets pull requests add cases."));
}

// The loosest verdict that a change can give itself: its own gates.
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
  if (!names.empty())
    text += " Regressed by the baseline's gate, but not by this one: " + join(names, ", ") + ".";
  steps.push_back(std::move(text));
}

std::string step_for(Verdict verdict, const Comparison& comparison) {
  switch (verdict) {
    case Verdict::failed: return "Fix the failed cases first: a wrong or missing result has no speed.";
    case Verdict::regressed:
      return "If the regression is intended, say so in the change and promote the new record once it is "
             "merged (`harness baseline promote`); otherwise look at what changed between the two "
             "revisions.";
    case Verdict::not_comparable:
      return "Measure both sides on the same device and settings; the differences are listed above.";
    case Verdict::improved:
      return comparison.policy.fail_on_improved
                 ? "Promote the new record as the baseline (`harness baseline promote`): judged by the old "
                   "one, what was gained could be lost again unseen."
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
  add_loosened(comparison, steps);
  add_missing(comparison, steps);
  add(Verdict::not_comparable);
  add_inconclusive(comparison, steps);
  add(Verdict::improved);
  const bool waived = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                  [](const ComparisonRow& row) { return !row.informative && !decides(row); });
  if (waived)
    steps.emplace_back(
        "A waived regression fails again after its date: settle it before, or promote the new record as what "
        "is expected from now on.");
  return steps;
}

}  // namespace harness::report
