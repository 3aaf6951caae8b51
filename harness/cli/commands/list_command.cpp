#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "harness/base/filter.h"
#include "harness/base/text.h"
#include "harness/catalog/catalog.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
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
#include "harness/suite/load_suite.h"

namespace harness {
namespace {

struct ListArguments {
  bool devices = false;
  bool workloads = false;
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

// "f16, bf16, f32; default f16", "whole number from 1 on".
std::string values_of(const sdk::ParamSpec& spec) {
  std::string text;
  switch (spec.kind) {
    case sdk::ParamKind::integer: text = fmt::format("whole number from {} on", spec.least); break;
    case sdk::ParamKind::real: text = "number"; break;
    case sdk::ParamKind::boolean: text = "true or false"; break;
    case sdk::ParamKind::text: text = spec.choices.empty() ? "text" : join(spec.choices, ", "); break;
  }
  for (const sdk::Value& value : spec.fallback) text += "; default " + sdk::to_string(value);
  return printable(text);
}

void print_workload(const Catalog& catalog, const std::string& name) {
  const sdk::Workload& workload = *catalog.workload(name);
  fmt::print("{}: {}\n", printable(name), printable(std::string(workload.summary())));
  const std::vector<sdk::ParamSpec> params = workload.params();
  for (const sdk::ParamSpec& spec : params)
    fmt::print("  {}: {} ({})\n", printable(spec.name), printable(spec.summary), values_of(spec));
  std::map<std::string, std::vector<std::string>> by_device;
  for (const std::string& variant : catalog.variant_names(name))
    by_device[catalog.variant(name, variant)->device].push_back(printable(variant));
  for (const auto& [device, variants] : by_device)
    fmt::print("  variants on {}: {}\n", printable(device), join(variants, ", "));
}

// The workloads that a suite can name, with their axes and variants: built in, of the suite's modules and of
// --module.
int list_workloads(const SuiteOptions& options) {
  Result<Catalog> catalog = Catalog::load_built_in();
  if (!catalog) return report_error(catalog.error());
  std::vector<std::string> modules = options.modules.files;
  if (!options.suite.empty()) {
    const Checked<Suite> suite = load_repository_suite(options.suite);
    if (!suite) return report_errors(suite.error());
    const std::vector<std::string> own = module_paths(*suite);
    modules.insert(modules.begin(), own.begin(), own.end());
  }
  for (const std::string& module : modules)
    if (const Status loaded = catalog->load_module(module); !loaded) return report_error(loaded.error());
  bool any = false;
  for (const std::string& name : catalog->workload_names()) {
    if (!passes_filters(options.filter.patterns, name)) continue;
    if (any) fmt::print("\n");
    print_workload(*catalog, name);
    any = true;
  }
  if (any) return exit_ok;
  const bool filtered = !options.filter.patterns.empty();
  return report_error({ErrorKind::usage,
                       filtered ? "--filter: no workload has such a name" : "there are no workloads",
                       {},
                       filtered ? "leave --filter out to see all" : "name a plugin with --module"});
}

bool has_modules(const SuiteOptions& options) {
  const Checked<Suite> suite = load_repository_suite(options.suite);
  return !options.modules.files.empty() || (suite && !suite->modules.empty());
}

int list(const ListArguments& arguments) {
  if (arguments.devices) return list_devices();
  if (arguments.workloads) return list_workloads(arguments.plan);
  if (arguments.plan.suite.empty())
    return report_error({ErrorKind::usage,
                         "which suite?",
                         {},
                         "harness list SUITE; or harness list --workloads, or harness list --devices"});
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
  command.add_flag("--workloads", arguments.workloads,
                   "print only the workloads that a suite can name, their parameters and variants");
  arguments.output.add_to(command);
  add_examples(command, {"harness list suite.yaml", "harness list --workloads --filter '*gelu*'",
                         "harness list --devices"});
}

}  // namespace harness
