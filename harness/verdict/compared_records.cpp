#include "harness/verdict/compared_records.h"

#include <cmath>

#include "harness/base/units.h"
#include "harness/model/device_kinds.h"
#include "harness/verdict/read/traced_steps.h"

namespace harness {
namespace {

// Where processes held both builds, fewer of them suffice: their ratios do not contain what differs between
// processes and sessions.
Policy policy_for(Policy policy, const std::optional<Pairing::Kind>& pairing) {
  if (pairing == Pairing::Kind::process) policy.min_processes = policy.min_shared_processes;
  return policy;
}

std::map<std::string, MachineMatch> machines_of(const Record& before, const Record& after,
                                                const Policy& policy) {
  std::map<std::string, MachineMatch> machines;
  for (const CaseRecord& one : after.cases)
    if ((!one.series.empty() || one.outcome == Outcome::looked_at) && !machines.contains(one.device))
      machines.emplace(one.device, match_machines(before, after, one.device, policy));
  return machines;
}

// The value of the program that a case is of, or null.
template <class Value>
const Value* of_program(const std::map<std::string, Value>& all, const CaseRecord& record) {
  if (!record.program || all.empty()) return nullptr;
  const auto found = all.find(record.program->name);
  return found == all.end() ? nullptr : &found->second;
}

double square_of_sd(double sd) {
  return std::isfinite(sd) && sd > 0 ? sd * sd : 0;
}

}  // namespace

ComparedRecords::ComparedRecords(const Record& before, const Record& after, const Policy& given, bool wordy)
    : baseline_lies_(where_it_lies(before)),
      current_lies_(where_it_lies(after)),
      baseline(baseline_lies_ ? *baseline_lies_ : before),
      current(current_lies_ ? *current_lies_ : after),
      baseline_elsewhere(before),
      current_elsewhere(after),
      policy(policy_for(given, pairing_of(baseline, current))),
      for_words(wordy),
      pairing(pairing_of(baseline, current)),
      one_session(share_session(baseline, current)),
      pairing_obstacle(harness::pairing_obstacle(baseline, current)),
      estimator_obstacle(harness::estimator_obstacle(baseline, current)),
      baseline_pairs(wordy ? EventPairCosts(baseline) : EventPairCosts(Record{})),
      current_pairs(wordy ? EventPairCosts(current) : EventPairCosts(Record{})),
      machines(machines_of(baseline, current, policy)),
      steps(step_obstacles(baseline, current)),
      words(match_words(baseline, current)) {
  for (const LearnedSpread& one : policy.learned) learned_[one.case_id + '\n' + one.metric] = &one;
}

const LearnedSpread* ComparedRecords::spread_of(const ComparisonRow& row) const {
  if (learned_.empty()) return nullptr;
  const auto found = learned_.find(row.case_id + '\n' + row.metric);
  return found == learned_.end() ? nullptr : found->second;
}

const Obstacle* ComparedRecords::steps_obstacle(const CaseRecord& record) const {
  return of_program(steps, record);
}

const WordMatch* ComparedRecords::words_of(const CaseRecord& record) const {
  return of_program(words, record);
}

std::optional<stats::VariancePrior> ComparedRecords::history_of(const ComparisonRow& row) const {
  const LearnedSpread* learned = spread_of(row);
  if (learned == nullptr || !(learned->process_sd > 0) || !(learned->process_freedom > 0))
    return std::nullopt;
  return stats::VariancePrior{square_of_sd(learned->process_sd), learned->process_freedom};
}

double ComparedRecords::file_session_variance(const ComparisonRow& row) const {
  const bool is_known = spread_of(row) != nullptr || pairing || one_session;
  const bool of_host = seconds_per_unit(row.unit) > 0 && row.metric != cuda_kind.time_metric;
  return is_known || !of_host ? 0 : square_of_sd(file_session_sd);
}

Design ComparedRecords::design_of(const ComparisonRow& row, const std::string& device) const {
  const LearnedSpread* learned = spread_of(row);
  Design design;
  if (!pairing && !one_session)
    design.session_variance = square_of_sd(learned == nullptr ? policy.session_sd : learned->session_sd);
  if (machine_of(device).other_device)
    design.device_variance = square_of_sd(learned == nullptr ? policy.device_sd : learned->device_sd);
  return design;
}

const Series* series_named(const CaseRecord& record, std::string_view metric) {
  for (const Series& series : record.series)
    if (series.metric == metric) return &series;
  return nullptr;
}

}  // namespace harness
