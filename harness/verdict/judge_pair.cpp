#include "harness/verdict/judge_pair.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/model/device_kinds.h"
#include "harness/model/program_metrics.h"
#include "harness/verdict/alone.h"
#include "harness/verdict/check/describe.h"
#include "harness/verdict/check/diagnose.h"
#include "harness/verdict/check/exact.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/check/stands_for.h"
#include "harness/verdict/check/zeros.h"
#include "harness/verdict/cpu_change.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/decide/looks.h"
#include "harness/verdict/place/over_places.h"
#include "harness/verdict/read/pairs.h"
#include "harness/verdict/read/traced_steps.h"
#include "harness/verdict/unit/judge_in_unit.h"

namespace harness {
namespace {

// The spreads of a pair at its first look: of both sides, or of their ratios.
void add_spreads(JudgedRow& judged, const MetricPair& pair, const SideReading& baseline,
                 const SideReading& current) {
  const LookEvidence& first = judged.evidence->looks.front();
  judged.evidence->kind =
      kind_of(pair.after.device, pair.now.metric, pair.now.unit, first.differences.has_value());
  if (first.differences) {
    judged.spreads.push_back(
        {judged.evidence->kind,
         {level_of(first), first.differences->variance, static_cast<double>(first.differences->count - 1)}});
    return;
  }
  for (const SideReading* side : {&baseline, &current})
    judged.spreads.push_back(spread_between_processes(judged.evidence->kind, *side));
}

// The unit of a margin among the figures, where it is no share.
void add_unit(Diagnostic& told, const std::string& margin, const std::string& unit) {
  if (!unit.empty()) told.figures.emplace_back(margin + "_unit", unit);
}

// Tells the change's own gate, which does not count.
void propose(ComparisonRow& row, const RowGate& gate, const RowGate& counted) {
  row.proposed = ProposedGate{gate.margin, gate.alpha, gate.throttled, gate.informative, gate.unit};
  Diagnostic told{DiagnosticCode::gate_proposed,
                  {{"margin", gate.margin},
                   {"alpha", gate.alpha},
                   {"informative", gate.informative},
                   {"counted_margin", counted.margin},
                   {"counted_alpha", counted.alpha}}};
  add_unit(told, "margin", gate.unit);
  add_unit(told, "counted_margin", counted.unit);
  row.diagnostics.push_back(std::move(told));
}

std::optional<Obstacle> obstacle_to(const MetricPair& pair, const ComparisonRow& row,
                                    const ComparedRecords& records) {
  if (records.pairing_obstacle) return records.pairing_obstacle;
  if (auto found = sampling_obstacle(pair.before, pair.after)) return found;
  if (!records.policy.accept_proposed && !records.pairing)
    if (auto found = meaning_obstacle(pair.before, pair.after)) return found;
  if (const auto& found = records.machine_of(pair.after.device).obstacle) return found;
  if (records.estimator_obstacle) return records.estimator_obstacle;
  if (const Obstacle* found = records.steps_obstacle(pair.after)) return *found;
  if (auto found = parameters_obstacle(pair.before, pair.after)) return found;
  if (auto found = series_obstacle(pair.old, pair.now)) return found;
  if (auto found = gate_obstacle(row.margin, row.alpha)) return found;
  return looks_obstacle(pair.after.gate.looks);
}

Diagnostic loosened_margin(const RowGate& old, const RowGate& now) {
  Diagnostic told{DiagnosticCode::margin_loosened, {{"baseline", old.margin}, {"current", now.margin}}};
  add_unit(told, "baseline", old.unit);
  add_unit(told, "current", now.unit);
  return told;
}

// Whether some starts of a tool have no CPU time, because it was below the tick of their clock: then the
// others are no fair mean.
bool lacks_starts(const CaseRecord& one, const Series& series) {
  if (one.device != import_device || series.metric != "cpu_time") return false;
  const auto measured =
      std::count_if(one.processes.begin(), one.processes.end(),
                    [](const ProcessResult& result) { return result.outcome == Outcome::measured; });
  return static_cast<std::ptrdiff_t>(series.processes.size()) < measured;
}

// Whether no side says what is better of a metric, or a side lacks a part of it. Where one says so, the other
// is not comparable.
bool informs_on_both(const CaseRecord& record, const Series* series, const CaseRecord* before) {
  if (series == nullptr) return false;
  const Series* old = before == nullptr ? nullptr : series_named(*before, series->metric);
  if (lacks_starts(record, *series) || (old != nullptr && lacks_starts(*before, *old))) return true;
  return series->informs && (old == nullptr || old->informs);
}

// Marks a row whose gate lets more pass than the baseline's did, and counts because the policy accepts what
// the change proposes. `regressed` says whether the old gate would have called the row regressed.
template <class Regressed>
void compare_gates(ComparisonRow& row, const MetricPair& pair, const Policy& policy, Regressed regressed) {
  const bool informs = informs_on_both(pair.after, &pair.now, &pair.before);
  const RowGate old = gate_of(pair.before.gate, row.metric, policy, informs);
  const RowGate now = gate_of(pair.after.gate, row.metric, policy, informs);
  if (!policy.accept_proposed || old.informative) return;  // informative in the baseline as well
  if (row.informative)
    row.diagnostics.push_back({DiagnosticCode::informative_now});
  else if (old.unit != now.unit || old.margin < now.margin)
    row.diagnostics.push_back(loosened_margin(old, now));
  else if (old.alpha > row.alpha)
    row.diagnostics.push_back(
        {DiagnosticCode::alpha_loosened, {{"baseline", old.alpha}, {"current", row.alpha}}});
  else
    return;
  row.loosened = LoosenedGate{old.margin, old.alpha, old.informative, false, old.unit};
  row.loosened->regressed = regressed(*row.loosened);
}

void cannot_test(ComparisonRow& row, const Policy& policy) {
  row.reason.code = ReasonCode::untestable;
  row.processes_needed = std::max(least_processes(policy), recommended_processes);
}

void judge_values(JudgedRow& judged, const MetricPair& pair, const SideReading& baseline,
                  const SideReading& current, const ComparedRecords& records) {
  ComparisonRow& row = judged.row;
  judge_exactly(row, baseline, current, records.policy);
  tell_exact_look(row, looks_reached(pair.after, row.look.declared), least_processes(records.policy));
  compare_gates(row, pair, records.policy, [&](const LoosenedGate& gate) {
    ComparisonRow strict = row;
    strict.margin = share_of_margin(row, gate);
    judge_exactly(strict, baseline, current, records.policy);
    return strict.verdict == Verdict::regressed;
  });
}

Design design_of(const ComparisonRow& row, const MetricPair& pair, const ComparedRecords& records) {
  Design design = records.design_of(row, pair.before.device);
  design.in_turn = records.pairing.has_value();
  design.cpu_time = is_cpu_time(row.metric);
  design.cpu_change = cpu_change(pair.before, pair.after);
  return design;
}

// The ratios of an A/B run that are tested in place of the two means.
std::optional<std::vector<double>> ratios_of(const ComparedRecords& records, const Series& old,
                                             const Series& now, const SideReading& baseline,
                                             const SideReading& current, bool alone = false) {
  if (records.pairing == Pairing::Kind::process && !alone) return log_ratios(old, now);
  if (records.pairing) return ratios_in_turn(baseline, current);
  return std::nullopt;
}

// The processes of a series that measured a regression again, or the others.
Series stage_of(const Series& series, bool confirming) {
  Series stage{series.metric, series.unit, series.direction, {}};
  for (const ProcessSamples& process : series.processes)
    if (confirms(process.process) == confirming) stage.processes.push_back(process);
  return stage;
}

bool was_confirmed(const Series& series) {
  return std::any_of(series.processes.begin(), series.processes.end(),
                     [](const ProcessSamples& process) { return confirms(process.process); });
}

// The evidence of the processes that measured a regression again. A baseline that is stored did not grow.
void weigh_again(JudgedRow& judged, const MetricPair& pair, const ComparedRecords& records,
                 SideReader& reader) {
  if (!judged.evidence || !was_confirmed(pair.now)) return;
  if (judged.row.in_unit) {
    const auto again = [&](const Series& old, const Series& now) {
      return weigh_again_in_unit(judged.row, old, now, records.policy);
    };
    judged.evidence->fresh =
        again(records.pairing ? stage_of(pair.old, true) : pair.old, stage_of(pair.now, true));
    if (judged.evidence->fresh) judged.evidence->pooled = again(pair.old, pair.now);
    return;
  }
  const auto weighed = [&](const Series& old, const Series& now) {
    const SideReading before = reader.read(old), after = reader.read(now);
    Design design = design_of(judged.row, pair, records);
    design.ratios = ratios_of(records, old, now, before, after);
    return weigh(judged.row, 1, before, after, design, records.policy);
  };
  judged.evidence->fresh =
      weighed(records.pairing ? stage_of(pair.old, true) : pair.old, stage_of(pair.now, true));
  judged.evidence->pooled = weighed(pair.old, pair.now);
}

// The evidence of the processes that measured both sides of an A/B run at all places of their code.
void weigh_at_places(JudgedRow& judged, const MetricPair& pair, const ComparedRecords& records,
                     SideReader& reader) {
  if (!judged.evidence || records.pairing != Pairing::Kind::process || judged.row.in_unit) return;
  const Series old = records.baseline_elsewhere.of(pair.before, pair.old);
  const Series now = records.current_elsewhere.of(pair.after, pair.now);
  if (old.processes.empty() || now.processes.empty()) return;
  const SideReading before = reader.read(old), after = reader.read(now);
  if (before.unusable || after.unusable) return;
  Design design = design_of(judged.row, pair, records);
  design.ratios = log_ratios(old, now);
  if (const auto look = weigh(judged.row, 1, before, after, design, records.policy))
    judged.evidence->places = weigh_places(judged.row, old, now, log_ratios(pair.old, pair.now), *look);
}

// Whether a file of another tool holds several of the processes: it took them one after the other, so they
// share what changes between files.
bool shares_file(const SideReading& side) {
  std::set<int> met;
  return std::any_of(side.sessions.begin(), side.sessions.end(),
                     [&](int session) { return session > 0 && !met.insert(session).second; });
}

bool is_one_session(const SideReading& side) {
  return std::set<int>(side.sessions.begin(), side.sessions.end()).size() == 1;
}

// One look at all processes that there are.
void judge_at_once(JudgedRow& judged, const MetricPair& pair, const SideReading& baseline,
                   const SideReading& current, const ComparedRecords& records) {
  ComparisonRow& row = judged.row;
  Design design = design_of(row, pair, records);
  if (pair.after.device == import_device && (shares_file(baseline) || shares_file(current))) {
    const double between = records.file_session_variance(row);
    design.by_session = between > design.session_variance;
    row.one_file = design.by_session && (is_one_session(baseline) || is_one_session(current));
    design.session_variance = std::max(design.session_variance, between);
  }
  design.ratios = ratios_of(records, pair.old, pair.now, baseline, current, pair.alone);
  if (auto look = weigh(row, 1, baseline, current, design, records.policy)) {
    judged.evidence = Evidence{0, {}, row.baseline.processes, {}};
    judged.evidence->looks.push_back(std::move(*look));
    if (!design.ratios) judged.evidence->history = records.history_of(row);
    if (!design.by_session) add_spreads(judged, pair, baseline, current);
  } else {
    cannot_test(row, records.policy);
    if (design.ratios) {
      row.diagnostics.push_back({DiagnosticCode::more_shared, {{"processes", recommended_processes}}});
      row.reason = {ReasonCode::untestable_shared, {{"shared", design.ratios->size()}}};
    }
  }
  describe(row, pair.before, pair.after, baseline, current, records);
}

// Each look takes the first processes of the current side, as many as declared, and all of the baseline,
// which was measured before. So later processes do not change its verdict.
void judge_looks(JudgedRow& judged, const MetricPair& pair, const SideReading& baseline,
                 const ComparedRecords& records, SideReader& reader) {
  ComparisonRow& row = judged.row;
  const Design design = design_of(row, pair, records);
  judged.evidence = Evidence{0, {}, row.baseline.processes, {}};
  judged.evidence->history = records.history_of(row);
  judged.looks = LookReadings{0, &pair.before, &pair.after, {}};
  const std::vector<int>& looks = row.look.declared;
  const std::size_t reached = looks_reached(pair.after, looks);
  for (std::size_t i = 0; i < reached; ++i) {
    auto sides = std::pair(baseline, reader.read(pair.now, looks[i]));
    auto look = weigh(row, static_cast<int>(i) + 1, sides.first, sides.second, design, records.policy);
    if (!look) continue;
    judged.evidence->looks.push_back(std::move(*look));
    if (judged.spreads.empty()) add_spreads(judged, pair, sides.first, sides.second);
    judged.looks->sides.push_back(std::move(sides));
  }
  if (reached == 0)
    await_first_look(row);
  else if (judged.evidence->looks.empty())
    cannot_test(row, records.policy);
}

// A margin in the metric's own unit.
void judge_unit_margin(JudgedRow& judged, const MetricPair& pair, const ComparedRecords& records) {
  ComparisonRow& row = judged.row;
  judged.evidence =
      judge_in_unit(row, pair.old, pair.now, looks_reached(pair.after, row.look.declared), records.policy);
  compare_gates(row, pair, records.policy, [&](const LoosenedGate& gate) {
    if (!row.exact) return false;  // judge_old_gates() sets it
    const double harm = sign_of(row) * row.in_unit->difference;
    return harm > effect_margin_of(row, gate);
  });
}

Reason unusable(const char* side, const UnusableSample& sample) {
  return {ReasonCode::unusable_sample,
          {{"side", side}, {"process", sample.process}, {"value", sample.value}}};
}

Reason without_samples(const SideReading& baseline, const SideReading& current) {
  const char* side = !current.log_values.empty()    ? "baseline"
                     : !baseline.log_values.empty() ? "current"
                                                    : "both";
  return {ReasonCode::no_samples, {{"side", side}}};
}

// Identical code on another GPU of the model: its times are shown, and nothing is concluded from them.
void show_other_device(ComparisonRow& row, const SideReading& baseline, const SideReading& current,
                       const std::vector<std::string>& uuids) {
  if (!baseline.log_values.empty() && !current.log_values.empty())
    row.ratio = std::exp(current.moments.mean - baseline.moments.mean);
  row.diagnostics.push_back(
      {DiagnosticCode::other_gpu, {{"baseline", uuids.front()}, {"current", uuids.back()}}});
}

// Tells what the change asks less of the case, which does not count.
void tell_weaker(ComparisonRow& row, const MetricPair& pair, const ComparedRecords& records) {
  if (!records.for_words || records.policy.accept_proposed) return;
  auto settings =
      records.pairing ? inputs_proposed(pair.before, pair.after) : settings_proposed(pair.before, pair.after);
  if (settings) row.diagnostics.push_back(std::move(*settings));
  if (auto told = tolerance_proposed(pair.before, pair.after)) row.diagnostics.push_back(std::move(*told));
}

JudgedRow judge(const MetricPair& pair, const CaseProof& proof, const ComparedRecords& records,
                SideReader& reader) {
  JudgedRow judged{row_for(pair.after, &pair.now, records, &pair.before), {}, {}, {}};
  ComparisonRow& row = judged.row;
  apply(proof, row, pair.after);
  if (pair.after.outcome == Outcome::looked_at && told_alike(pair.old, pair.now)) set_proven(proof, row);
  tell_weaker(row, pair, records);
  SideReading baseline = reader.read(pair.old), current = reader.read(pair.now);
  row.baseline = side_of(baseline);
  row.current = side_of(current);
  const std::vector<std::string>& uuids = records.machine_of(pair.after.device).uuids;
  if (row.proven && !uuids.empty()) {
    show_other_device(row, baseline, current, uuids);
  } else if (std::optional<Obstacle> obstacle = obstacle_to(pair, row, records)) {
    conclude(row, Verdict::not_comparable, std::move(obstacle->reason));
    row.differences = std::move(obstacle->differences);
  } else if (row.in_unit) {
    judge_unit_margin(judged, pair, records);
  } else if (is_exact(row, baseline, current)) {
    judge_values(judged, pair, baseline, current, records);
  } else if (current.unusable) {
    conclude(row, Verdict::failed, unusable("current", *current.unusable));
  } else if (baseline.unusable) {
    conclude(row, Verdict::missing, unusable("baseline", *baseline.unusable));
  } else if (holds_zeros(baseline, current) &&
             judge_zeros(row, pair.old, pair.now, baseline, current, records.policy)) {
    compare_gates(row, pair, records.policy,
                  [&](const LoosenedGate&) { return row.verdict == Verdict::regressed; });
  } else if (current.log_values.empty() || baseline.log_values.empty()) {
    conclude(row, Verdict::missing, without_samples(baseline, current));
  } else {
    row.ratio = std::exp(current.moments.mean - baseline.moments.mean);
    row.verdict = Verdict::inconclusive;  // until decide()
    // judge_old_gates() sets the result of the old gate.
    compare_gates(row, pair, records.policy, [](const LoosenedGate&) { return false; });
    if (row.look.declared.empty())
      judge_at_once(judged, pair, baseline, current, records);
    else
      judge_looks(judged, pair, baseline, records, reader);
  }
  return judged;
}

}  // namespace

ComparisonRow row_for(const CaseRecord& record, const Series* series, const ComparedRecords& records,
                      const CaseRecord* before) {
  ComparisonRow row;
  row.case_id = record.id;
  row.where = record.where;
  const Series* named = series == nullptr && !record.series.empty() ? &record.series.front() : series;
  if (named != nullptr) {
    row.metric = named->metric;
    row.unit = named->unit;
    row.direction = named->direction;
  }
  const auto [gate, proposed] =
      deciding_gate(before == nullptr ? nullptr : &before->gate, record.gate, row.metric, records.policy,
                    informs_on_both(record, series, before));
  if (gate.unit.empty())
    row.margin = gate.margin;
  else
    row.in_unit = UnitChange{gate.margin, gate.unit};
  row.alpha = gate.alpha;
  row.throttled_share = gate.throttled;
  if (!records.pairing) row.look.declared = record.gate.looks;  // an A/B run measures all at once
  row.informative = gate.informative && series != nullptr;      // gates of metrics do not concern whole cases
  if (proposed) propose(row, *proposed, gate);
  if (before == nullptr || series == nullptr) return row;
  if (const std::optional<bool> informs = informs_by_overlap(*before, record, row.metric)) {
    row.informative = *informs;
    if (!*informs)
      row.diagnostics.push_back({DiagnosticCode::overlapping,
                                 {{"times", std::max(*step_overlap(*before), *step_overlap(record))}}});
  }
  return row;
}

void conclude(ComparisonRow& row, Verdict verdict, Reason reason) {
  row.verdict = verdict;
  row.reason = std::move(reason);
}

CaseProof proof_of(const CaseRecord* before, const CaseRecord& after, const ComparedRecords& records) {
  if (before == nullptr || (!was_looked_at(*before) && !was_looked_at(after))) return {};
  const auto machine = records.machines.find(after.device);
  const bool known = machine != records.machines.end();
  CaseProof proof{true,
                  proof_gap(*before, after, known ? machine->second.against_proof : std::vector<Difference>{},
                            records.words_of(after))};
  proof.by_files = after.program && after.program->is_observed();
  proof.of_one_build = proven_by_build(proof.gap, records.baseline, *before, records.current, after);
  return proof;
}

void apply(const CaseProof& proof, ComparisonRow& row, const CaseRecord& record) {
  if (!proof.of_one_build) row.unproven = proof.gap;
  if (row.metric.empty() || proof_covers_of(row.metric, record)) set_proven(proof, row);
}

void set_proven(const CaseProof& proof, ComparisonRow& row, bool launches) {
  row.proven = proof.proven();
  row.by_build = proof.of_one_build && (proof.gap || !launches);
  row.by_files = row.proven && proof.by_files;
  row.unproven = proof.gap;
}

namespace {

JudgedRow judge_together(const MetricPair& pair, const CaseProof& proof, const ComparedRecords& records,
                         SideReader& reader) {
  if (!was_confirmed(pair.now)) return judge(pair, proof, records, reader);
  const Series now = stage_of(pair.now, false);
  const Series old = records.pairing ? stage_of(pair.old, false) : pair.old;
  JudgedRow judged = judge({pair.before, pair.after, old, now}, proof, records, reader);
  weigh_again(judged, pair, records, reader);
  return judged;
}

const Series* alone_of(const CaseRecord& record, const std::string& metric) {
  const auto found = std::find_if(record.alone.begin(), record.alone.end(),
                                  [&](const Series& one) { return one.metric == metric; });
  return found == record.alone.end() ? nullptr : &*found;
}

void leave_undecided(JudgedRow& judged, Reason reason) {
  conclude(judged.row, Verdict::inconclusive, std::move(reason));
  judged.evidence.reset();
  judged.spreads.clear();
}

// Where processes that hold one build each say something else than those that hold both, they decide.
// Campaigns have none.
void ask_alone(JudgedRow& judged, const MetricPair& pair, const CaseProof& proof,
               const ComparedRecords& records, SideReader& reader) {
  if (records.pairing != Pairing::Kind::process || !judged.evidence) return;
  if (judged.row.in_unit && seconds_per_unit(judged.row.unit) == 0) return;
  const Series *old = alone_of(pair.before, pair.old.metric), *now = alone_of(pair.after, pair.now.metric);
  const bool measured = records.current.pairing && records.current.pairing->alone;
  if (old == nullptr && now == nullptr && !measured) return;
  if (old == nullptr || now == nullptr)
    return leave_undecided(
        judged, {ReasonCode::alone_unmeasured, {{"side", old == nullptr ? "baseline" : "current"}}});
  // The policy of pairs asks for fewer, because what both builds share cancels there.
  const int least = std::max(least_processes(records.policy), recommended_processes);
  const auto check =
      check_alone(log_ratios(pair.old, pair.now), {reader.read(pair.old), reader.read(pair.now)},
                  {reader.read(*old), reader.read(*now)}, std::log1p(judged.row.margin), least);
  if (!check || !check->differs) return;
  Figures figures{{"together", std::expm1(check->together)},
                  {"alone", std::expm1(check->alone)},
                  {"processes", check->processes}};
  if (!check->enough) return leave_undecided(judged, {ReasonCode::alone_differs, std::move(figures)});
  judged = judge({pair.before, pair.after, *old, *now, true}, proof, records, reader);
  judged.row.diagnostics.push_back({DiagnosticCode::judged_alone, std::move(figures)});
}

}  // namespace

JudgedRow judge_pair(const MetricPair& pair, const CaseProof& proof, const ComparedRecords& records,
                     SideReader& reader) {
  JudgedRow judged = judge_together(pair, proof, records, reader);
  ask_alone(judged, pair, proof, records, reader);
  if (!is_judged_alone(judged.row)) weigh_at_places(judged, pair, records, reader);
  return judged;
}

}  // namespace harness
