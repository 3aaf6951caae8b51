#include "harness/cli/measuring/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/base/text.h"
#include "harness/catalog/catalog.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/device/open.h"
#include "harness/measure/worker/probe.h"
#include "harness/model/device_kinds.h"
#include "harness/store/tuned_file.h"
#include "harness/suite/make_plan.h"

namespace harness {
namespace {

bool names_cuda(const Suite& suite, const Catalog& catalog) {
  for (const CaseGroup& group : suite.groups)
    for (const At<std::string>& name : group.variants) {
      const sdk::Variant* variant = catalog.variant(group.workload.value, name.value);
      if (variant != nullptr && is_gpu_kind(variant->device)) return true;
    }
  return std::any_of(suite.programs.begin(), suite.programs.end(),
                     [](const ProgramCase& one) { return is_gpu_kind(one.device); });
}

Status load_modules(Catalog& catalog, const Suite& suite, const SuiteOptions& options,
                    std::vector<std::string>& loaded) {
  const std::filesystem::path folder = std::filesystem::path(options.suite).parent_path();
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
  for (const std::string& module : options.modules.files) {
    const std::string path = std::filesystem::absolute(module).lexically_normal().string();
    if (Status status = catalog.load_module(path); !status) return status;
    loaded.push_back(path);
  }
  return {};
}

// The sampling of a case in a quick run.
constexpr int quick_samples = 10;
constexpr Seconds quick_time = 0.2;

Overrides overrides_from(const SuiteOptions& options) {
  Overrides overrides;
  if (options.quick) {
    overrides.sampling.set(&Sampling::processes, 1);
    overrides.sampling.set(&Sampling::placements, 1);
    overrides.sampling.set(&Sampling::samples, quick_samples);
    overrides.sampling.set(&Sampling::width, 0);
    overrides.sampling.set(&Sampling::min_samples, 1);
    overrides.sampling.set(&Sampling::max_time, quick_time);
    overrides.sampling.set(&Sampling::preheat, Sampling{}.preheat);
    overrides.sampling.set(&Sampling::preheat_most, Sampling{}.preheat);
  }
  if (options.processes) overrides.sampling.set(&Sampling::processes, *options.processes);
  if (options.placements) overrides.sampling.set(&Sampling::placements, *options.placements);
  if (options.seed) overrides.sampling.set(&Sampling::seed, *options.seed);
  if (options.samples) {
    overrides.sampling.set(&Sampling::samples, *options.samples);
    overrides.sampling.set(&Sampling::width, 0);
    overrides.sampling.set(&Sampling::min_samples, std::min(*options.samples, Sampling{}.min_samples));
  }
  return overrides;
}

// Several devices take a suite that measures on several, by turns or at once.
Status check_count(const DeviceOption& device, const Suite& suite, const Plan& plan) {
  if (device.names.size() < 2 || suite.any_of_class) return {};
  if (std::any_of(plan.cases.begin(), plan.cases.end(), [](const PlannedCase& one) { return one.gpus > 1; }))
    return {};
  return fail(ErrorKind::usage,
              fmt::format("--device: this suite measures on one device, not on {}", device.names.size()),
              "`devices: any-of-class` in the suite lets processes take turns on several of one class");
}

bool is_tuned(const Points& points) {
  return !points.tune.empty();
}

bool is_tuned(const CaseGroup& group) {
  return is_tuned(group.points) || std::any_of(group.per_device.begin(), group.per_device.end(),
                                               [](const auto& own) { return is_tuned(own.second); });
}

// The pinned values of the classes of all devices at hand, by kind. Devices that nobody asked yet are asked.
Result<std::map<std::string, TunedSuite>> pinned_values(const Suite& suite, ChosenDevices& chosen) {
  std::map<std::string, TunedSuite> tuned;
  if (std::none_of(suite.groups.begin(), suite.groups.end(),
                   [](const CaseGroup& group) { return is_tuned(group); }))
    return tuned;
  for (const auto& [kind, device] : chosen.devices) {
    std::string& machine_class = chosen.classes[kind];
    if (machine_class.empty()) {
      const auto probe = probe_device(device);
      if (!probe) return fail(probe.error());
      machine_class = probe->machine.machine_class;
    }
    Result<TunedSuite> read = read_tuned(tuned_folder, machine_class, suite.identity.name);
    if (!read) return fail(read.error());
    tuned[kind] = std::move(*read);
  }
  return tuned;
}

bool is_scripted(const ChosenDevices& chosen) {
  return std::any_of(chosen.devices.begin(), chosen.devices.end(),
                     [](const auto& device) { return is_scripted_device(device.second); });
}

}  // namespace

Checked<Prepared> prepare(const SuiteOptions& options, const WorkBesideProbe& beside) {
  const Checked<Suite> suite = load_repository_suite(options.suite);
  if (!suite) return tl::unexpected<std::vector<Error>>(suite.error());
  return prepare(*suite, options, beside);
}

Checked<Prepared> prepare(const Suite& suite, const SuiteOptions& options, const WorkBesideProbe& beside) {
  Catalog catalog = Catalog::built_in();
  std::vector<std::string> modules;
  if (const Status loaded = load_modules(catalog, suite, options, modules); !loaded)
    return fail_checked(loaded.error());
  Result<ChosenDevices> chosen =
      choose_devices({options.device, names_cuda(suite, catalog), suite.any_of_class}, beside);
  if (!chosen) return fail_checked(chosen.error());
  // Without a GPU to ask, the one that this build is for.
  const auto counters = [&](const std::vector<std::string>& names) {
    const std::string& chip = chosen->counter_chip;
    return plan_counters(chip.empty() ? counter_chip(cuda_architectures()) : chip, names);
  };
  std::vector<UnmatchedWish> unmatched;
  PlanOptions wishes{.unavailable_devices = chosen->unavailable_devices,
                     .gpus = chosen->gpus,
                     .filters = options.filter.patterns,
                     .tags = options.tags,
                     .unmatched = options.of_several ? &unmatched : nullptr,
                     .axes = options.axes,
                     .overrides = overrides_from(options),
                     .scripted = is_scripted(*chosen),
                     .arms = options.arms};
  wishes.plan_counters = counters;
  if (!options.arms) {
    auto tuned = pinned_values(suite, *chosen);
    if (!tuned) return fail_checked(tuned.error());
    wishes.tuned = std::move(*tuned);
  }
  Checked<Plan> plan = make_plan(suite, catalog, wishes);
  if (!plan) return tl::unexpected<std::vector<Error>>(plan.error());
  if (Status fits = check_count(options.device, suite, *plan); !fits) return fail_checked(fits.error());
  plan->modules = std::move(modules);
  Prepared prepared{std::move(*chosen), std::move(*plan), {}, beside.ending};
  prepared.unmatched = std::move(unmatched);
  return prepared;
}

bool is_partial(const Prepared& prepared, const SuiteOptions& options) {
  return options.selects() ||
         std::any_of(prepared.plan.cases.begin(), prepared.plan.cases.end(), [&](const PlannedCase& planned) {
           return prepared.left_out_devices.contains(planned.device);
         });
}

}  // namespace harness
