#include "harness/compare/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>

#include "harness/compare/conditions.h"
#include "harness/compare/diagnose.h"
#include "harness/stats/multiplicity.h"
#include "harness/stats/power.h"

namespace harness {
namespace {

constexpr double planned_power = 0.8;
// Both tests of an equivalence must reject: 0.9 each leaves 0.8 for the two (Bonferroni).
constexpr double planned_power_each = 0.9;
constexpr int first_look = 5;  // processes to ask for when nothing is known about the spread
constexpr int most_processes = 1000;
constexpr int affordable_processes = 40;  // beyond it a wider margin is the better advice

int sign_of(const ComparisonRow& row) {
  return row.direction == Direction::lower_is_better ? 1 : -1;
}

// Tables of detectable shifts, one per alpha and power in use; nearly always three.
class ShiftTables {
 public:
  const stats::DetectableShift& get(double alpha, double power) {
    for (const stats::DetectableShift& table : tables_)
      if (table.alpha() == alpha && table.power() == power) return table;
    return tables_.emplace_back(alpha, power);
  }

 private:
  std::list<stats::DetectableShift> tables_;  // a list, so that references stay valid
};

// "-0.30 % to +0.42 %" of current over baseline.
std::string interval_text(const ComparisonRow& row) {
  return fmt::format("{:+.2f} % to {:+.2f} %", (row.interval->lo - 1) * 100, (row.interval->hi - 1) * 100);
}

std::string change_text(const ComparisonRow& row) {
  return fmt::format("{:+.2f} %", (row.ratio - 1) * 100);
}

double log_margin(const ComparisonRow& row) {
  return std::log1p(row.margin);
}

void explain_inconclusive(ComparisonRow& row, const Evidence& evidence, std::size_t family) {
  const double effect = evidence.effect.difference, margin = log_margin(row);
  if (std::abs(effect) > margin && std::min(*row.p, *row.p_improved) < row.alpha) {
    row.reason = fmt::format(
        "{} ({}) is beyond the margin of {:.2f} % by itself, but not after correcting for {} "
        "comparisons",
        change_text(row), interval_text(row), row.margin * 100, family);
  } else {
    row.reason = fmt::format("{} ({}): neither inside the margin of {:.2f} % nor clearly beyond it",
                             change_text(row), interval_text(row), row.margin * 100);
  }
}

// A margin that these very measurements would have settled, for a case that varies more than its gate
// allows for.
std::string wider_margin(const ComparisonRow& row, const Evidence& evidence) {
  const double settled = std::expm1(std::max(std::abs(evidence.bounds.lo), std::abs(evidence.bounds.hi)));
  return fmt::format(
      "it varies by {:.1f} % between processes, too much for a margin of {:.2f} %: with {} processes give it "
      "`gate: {{margin: {:.0f}%}}` in the suite, or make the case longer",
      std::max(row.baseline.process_sd, row.current.process_sd) * 100, row.margin * 100,
      std::min(row.baseline.processes, row.current.processes), std::ceil(settled * 100));
}

// What would settle an inconclusive row: processes, when they can.
void plan_more(ComparisonRow& row, const Evidence& evidence, double strict_alpha, int least,
               ShiftTables& tables) {
  const double gap = std::abs(evidence.effect.difference) - log_margin(row);
  const stats::DetectableShift& shift =
      gap > 0 ? tables.get(strict_alpha, planned_power) : tables.get(row.alpha, planned_power_each);
  row.processes_needed =
      stats::processes_needed(std::abs(gap), row.baseline.process_sd, row.current.process_sd,
                              evidence.known_variance, shift, most_processes);
  row.remedy = row.processes_needed ? Remedy::more_processes : Remedy::session_or_margin;
  if (row.processes_needed) {
    const int now = std::min(row.baseline.processes, row.current.processes);
    // The plan takes the estimates for the truth; that they did not suffice says they were lucky.
    row.processes_needed = std::max({*row.processes_needed, least, now + 1});
    row.advice.push_back(
        fmt::format("measure about {} processes a side to settle it{}", *row.processes_needed,
                    *row.processes_needed > affordable_processes ? "; " + wider_margin(row, evidence) : ""));
    return;
  }
  if (row.margin == 0) {
    row.advice.push_back(
        "a margin of 0 % calls nothing that varies unchanged: give this metric a margin above 0, or make it "
        "`informative`");
    return;
  }
  const double standard_error = evidence.effect.standard_error;
  const bool processes_dominate = standard_error * standard_error > 2 * evidence.known_variance;
  if (processes_dominate && evidence.bounds.hi - evidence.bounds.lo > 3 * log_margin(row))
    row.advice.push_back(wider_margin(row, evidence));
  else if (std::abs(gap) < log_margin(row) / 4)
    row.advice.push_back(fmt::format(
        "the change lies so near the margin of {:.2f} % that more processes will hardly settle it: "
        "choose another margin, or measure both versions in one session",
        row.margin * 100));
  else
    row.advice.push_back(fmt::format(
        "no number of processes settles it: sessions and devices alone differ by {:.2f} %, which leaves too "
        "little of a margin of {:.2f} %; measure both versions in one session, or widen the margin",
        std::sqrt(evidence.known_variance) * 100, row.margin * 100));
}

void set_verdict(ComparisonRow& row, const Evidence& evidence, std::size_t family, int least) {
  const double margin = log_margin(row);
  row.verdict = Verdict::inconclusive;
  if (!evidence.doubt.empty()) {
    row.reason = evidence.doubt;
    row.remedy = evidence.remedy;
  } else if (!evidence.enough_processes) {
    row.reason = fmt::format("{} against {} processes: at least {} a side are needed for a verdict",
                             row.baseline.processes, row.current.processes, least);
    row.remedy = Remedy::more_processes;
  } else if (row.p_adjusted.value_or(*row.p) < row.alpha) {
    row.verdict = Verdict::regressed;
    row.reason = fmt::format("worse by more than the margin of {:.2f} %: {} ({})", row.margin * 100,
                             change_text(row), interval_text(row));
  } else if (row.p_improved_adjusted.value_or(*row.p_improved) < row.alpha) {
    row.verdict = Verdict::improved;
    row.reason = fmt::format("better by more than the margin of {:.2f} %: {} ({})", row.margin * 100,
                             change_text(row), interval_text(row));
  } else if (evidence.bounds.lo > -margin && evidence.bounds.hi < margin) {
    row.verdict = Verdict::unchanged;
    row.reason = fmt::format("within the margin of {:.2f} %: {} ({})", row.margin * 100, change_text(row),
                             interval_text(row));
  } else {
    explain_inconclusive(row, evidence, family);
  }
}

// The places of the values in ascending order, from 1.
std::vector<std::size_t> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return values[one] < values[other]; });
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i + 1;
  return ranks;
}

