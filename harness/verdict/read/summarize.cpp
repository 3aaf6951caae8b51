#include "harness/verdict/read/summarize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "harness/base/units.h"
#include "harness/model/code/shifted_process.h"
#include "harness/model/known_metrics.h"
#include "harness/model/pin/figures.h"
#include "harness/verdict/check/condition_checks.h"
#include "harness/verdict/read/instrument_checks.h"
#include "harness/verdict/read/kernel_time.h"
#include "harness/verdict/read/short_calls.h"
#include "harness/verdict/read/side.h"

namespace harness {
namespace {

constexpr double likely_wrong_declaration = 1.05;  // of a measured ceiling, which itself varies a little

struct CaseReading {
  std::vector<SideReading> series;  // one for each of the case's series, in order
};

std::size_t unusable_samples(const Series& series) {
  std::size_t unusable = 0;
  for (const ProcessSamples& process : series.processes)
    for (const Placement& placement : process.placements)
      unusable +=
          static_cast<std::size_t>(std::count_if(placement.samples.begin(), placement.samples.end(),
                                                 [](double sample) { return !std::isfinite(sample); }));
  return unusable;
}

void fill_raw(Summary& summary, const SeriesFigures& all) {
  summary.samples = static_cast<std::size_t>(all.samples);
  summary.mean = all.mean;
  summary.sd = all.sd;
  summary.cv = all.mean != 0 ? all.sd / all.mean : 0;
  summary.min = all.min;
  summary.max = all.max;
  summary.median = all.median;
  summary.p95 = all.p95;
  summary.p99 = all.p99;
}

void fill_processes(Summary& summary, const SideReading& reading) {
  summary.processes = static_cast<int>(reading.log_values.size());
  summary.mild_outliers = reading.outliers.mild;
  summary.far_outliers = reading.outliers.far;
  if (reading.log_values.empty()) return;
  const double count = static_cast<double>(reading.moments.count);
  summary.center = std::exp(reading.moments.mean);
  summary.process_sd = std::sqrt(reading.moments.variance);
  if (reading.moments.count < 2) return;
  const double reach = stats::students_t_critical(count - 1, (1 - summary.confidence) / 2) *
                       summary.process_sd / std::sqrt(count);
  summary.interval = Interval{std::exp(reading.moments.mean - reach), std::exp(reading.moments.mean + reach)};
}

// Beside the time of a case: the median of its first calls.
void fill_first_call(Summary& summary, const CaseRecord& record) {
  for (const Series& series : record.series)
    if (series.metric == first_call_metric.name && series.unit == summary.unit)
      if (const SeriesFigures calls = all_samples_of(series); calls.samples > 0)
        summary.first_call = calls.median;
}

// The ceiling of the products that the case makes, by the first of its processes that tells their type. Types
// of the same size are multiplied at the same rate.
std::string product_ceiling(const CaseRecord& record) {
  for (const ProcessResult& process : record.processes)
    if (process.multiplies)
      return "gemm_" + std::to_string(sdk::bits_of(*process.multiplies)) + "bit_flops_per_s";
  return "gemm_flops_per_s";
}

// Work per second from what the workload declares and the time of a call, which is a case's first metric:
// others may be times too (launch_time), of something else.
void fill_throughput(Summary& summary, const CaseRecord& record, const Series& series, const Record& whole) {
  const double seconds = summary.center * seconds_per_unit(series.unit);
  if (!(seconds > 0) || series.direction != Direction::lower_is_better) return;
  if (record.flops > 0) summary.flops_per_s = record.flops / seconds;
  if (record.bytes > 0) summary.bytes_per_s = record.bytes / seconds;
  if (record.items > 0) summary.items_per_s = record.items / seconds;
  const auto machine = whole.machines.find(record.device);
  if (machine == whole.machines.end()) return;
  // All GPUs of a case together reach that many times the ceiling of one. On a CPU they are threads.
  const double gpus = is_gpu_kind(record.device) ? record.gpus : 1;
  const auto consider = [&](const char* ceiling_name, double achieved, const char* bound) {
    const auto ceiling = machine->second.ceilings.find(ceiling_name);
    if (ceiling == machine->second.ceilings.end() || !(ceiling->second > 0) || !(achieved > 0)) return;
    const double share = achieved / ceiling->second;
    if (summary.share_of_ceiling && *summary.share_of_ceiling >= share) return;
    summary.share_of_ceiling = share;
    summary.bound = bound;
  };
  consider("copy_bytes_per_s", summary.bytes_per_s / gpus, "memory");
  consider(product_ceiling(record).c_str(), summary.flops_per_s / gpus, "compute");
  consider(link_ceiling, record.link_bytes / seconds, "link");
}

// By the operations of both cases, or their items where no operations are declared.
std::optional<Efficiency> efficiency_of(const CaseRecord& one, const CaseRecord& reference,
                                        const Speedup& speedup) {
  if (one.gpus <= reference.gpus) return std::nullopt;
  const bool by_flops = one.flops > 0 && reference.flops > 0;
  const double work = by_flops ? one.flops / reference.flops : one.items / reference.items;
  if (!(work > 0) || !std::isfinite(work)) return std::nullopt;
  const double factor = work * reference.gpus / one.gpus;
  Efficiency efficiency{speedup.ratio * factor, {}};
  if (speedup.interval)
    efficiency.interval = Interval{speedup.interval->lo * factor, speedup.interval->hi * factor};
  return efficiency;
}

// The larger error of the two checks; NaN is worse than any number.
double worst_error(const Verification& one) {
  if (std::isnan(one.before) || std::isnan(one.after)) return std::numeric_limits<double>::infinity();
  return std::max(one.before, one.after);
}

void fill_verification(Summary& summary, const CaseRecord& record) {
  for (const ProcessResult& process : record.processes)
    if (process.verification &&
        (!summary.verification || worst_error(*process.verification) > worst_error(*summary.verification)))
      summary.verification = process.verification;
}

bool is_time(std::string_view metric) {
  return is_time_of_device(metric);
}

// Whether two notes differ by numbers alone.
bool same_but_numbers(const Note& one, const Note& other) {
  const auto alike = [](const Figure& a, const Figure& b) {
    const bool text =
        std::holds_alternative<std::string>(a.value) || std::holds_alternative<std::string>(b.value);
    return a.name == b.name && (!text || a.value == b.value);
  };
  return one.code == other.code && std::equal(one.figures.begin(), one.figures.end(), other.figures.begin(),
                                              other.figures.end(), alike);
}

// The notes of the processes. Where notes differ by numbers alone, the first stands for all.
Notes notes_of(const std::vector<ProcessResult>& processes) {
  Notes notes;
  std::vector<int> others;  // processes whose note differs from notes[i] by numbers
  for (const ProcessResult& process : processes)
    for (const Note& note : process.notes) {
      if (std::find(notes.begin(), notes.end(), note) != notes.end()) continue;
      const auto known = std::find_if(notes.begin(), notes.end(),
                                      [&](const Note& one) { return same_but_numbers(one, note); });
      if (known != notes.end()) {
        ++others[static_cast<std::size_t>(known - notes.begin())];
        continue;
      }
      notes.push_back(note);
      others.push_back(0);
    }
  for (std::size_t i = 0; i < notes.size(); ++i)
    if (others[i] > 0) notes[i].figures.emplace_back("other_processes", others[i]);
  return notes;
}

void diagnose_time(Summary& summary, const CaseRecord& record, std::optional<double> pair_us) {
  if (auto doubt = kernel_time_doubt(record, pair_us)) summary.diagnostics.push_back(std::move(*doubt));
  if (auto traffic = traffic_diagnostic(record)) summary.diagnostics.push_back(std::move(*traffic));
}

void diagnose_samples(Summary& summary, const SideReading& reading, std::size_t left_out) {
  if (reading.unusable)
    summary.diagnostics.push_back({DiagnosticCode::unusable_sample,
                                   {{"process", reading.unusable->process},
                                    {"value", reading.unusable->value},
                                    {"unit", summary.unit},
                                    {"left_out", left_out}}});
  else if (reading.zeros)
    summary.diagnostics.push_back({DiagnosticCode::some_zeros});
  if (forced_share(reading) > tolerable_forced_share)
    summary.diagnostics.push_back(
        {DiagnosticCode::forced_gates, {{"forced", reading.forced_gates}, {"samples", reading.samples}}});
}

void add_diagnostics(Summary& summary, const CaseRecord& record, const Series& series,
                     const SideReading& reading, std::size_t left_out, std::optional<double> pair_us) {
  summary.notes = notes_of(record.processes);
  if (record.tuned && is_time(summary.metric))
    summary.diagnostics.push_back({DiagnosticCode::tuned_to, {{"values", record.tuned->text_id()}}});
  if (is_time(summary.metric)) diagnose_time(summary, record, pair_us);
  diagnose_samples(summary, reading, left_out);
  const auto again = std::count_if(series.processes.begin(), series.processes.end(),
                                   [](const ProcessSamples& process) { return confirms(process.process); });
  if (again > 0)
    summary.diagnostics.push_back(
        {DiagnosticCode::measured_again, {{"again", again}, {"of", series.processes.size()}}});
  note_conditions(summary.diagnostics, reading.conditions, record.gate.throttled);
  std::optional<Diagnostic> short_call =
      short_call_diagnostic(series, record.sampling, summary.center, reading.step);
  const bool advised = short_call.has_value();
  if (short_call) summary.diagnostics.push_back(std::move(*short_call));
  if (is_time(summary.metric))
    if (auto control = control_diagnostic(record, summary.center, advised))
      summary.diagnostics.push_back(std::move(*control));
  if (summary.share_of_ceiling && *summary.share_of_ceiling > likely_wrong_declaration)
    summary.diagnostics.push_back(
        {DiagnosticCode::above_ceiling, {{"share", *summary.share_of_ceiling}, {"bound", summary.bound}}});
}

Summary started(const CaseRecord& record, double confidence) {
  Summary summary;
  summary.case_id = record.id;
  summary.outcome = record.outcome;
  summary.reason = record.reason;
  summary.confidence = confidence;
  fill_verification(summary, record);
  return summary;
}

class Summarizer {
 public:
  Summarizer(const Record& record, double confidence)
      : record_(record), pairs_(record), confidence_(confidence > 0 && confidence < 1 ? confidence : 0.99) {}

