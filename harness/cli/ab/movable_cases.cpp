#include "harness/cli/ab/movable_cases.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/farm/known_cases.h"
#include "harness/model/code/change_causes.h"
#include "harness/model/code/shifted_process.h"
#include "harness/verdict/alone.h"
#include "harness/verdict/place/over_places.h"
#include "harness/verdict/read/kernels.h"

namespace harness {
namespace {

void add_name(std::set<std::string>& names, const std::optional<KernelUse>& kernel) {
  if (kernel && !is_memory_operation(*kernel)) names.insert(kernel->name);
}

bool has_equal_code(const KernelSides& one) {
  return one.baseline && one.current && !one.baseline->code.empty() &&
         one.baseline->code == one.current->code;
}

// std::nullopt where a side has no kernel whose code may be another.
std::optional<MovableCase> movable_case(const std::string& capability,
                                        const std::vector<KernelSides>& kernels) {
  MovableCase found{capability, {}, {}};
  for (const KernelSides& one : kernels) {
    if (one.baseline) found.launches[0].push_back(*one.baseline);
    if (one.current) found.launches[1].push_back(*one.current);
    if (has_equal_code(one)) continue;
    add_name(found.baseline, one.baseline);
    add_name(found.current, one.current);
  }
  if (found.baseline.empty() || found.current.empty()) return std::nullopt;
  return found;
}

const CaseRecord* case_named(const Record& record, const std::string& id) {
  const auto found = std::find_if(record.cases.begin(), record.cases.end(),
                                  [&](const CaseRecord& one) { return one.id == id; });
  return found == record.cases.end() ? nullptr : &*found;
}

std::string capability_of(const Record& record, const std::string& device) {
  const auto machine = record.machines.find(device);
  if (machine == record.machines.end()) return {};
  for (const MachineField& field : machine->second.fields)
    if (field.name == "compute_capability") return field.value;
  return {};
}

// Whether the kernel is known to have other code on both sides. A kernel that one side lacks has changed.
bool has_other_code(const KernelSides& one) {
  const KernelUse& any = one.current ? *one.current : *one.baseline;
  if (is_memory_operation(any)) return false;
  if (!one.baseline || !one.current) return true;
  return !one.baseline->code.empty() && !one.current->code.empty() && !has_equal_code(one);
}

// The part of a call's kernel time that kernels with other code take. Without times it may be all of it.
double changed_share(const PairedKernels& kernels) {
  double all = 0, changed = 0;
  bool any = false;
  for (const KernelSides& one : kernels.pairs) {
    const double us =
        std::max(one.baseline ? time_of(*one.baseline) : 0, one.current ? time_of(*one.current) : 0);
    all += us;
    if (!has_other_code(one)) continue;
    changed += us;
    any = true;
  }
  if (!any) return 0;
  return kernels.timed && all > 0 ? changed / all : 1;
}

constexpr double all_at_places = code_places * processes_at_place;

// Whether a process held both builds, and lasted as one at a place does.
bool tells_time(const ProcessResult& result) {
  return result.outcome == Outcome::measured && result.process != 0 && !is_alone(result.process) &&
         !is_shifted(result.process);
}

// The time that a case takes at all places, by its processes so far: sampling has a limit, the rest has none.
// Without the start of processes, which cases share.
Seconds seconds_at_places(const CaseRecord& one) {
  Seconds sampling = 0, rest = 0;
  int measured = 0;
  for (const ProcessResult& result : one.processes) {
    if (!tells_time(result)) continue;
    for (const Phase& phase : result.phases)
      if (!is_phase_of_process(phase)) (phase.name == "sampling" ? sampling : rest) += phase.duration;
    ++measured;
  }
  if (measured == 0 || !(sampling > 0)) return most_seconds_at_places;
  return std::min(most_seconds_at_places, sampling / measured * all_at_places) +
         rest / measured * all_at_places;
}

// The time of all starts of processes.
Seconds seconds_of_starts(const Record& record) {
  std::map<int, Seconds> starts;  // by process; one of its cases tells it, or each does
  for (const CaseRecord& one : record.cases)
    for (const ProcessResult& result : one.processes) {
      if (!tells_time(result)) continue;
      Seconds start = 0;
      for (const Phase& phase : result.phases)
        if (is_phase_of_process(phase)) start += phase.duration;
      Seconds& known = starts[result.process];
      known = std::max(known, start);
    }
  Seconds all = 0;
  for (const auto& [process, start] : starts) all += start;
  return starts.empty() ? 0 : all / static_cast<double>(starts.size()) * all_at_places;
}

// A row that its place may hide.
struct HiddenRow {
  const ComparisonRow* row = nullptr;
  const CaseRecord* before = nullptr;
  MovableCase movable;
  double room = 0;  // that a move has to fill, as a log, to hide a change of the margin

