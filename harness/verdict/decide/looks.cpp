#include "harness/verdict/decide/looks.h"

#include <algorithm>
#include <utility>

namespace harness {
int processes_tried(const CaseRecord& record) {
  int tried = 0;
  const auto take = [&](int process) {
    if (process <= last_plain_process) tried = std::max(tried, process);
  };
  for (const ProcessResult& result : record.processes) take(result.process);
  for (const Series& series : record.series)
    for (const ProcessSamples& process : series.processes) take(process.process);
  return tried;
}

std::size_t looks_reached(const CaseRecord& current, const std::vector<int>& looks) {
  const int tried = processes_tried(current);
  return static_cast<std::size_t>(
      std::count_if(looks.begin(), looks.end(), [&](int look) { return look <= tried; }));
}

void await_first_look(ComparisonRow& row) {
  const int first = row.look.declared.front();
  row.reason = {ReasonCode::awaits_look, {{"look", first}}};
  row.processes_needed = first;
  row.look.next = first;
}

void tell_exact_look(ComparisonRow& row, std::size_t reached, int least) {
  const std::vector<int>& looks = row.look.declared;
  for (std::size_t i = 0; i < reached && row.look.number == 0; ++i)
    if (looks[i] >= least || i + 1 == reached) row.look.number = static_cast<int>(i) + 1;
  if (row.verdict == Verdict::inconclusive && reached < looks.size()) row.look.next = looks[reached];
  if (row.look.number == 0) return;
  const int most = looks[static_cast<std::size_t>(row.look.number) - 1];
  for (Side* side : {&row.baseline, &row.current}) {
    side->processes = std::min(side->processes, most);
    side->process_values.resize(static_cast<std::size_t>(side->processes));
  }
}

stats::TTest planned_test(const LookEvidence& look, double baseline, double current) {
  stats::Contrast then = look.contrast;
  const double used = look.effect.standard_error * look.effect.standard_error - then.known;
  const double scale = then.variance() > 0 ? used / then.variance() : 0;
  for (const auto& [part, count] : {std::pair(&then.baseline, baseline), std::pair(&then.current, current)}) {
    if (!(part->count > 0)) continue;  // of differences
    part->variance = scale > 0 ? part->variance * scale : used / look.contrast.scale();
    part->degrees_of_freedom += count - part->count;
    part->count = count;
  }
  return stats::test_of(then, look.usual_freedom);
}

std::optional<int> next_look(const LookState& state, const LookEvidence& last, int baseline, double margin,
                             double beyond, double inside) {
  const auto left = static_cast<std::size_t>(last.number);  // the first look after this one
  const double plausible = last.effect.standard_error;
  const double largest = last.effect.difference + plausible, smallest = last.effect.difference - plausible;
  for (std::size_t i = left; i < state.declared.size(); ++i) {
    const stats::TTest then = planned_test(last, baseline, state.declared[i]);
    // The distance from the margin at which a test rejects in half of all runs.
    const auto reach = [&](double alpha) {
      return stats::students_t_critical(then.degrees_of_freedom, alpha) * then.standard_error;
    };
    if (largest - margin >= reach(beyond) || margin - smallest >= reach(inside)) return state.declared[left];
  }
  return std::nullopt;
}

std::vector<int> default_looks(int processes) {
  return {processes, 2 * processes, 4 * processes};
}

}  // namespace harness
