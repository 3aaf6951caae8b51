#include "harness/suite/plan/programs.h"

#include <algorithm>
#include <filesystem>

#include "harness/model/program_metrics.h"
#include "harness/suite/plan/settings.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr Seconds usual_timeout = 300;
constexpr const char* own_variant = "process";  // of the case that is the program itself

// One start is one sample. Only processes, warm-up and timeout have a meaning here.
Sampling one_start() {
  Sampling sampling;
  sampling.placements = sampling.samples = sampling.min_samples = 1;
  sampling.warmup = 0;
  sampling.preheat = 0;
  sampling.timing = TimingMode::events;
  sampling.timeout = usual_timeout;
  return sampling;
}

void take_processes(const Written<Sampling>& written, Sampling& sampling) {
  if (written.place_of(&Sampling::processes) != nullptr) sampling.processes = written.values().processes;
}

Program program_of(const ProgramCase& written, const std::string& suite_file) {
  const fs::path folder = fs::current_path() / fs::path(suite_file).parent_path() / written.folder;
  return {written.name.value, written.command, folder.lexically_normal().string(),
          written.env,        written.reads,   written.prepare,
          written.steps,      written.build,   written.inputs};
}

// Beside its time, a process's metrics inform, unless the suite gives them a gate. Under a trace the time is
// that of the kernels.
void inform(Gate& gate, const std::vector<std::string>& metrics, bool traced) {
  for (const std::string& metric : metrics) {
    const auto same = [&](const MetricGate& one) { return one.metric == metric; };
    if (std::any_of(gate.metrics.begin(), gate.metrics.end(), same)) continue;
    if (traced)
      gate.metrics.push_back({metric, {}, {}, metric != traced_kernel_time});
    else if (!is_time_of_device(metric))
      gate.metrics.push_back({metric, {}, {}, true});
  }
}

PlannedCase planned_program(const Suite& suite, const ProgramCase& written, const PlanOptions& options) {
  PlannedCase planned;
  planned.id = planned.workload = written.name.value;
  planned.variant = own_variant;
  planned.device = written.device.empty() ? std::string(cpu_kind.name) : written.device;
  planned.tags = written.tags;
  planned.metrics = metrics_of_program(written.reads);
  planned.where = written.where;
  planned.program = program_of(written, suite.identity.file);
  planned.sampling = one_start();
  take_processes(suite.defaults.sampling, planned.sampling);
  written.overrides.sampling.apply_to(planned.sampling);
  const Sampling asked = planned.sampling;
  take_processes(options.overrides.sampling, planned.sampling);
  if (planned.sampling != asked) planned.suite_sampling = asked;
  for (const Overrides* overrides : {&suite.defaults, &written.overrides, &options.overrides})
    apply_gate(*overrides, planned.gate);
  inform(planned.gate, planned.metrics, planned.is_traced());
  const auto missing = options.unavailable_devices.find(planned.device);
  if (missing != options.unavailable_devices.end()) planned.skip = missing->second;
  return planned;
}

void check_output(const ProgramCase& written, ErrorList& errors) {
  const bool writes =
      std::any_of(written.command.begin(), written.command.end(),
                  [](const std::string& word) { return word.find(output_mark) != std::string::npos; });
  if (writes && written.reads.empty())
    errors.add(written.where, "the command writes `{output}`, and nothing reads it",
               "say with `reads` which format it has, or remove it from the command");
  const bool traced = written.reads == trace_format;
  if (writes && traced)
    errors.add(written.where, "the command writes `{output}`, but its trace is read",
               "remove it from the command, or make a program of each");
  if (written.inputs == trusted_inputs && !traced)
    errors.add(written.where, "only a trace has `inputs: trusted`",
               "write `reads: cuda_trace`, or `inputs: files`");
  if (written.inputs == files_inputs && traced)
    errors.add(written.where, "a trace has no `inputs: files`: its launches tell whether it is the same",
               "remove it, or write `inputs: trusted`");
  if (!written.steps.empty() && !traced)
    errors.add(written.where, "only a trace has `steps`", "write `reads: cuda_trace`, or remove it");
}

}  // namespace

void add_programs(const Suite& suite, const PlanOptions& options, CaseList& list, ErrorList& errors) {
  for (const ProgramCase& program : suite.programs) {
    check_output(program, errors);
    list.add(planned_program(suite, program, options), nullptr, program.where);
  }
}

}  // namespace harness
