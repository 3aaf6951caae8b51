#include "harness/verdict/compare.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/text.h"
#include "harness/model/program_metrics.h"
#include "harness/model/results/machine_differences.h"
#include "harness/model/results/program_trace.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/cause/find_causes.h"
#include "harness/verdict/check/describe.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/check/tool_cases.h"
#include "harness/verdict/decide/call_verdicts.h"
#include "harness/verdict/decide/confirm.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/decide/judge.h"
#include "harness/verdict/decide/order.h"
#include "harness/verdict/decide/policy_facts.h"
#include "harness/verdict/decide/proven.h"
#include "harness/verdict/decide/waive.h"
#include "harness/verdict/place/over_places.h"
#include "harness/verdict/read/origin.h"
#include "harness/verdict/read/rename.h"
#include "harness/verdict/trace.h"

namespace harness {
namespace {

CaseRows rows_of_all(const ComparedRecords& records, unsigned threads) {
  const std::vector<PairedCase> cases = pair_cases(records.baseline, records.current);
  CaseRows all;
  all.rows.reserve(cases.size());
  all.evidence.reserve(cases.size());
  append_rows(all, cases, records, threads);
  return all;
}

void describe_looks(CaseRows& found, const ComparedRecords& records) {
  std::unordered_map<std::size_t, std::size_t> shown;  // by row: the place of its look
  for (const Evidence& one : found.evidence) shown.emplace(one.row, one.shown);
  for (const LookReadings& one : found.looks) {
    if (one.sides.empty()) continue;
    const auto& [baseline, current] = one.sides[shown.at(one.row)];
    describe(found.rows[one.row], *one.before, *one.after, baseline, current, records);
  }
}

// Whether the baseline's gates would have called the tested rows regressed.
void judge_old_gates(CaseRows& found) {
  for (const Evidence& one : found.evidence)
    if (Rare<LoosenedGate>& gate = found.rows[one.row].loosened)
      gate->regressed = !found.rows[one.row].proven && is_worse(found.rows[one.row], one, *gate);
}

// The traced programs whose own time decides, and was compared.
std::unordered_set<std::string_view> judged_programs(const std::vector<ComparisonRow>& rows) {
  std::unordered_set<std::string_view> judged;
  for (const ComparisonRow& row : rows)
    if (!row.informative && (row.metric == traced_kernel_time || row.metric == traced_busy_time) &&
        row.verdict != Verdict::missing && row.verdict != Verdict::not_comparable &&
        row.verdict != Verdict::failed)
      judged.insert(row.case_id);
  return judged;
}

// The kernels of a traced program are judged together with it. The time of the step decides whether it
// passes, so a kernel that is too short for a
// verdict of its own holds nothing up. Neither does one that the other side lacks, because its time is in the
// step's. Kernels that overlap take longer without anybody's waiting longer.
void let_small_kernels_inform(std::vector<ComparisonRow>& rows, const ComparedRecords& records) {
  std::unordered_map<std::string_view, std::string_view> programs;  // of kernels
  for (const Record* side : {&records.current, &records.baseline})
    for (const CaseRecord& one : side->cases)
      if (is_traced_kernel(one)) programs.emplace(one.id, one.program->name);
  if (programs.empty()) return;
  const std::unordered_set<std::string_view> judged = judged_programs(rows);
  std::unordered_set<std::string_view> overlapping;
  for (const ComparisonRow& row : rows)
    if (!row.informative && row.metric == traced_busy_time && judged.contains(row.case_id))
      overlapping.insert(row.case_id);
  for (ComparisonRow& row : rows) {
    const auto program = programs.find(row.case_id);
    if (program == programs.end()) continue;
    row.informative |= overlapping.contains(program->second) || row.verdict == Verdict::inconclusive ||
                       (row.verdict == Verdict::missing && judged.contains(program->second));
  }
}

// Sets the verdicts of all rows: of tested ones by `call`, of proven ones apart from them, then of confirmed
// ones. Returns the size of the tested family.
std::size_t judge_all(CaseRows& found, const ComparedRecords& records,
                      std::size_t (*call)(std::vector<ComparisonRow>&, std::vector<Evidence>&,
                                          const Policy&)) {
  test_looks(found.rows, found.evidence, UsualSpreads(found.spreads));
  std::vector<Evidence> proven = take_proven(found.rows, found.evidence);
  const std::size_t family = call(found.rows, found.evidence, records.policy);
  call_proven(found.rows, proven, records.policy);
  settle_confirmations(found.rows, found.evidence);
  settle_places(found.rows, found.evidence);
  name_devices(found.rows, records.current);
  let_small_kernels_inform(found.rows, records);
  std::move(proven.begin(), proven.end(), std::back_inserter(found.evidence));
  return family;
}

// The metrics of proven cases that were not measured on a side, and that no proof covers.
std::vector<Remark> remarks_on_proofs(const Record& baseline, const Record& current,
                                      const std::vector<ComparisonRow>& rows) {
  std::set<std::string> proven, unmeasured;
  std::set<std::pair<std::string_view, std::string_view>> covered;
  for (const ComparisonRow& row : rows)
    if (row.verdict == Verdict::identical) {
      proven.insert(row.case_id);
      covered.emplace(row.case_id, row.metric);
    }
  if (proven.empty()) return {};
  for (const PairedCase& one : pair_cases(baseline, current)) {
    if (one.before == nullptr || one.after == nullptr || !proven.contains(one.after->id)) continue;
    for (const auto& [from, to] : {std::pair(one.before, one.after), std::pair(one.after, one.before)})
      for (const Series& series : from->series)
        if (to->outcome == Outcome::looked_at && !proof_covers_of(series.metric, *to) &&
            !covered.contains({one.after->id, series.metric}) &&
            series_named(*to, series.metric) == nullptr && is_compared(series, *one.before, *one.after))
          unmeasured.insert(series.metric);
  }
  if (unmeasured.empty()) return {};
  const std::vector<std::string> metrics(unmeasured.begin(), unmeasured.end());
  return {{RemarkCode::not_covered, {{"metrics", join(metrics, ", ")}}}};
}

// The programs whose verdict rests on a traced look.
std::vector<Remark> remarks_on_traced(const ComparedRecords& records,
                                      const std::vector<ComparisonRow>& rows) {
  std::set<std::string> proven;
  for (const ComparisonRow& row : rows)
    if (row.verdict == Verdict::identical) proven.insert(row.case_id);
  std::vector<std::string> programs, trusted;
  std::size_t loose = 0;
  for (const CaseRecord& one : records.current.cases) {
    if (!one.program || one.program->reads != trace_format || is_traced_kernel(one) ||
        !proven.contains(one.id))
      continue;
    programs.push_back(one.id);
    const auto before = std::find_if(records.baseline.cases.begin(), records.baseline.cases.end(),
                                     [&](const CaseRecord& other) { return other.id == one.id; });
    if (before != records.baseline.cases.end() && before->program &&
        before->program->inputs == trusted_inputs)
      trusted.push_back(one.id);
    if (const WordMatch* words = records.words_of(one)) loose += words->loose_words;
  }
  if (programs.empty()) return {};
  Remark remark{RemarkCode::traced_proof, {{"programs", join(programs, ", ")}}};
  if (loose > 0) remark.figures.emplace_back("loose", loose);
  if (!trusted.empty()) remark.figures.emplace_back("trusted", join(trusted, ", "));
  return {std::move(remark)};
}

// The programs whose verdict rests on an observed start.
std::vector<Remark> remarks_on_files(const ComparedRecords& records, const std::vector<ComparisonRow>& rows) {
  std::set<std::string> programs;
  for (const CaseRecord& one : records.current.cases)
    if (one.program && one.program->is_observed() &&
        std::any_of(rows.begin(), rows.end(), [&](const ComparisonRow& row) {
          return row.verdict == Verdict::identical && row.case_id == one.id;
        }))
      programs.insert(one.program->name);
  if (programs.empty()) return {};
  return {{RemarkCode::files_proof,
           {{"programs", join(std::vector<std::string>(programs.begin(), programs.end()), ", ")}}}};
}

// Questions that the files of another tool leave open.
std::vector<Remark> remarks_on_tool_cases(const ComparedRecords& records,
                                          const std::vector<ComparisonRow>& rows) {
  std::vector<Remark> remarks;
  std::set<std::string> names;
  std::size_t cases = 0;
  for (const PairedCase& one : pair_cases(records.baseline, records.current)) {
    if (one.before == nullptr || one.after == nullptr || !(one.before->tool_case || one.after->tool_case))
      continue;
    const std::set<std::string> untold = parameters_of_one_side(*one.before, *one.after);
    cases += untold.empty() ? 0 : 1;
    names.insert(untold.begin(), untold.end());
  }
  if (cases > 0)
    remarks.push_back({RemarkCode::parameters_untold,
                       {{"parameters", join(std::vector<std::string>(names.begin(), names.end()), ", ")},
                        {"cases", cases}}});
  if (std::any_of(rows.begin(), rows.end(), [](const ComparisonRow& row) { return row.one_file; }))
    remarks.push_back({RemarkCode::one_session, {{"sd", file_session_sd}}});
  return remarks;
}

// Verdicts, diagnostics and the trace of all rows.
// `trace` may be null: it takes as much memory as the evidence.
std::vector<ComparisonRow> judged_rows(CaseRows found, const ComparedRecords& records, Trace* trace) {
  const std::size_t family = judge_all(found, records, judge);
  judge_old_gates(found);
  describe_looks(found, records);
  explain_environment(found.rows);
  keep_causes_of_changes(found.rows);
  if (trace != nullptr) {
    trace->family = family;
    trace->rows.reserve(found.evidence.size());
    for (Evidence& one : found.evidence)
      trace->rows.push_back({found.rows[one.row].case_id, found.rows[one.row].metric, std::move(one)});
  }
  advise_renames(found.rows, records.baseline, records.current);
  return std::move(found.rows);
}

// Differences in the things that were measured, such as a program's path or a model's size, where tools tell
// them.
std::vector<Difference> differing_sources(const ComparedRecords& records) {
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> values;
  for (const PairedCase& one : pair_cases(records.baseline, records.current)) {
    if (one.before == nullptr || one.after == nullptr || !one.before->tool_case || !one.after->tool_case)
      continue;
    for (const auto& [name, value] : one.before->tool_case->source)
      if (const auto now = one.after->tool_case->source.find(name);
          now != one.after->tool_case->source.end() && now->second != value) {
        values[name].first.insert(value);
        values[name].second.insert(now->second);
      }
  }
  constexpr std::size_t most = 3;
  const auto joined = [most](const std::set<std::string>& all) {
    const auto end = std::next(all.begin(), static_cast<std::ptrdiff_t>(std::min(all.size(), most)));
    return join(std::vector<std::string>(all.begin(), end), "; ") + (all.size() > most ? "; ..." : "");
  };
  std::vector<Difference> found;
  for (const auto& [name, sides] : values)
    found.push_back(difference_of(name, joined(sides.first), joined(sides.second)));
  return found;
}

std::vector<MachineDifference> differences_of(const std::map<std::string, MachineMatch>& machines) {
  std::vector<MachineDifference> all;
  for (const auto& [device, match] : machines)
    for (const Difference& difference : match.differences)
      all.push_back({machines.size() > 1 ? device : "", difference});
  return all;
}

}  // namespace

Comparison finish_comparison(CaseRows rows, const ComparedRecords& records, const Policy& policy,
                             Trace* trace) {
  const Record &baseline = records.baseline, &current = records.current;
  Comparison comparison;
  comparison.suite = current.suite.name;
  comparison.suite_file = current.suite.file;
  comparison.baseline = source_of(baseline);
  comparison.current = source_of(current);
  comparison.policy = policy;
  comparison.pairing = records.pairing;
  if (records.one_session) comparison.session = current.session;
  comparison.rows = judged_rows(std::move(rows), records, trace);
  comparison.differences = differences_of(records.machines);
  for (Difference& difference : differing_sources(records))
    comparison.differences.push_back({"", std::move(difference)});
  apply_waivers(comparison, current.partial);
  comparison.remarks = remarks_on_gates(current);
  for (Remark& remark : remarks_on_proofs(baseline, current, comparison.rows))
    comparison.remarks.push_back(std::move(remark));
  for (Remark& remark : remarks_on_traced(records, comparison.rows))
    comparison.remarks.push_back(std::move(remark));
  for (Remark& remark : remarks_on_files(records, comparison.rows))
    comparison.remarks.push_back(std::move(remark));
  for (Remark& remark : remarks_on_tool_cases(records, comparison.rows))
    comparison.remarks.push_back(std::move(remark));
  if (policy.waivers_uncommitted)
    comparison.remarks.push_back({RemarkCode::waivers_uncommitted, {{"file", policy.waivers_file}}});
  sort_worst_first(comparison.rows);
  comparison.verdict = overall_verdict(comparison.rows);
  comparison.policy_facts = facts_of_policy(comparison);
  return comparison;
}

Comparison compare(const Record& baseline, const Record& current, const Policy& policy, Trace& trace,
                   unsigned threads) {
  const ComparedRecords records(baseline, current, policy, true);
  return finish_comparison(rows_of_all(records, threads), records, policy, &trace);
}

Comparison compare(const Record& baseline, const Record& current, const Policy& policy, unsigned threads) {
  const ComparedRecords records(baseline, current, policy, true);
  return finish_comparison(rows_of_all(records, threads), records, policy, nullptr);
}

std::vector<ComparisonRow> verdicts(const Record& baseline, const Record& current, const Policy& policy) {
  const ComparedRecords records(baseline, current, policy, false);
  CaseRows found = rows_of_all(records, 1);
  judge_all(found, records, call_verdicts);
  return std::move(found.rows);
}

}  // namespace harness
