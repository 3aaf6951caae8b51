#include "harness/verdict/read/traced_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/model/pin/figures.h"
#include "harness/model/program_metrics.h"
#include "harness/model/results/program_trace.h"
#include "harness/verdict/read/align_kernels.h"

namespace harness {
namespace {

constexpr double most_time = 0.5;  // of paired kernels that a step may launch more or less often

// How the processes of a program found its steps.
struct StepsFound {
  std::set<std::string> sources;
  std::set<std::string> processes;
  std::set<std::string> launches;
};

StepsFound found_in(const CaseRecord& program) {
  StepsFound found;
  for (const ProcessResult& process : program.processes)
    for (const Note& note : process.notes) {
      if (note.code != NoteCode::steps_found) continue;
      found.sources.insert(note.text("source"));
      found.launches.insert(fmt::format("{}", note.count("launches")));
      found.processes.insert(fmt::format("{}", note.count("processes")));
    }
  return found;
}

// A kernel of one side, with medians over its processes.
struct Use {
  std::string name;
  double launches = 0;  // a step
  double us = 0;        // likewise
};

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<Use> kernel_use(const CaseRecord& kernel) {
  Use use;
  std::vector<double> launches, us;
  for (const ProcessResult& process : kernel.processes) {
    if (process.kernels.empty()) continue;
    const KernelUse& one = process.kernels.front();
    if (use.name.empty()) use.name = one.name;
    launches.push_back(one.launches);
    us.push_back(one.launches * one.us);
  }
  if (launches.empty()) return std::nullopt;
  use.launches = middle_of(std::move(launches));
  use.us = middle_of(std::move(us));
  return use;
}

// The time of a program's paired kernels.
struct Time {
  double all = 0;
  double other_count = 0;  // of those that a step launches more or less often
};

std::map<std::string, Time> times_of(const Record& baseline, const Record& current) {
  std::unordered_map<std::string_view, const CaseRecord*> before;
  for (const CaseRecord& one : baseline.cases)
    if (is_traced_kernel(one)) before.emplace(one.id, &one);
  std::map<std::string, Time> times;
  if (before.empty()) return times;
  const auto aligned = aligned_kernels(baseline, current);
  for (const CaseRecord& one : current.cases) {
    if (!is_traced_kernel(one)) continue;
    const auto same = before.find(one.id);
    const auto other = aligned.find(&one);
    const CaseRecord* paired = same != before.end()     ? same->second
                               : other != aligned.end() ? other->second
                                                        : nullptr;
    if (paired == nullptr) continue;
    const std::optional<Use> old = kernel_use(*paired), now = kernel_use(one);
    if (!old || !now || old->name != now->name) continue;
    Time& time = times[one.program->name];
    time.all += old->us;
    if (old->launches != now->launches) time.other_count += old->us;
  }
  return times;
}

std::string listed(const std::set<std::string>& values) {
  return join(std::vector<std::string>(values.begin(), values.end()), ", ");
}

void compare(std::vector<Difference>& found, const char* what, const std::set<std::string>& before,
             const std::set<std::string>& after) {
  if (before.empty() || after.empty() || (before == after && before.size() == 1)) return;
  found.push_back({what, listed(before), listed(after)});
}

std::optional<Obstacle> obstacle_of(const StepsFound& before, const StepsFound& after, const Time& time) {
  std::vector<Difference> found;
  compare(found, "steps", before.sources, after.sources);
  compare(found, "traced_processes", before.processes, after.processes);
  // A range and the whole run are the same work however much they launch.
  const auto found_by = [&](StepSource source) {
    return after.sources == std::set{std::string(name_of(source))};
  };
  const bool marked = found_by(StepSource::nvtx) || found_by(StepSource::whole);
  double share = 0;
  if (!marked && time.all > 0 && time.other_count > most_time * time.all) {
    share = time.other_count / time.all;
    found.push_back({"launches_a_step", listed(before.launches), listed(after.launches)});
  }
  if (found.empty()) return std::nullopt;
  return Obstacle{{ReasonCode::steps_differ, {{"share", share}}}, std::move(found)};
}

bool is_traced_program(const CaseRecord& one) {
  return one.program && one.program->reads == trace_format && one.id == one.program->name;
}

}  // namespace

std::map<std::string, Obstacle> step_obstacles(const Record& baseline, const Record& current) {
  std::map<std::string, const CaseRecord*> before;
  for (const CaseRecord& one : baseline.cases)
    if (is_traced_program(one)) before.emplace(one.id, &one);
  std::map<std::string, Obstacle> obstacles;
  if (before.empty()) return obstacles;
  const std::map<std::string, Time> times = times_of(baseline, current);
  for (const CaseRecord& one : current.cases) {
    const auto old = before.find(one.id);
    if (!is_traced_program(one) || old == before.end()) continue;
    const auto time = times.find(one.id);
    if (auto found =
            obstacle_of(found_in(*old->second), found_in(one), time == times.end() ? Time{} : time->second))
      obstacles.emplace(one.id, std::move(*found));
  }
  return obstacles;
}

namespace {

// The sum of all samples; 0 where the record lacks the metric.
double sum_of(const CaseRecord& record, std::string_view metric) {
  double sum = 0;
  for (const Series& series : record.series)
    if (series.metric == metric)
      for (const ProcessSamples& process : series.processes)
        if (const std::size_t samples = sample_count(process); samples > 0)
          sum += mean_sample(process) * static_cast<double>(samples);
  return sum;
}

// The suite's own gate of a metric. Entries without a margin and an alpha are those of every traced program.
const MetricGate* own_gate(const CaseRecord& one, std::string_view metric) {
  const auto found = std::find_if(
      one.gate.metrics.begin(), one.gate.metrics.end(),
      [&](const MetricGate& gate) { return gate.metric == metric && (gate.margin || gate.alpha); });
  return found == one.gate.metrics.end() ? nullptr : &*found;
}

}  // namespace

std::optional<double> step_overlap(const CaseRecord& program) {
  const double kernel = sum_of(program, traced_kernel_time), busy = sum_of(program, traced_busy_time);
  if (!(kernel > 0 && busy > 0)) return std::nullopt;
  return std::max(1.0, kernel / busy);
}

std::optional<bool> informs_by_overlap(const CaseRecord& before, const CaseRecord& after,
                                       std::string_view metric) {
  if (metric != traced_kernel_time && metric != traced_busy_time) return std::nullopt;
  const std::optional<double> old = step_overlap(before), now = step_overlap(after);
  if (!old || !now || std::max(*old, *now) < 1 + notable_overlap) return std::nullopt;
  const MetricGate* const gate_of_busy = own_gate(before, traced_busy_time);
  if (metric == traced_busy_time) return gate_of_busy ? std::nullopt : std::optional(false);
  if (gate_of_busy != nullptr && gate_of_busy->informative) return std::nullopt;
  if (own_gate(before, metric) != nullptr || own_gate(after, metric) != nullptr) return std::nullopt;
  return true;
}

}  // namespace harness
