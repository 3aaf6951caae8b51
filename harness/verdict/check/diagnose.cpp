#include "harness/verdict/check/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/stats/hypothesis/paired.h"
#include "harness/stats/series/serial.h"
#include "harness/stats/series/trend.h"
#include "harness/stats/spread/modes.h"
#include "harness/stats/spread/variance.h"
#include "harness/verdict/check/condition_checks.h"

namespace harness {
namespace {

// The least change of the outlier rate that is reported, even if a smaller one is certain.
constexpr double notable_rate_change = 0.01;
constexpr std::size_t enough_for_modes = 8;
constexpr double certain = 0.01;      // p below which an oddity is reported
constexpr double notable_spread = 2;  // ratio of standard deviations

using Diagnostics = std::vector<Diagnostic>;

void note_forced(Diagnostics& notes, const char* side, const SideReading& reading) {
  if (reading.forced_gates == 0) return;
  notes.push_back({DiagnosticCode::forced_gates,
                   {{"side", side}, {"forced", reading.forced_gates}, {"samples", reading.samples}}});
}

void note_empty(Diagnostics& notes, const char* side, const SideReading& reading) {
  if (reading.empty.empty()) return;
  notes.push_back({DiagnosticCode::empty_processes,
                   {{"side", side}, {"processes", fmt::format("{}", fmt::join(reading.empty, ", "))}}});
}

void note_zero_variance(Diagnostics& notes, const char* side, const SideReading& reading) {
  const auto& values = reading.log_values;
  if (values.size() < 2) return;
  if (std::any_of(values.begin(), values.end(), [&](double value) { return value != values.front(); }))
    return;
  notes.push_back({DiagnosticCode::zero_variance, {{"side", side}, {"processes", values.size()}}});
}

// Groups of processes with a gap between them wider than the margin: another algorithm, clock or NUMA node
// in some processes. They are never trimmed away.
void note_modes(Diagnostics& notes, const char* side, const SideReading& reading, double margin) {
  if (reading.log_values.size() < enough_for_modes) return;
  const auto modes = stats::find_modes(reading.log_values, certain);
  if (!modes || modes->groups.size() < 2 || modes->gap <= std::log1p(margin)) return;
  std::vector<std::string> counts;
  for (const stats::Mode& group : modes->groups) counts.push_back(fmt::to_string(group.count));
  notes.push_back({DiagnosticCode::modes,
                   {{"side", side},
                    {"groups", modes->groups.size()},
                    {"gap", std::expm1(modes->gap)},
                    {"counts", join(counts, " and ")}}});
}

// The values in the order the processes ran; empty when that is not known of all.
std::vector<double> in_order_of_time(const SideReading& reading) {
  std::vector<std::pair<double, double>> timed;
  for (std::size_t i = 0; i < reading.log_values.size(); ++i) {
    if (!(reading.started[i] > 0)) return {};
    timed.emplace_back(reading.started[i], reading.log_values[i]);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<double> values;
  values.reserve(timed.size());
  for (const auto& [start, value] : timed) values.push_back(value);
  return values;
}

// The test takes processes as independent. A drift, or neighbours that agree, show that they are not.
void note_order(Diagnostics& notes, const char* side, const SideReading& reading, double margin) {
  const std::vector<double> values = in_order_of_time(reading);
  const auto slope = stats::drift(values);
  const double whole = slope ? slope->difference * static_cast<double>(values.size() - 1) : 0;
  if (slope && std::abs(whole) > std::log1p(margin) / 2 && slope->p_differs() < certain) {
    notes.push_back({DiagnosticCode::drift, {{"side", side}, {"change", std::expm1(whole)}}});
    return;
  }
  const auto runs = stats::runs_test(values);
  const auto lag = stats::autocorrelation(values);
  if (runs && lag && runs->p_few < certain)
    notes.push_back({DiagnosticCode::correlated, {{"side", side}, {"lag", *lag}}});
}

// Samples of a placement that slow down, or speed up, in every process alike.
void note_slowing(Diagnostics& notes, const char* side, const SideReading& reading, double margin) {
  const auto test = stats::one_sample(stats::moments(reading.slowing));
  if (!test || std::abs(test->difference) <= std::log1p(margin) || test->p_differs() >= certain) return;
  notes.push_back({DiagnosticCode::slowing, {{"side", side}, {"change", std::expm1(test->difference)}}});
}

// A clock whose steps are wider than the margin cannot show a change of the margin.
void note_steps(Diagnostics& notes, const ComparisonRow& row, const SideReading& baseline,
                const SideReading& current) {
  const auto share = [](const Side& side, const SideReading& reading) {
    return reading.step > 0 && side.center > 0 ? reading.step / side.center : 0;
  };
  const double before = share(row.baseline, baseline), after = share(row.current, current);
  if (std::max(before, after) <= row.margin) return;
  const char* side = std::min(before, after) > row.margin ? "both" : before > after ? "baseline" : "current";
  notes.push_back({DiagnosticCode::quantised,
                   {{"side", side},
                    {"step", before > after ? baseline.step : current.step},
                    {"unit", row.unit},
                    {"share", std::max(before, after)}}});
}

// Means may agree while the spread between processes does not.
void note_spread(Diagnostics& notes, const SideReading& baseline, const SideReading& current) {
  const auto test = stats::f_test(baseline.moments, current.moments);
  if (!test || test->constant || test->p >= certain) return;
  const double ratio = std::sqrt(test->ratio);
  if (ratio < notable_spread && ratio > 1 / notable_spread) return;
  notes.push_back({DiagnosticCode::spread,
                   {{"ratio", ratio},
                    {"baseline", std::sqrt(baseline.moments.variance)},
                    {"current", std::sqrt(current.moments.variance)}}});
}

// Rates are tested as values of the processes too: arcsine of the square root makes their variance
// nearly constant (Anscombe 1948), so that rates of 0 do no harm.
void note_outliers(Diagnostics& notes, const ComparisonRow& row, const SideReading& baseline,
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
      {DiagnosticCode::outliers,
       {{"baseline", row.baseline.outlier_rate}, {"current", row.current.outlier_rate}, {"change", change}}});
}

// Time moved by more than the margin while time x clock did not: the clock moved, not the code.
void note_clock(Diagnostics& notes, const ComparisonRow& row, const SideReading& baseline,
                const SideReading& current) {
  if (!(baseline.clock_ghz > 0 && current.clock_ghz > 0) || !(row.ratio > 0)) return;
  const double margin = std::log1p(row.margin), clock = std::log(current.clock_ghz / baseline.clock_ghz);
  const double time =
      row.direction == Direction::lower_is_better ? std::log(row.ratio) : -std::log(row.ratio);
  if (std::abs(time) <= margin || std::abs(time + clock) > margin || std::abs(clock) < margin / 2) return;
  notes.push_back({DiagnosticCode::clock_shift,
                   {{"baseline", baseline.clock_ghz},
                    {"current", current.clock_ghz},
                    {"cycles", std::expm1(time + clock)}}});
}

}  // namespace

std::vector<Diagnostic> diagnose(const ComparisonRow& row, const SideReading& baseline,
                                 const SideReading& current, std::optional<Pairing::Kind> pairing,
                                 std::optional<Diagnostic> short_call) {
  Diagnostics notes;
  const bool same_processes = pairing == Pairing::Kind::process;
  for (const auto& [name, reading] : {std::pair("baseline", &baseline), std::pair("current", &current)}) {
    note_empty(notes, name, *reading);
    note_forced(notes, name, *reading);
    note_zero_variance(notes, name, *reading);
    if (!same_processes) note_modes(notes, name, *reading, row.margin);
    if (!pairing) note_order(notes, name, *reading, row.margin);
    if (!same_processes) note_slowing(notes, name, *reading, row.margin);
  }
  if (short_call)
    notes.push_back(std::move(*short_call));
  else
    note_steps(notes, row, baseline, current);
  const int fewest = std::min(row.baseline.processes, row.current.processes);
  if (fewest < recommended_processes)
    notes.push_back(
        {DiagnosticCode::few_processes, {{"processes", fewest}, {"recommended", recommended_processes}}});
  note_spread(notes, baseline, current);
  note_outliers(notes, row, baseline, current);
  note_clock(notes, row, baseline, current);
  note_conditions(notes, row, baseline.conditions, current.conditions);
  return notes;
}

}  // namespace harness
