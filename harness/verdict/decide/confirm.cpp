#include "harness/verdict/decide/confirm.h"

#include <algorithm>
#include <set>

#include "harness/base/text.h"

namespace harness {
namespace {

void show(ComparisonRow& row, const LookEvidence& look) {
  show_effect(row, look.effect.difference, look.bounds);
  row.p = look.p_worse;
  row.p_passes = look.p_passes;
  row.p_improved = look.p_better;
  row.p_adjusted.reset();
  row.p_improved_adjusted.reset();
  row.degrees_of_freedom = look.effect.degrees_of_freedom;
  row.baseline = look.baseline;
  row.current = look.current;
}

void settle(ComparisonRow& row, const Evidence& evidence) {
  const LookEvidence& fresh = *evidence.fresh;
  Confirmation confirmation;
  confirmation.alpha = std::max(row.alpha, confirming_alpha);
  const bool slow_calls =
      row.reason.code == ReasonCode::slow_calls || row.reason.code == ReasonCode::slow_mean;
  const double p = !slow_calls ? fresh.p_worse : fresh.slow_calls ? fresh.slow_calls->p : 1;
  confirmation.confirmed = fresh.counts() && !fresh.load.if_worse && p < confirmation.alpha;
  confirmation.first = {row.ratio, row.interval, row.p, row.current.processes};
  confirmation.fresh = estimate_of(row, fresh);
  confirmation.pooled = estimate_of(row, evidence.pooled.value_or(fresh));
  row.confirmation = confirmation;
  if (confirmation.confirmed) return;
  row.verdict = Verdict::inconclusive;
  row.reason = {ReasonCode::not_confirmed,
                {{"first", confirmation.first.ratio - 1}, {"fresh", confirmation.fresh.ratio - 1}}};
  if (fresh.load.if_worse) row.reason = *fresh.load.if_worse;
  if (evidence.pooled) show(row, *evidence.pooled);
}

// The devices of the processes that called a case, and of those that measured it again.
struct DevicesOfCase {
  std::set<std::string> first, fresh;
};

DevicesOfCase devices_of(const CaseRecord& record) {
  DevicesOfCase devices;
  for (const ProcessResult& one : record.processes)
    if (!one.device_uuid.empty())
      (confirms(one.process) ? devices.fresh : devices.first).insert(one.device_uuid);
  return devices;
}

std::string named(const std::set<std::string>& devices) {
  return join(std::vector<std::string>(devices.begin(), devices.end()), ", ");
}

}  // namespace

void settle_confirmations(std::vector<ComparisonRow>& rows, const std::vector<Evidence>& evidence) {
  for (const Evidence& one : evidence) {
    ComparisonRow& row = rows[one.row];
    if (row.verdict == Verdict::regressed && one.fresh && one.fresh->enough_processes) settle(row, one);
  }
}

void name_devices(std::vector<ComparisonRow>& rows, const Record& current) {
  for (ComparisonRow& row : rows) {
    if (row.reason.code != ReasonCode::not_confirmed) continue;
    const auto found = std::find_if(current.cases.begin(), current.cases.end(),
                                    [&](const CaseRecord& one) { return one.id == row.case_id; });
    if (found == current.cases.end()) continue;
    const DevicesOfCase devices = devices_of(*found);
    if (devices.first.empty() || devices.fresh.empty() || devices.first == devices.fresh) continue;
    row.reason.figures.emplace_back("first_device", named(devices.first));
    row.reason.figures.emplace_back("fresh_device", named(devices.fresh));
  }
}

}  // namespace harness
