#include "harness/verdict/decide/looks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace harness {
namespace {

// Standard error and degrees of freedom that `baseline` and `current` processes would have.
struct Precision {
  double standard_error = 0;
  double degrees_of_freedom = 0;
};

Precision precision_at(const LookEvidence& last, double known_variance, int baseline, int current) {
  const double one = last.baseline.process_sd * last.baseline.process_sd / baseline;
  const double other = last.current.process_sd * last.current.process_sd / current;
  const double variance = one + other + known_variance;
  if (!(variance > 0)) return {0, std::numeric_limits<double>::infinity()};
  return {std::sqrt(variance), stats::satterthwaite(one / variance, static_cast<std::size_t>(baseline),
                                                    other / variance, static_cast<std::size_t>(current))};
}

}  // namespace

int processes_tried(const CaseRecord& record) {
  int tried = 0;
  for (const ProcessResult& result : record.processes) tried = std::max(tried, result.process);
  for (const Series& series : record.series)
    if (!series.processes.empty()) tried = std::max(tried, series.processes.back().process);
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

std::optional<int> next_look(const LookState& state, const LookEvidence& last, int baseline, double margin,
                             double known_variance, double beyond, double inside) {
  const auto left = static_cast<std::size_t>(last.number);  // the first look after this one
  const double plausible = last.effect.standard_error;
  const double largest = std::abs(last.effect.difference) + plausible;
  const double smallest = std::max(std::abs(last.effect.difference) - plausible, 0.0);
  for (std::size_t i = left; i < state.declared.size(); ++i) {
    const int before = std::min(state.declared[i], baseline);
    if (before < 2) return std::nullopt;
    const Precision then = precision_at(last, known_variance, before, state.declared[i]);
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