// Holm over the rows that decide, worse and better as two families; a row takes part by its number of
// processes, conditions and gates alone, never by its p-value.
std::size_t correct(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence) {
  std::vector<Evidence*> judged;
  std::vector<double> worse, better;
  for (Evidence& one : evidence) {
    const ComparisonRow& row = rows[one.row];
    if (!one.enough_processes || !one.doubt.empty() || row.informative) continue;
    judged.push_back(&one);
    worse.push_back(*row.p);
    better.push_back(*row.p_improved);
  }
  const std::vector<double> worse_adjusted = stats::holm(worse), better_adjusted = stats::holm(better);
  const std::vector<std::size_t> worse_ranks = ranks_of(worse), better_ranks = ranks_of(better);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    rows[judged[i]->row].p_adjusted = worse_adjusted[i];
    rows[judged[i]->row].p_improved_adjusted = better_adjusted[i];
    judged[i]->rank_worse = worse_ranks[i];
    judged[i]->rank_better = better_ranks[i];
  }
  return judged.size();
}

}  // namespace

int least_processes(const Policy& policy) {
  return std::max(policy.min_processes, 2);
}

std::string gate_obstacle(double margin, double alpha) {
  if (!(margin >= 0 && std::isfinite(margin)))
    return fmt::format("the margin {} is not a share of 0 or more", margin);
  if (!(alpha > 0 && alpha < 0.5)) return fmt::format("alpha {} does not lie between 0 and 0.5", alpha);
  return {};
}

bool is_worse(const Evidence& evidence, double margin, double alpha) {
  return evidence.enough_processes && evidence.doubt.empty() &&
         evidence.effect.p_above(std::log1p(margin)) < alpha;
}

std::optional<Evidence> weigh(ComparisonRow& row, std::size_t index, const SideReading& baseline,
                              const SideReading& current, double known_variance_per_side,
                              const Policy& policy) {
  row.ratio = std::exp(current.moments.mean - baseline.moments.mean);
  auto test =
      stats::welch(baseline.moments, current.moments, known_variance_per_side, known_variance_per_side);
  if (!test) {
    row.verdict = Verdict::inconclusive;
    row.reason = fmt::format("{} against {} processes: without two on each side nothing can be tested",
                             row.baseline.processes, row.current.processes);
    row.processes_needed = std::max(least_processes(policy), first_look);
    row.remedy = Remedy::more_processes;
    return std::nullopt;
  }
  Evidence evidence;
  evidence.row = index;
  evidence.known_variance = 2 * known_variance_per_side;
  evidence.enough_processes =
      std::min(row.baseline.processes, row.current.processes) >= least_processes(policy);
  if (std::max(forced_share(baseline), forced_share(current)) > tolerable_forced_share) {
    evidence.remedy = Remedy::launch_gate;
    evidence.doubt =
        fmt::format("the launch gate of more than {:.0f} % of a side's samples opened on its deadline",
                    tolerable_forced_share * 100);
  } else {
    ConditionDoubt doubt = condition_doubt(baseline.conditions, current.conditions);
    evidence.remedy = doubt.remedy;
    evidence.doubt = std::move(doubt.text);
  }
  test->difference *= sign_of(row);
  evidence.effect = *test;
  evidence.bounds = test->interval(1 - 2 * row.alpha);
  const bool mirrored = sign_of(row) < 0;
  row.interval = Interval{std::exp(mirrored ? -evidence.bounds.hi : evidence.bounds.lo),
                          std::exp(mirrored ? -evidence.bounds.lo : evidence.bounds.hi)};
  row.degrees_of_freedom = test->degrees_of_freedom;
  row.p = test->p_above(log_margin(row));
  row.p_improved = test->p_below(-log_margin(row));
  return evidence;
}

std::size_t decide(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy) {
  const std::size_t family = correct(rows, evidence);
  const int least = least_processes(policy);
  ShiftTables tables;
  for (const Evidence& one : evidence) {
    ComparisonRow& row = rows[one.row];
    const std::size_t together = row.informative ? 1 : std::max<std::size_t>(family, 1);
    set_verdict(row, one, together, least);
    // The strictest level at which Holm may have to call this row: it must be *called* with this power.
    const double strict_alpha = row.alpha / static_cast<double>(together);
    const double reach =
        tables.get(strict_alpha, planned_power).at(one.effect.degrees_of_freedom) * one.effect.standard_error;
    row.minimum_detectable = std::expm1(log_margin(row) + reach);
    if (row.verdict == Verdict::inconclusive && one.doubt.empty())
      plan_more(row, one, strict_alpha, least, tables);
  }
  return family;
}

}  // namespace harness
