#include "harness/measure/case/look.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/base/text.h"
#include "harness/measure/metrics/collector.h"
#include "harness/model/counter.h"
#include "harness/model/known_metrics.h"

namespace harness {
namespace {

// "problem; advice", as far as there is any.
std::string reason_of(const Error& error) {
  return printable(error.message + (error.advice.empty() ? "" : "; " + error.advice));
}

Status look_at_kernels(Device& device, const Work& call, const CallPattern& pattern, ProcessResult& result) {
  Result<std::vector<KernelUse>> kernels = device.profiler().kernels(call, pattern);
  if (Status alive = device.timer().synchronize(); !alive) return alive;
  if (kernels)
    result.kernels = std::move(*kernels);
  else
    result.notes.push_back({NoteCode::kernels_unseen, {{"problem", reason_of(kernels.error())}}});
  return {};
}

Note missing_note(const std::vector<std::string>& counters, const CounterFact& why) {
  Note note{NoteCode::counters_missing, {{"counters", join(counters, ", ")}}};
  put_fact(note.figures, "why", why);
  for (Figure& figure : note.figures)
    if (auto* text = std::get_if<std::string>(&figure.value)) *text = printable(*text);
  return note;
}

// One note for each reason: a refused profiler is one fact for any number of counters.
void note_missing(const std::vector<CounterValue>& values, ProcessResult& result) {
  std::vector<CounterFact> told;
  for (const CounterValue& one : values) {
    if (!one.missing || std::find(told.begin(), told.end(), *one.missing) != told.end()) continue;
    told.push_back(*one.missing);
    std::vector<std::string> names;
    for (const CounterValue& other : values)
      if (other.missing == one.missing) names.push_back(other.name);
    result.notes.push_back(missing_note(names, *one.missing));
  }
}

}  // namespace

Status read_counters(Device& device, const Work& call, CacheMode cache,
                     const std::vector<std::string>& metrics, ProcessResult& result) {
  std::vector<std::string> names;
  std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(names),
               [](const std::string& one) { return is_counter_name(one); });
  if (names.empty()) return {};
  Result<std::vector<CounterValue>> values = device.profiler().counters(call, cache, names);
  if (Status alive = device.timer().synchronize(); !alive) return alive;
  if (!values) {
    result.notes.push_back(
        missing_note(names, {CounterCode::refused, {{"problem", reason_of(values.error())}}}));
    return {};
  }
  for (CounterValue& one : *values) {
    if (one.value && !std::isfinite(*one.value)) {
      one.value.reset();
      one.missing = CounterFact{CounterCode::not_finite};
    }
    if (one.value)
      result.series.push_back(
          single_value(one.name, one.unit, counter_direction(one.name), result.process, *one.value));
  }
  note_missing(*values, result);
  return {};
}

bool times_kernels(const PlannedCase& planned, int process) {
  const std::vector<std::string>& metrics = planned.metrics;
  return process == std::min(2, planned.sampling.processes) ||
         std::any_of(metrics.begin(), metrics.end(), [](const std::string& one) {
           return one == kernel_time_metric.name || is_counter_name(one);
         });
}

Status look_into(Device& device, const Work& call, const CallPattern& pattern,
                 const std::vector<std::string>& metrics, ProcessResult& result) {
  if (Status alive = look_at_kernels(device, call, pattern, result); !alive) return alive;
  return read_counters(device, call, pattern.cache, metrics, result);
}

}  // namespace harness
