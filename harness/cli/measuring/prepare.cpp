#include "harness/cli/measuring/prepare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>

#include "harness/base/text.h"
#include "harness/cli/measuring/choose_devices.h"
#include "harness/device/open.h"
#include "harness/model/device_kinds.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/make_plan.h"

namespace harness {
namespace {

bool names_cuda(const Suite& suite, const Catalog& catalog) {
  for (const CaseGroup& group : suite.groups)
    for (const At<std::string>& name : group.variants) {
      const sdk::Variant* variant = catalog.variant(group.workload.value, name.value);
      if (variant != nullptr && is_gpu_kind(variant->device)) return true;
    }
  return false;
}

Status load_modules(Catalog& catalog, const Suite& suite, const PlanArguments& arguments,
                    std::vector<std::string>& loaded) {
  const std::filesystem::path folder = std::filesystem::path(arguments.suite).parent_path();
  for (const At<std::string>& module : suite.modules) {
    const std::string path = std::filesystem::absolute(folder / module.value).lexically_normal().string();
    if (Status status = catalog.load_module(path); !status) {
      Error error = status.error();
      error.message = fmt::format("module {}: {}", printable(path), error.message);
      error.where = module.where;
      return fail(error);
    }
    loaded.push_back(path);
  }
  for (const std::string& module : arguments.modules) {
    const std::string path = std::filesystem::absolute(module).lexically_normal().string();
    if (Status status = catalog.load_module(path); !status) return status;
    loaded.push_back(path);
  }
  return {};
}

Result<Overrides> overrides_from(const PlanArguments& arguments) {
  Overrides overrides;
  if (arguments.processes > 0) overrides.sampling.set(&Sampling::processes, arguments.processes);
  if (arguments.placements > 0) overrides.sampling.set(&Sampling::placements, arguments.placements);
  if (arguments.samples > 0) {
    overrides.sampling.set(&Sampling::samples, arguments.samples);
    overrides.sampling.set(&Sampling::width, 0);
    overrides.sampling.set(&Sampling::min_samples, std::min(arguments.samples, Sampling{}.min_samples));
  }
  if (!arguments.seed.empty()) {
    std::uint64_t seed = 0;
    const auto [end, code] =
        std::from_chars(arguments.seed.data(), arguments.seed.data() + arguments.seed.size(), seed);
    if (code != std::errc{} || end != arguments.seed.data() + arguments.seed.size())
      return fail(ErrorKind::usage,
                  fmt::format("--seed: `{}` is not a whole number", printable(arguments.seed)));
    overrides.sampling.set(&Sampling::seed, seed);
  }
  return overrides;
}

}  // namespace

void add_plan_options(CLI::App& command, PlanArguments& arguments) {
  command.add_option("suite", arguments.suite, "suite file (YAML)")->required()->type_name("SUITE");
  command.add_option("--filter", arguments.filters, "only cases whose name matches; `!` in front leaves out")
      ->type_name("WILDCARD");
  command.add_option("--tag", arguments.tags, "only cases with one of these tags");
  command.add_option("--module", arguments.modules, "load a plugin as well")->type_name("FILE");
  command.add_option(
      "--device", arguments.device,
      "cpu, cuda or cuda:N, of N as nvidia-smi counts; several, with commas, where the suite's "
      "`devices` allows it; default: every device the suite names");
  command.add_option("--processes", arguments.processes, "fresh worker processes a case")
      ->check(CLI::Range(1, 10000));
  command.add_option("--placements", arguments.placements, "allocations a process")
      ->check(CLI::Range(1, 10000));
  command.add_option("--samples", arguments.samples, "samples a placement")->check(CLI::Range(1, 10000000));
  command.add_option("--seed", arguments.seed, "of the random inputs");
}

Checked<Prepared> prepare(const PlanArguments& arguments, const Meanwhile& meanwhile) {
  const auto refused = [](const Error& error) {
    return tl::unexpected<std::vector<Error>>(std::vector<Error>{error});
  };
  const Checked<Suite> suite = load_suite(arguments.suite);
  if (!suite) return tl::unexpected<std::vector<Error>>(suite.error());
  Catalog catalog = Catalog::built_in();
  Prepared prepared;
  prepared.ending = meanwhile.ending;
  std::vector<std::string> modules;
  if (const Status loaded = load_modules(catalog, *suite, arguments, modules); !loaded)
    return refused(loaded.error());
  if (const Status found = choose_devices(
          {arguments.device, names_cuda(*suite, catalog), suite->any_of_class}, meanwhile, prepared);
      !found)
    return refused(found.error());
  const Result<Overrides> overrides = overrides_from(arguments);
  if (!overrides) return refused(overrides.error());
  // Without a GPU to ask, the one that this build is for.
  const auto counters = [&](const std::vector<std::string>& names) {
    const std::string& chip = prepared.counter_chip;
    return plan_counters(chip.empty() ? counter_chip(cuda_architectures()) : chip, names);
  };
  Checked<Plan> plan =
      make_plan(*suite, catalog,
                {prepared.unavailable_devices, arguments.filters, arguments.tags, *overrides, counters});
  if (!plan) return tl::unexpected<std::vector<Error>>(plan.error());
  prepared.plan = std::move(*plan);
  prepared.plan.modules = std::move(modules);
  return prepared;
}

}  // namespace harness
