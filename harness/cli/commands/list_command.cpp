#include <fmt/format.h>

#include <cstdio>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/programs/plan_apart.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/cli/run/few_processes.h"
#include "harness/device/cpu/cpu_facts.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/open.h"
#include "harness/model/device_kinds.h"
#include "harness/report/documents.h"
#include "harness/report/words/cause_words.h"

namespace harness {
namespace {

struct ListArguments {
  bool devices = false;
  SuiteOptions plan;
  OutputOptions output;
};

// What --device can name here.
int list_devices() {
  const GpuHost host = read_gpus();
  const std::vector<const GpuState*> seen = visible_gpus(host);
  fmt::print("{:<6}  {}\n", cpu_kind.name, printable(cpu_model()));
  for (std::size_t i = 0; i < seen.size(); ++i)
    fmt::print("{}  {}, {}{}\n", gpu_device_name(i), printable(seen[i]->name), printable(seen[i]->uuid),
               seen[i]->processes.empty() ? "" : ", in use by other processes");
  if (seen.size() < host.gpus.size())
    fmt::print("        CUDA_VISIBLE_DEVICES hides {} more\n", host.gpus.size() - seen.size());
  if (const auto obstacle = cuda_obstacle())
    fmt::print("{:<6}  none can be used: {}\n", cuda_kind.name, report::words(*obstacle));
  else if (host.gpus.empty())
    fmt::print("{:<6}  NVML tells of no GPU; harness doctor --device {} tries one\n", cuda_kind.name,
               gpu_device_name(0));
  return exit_ok;
}

bool has_modules(const SuiteOptions& options) {
  const Checked<Suite> suite = load_repository_suite(options.suite);
  return !options.modules.files.empty() || (suite && !suite->modules.empty());
}

int list(const ListArguments& arguments) {
  if (arguments.devices) return list_devices();
  if (arguments.plan.suite.empty())
    return report_error(
        {ErrorKind::usage, "which suite?", {}, "harness list SUITE, or harness list --devices"});
  if (const Status checked = check_outputs(arguments.output, {"", plan_files(arguments.plan)}); !checked)
    return report_error(checked.error());
  const Checked<Prepared> prepared =
      has_modules(arguments.plan) ? plan_apart(arguments.plan) : prepare(arguments.plan);
  if (!prepared) return report_errors(prepared.error());
  if (const std::string few = few_processes_line(prepared->plan, {}); !few.empty())
    fmt::print(stderr, "{}\n", few);
  const auto render = [&](Format format, const Style& style) {
    return harness::render(report::plan_document(prepared->plan), format, style);
  };
  return emit(arguments.output, render, exit_ok);
}

}  // namespace

void add_list(Commands& commands) {
  auto& [command, arguments] =
      commands.add("list", "List the cases that a suite measures here, and why others are skipped", list);
  arguments.plan.add_to(command)->required(false);
  command.add_flag("--devices", arguments.devices, "print only the devices that --device can name here");
  arguments.output.add_to(command);
}

}  // namespace harness
