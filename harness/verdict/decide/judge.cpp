#include "harness/verdict/decide/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>

#include "harness/stats/hypothesis/paired.h"
#include "harness/stats/hypothesis/power.h"
#include "harness/verdict/check/condition_checks.h"
#include "harness/verdict/check/diagnose.h"

namespace harness {
namespace {

constexpr double planned_power = 0.8;
// Both tests of an equivalence must reject: 0.9 each leaves 0.8 for the two (Bonferroni).
constexpr double planned_power_each = 0.9;
constexpr int most_processes = 1000;
constexpr int affordable_processes = 40;  // beyond it a wider margin is the better advice

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

void explain_inconclusive(ComparisonRow& row, const LookEvidence& look, std::size_t family) {
  const double effect = look.effect.difference, margin = log_margin(row);
  if (std::abs(effect) > margin && std::min(look.p_worse, look.p_better) < row.alpha) {
    const std::size_t looks = row.look.declared.size();
    row.reason = fmt::format(
        "{} ({}) is beyond the margin of {:.2f} % by itself, but not after correcting for {}{} "
        "comparisons",
        change_text(row), interval_text(row), row.margin * 100,
        looks > 1 ? fmt::format("{} looks and ", looks) : "", family);
  } else {
    row.reason = fmt::format("{} ({}): neither inside the margin of {:.2f} % nor clearly beyond it",
                             change_text(row), interval_text(row), row.margin * 100);
  }
}

// A margin that these very measurements would have settled, for a case that varies more than its gate
// allows for.
std::string wider_margin(const ComparisonRow& row, const LookEvidence& look) {
  const double settled = std::expm1(std::max(std::abs(look.bounds.lo), std::abs(look.bounds.hi)));
  return fmt::format(
      "it varies by {:.1f} % between processes, too much for a margin of {:.2f} %: with {} processes give it "
      "`gate: {{margin: {:.0f}%}}` in the suite, or make the case longer",
      (look.differences ? std::sqrt(look.differences->variance)
                        : std::max(row.baseline.process_sd, row.current.process_sd)) *
          100,
      row.margin * 100,
      look.differences ? look.differences->count
                       : static_cast<std::size_t>(std::min(row.baseline.processes, row.current.processes)),
      std::ceil(settled * 100));
}

// What would settle an inconclusive row: processes, when they can.
void plan_more(ComparisonRow& row, const Evidence& evidence, const stats::DetectableShift& beyond,
               const stats::DetectableShift& inside, int least) {
  const LookEvidence& look = evidence.looks[evidence.shown];
  const double gap = std::abs(look.effect.difference) - log_margin(row);
  const stats::DetectableShift& shift = gap > 0 ? beyond : inside;
  row.processes_needed =
      look.differences
          ? stats::pairs_needed(std::abs(gap), std::sqrt(look.differences->variance), evidence.known_variance,
                                shift, most_processes)
          : stats::processes_needed(std::abs(gap), row.baseline.process_sd, row.current.process_sd,
                                    evidence.known_variance, shift, most_processes);
  row.remedy = row.processes_needed ? Remedy::more_processes : Remedy::session_or_margin;
  if (row.processes_needed) {
    const int now = look.differences ? static_cast<int>(look.differences->count)
                                     : std::min(row.baseline.processes, row.current.processes);
    // The plan takes the estimates for the truth; that they did not suffice says they were lucky.
    row.processes_needed = std::max({*row.processes_needed, least, now + 1});
    row.advice.push_back(
        fmt::format("measure about {} processes a side to settle it{}", *row.processes_needed,
                    *row.processes_needed > affordable_processes ? "; " + wider_margin(row, look) : ""));
    return;
  }
  if (row.margin == 0) {
    row.advice.emplace_back(
        "a margin of 0 % calls nothing that varies unchanged: give this metric a margin above 0, or make it "
        "`informative`");
    return;
  }
  const double standard_error = look.effect.standard_error;
  const bool processes_dominate = standard_error * standard_error > 2 * evidence.known_variance;
  if (processes_dominate && look.bounds.hi - look.bounds.lo > 3 * log_margin(row))
    row.advice.push_back(wider_margin(row, look));
  else if (evidence.known_variance == 0)
    row.advice.push_back(fmt::format(
        "the change lies so near the margin of {:.2f} % that more processes will hardly settle it: choose "
        "another margin",
        row.margin * 100));
  else if (std::abs(gap) < log_margin(row) / 4)
    row.advice.push_back(fmt::format(
        "the change lies so near the margin of {:.2f} % that more processes will hardly settle it: "
        "choose another margin, or measure both versions together with `harness ab`",
        row.margin * 100));
  else
    row.advice.push_back(fmt::format(
        "no number of processes settles it: sessions and devices alone differ by {:.2f} %, which leaves too "
        "little of a margin of {:.2f} %; measure both versions together with `harness ab`, or widen the "
        "margin",
        std::sqrt(evidence.known_variance) * 100, row.margin * 100));
}

void set_reason(ComparisonRow& row, const Evidence& evidence, std::size_t family, int least) {
  const LookEvidence& look = evidence.looks[evidence.shown];
  const auto with_numbers = [&](const char* what) {
    return fmt::format("{} the margin of {:.2f} %: {} ({})", what, row.margin * 100, change_text(row),
                       interval_text(row));
  };
  if (row.verdict == Verdict::regressed)
    row.reason = with_numbers("worse by more than");
  else if (row.verdict == Verdict::improved)
    row.reason = with_numbers("better by more than");
  else if (row.verdict == Verdict::unchanged)
    row.reason = with_numbers("within");
  else if (!look.doubt.empty()) {
    row.reason = look.doubt;
    row.remedy = look.remedy;
  } else if (!look.enough_processes) {
    row.reason = look.differences
                     ? fmt::format("{} of the processes measured both sides: a verdict needs {}, {} more",
                                   look.differences->count, least, least - processes_of(look))
                     : too_few_processes(row.baseline.processes, row.current.processes, least);
    row.remedy = Remedy::more_processes;
  } else {
    explain_inconclusive(row, look, family);
  }
}

// What an open row with declared looks is told: which look comes next, or why none does.
void plan_looks(ComparisonRow& row, const Evidence& evidence, double beyond, double inside) {
  const std::vector<int>& declared = row.look.declared;
  const LookEvidence& last = evidence.looks[evidence.shown];
  const auto number = static_cast<std::size_t>(last.number);
  if (number >= declared.size()) {
    if (row.processes_needed)
      row.advice.push_back(fmt::format(
          "its last look, at {} processes, is taken, and more of this run would not count: measure anew with "
          "`--looks` that reach further",
          declared.back()));
    return;
  }
  if (last.enough_processes)
    row.look.next = next_look(row.look, last, evidence.baseline_processes, log_margin(row),
                              evidence.known_variance, beyond, inside);
  else if (evidence.baseline_processes >= last.baseline.processes && declared[number] > row.current.processes)
    row.look.next = declared[number];
  if (!row.look.next)
    row.advice.push_back(
        fmt::format("the looks left, up to {} processes, would hardly settle it, so none is worth its time",
                    declared.back()));
  if (evidence.baseline_processes < declared[number])
    row.advice.push_back(
        fmt::format("the baseline has {} processes, whatever is measured now: measure it again with "
                    "`--processes {}`, or both versions together",
                    evidence.baseline_processes, declared.back()));
}

}  // namespace

int sign_of(const ComparisonRow& row) {
  return row.direction == Direction::lower_is_better ? 1 : -1;
}

double log_margin(const ComparisonRow& row) {
  return std::log1p(row.margin);
}

int processes_of(const LookEvidence& look) {
  return look.differences ? static_cast<int>(look.differences->count)
                          : std::min(look.baseline.processes, look.current.processes);
}

int least_processes(const Policy& policy) {
  return std::max(policy.min_processes, 2);
}

std::string too_few_processes(int baseline, int current, int least) {
  const int before = std::max(least - baseline, 0), after = std::max(least - current, 0);
  const std::string lacking =
      before == after ? fmt::format("{} more of each", before)
      : after == 0    ? fmt::format("{} more of the baseline", before)
      : before == 0   ? fmt::format("{} more of the current side", after)
                      : fmt::format("{} more of the baseline and {} of the current side", before, after);
  return fmt::format("{} against {} processes: a verdict needs {} a side, {}", baseline, current, least,
                     lacking);
}

std::string gate_obstacle(double margin, double alpha) {
  if (!(margin >= 0 && std::isfinite(margin)))
    return fmt::format("the margin {} is not a share of 0 or more", margin);
  if (!(alpha > 0 && alpha < 0.5)) return fmt::format("alpha {} does not lie between 0 and 0.5", alpha);
  return {};
}

bool is_worse(const Evidence& evidence, double margin, double alpha) {
  if (evidence.looks.empty()) return false;
  const LookEvidence& look = evidence.looks[evidence.shown];
  return look.counts() && look.effect.p_above(std::log1p(margin)) < alpha;
}

std::optional<LookEvidence> weigh(const ComparisonRow& row, int number, const SideReading& baseline,
                                  const SideReading& current, const Design& design, const Policy& policy) {
  LookEvidence look;
  const double known = design.known_variance_per_side;
  if (design.ratios) look.differences = stats::moments(*design.ratios);
  auto test = look.differences ? stats::one_sample(*look.differences, 2 * known)
                               : stats::welch(baseline.moments, current.moments, known, known);
  if (!test) return std::nullopt;
  look.number = number;
  look.baseline = side_of(baseline);
  look.current = side_of(current);
  look.enough_processes = processes_of(look) >= least_processes(policy);
  if (std::max(forced_share(baseline), forced_share(current)) > tolerable_forced_share) {
    look.remedy = Remedy::launch_gate;
    look.doubt =
        fmt::format("the launch gate of more than {:.0f} % of a side's samples opened on its deadline",
                    tolerable_forced_share * 100);
  } else {
    ConditionDoubt doubt = condition_doubt(baseline.conditions, current.conditions, row.throttled_share);
    look.remedy = doubt.remedy;
    look.doubt = std::move(doubt.text);
  }
  test->difference *= sign_of(row);
  look.effect = *test;
  look.bounds = test->interval(1 - 2 * alpha_of_look(row));
  look.p_worse = test->p_above(log_margin(row));
  look.p_better = test->p_below(-log_margin(row));
  return look;
}

std::size_t decide(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy) {
  const int least = least_processes(policy);
  const std::size_t family = call_verdicts(rows, evidence, policy);
  ShiftTables tables;
  for (Evidence& one : evidence) {
    if (one.looks.empty()) continue;
    ComparisonRow& row = rows[one.row];
    const std::size_t together = row.informative ? 1 : std::max<std::size_t>(family, 1);
    set_reason(row, one, together, least);
    const LookEvidence& look = one.looks[one.shown];
    // The strictest level at which Holm may have to call this row: it must be *called* with this power.
    const stats::DetectableShift& beyond =
        tables.get(alpha_of_look(row) / static_cast<double>(together), planned_power);
    row.minimum_detectable =
        std::expm1(log_margin(row) + beyond.at(look.effect.degrees_of_freedom) * look.effect.standard_error);
    if (row.verdict != Verdict::inconclusive || !look.doubt.empty()) continue;
    const stats::DetectableShift& inside = tables.get(alpha_of_look(row), planned_power_each);
    plan_more(row, one, beyond, inside, least);
    if (!row.look.declared.empty()) plan_looks(row, one, beyond.alpha(), inside.alpha());
  }
  return family;
}

}  // namespace harness
