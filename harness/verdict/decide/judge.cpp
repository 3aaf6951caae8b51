#include "harness/verdict/decide/judge.h"

#include <algorithm>
#include <cmath>
#include <list>

#include "harness/stats/hypothesis/power.h"
#include "harness/verdict/decide/call_verdicts.h"

namespace harness {
namespace {

constexpr double detected_power = 0.8;  // of the smallest detectable effect
// The power that advice plans for. It assumes that the estimates are true, so the real power is lower.
constexpr double planned_power = 0.9;
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
  std::list<stats::DetectableShift> tables_;  // a list keeps references valid
};

// Whether slow calls alone keep the row from passing.
bool is_open_by_slow_calls(const ComparisonRow& row, const LookEvidence& look) {
  return look.slow_calls && look.slow_calls->open && look.p_passes < alpha_to_pass(row);
}

void explain_inconclusive(ComparisonRow& row, const LookEvidence& look, std::size_t family) {
  if (is_open_by_slow_calls(row, look))
    row.reason = *look.slow_calls->open;
  else if (std::abs(look.effect.difference) > effect_margin(row) &&
           std::min(look.p_worse, look.p_better) < row.alpha)
    row.reason = {ReasonCode::corrected, {{"comparisons", family}}};
  else
    row.reason = {ReasonCode::undecided};
}

double shown_margin(const ComparisonRow& row) {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is asked just before
  return row.in_unit ? row.in_unit->margin : row.margin;
}

// Figures of a row whose margin is in the metric's unit are in that unit.
Diagnostic with_unit(Diagnostic told, const ComparisonRow& row) {
  if (row.in_unit) told.figures.emplace_back("margin_unit", row.in_unit->unit);
  return told;
}

// The margin that these very measurements would have settled, for a case that varies more than its gate
// allows for.
Diagnostic wider_margin(const ComparisonRow& row, const LookEvidence& look) {
  const double reach = std::max(look.bounds.hi, 0.0);
  const double sides = std::max(row.baseline.process_sd, row.current.process_sd);
  const double of_sides = row.in_unit ? sides * std::abs(row.baseline.center) : sides;
  Diagnostic told{DiagnosticCode::wider_margin,
                  {{"sd", look.differences ? std::sqrt(look.differences->variance) : of_sides},
                   {"margin", shown_margin(row)},
                   {"processes", processes_of(look)},
                   {"settled", row.in_unit ? reach : std::expm1(reach)}}};
  return with_unit(std::move(told), row);
}

// Why more processes cannot decide the row, and what can.
Diagnostic other_remedy(const ComparisonRow& row, const Evidence& evidence, double gap) {
  if (effect_margin(row) == 0) return {DiagnosticCode::zero_margin};
  const LookEvidence& look = evidence.looks[evidence.shown];
  const double standard_error = look.effect.standard_error, known = look.contrast.known;
  const bool processes_dominate = standard_error * standard_error > 2 * known;
  if (processes_dominate && look.bounds.hi - look.bounds.lo > 3 * effect_margin(row))
    return wider_margin(row, look);
  if (known == 0) return with_unit({DiagnosticCode::near_margin, {{"margin", shown_margin(row)}}}, row);
  if (std::abs(gap) < effect_margin(row) / 4)
    return {DiagnosticCode::near_margin_unpaired, {{"margin", row.margin}}};
  return {DiagnosticCode::sessions_dominate, {{"sd", std::sqrt(known)}, {"margin", row.margin}}};
}

// Advises how to decide an inconclusive row: by processes, where they can.
void plan_more(ComparisonRow& row, const Evidence& evidence, const stats::DetectableShift& beyond,
               const stats::DetectableShift& inside, int least) {
  const LookEvidence& look = evidence.looks[evidence.shown];
  const double gap = look.effect.difference - effect_margin(row);
  const stats::DetectableShift& shift = gap > 0 ? beyond : inside;
  row.processes_needed = stats::fewest_processes(std::abs(gap), shift, most_processes, [&](int processes) {
    // A baseline of more processes does not shrink.
    return planned_test(look, std::max<double>(processes, look.contrast.baseline.count), processes);
  });
  if (!row.processes_needed) {
    row.diagnostics.push_back(other_remedy(row, evidence, gap));
    return;
  }
  const int now = look.differences ? static_cast<int>(look.differences->count) : row.current.processes;
  // The plan takes the estimates for the truth. As they did not suffice now, at least one more is needed.
  row.processes_needed = std::max({*row.processes_needed, least, now + 1});
  row.diagnostics.push_back({DiagnosticCode::more_processes, {{"processes", *row.processes_needed}}});
  if (*row.processes_needed > affordable_processes) row.diagnostics.push_back(wider_margin(row, look));
}

void set_reason(ComparisonRow& row, const Evidence& evidence, std::size_t family, int least) {
  const LookEvidence& look = evidence.looks[evidence.shown];
  if (row.verdict == Verdict::regressed) return;  // call_verdicts() says by which test
  if (row.verdict != Verdict::inconclusive)
    row.reason = {reason_of(row.verdict)};
  else if (look.doubt)
    row.reason = *look.doubt;
  else if (look.enough_processes)
    explain_inconclusive(row, look, family);
  else if (look.differences && !row.in_unit)
    row.reason = {ReasonCode::too_few_shared, {{"shared", look.differences->count}, {"needed", least}}};
  else
    row.reason = {ReasonCode::too_few_processes, {{"needed", least}}};
}

// The next look of an undecided row with declared looks, or why there is none.
void plan_looks(ComparisonRow& row, const Evidence& evidence, double beyond, double inside) {
  const std::vector<int>& declared = row.look.declared;
  const LookEvidence& last = evidence.looks[evidence.shown];
  const auto number = static_cast<std::size_t>(last.number);
  if (number >= declared.size()) {
    if (row.processes_needed)
      row.diagnostics.push_back({DiagnosticCode::last_look_taken, {{"look", declared.back()}}});
    return;
  }
  if (last.enough_processes)
    row.look.next =
        next_look(row.look, last, evidence.baseline_processes, effect_margin(row), beyond, inside);
  else if (evidence.baseline_processes >= last.baseline.processes && declared[number] > row.current.processes)
    row.look.next = declared[number];
  if (!row.look.next) row.diagnostics.push_back({DiagnosticCode::looks_futile, {{"look", declared.back()}}});
  if (evidence.baseline_processes < declared[number])
    row.diagnostics.push_back({DiagnosticCode::baseline_fixed,
                               {{"processes", evidence.baseline_processes}, {"look", declared.back()}}});
}

}  // namespace

std::size_t judge(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, const Policy& policy) {
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
    const double alpha = alpha_of_look(row) / static_cast<double>(together);
    row.minimum_detectable = share_of(
        row, stats::minimum_detectable(look.effect, effect_margin(row), tables.get(alpha, detected_power)));
    if (look.moderation && look.moderation->noisier)
      row.diagnostics.push_back(
          {DiagnosticCode::noisier, {{"sd", look.moderation->own_sd}, {"usual", look.moderation->usual_sd}}});
    if (row.verdict != Verdict::inconclusive || look.doubt) continue;
    if (row.reason.code == ReasonCode::slow_open) {
      const auto& declared = row.look.declared;
      const auto next = std::upper_bound(declared.begin(), declared.end(), row.current.processes);
      if (next != declared.end()) row.look.next = *next;
      continue;
    }
    const stats::DetectableShift& beyond = tables.get(alpha, planned_power);
    const stats::DetectableShift& inside = tables.get(alpha_to_pass(row), planned_power);
    plan_more(row, one, beyond, inside, least);
    if (!row.look.declared.empty()) plan_looks(row, one, beyond.alpha(), inside.alpha());
  }
  return family;
}

}  // namespace harness