  std::vector<Summary> all() {
    SideReader reader;
    readings_.resize(record_.cases.size());
    for (std::size_t i = 0; i < record_.cases.size(); ++i) {
      index_.emplace(record_.cases[i].id, i);
      for (const Series& series : record_.cases[i].series) readings_[i].series.push_back(reader.read(series));
    }
    std::vector<Summary> summaries;
    summaries.reserve(record_.cases.size());
    for (std::size_t i = 0; i < record_.cases.size(); ++i) {
      const CaseRecord& one = record_.cases[i];
      if (one.series.empty()) summaries.push_back(started(one, confidence_));
      for (std::size_t k = 0; k < one.series.size(); ++k)
        if (k == 0 || one.series[k].metric != first_call_metric.name)  // told beside the time
          summaries.push_back(summary_of(one, one.series[k], readings_[i].series[k]));
    }
    return summaries;
  }

 private:
  Summary summary_of(const CaseRecord& one, const Series& series, const SideReading& reading) {
    Summary summary = started(one, confidence_);
    summary.metric = series.metric;
    summary.unit = series.unit;
    fill_raw(summary, all_samples_of(series));
    fill_processes(summary, reading);
    if (&series == &one.series.front()) {
      fill_first_call(summary, one);
      fill_throughput(summary, one, series, record_);
    }
    add_diagnostics(summary, one, series, reading, unusable_samples(series), pairs_.of(one.device));
    add_speedup(summary, one, series, reading);
    return summary;
  }

