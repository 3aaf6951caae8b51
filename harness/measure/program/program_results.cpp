#include "harness/measure/program/program_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "harness/measure/case/microseconds.h"
#include "harness/model/program_metrics.h"
#include "harness/model/results/kernel_label.h"

namespace harness {
namespace {

constexpr std::size_t most_kept_steps = 200;

Figures figures_of(const ProgramEnd& end) {
  Figures figures;
  if (end.exit.signal != 0)
    figures.emplace_back("signal", end.exit.signal);
  else
    figures.emplace_back("status", end.exit.code);
  if (!end.printed.empty()) figures.emplace_back("printed", end.printed);
  return figures;
}

// The system counts whole microseconds. A time of 0 has no logarithm.
double processor_time(Seconds used) {
  return std::max(to_microseconds(used), 1.0);
}

Series series_of(std::string_view metric, const char* unit, std::vector<double> values, int process,
                 Seconds began) {
  Placement placement{std::move(values)};
  placement.started = began;
  return {std::string(metric), unit, Direction::lower_is_better, {{process, {std::move(placement)}}}};
}

Series series_of(std::string_view metric, const char* unit, double value, int process,
                 const ProgramEnd& end) {
  return series_of(metric, unit, std::vector<double>{value}, process, end.began);
}

// The last steps of many. A time of 0 has no logarithm; the clock counts whole nanoseconds.
std::vector<double> samples_of(const std::vector<double>& steps) {
  constexpr double shortest = 1e-3;
  const std::size_t first = steps.size() > most_kept_steps ? steps.size() - most_kept_steps : 0;
  std::vector<double> samples(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end());
  for (double& one : samples) one = std::max(one, shortest);
  return samples;
}

}  // namespace

ProcessResult result_of_program(const PlannedCase& planned, int process, const ProgramEnd& end) {
  ProcessResult result;
  result.case_id = planned.id;
  result.process = process;
  if (end.timed_out) {
    result.outcome = Outcome::timed_out;
    result.reason = Cause{CauseCode::timed_out, {{"limit", planned.sampling.timeout}}};
    if (!end.printed.empty()) result.reason->figures.emplace_back("printed", end.printed);
    return result;
  }
  if (!end.exit.ok()) {
    result.outcome = Outcome::failed;
    result.reason = Cause{CauseCode::program_ended, figures_of(end)};
    return result;
  }
  const Usage& used = end.exit.used;
  result.series = {
      series_of(time_of_program(planned.program->reads), "us", to_microseconds(end.wall), process, end),
      series_of(user_time, "us", processor_time(used.user), process, end),
      series_of(system_time, "us", processor_time(used.system), process, end),
      series_of(program_memory, "bytes", used.peak_bytes, process, end)};
  add_load(result, end);
  return result;
}

void add_load(ProcessResult& result, const ProgramEnd& end) {
  if (!end.load) return;
  for (Series& series : result.series) {
    if (!suffers_from_load(series.metric, series.unit)) continue;
    for (ProcessSamples& process : series.processes)
      for (Placement& placement : process.placements) {
        if (!placement.conditions) placement.conditions.emplace();
        placement.conditions->load = end.load;
      }
  }
}

void add_callers(ProgramTrace& trace, const std::vector<TracedKernel>& seen) {
  for (TracedKernel& kernel : trace.kernels) {
    const auto found = std::find_if(seen.begin(), seen.end(), [&](const TracedKernel& one) {
      return one.use.name == kernel.use.name && one.use.grid == kernel.use.grid &&
             one.use.block == kernel.use.block;
    });
    if (found != seen.end() && kernel.use.callers.empty()) kernel.use.callers = found->use.callers;
  }
}

void add_trace(ProcessResult& own, const ProgramTrace& trace) {
  const Seconds began = own.series.front().processes.front().placements.front().started;
  const auto steps = [&](std::string_view metric, const std::vector<double>& values) {
    return series_of(metric, "us", samples_of(values), own.process, began);
  };
  std::vector<Series> series = {steps(traced_kernel_time, trace.steps.kernel),
                                steps(traced_busy_time, trace.steps.busy),
                                steps(traced_copy_time, trace.steps.copy),
                                steps(traced_span, trace.steps.span), steps(traced_gaps, trace.steps.gap)};
  own.series.insert(own.series.begin(), std::make_move_iterator(series.begin()),
                    std::make_move_iterator(series.end()));
  for (const TracedKernel& one : trace.kernels) own.kernels.push_back(one.use);
  own.identity = trace.identity;
  own.notes.push_back({NoteCode::steps_found,
                       {{"source", std::string(name_of(trace.source))},
                        {"steps", trace.steps.kernel.size()},
                        {"launches", trace.period},
                        {"settling", trace.settling},
                        {"outside", trace.outside},
                        {"processes", trace.processes}}});
  if (trace.helpers > 0) {
    Figures& figures = own.notes.back().figures;
    figures.emplace_back("helpers", trace.helpers);
    figures.emplace_back("helper_launches", trace.helper_launches);
  }
}

std::vector<ProcessResult> results_of_kernels(const ProgramTrace& trace, int process, Seconds began) {
  std::vector<ProcessResult> results;
  std::map<std::string, int> known;
  Identity identity = trace.identity;
  identity.setup.clear();  // the program's own result has it
  for (const TracedKernel& one : trace.kernels) {
    ProcessResult& result = results.emplace_back();
    result.case_id = kernel_label(one.use.name) + launch_label(one.use);
    if (const int before = known[result.case_id]++; before > 0)
      result.case_id += fmt::format("/overload={}", before + 1);
    result.process = process;
    result.series = {series_of(traced_kernel_time, "us", samples_of(one.times), process, began)};
    result.kernels = {one.use};
    result.identity = identity;  // the step as a whole: other kernels affect this one's time
  }
  return results;
}

void add_identity(std::vector<ProcessResult>& benchmarks, Identity program) {
  program.files.clear();
  for (ProcessResult& one : benchmarks) one.identity = program;
}

void keep_only_look(ProcessResult& result) {
  result.outcome = Outcome::looked_at;
  result.series.clear();
}

PlannedCase benchmark_case(const PlannedCase& like, const std::string& benchmark) {
  PlannedCase planned = like;
  planned.id = like.program->name + "/" + benchmark;
  planned.variant = benchmark;
  return planned;
}

}  // namespace harness
