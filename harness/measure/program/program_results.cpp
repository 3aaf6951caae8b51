#include "harness/measure/program/program_results.h"

#include <algorithm>
#include <utility>

#include "harness/measure/case/microseconds.h"
#include "harness/model/program_metrics.h"

namespace harness {
namespace {

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

Series series_of(std::string_view metric, const char* unit, double value, int process,
                 const ProgramEnd& end) {
  Placement placement{{value}};
  placement.started = end.began;
  return {std::string(metric), unit, Direction::lower_is_better, {{process, {std::move(placement)}}}};
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
  return result;
}

PlannedCase benchmark_case(const PlannedCase& like, const std::string& benchmark) {
  PlannedCase planned = like;
  planned.id = like.program->name + "/" + benchmark;
  planned.variant = benchmark;
  return planned;
}

}  // namespace harness