  // Both were measured in the same processes of one session, so no variance is added. They are still
  // treated as independent: that can only widen the interval when they move together.
  void add_speedup(Summary& summary, const CaseRecord& one, const Series& series,
                   const SideReading& reading) {
    if (one.reference.empty() || one.reference == one.id || reading.log_values.empty()) return;
    const auto found = index_.find(one.reference);
    const SideReading* reference = nullptr;
    if (found != index_.end()) {
      const CaseRecord& other = record_.cases[found->second];
      for (std::size_t k = 0; k < other.series.size(); ++k)
        if (other.series[k].metric == series.metric && other.series[k].unit == series.unit)
          reference = &readings_[found->second].series[k];
    }
    if (reference == nullptr || reference->log_values.empty()) {
      summary.diagnostics.push_back({DiagnosticCode::no_speedup, {{"reference", one.reference}}});
      return;
    }
    const bool time_like = series.direction == Direction::lower_is_better;
    const stats::Moments& faster = time_like ? reading.moments : reference->moments;
    const stats::Moments& slower = time_like ? reference->moments : reading.moments;
    Speedup speedup;
    speedup.reference = one.reference;
    speedup.ratio = std::exp(slower.mean - faster.mean);
    if (const auto test = stats::welch(faster, slower)) {
      const stats::Bounds bounds = test->interval(confidence_);
      speedup.interval = Interval{std::exp(bounds.lo), std::exp(bounds.hi)};
    }
    if (is_time(series.metric))
      summary.efficiency = efficiency_of(one, record_.cases[found->second], speedup);
    summary.speedup = std::move(speedup);
  }

  const Record& record_;
  EventPairCosts pairs_;
  double confidence_;
  std::vector<CaseReading> readings_;
  std::unordered_map<std::string_view, std::size_t> index_;
};

}  // namespace

std::vector<Summary> summarize(const Record& record, double confidence) {
  if (has_shifted(record)) return summarize(without_shifted(record), confidence);
  return Summarizer(record, confidence).all();
}

}  // namespace harness
