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

// A change of the outlier rate smaller than this is not worth a word, however certain.
constexpr double notable_rate_change = 0.01;
constexpr std::size_t enough_for_modes = 8;
constexpr int recommended_processes = 5;
constexpr double certain = 0.01;      // p below which an oddity is told
constexpr double notable_spread = 2;  // ratio of standard deviations

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

// Groups of processes with a gap between them wider than the margin: another algorithm, clock or NUMA node
// in some processes. Never trimmed away.
void note_modes(std::vector<std::string>& notes, const char* side, const SideReading& reading,
                double margin) {
  if (reading.log_values.size() < enough_for_modes) return;
  const auto modes = stats::find_modes(reading.log_values, certain);
  if (!modes || modes->groups.size() < 2 || modes->gap <= std::log1p(margin)) return;
  std::vector<std::string> counts;
  for (const stats::Mode& group : modes->groups) counts.push_back(fmt::to_string(group.count));
  notes.push_back(
      fmt::format("{}: the processes fall into {} groups {:.2f} % apart ({} of them): look for a choice made "
                  "once a process "
                  "(autotuning, clocks, memory placement) and fix it",
                  side, modes->groups.size() == 2 ? "two" : fmt::to_string(modes->groups.size()),
                  std::expm1(modes->gap) * 100, join(counts, " and ")));
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

// Processes are taken as independent: a drift, or neighbours that agree, say that they are not.
void note_order(std::vector<std::string>& notes, const char* side, const SideReading& reading,
                double margin) {
  const std::vector<double> values = in_order_of_time(reading);
  const auto slope = stats::drift(values);
  const double whole = slope ? slope->difference * static_cast<double>(values.size() - 1) : 0;
  if (slope && std::abs(whole) > std::log1p(margin) / 2 && slope->p_differs() < certain) {
    notes.push_back(fmt::format(
        "{}: drift, the processes moved by {:+.2f} % from the first to the last: let the device settle "
        "(preheat), or measure both versions in turns",
        side, std::expm1(whole) * 100));
    return;
  }
  const auto runs = stats::runs_test(values);
  const auto lag = stats::autocorrelation(values);
  if (runs && lag && runs->p_few < certain)
    notes.push_back(
        fmt::format("{}: neighbouring processes agree (lag-1 autocorrelation {:.2f}), so something changed "
                    "while they ran "
                    "and the interval is too narrow: look for another load, or for clocks that step",
                    side, *lag));
}

// Samples of a placement that slow down, or speed up, in every process alike.
void note_slowing(std::vector<std::string>& notes, const char* side, const SideReading& reading,
                  double margin) {
  const auto test = stats::one_sample(stats::moments(reading.slowing));
  if (!test || std::abs(test->difference) <= std::log1p(margin) || test->p_differs() >= certain) return;
  notes.push_back(
      fmt::format("{}: within a placement the samples move by {:+.2f} % from the first quarter to the "
                  "last: {}",
                  side, std::expm1(test->difference) * 100,
                  test->difference < 0 ? "warm up longer (`warmup`)"
                                       : "the device heats or throttles; sample less, or pause"));
}

// A clock whose steps are wider than the margin cannot show what the margin asks for.
void note_steps(std::vector<std::string>& notes, const ComparisonRow& row, const SideReading& baseline,
                const SideReading& current) {
  const auto share = [](const Side& side, const SideReading& reading) {
    return reading.step > 0 && side.center > 0 ? reading.step / side.center : 0;
  };
  const double before = share(row.baseline, baseline), after = share(row.current, current);
  if (std::max(before, after) <= row.margin) return;
  const char* side = std::min(before, after) > row.margin ? "both sides"
                     : before > after                     ? "baseline"
                                                          : "current";
  notes.push_back(fmt::format(
      "{}: the times are quantised in steps of {:.4g} {}, {:.1f} % of a sample, more than the margin: time "
      "batches of calls (`timing: batch` on a GPU), or make the case longer",
      side, before > after ? baseline.step : current.step, row.unit, std::max(before, after) * 100));
}

// Means may agree while the spread between processes does not.
void note_spread(std::vector<std::string>& notes, const SideReading& baseline, const SideReading& current) {
  const auto test = stats::f_test(baseline.moments, current.moments);
  if (!test || test->constant || test->p >= certain) return;
  const double ratio = std::sqrt(test->ratio);
  if (ratio < notable_spread && ratio > 1 / notable_spread) return;
  notes.push_back(fmt::format(
      "the processes vary {:.1f} times as much as {} (sd {:.2f} % -> {:.2f} %): {}",
      std::max(ratio, 1 / ratio), ratio > 1 ? "in the baseline" : "they do now",
      std::sqrt(baseline.moments.variance) * 100, std::sqrt(current.moments.variance) * 100,
      ratio > 1 ? "a choice made once a process, or a busier machine, appeared; p95 shows what it costs"
                : "the machine was quieter, or a choice made once a process is gone"));
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
                                  const SideReading& current, std::optional<Pairing::Kind> pairing,
                                  const std::string& short_call) {
  std::vector<std::string> notes;
  const bool same_processes = pairing == Pairing::Kind::process;
  for (const auto& [name, reading] : {std::pair("baseline", &baseline), std::pair("current", &current)}) {
    note_empty(notes, name, *reading);
    note_forced(notes, name, *reading);
    note_zero_variance(notes, name, *reading);
    if (!same_processes) note_modes(notes, name, *reading, row.margin);
    if (!pairing) note_order(notes, name, *reading, row.margin);
    if (!same_processes) note_slowing(notes, name, *reading, row.margin);
  }
  if (short_call.empty())
    note_steps(notes, row, baseline, current);
  else
    notes.push_back(short_call);
  const int fewest = std::min(row.baseline.processes, row.current.processes);
  if (fewest < recommended_processes)
    notes.push_back(fmt::format("only {} process{} on a side: small changes stay unseen; measure at least {}",
                                fewest, fewest == 1 ? "" : "es", recommended_processes));
  note_spread(notes, baseline, current);
  note_outliers(notes, row, baseline, current);
  note_clock(notes, row, baseline, current);
  note_conditions(notes, row, baseline.conditions, current.conditions);
  return notes;
}

}  // namespace harness