  // Less is more doubtful.
  [[nodiscard]] auto order() const {
    return std::tuple(row->verdict != Verdict::inconclusive, room, row->case_id);
  }
};

// How much a move has to give, as a log, to hide a change of the margin. The change as compiled is taken at
// its worse bound.
double room_of(const ComparisonRow& row) {
  const bool less_is_better = row.direction == Direction::lower_is_better;
  const double worst = !row.interval ? row.ratio : less_is_better ? row.interval->hi : row.interval->lo;
  return std::log1p(row.margin) - std::log(worst) * (less_is_better ? 1 : -1);
}

std::vector<HiddenRow> rows_with_other_code(const Comparison& comparison, const Record& baseline,
                                            const Record& current) {
  std::vector<HiddenRow> rows;
  for (const ComparisonRow& row : comparison.rows) {
    if (!can_be_hidden_by_place(row) || row.over_places || is_judged_alone(row)) continue;
    const CaseRecord *before = case_named(baseline, row.case_id), *after = case_named(current, row.case_id);
    if (before == nullptr || after == nullptr) continue;
    const std::string capability = capability_of(current, after->device);
    if (capability.empty()) continue;  // of no GPU
    const PairedKernels kernels = paired_kernels(*before, *after);
    const double share = changed_share(kernels), room = room_of(row);
    if (share == 0 || std::log1p(most_by_place) * share < room) continue;
    if (auto movable = movable_case(capability, kernels.pairs))
      rows.push_back({&row, before, std::move(*movable), room});
  }
  return rows;
}

// Results that pass or are undecided, though their place may hide a change.
void tell_open(Comparison& comparison, const Unshifted& unshifted, const HiddenCases& hidden) {
  int worse = 0, unweighed = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (!can_be_hidden_by_place(row) || !hidden.cases.contains(row.case_id)) continue;
    if (!row.over_places)
      unweighed += unshifted.contains(row.case_id) ? 0 : 1;
    else if (row.over_places->p.value_or(1) < alpha_to_pass(row))
      ++worse;
  }
  if (worse + unweighed + hidden.fixed + hidden.apart == 0) return;
  comparison.remarks.push_back(
      {RemarkCode::places_open,
       {{"worse", worse}, {"unweighed", unweighed}, {"fixed", hidden.fixed}, {"apart", hidden.apart}}});
}

}  // namespace

MovableCases movable_cases(const Comparison& comparison) {
  MovableCases cases;
  for (const ComparisonRow& row : comparison.rows) {
    if (!can_be_of_place(row) || row.over_places || row.causes == nullptr) continue;
    const CauseEvidence& evidence = row.causes->evidence;
    if (auto found = movable_case(evidence.compute_capability, evidence.kernels))
      cases.emplace(row.case_id, std::move(*found));
  }
  return cases;
}

HiddenCases hidden_cases(const Comparison& comparison, const Record& baseline, const Record& current,
                         Seconds budget, const CannotMove& cannot_move) {
  HiddenCases found;
  found.budget = budget;
  std::vector<HiddenRow> rows = rows_with_other_code(comparison, baseline, current);
  MovableCases asked;
  for (const HiddenRow& one : rows) asked.emplace(one.row->case_id, one.movable);
  if (asked.empty()) return found;
  const Unshifted fixed = cannot_move(asked);
  found.fixed = static_cast<int>(
      std::erase_if(rows, [&](const HiddenRow& one) { return fixed.contains(one.row->case_id); }));
  std::sort(rows.begin(), rows.end(),
            [](const HiddenRow& one, const HiddenRow& other) { return one.order() < other.order(); });
  Seconds left = budget - seconds_of_starts(baseline);
  for (HiddenRow& one : rows) {
    if (found.cases.contains(one.row->case_id)) continue;
    const Seconds cost = seconds_at_places(*one.before);
    if (cost > left) {
      ++found.left_out;
      continue;
    }
    left -= cost;
    found.cases.emplace(one.row->case_id, std::move(one.movable));
  }
  return found;
}

void tell_places(Comparison& comparison, const Unshifted& unshifted, const HiddenCases& hidden) {
  std::set<std::string> shifted;
  int processes = 0;
  for (const ComparisonRow& row : comparison.rows)
    if (row.over_places) {
      shifted.insert(row.case_id);
      processes = row.over_places->processes;
    }
  if (!shifted.empty())
    comparison.remarks.push_back(
        {RemarkCode::code_shifted,
         {{"cases", shifted.size()}, {"places", code_places}, {"processes", processes}}});
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [id, why] : unshifted) by_reason[why].push_back(id);
  for (const auto& [why, ids] : by_reason)
    comparison.remarks.push_back({RemarkCode::code_unshifted, {{"cases", join(ids, ", ")}, {"reason", why}}});
  if (hidden.left_out > 0)
    comparison.remarks.push_back(
        {RemarkCode::places_left_out, {{"results", hidden.left_out}, {"budget", hidden.budget}}});
  tell_open(comparison, unshifted, hidden);
}

}  // namespace harness
