#include "harness/compare/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/compare/conditions.h"

namespace harness {
namespace {

// A change of the outlier rate smaller than this is not worth a word, however certain.
constexpr double notable_rate_change = 0.01;
constexpr std::size_t enough_for_modes = 8;
constexpr int recommended_processes = 5;

void note_forced(std::vector<std::string>& notes, const char* side, const SideReading& reading) {
  if (reading.forced_gates == 0) return;
  notes.push_back(fmt::format(
      "{}: the launch gate of {} of {} samples opened on its deadline, so launch latency may be in "
      "them: raise gate_deadline, or time the workload ungated if it synchronises inside",
      side, reading.forced_gates, reading.samples));
}

void note_empty(std::vector<std::string>& notes, const char* side, const SideReading& reading) {
  if (reading.empty.empty()) return;
  notes.push_back(fmt::format("{}: process {} holds no samples and does not count", side,
                              fmt::join(reading.empty, ", ")));
}

void note_zero_variance(std::vector<std::string>& notes, const char* side, const SideReading& reading) {
  const auto& values = reading.log_values;
  if (values.size() < 2) return;
  if (std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); }))
    return;
  notes.push_back(
      fmt::format("{}: all {} processes gave exactly the same value: the metric is deterministic, "
                  "or its clock too coarse; batch several calls a sample if it is a time",
                  side, values.size()));
}

// Two groups of processes with a gap between them three times as wide as either group and wider than
// the margin: another algorithm, clock or NUMA node in some processes. Never trimmed away.
void note_modes(std::vector<std::string>& notes, const char* side, const SideReading& reading,
                double margin) {
  if (reading.log_values.size() < enough_for_modes) return;
  std::vector<double> sorted = reading.log_values;
  std::sort(sorted.begin(), sorted.end());
  std::size_t upper = 1;
  for (std::size_t i = 2; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] > sorted[upper] - sorted[upper - 1]) upper = i;
  const double gap = sorted[upper] - sorted[upper - 1];
  const double widest = std::max(sorted[upper - 1] - sorted.front(), sorted.back() - sorted[upper]);
  if (upper < 2 || sorted.size() - upper < 2 || gap < 3 * widest || gap <= std::log1p(margin)) return;
  notes.push_back(
      fmt::format("{}: the processes fall into two groups {:.2f} % apart ({} and {} of them): look for a "
                  "choice made once a "
                  "process (autotuning, clocks, memory placement) and fix it",
                  side, std::expm1(gap) * 100, upper, sorted.size() - upper));
}

// Rates are tested as values of the processes too: arcsine of the square root makes their variance
// nearly constant (Anscombe 1948), so that rates of 0 do no harm.
void note_outliers(std::vector<std::string>& notes, const ComparisonRow& row, const SideReading& baseline,
                   const SideReading& current) {
  const double change = row.current.outlier_rate - row.baseline.outlier_rate;
  if (!(std::abs(change) >= notable_rate_change)) return;
  const auto transformed = [](const SideReading& reading) {
    std::vector<double> values;
    values.reserve(reading.outlier_rates.size());
    for (const double rate : reading.outlier_rates) values.push_back(std::asin(std::sqrt(rate)));
    return values;
  };
  // Even rates that happen to be equal in all processes have the variance of a counted share.
  const auto known = [](const SideReading& reading) {
    return reading.samples == 0 ? 0.0 : 0.25 / static_cast<double>(reading.samples);
  };
  const auto test =
      stats::welch(transformed(baseline), transformed(current), known(baseline), known(current));
  if (!test || std::min(test->p_above(0), test->p_below(0)) >= row.alpha) return;
  notes.push_back(
      fmt::format("the share of far outliers went from {:.1f} % to {:.1f} % of samples: {}; the trimmed mean "
                  "does not show "
                  "it, so look at p95 and p99",
                  row.baseline.outlier_rate * 100, row.current.outlier_rate * 100,
                  change > 0 ? "a slow or fast mode appeared" : "a slow or fast mode went away"));
}

// Time moved by more than the margin while time x clock did not: the clock moved, not the code.
void note_clock(std::vector<std::string>& notes, const ComparisonRow& row, const SideReading& baseline,
                const SideReading& current) {
  if (!(baseline.clock_ghz > 0 && current.clock_ghz > 0) || !(row.ratio > 0)) return;
  const double margin = std::log1p(row.margin), clock = std::log(current.clock_ghz / baseline.clock_ghz);
  const double time =
      row.direction == Direction::lower_is_better ? std::log(row.ratio) : -std::log(row.ratio);
  if (std::abs(time) <= margin || std::abs(time + clock) > margin || std::abs(clock) < margin / 2) return;
  notes.push_back(
      fmt::format("clock shift: the device clock went from {:.3f} to {:.3f} GHz, and cycles moved by only "
                  "{:+.2f} %: check "
                  "power, temperature and clock limits before blaming the code",
                  baseline.clock_ghz, current.clock_ghz, std::expm1(time + clock) * 100));
}

}  // namespace

double forced_share(const SideReading& reading) {
  return reading.samples == 0
             ? 0
             : static_cast<double>(reading.forced_gates) / static_cast<double>(reading.samples);
}

std::vector<std::string> diagnose(const ComparisonRow& row, const SideReading& baseline,
                                  const SideReading& current) {
  std::vector<std::string> notes;
  for (const auto& [name, reading] : {std::pair("baseline", &baseline), std::pair("current", &current)}) {
    note_empty(notes, name, *reading);
    note_forced(notes, name, *reading);
    note_zero_variance(notes, name, *reading);
    note_modes(notes, name, *reading, row.margin);
  }
  const int fewest = std::min(row.baseline.processes, row.current.processes);
  if (fewest < recommended_processes)
    notes.push_back(fmt::format("only {} process{} on a side: small changes stay unseen; measure at least {}",
                                fewest, fewest == 1 ? "" : "es", recommended_processes));
  note_outliers(notes, row, baseline, current);
  note_clock(notes, row, baseline, current);
  note_conditions(notes, row, baseline.conditions, current.conditions);
  return notes;
}

}  // namespace harness
