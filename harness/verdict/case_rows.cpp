#include "harness/verdict/case_rows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/parallel.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/check/settled.h"
#include "harness/verdict/check/stands_for.h"
#include "harness/verdict/check/tool_cases.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/read/align_kernels.h"

namespace harness {
namespace {

constexpr std::size_t rows_a_part = 64;      // cases that a thread takes at a time
constexpr std::size_t parts_a_round = 1024;  // in memory beside the rows that are put together

ComparisonRow missing_row(const CaseRecord& record, const Series* series, ReasonCode why,
                          const ComparedRecords& records, const CaseRecord* before = nullptr) {
  ComparisonRow row = row_for(record, series, records, before);
  row.verdict = Verdict::missing;
  row.reason.code = why;
  return row;
}

void add(CaseRows& found, JudgedRow judged) {
  const std::size_t index = found.rows.size();
  found.rows.push_back(std::move(judged.row));
  if (judged.evidence) {
    judged.evidence->row = index;
    found.evidence.push_back(std::move(*judged.evidence));
  }
  if (judged.looks) {
    judged.looks->row = index;
    found.looks.push_back(std::move(*judged.looks));
  }
  std::move(judged.spreads.begin(), judged.spreads.end(), std::back_inserter(found.spreads));
}

void add_spread(std::vector<CaseSpread>& spreads, const std::string& device, const Series& series,
                const SideReading& reading) {
  if (reading.log_values.size() > 1)
    spreads.push_back(spread_between_processes(kind_of(device, series.metric, series.unit), reading));
}

// Baseline cases that the current side did not measure tell what is usual for the others.
void add_baseline_spreads(CaseRows& found, const CaseRecord* before, const CaseRecord& after,
                          SideReader& reader) {
  if (before == nullptr || !after.series.empty()) return;
  for (const Series& series : before->series)
    add_spread(found.spreads, before->device, series, reader.read(series));
}

// A row of a metric that only one side has. Where the other was only looked at, a proof replaces it. A metric
// with its own gate that no proof covers lacks samples.
void add_half(CaseRows& found, const CaseRecord& before, const CaseRecord& after, const Series& series,
              bool in_baseline, bool looked, const CaseProof& proof, const ComparedRecords& records,
              SideReader& reader) {
  if (!looked) {
    const ReasonCode why = in_baseline ? ReasonCode::removed_metric : ReasonCode::new_metric;
    found.rows.push_back(missing_row(after, &series, why, records, &before));
    return;
  }
  ComparisonRow row = row_for(after, &series, records);
  apply(proof, row, after);
  if (!row.proven && in_baseline && proof.of_one_build) set_proven(proof, row, false);
  if (!row.proven) {  // the comparison tells which metrics no proof covers
    if (!has_own_gate(before.gate, after.gate, series.metric)) return;
    conclude(row, Verdict::missing,
             {ReasonCode::no_samples, {{"side", in_baseline ? "current" : "baseline"}}});
    found.rows.push_back(std::move(row));
    return;
  }
  const SideReading reading = reader.read(series);
  if (in_baseline) add_spread(found.spreads, after.device, series, reading);
  (in_baseline ? row.baseline : row.current) = side_of(reading);
  found.rows.push_back(std::move(row));
}

// Names the tolerance of a new case where it is wider than that of another case of its point.
void name_own_tolerance(ComparisonRow& row, const CaseRecord& record, const ComparedRecords& records) {
  const double own = tolerance_of(record);
  if (!records.for_words || own == 0) return;
  double usual = own;
  for (const Record* side : {&records.baseline, &records.current})
    for (const CaseRecord& one : side->cases)
      if (one.workload == record.workload && one.params == record.params)
        if (const double other = tolerance_of(one); other > 0) usual = std::min(usual, other);
  if (usual < own)
    row.diagnostics.push_back({DiagnosticCode::own_tolerance, {{"tolerance", own}, {"usual", usual}}});
}

void add_case(CaseRows& found, const CaseRecord* before, const CaseRecord& after,
              const ComparedRecords& records, SideReader& reader) {
  const CaseProof proof = proof_of(before, after, records);
  const bool had_device = records.baseline.machines.contains(after.device);
  if (std::optional<Settled> settled = settled_without_samples(before, after, proof.proven(), had_device)) {
    ComparisonRow& row = found.rows.emplace_back(row_for(after, nullptr, records));
    row.unproven = proof.gap;
    if (settled->reason.code == ReasonCode::left_out && records.policy.allow_left_out)
      settled = Settled{Verdict::skipped, {ReasonCode::skipped}, settled->cause};
    conclude(row, settled->verdict, std::move(settled->reason));
    row.cause = settled->cause;
    if (before == nullptr) name_own_tolerance(row, after, records);
    add_baseline_spreads(found, before, after, reader);
    return;
  }
  if (auto inexact = records.policy.accept_proposed ? std::nullopt : beyond_old_tolerance(*before, after)) {
    conclude(found.rows.emplace_back(row_for(after, nullptr, records)), Verdict::failed, std::move(*inexact));
    return;
  }
  const std::size_t rows_before = found.rows.size();
  for (const Series& series : after.series)
    if (!is_compared(series, *before, after))
      continue;
    else if (const Series* old = series_named(*before, series.metric))
      add(found, judge_pair({*before, after, *old, series}, proof, records, reader));
    else
      add_half(found, *before, after, series, false, before->outcome == Outcome::looked_at, proof, records,
               reader);
  for (const Series& series : before->series)
    if (series_named(after, series.metric) == nullptr && is_compared(series, *before, after))
      add_half(found, *before, after, series, true, after.outcome == Outcome::looked_at, proof, records,
               reader);
  if (found.rows.size() > rows_before) return;
  // Both sides were only looked at, or hold nothing that a proof covers.
  ComparisonRow& row = found.rows.emplace_back(row_for(after, nullptr, records));
  apply(proof, row, after);
  set_proven(proof, row);
}

// Where the steps of a traced program differ, kernels of one side only are no change of it, either.
void hinder_missing(CaseRows& found, std::size_t first, const CaseRecord& record,
                    const ComparedRecords& records) {
  const Obstacle* obstacle = records.steps_obstacle(record);
  if (obstacle == nullptr) return;
  for (std::size_t i = first; i < found.rows.size(); ++i) {
    if (found.rows[i].verdict != Verdict::missing) continue;
    conclude(found.rows[i], Verdict::not_comparable, obstacle->reason);
    found.rows[i].differences = obstacle->differences;
  }
}

}  // namespace

bool is_compared(const Series& series, const CaseRecord& before, const CaseRecord& after) {
  return series.metric != first_call_metric.name || names_gate_of(before.gate, after.gate, series.metric);
}

std::vector<PairedCase> pair_cases(const Record& baseline, const Record& current) {
  std::unordered_map<std::string_view, const CaseRecord*>
      before;  // the first of two with the same name counts
  before.reserve(baseline.cases.size());
  for (const CaseRecord& record : baseline.cases) before.emplace(record.id, &record);
  // By a case that can have another id.
  std::map<const CaseRecord*, const CaseRecord*> aligned = aligned_kernels(baseline, current);
  aligned.merge(paired_tool_cases(baseline, current));
  for (const auto& [now, old] : aligned) before.erase(old->id);
  std::unordered_set<std::string_view> present;
  present.reserve(current.cases.size());
  std::vector<PairedCase> pairs;
  pairs.reserve(current.cases.size());
  for (const CaseRecord& record : current.cases) {
    if (!present.insert(record.id).second) continue;
    if (const auto other = aligned.find(&record); other != aligned.end()) {
      pairs.push_back({other->second, &record});
    } else if (const auto found = before.find(record.id); found != before.end()) {
      pairs.push_back({found->second, &record});
      before.erase(found);
    } else {
      pairs.push_back({nullptr, &record});
    }
  }
  if (before.empty()) return pairs;
  for (const CaseRecord& record : baseline.cases)
    if (const auto found = before.find(record.id); found != before.end() && found->second == &record)
      pairs.push_back({&record, nullptr});
  return pairs;
}

void CaseRows::append(CaseRows later) {
  const std::size_t before = rows.size();
  for (Evidence& one : later.evidence) one.row += before;
  for (LookReadings& one : later.looks) one.row += before;
  std::move(later.rows.begin(), later.rows.end(), std::back_inserter(rows));
  std::move(later.evidence.begin(), later.evidence.end(), std::back_inserter(evidence));
  std::move(later.looks.begin(), later.looks.end(), std::back_inserter(looks));
  std::move(later.spreads.begin(), later.spreads.end(), std::back_inserter(spreads));
}

Proofs proofs_of(const Record& baseline, const Record& current) {
  const ComparedRecords records(baseline, current, Policy{}, false);
  Proofs found;
  for (const PairedCase& one : pair_cases(baseline, current)) {
    if (one.before == nullptr || one.after == nullptr ||
        settled_without_samples(one.before, *one.after, true))
      continue;
    CaseProof proof = proof_of(one.before, *one.after, records);
    if (proof.proven()) found.proven.insert(one.after->id);
    if (proof.proven() && proof.by_files) found.by_files.insert(one.after->id);
    if (proof.of_one_build) found.of_one_build.insert(one.after->id);
    if (proof.of_one_build && proof.gap)
      found.by_build.insert(one.after->id);
    else if (proof.gap)
      found.gaps.emplace(one.after->id, std::move(*proof.gap));
  }
  return found;
}

std::set<std::string> gated_beyond_proof(const Proofs& proofs, const Record& baseline, const Record& looked,
                                         const Plan& plan) {
  std::unordered_map<std::string_view, const CaseRecord*> before, after;
  for (const CaseRecord& one : baseline.cases) before.emplace(one.id, &one);
  for (const CaseRecord& one : looked.cases) after.emplace(one.id, &one);
  std::set<std::string> gated;
  for (const PlannedCase& planned : plan.cases) {
    if (!proofs.proven.contains(planned.id)) continue;
    const bool of_one_build = proofs.of_one_build.contains(planned.id);
    const CaseRecord& old = *before.at(planned.id);
    const auto is_settled = [&](std::string_view metric) {
      const auto found = after.find(planned.id);
      const Series* now = found == after.end() ? nullptr : series_named(*found->second, metric);
      const Series* then = series_named(old, metric);
      if (now == nullptr) return of_one_build && (then != nullptr || old.outcome == Outcome::looked_at);
      return then != nullptr && told_alike(*then, *now);
    };
    const auto needed = [&](std::string_view metric) {
      return metric != time_metric.name && !proof_covers_of(metric, planned) &&
             has_own_gate(old.gate, planned.gate, metric) && !is_settled(metric);
    };
    if (std::any_of(planned.metrics.begin(), planned.metrics.end(), needed) ||
        std::any_of(old.series.begin(), old.series.end(),
                    [&](const Series& series) { return needed(series.metric); }))
      gated.insert(planned.id);
  }
  return gated;
}

CaseRows rows_of(std::span<const PairedCase> cases, const ComparedRecords& records) {
  CaseRows found;
  found.rows.reserve(cases.size());
  SideReader reader(records.for_words);
  for (const PairedCase& one : cases) {
    const std::size_t first = found.rows.size();
    if (one.after == nullptr)
      found.rows.push_back(missing_row(*one.before, nullptr, ReasonCode::removed_case, records));
    else
      add_case(found, one.before, *one.after, records, reader);
    hinder_missing(found, first, one.after == nullptr ? *one.before : *one.after, records);
  }
  return found;
}

void append_rows(CaseRows& all, std::span<const PairedCase> cases, const ComparedRecords& records,
                 unsigned threads) {
  while (!cases.empty()) {
    const std::span<const PairedCase> now = cases.first(std::min(cases.size(), parts_a_round * rows_a_part));
    std::vector<CaseRows> parts((now.size() + rows_a_part - 1) / rows_a_part);
    for_each_index(parts.size(), parts.size() == 1 ? 1 : threads, [&](std::size_t part) {
      const std::span<const PairedCase> from = now.subspan(part * rows_a_part);
      parts[part] = rows_of(from.first(std::min(from.size(), rows_a_part)), records);
    });
    for (CaseRows& part : parts) all.append(std::move(part));
    cases = cases.subspan(now.size());
  }
}

}  // namespace harness
