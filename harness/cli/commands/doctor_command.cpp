// `harness doctor`: whether this machine can measure, and what stands in the way.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/device/host/clock_lock.h"
#include "harness/device/open.h"
#include "harness/doctor/examine.h"
#include "harness/doctor/examine_gpu.h"
#include "harness/measure/schedule/ceiling_cache.h"
#include "harness/measure/schedule/device_lock.h"
#include "harness/measure/worker/probe.h"
#include "harness/model/device_kinds.h"
#include "harness/report/documents.h"
#include "harness/report/words/examination_words.h"
#include "harness/store/baselines.h"
#include "harness/store/store.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int exit_unfit = 1;

struct DoctorArguments {
  SuiteOptions plan;  // with a suite only
  StoreOption store;
  bool unlock = false;
  bool fresh = false;
  OutputOptions output;
};

StoreSpace space_of(const std::string& store) {
  const std::vector<std::string> files = store_files(store);
  if (files.empty()) return {};  // the disk of a server is not examined
  fs::path folder = fs::absolute(files.front()).parent_path();
  std::error_code code;
  while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  const fs::space_info space = fs::space(folder, code);
  if (code) return {folder.string(), std::nullopt};
  return {folder.string(), space.available};
}

// In another process, because a broken library can crash it.
CudaLibraries libraries() {
  const Result<Output> output = run_command({.argv = {this_program().string(), "probe-libraries"}});
  const auto found = decode_cuda_libraries(output ? output->out : "");
  if (found) return *found;
  CudaLibraries none;
  none.cupti_error = found.error().message;
  return none;
}

// Opens the device in a worker, where no run is measuring on it, with its ceilings.
void look_at_device(const DoctorArguments& arguments, const std::string& uuid, MachineFacts& facts) {
  std::optional<DeviceLock> lock;
  if (!is_scripted_device(facts.device)) {
    auto taken = DeviceLock::take({uuid, "harness doctor", 0.0, {}});
    if (!taken) {
      facts.in_use = taken.error().message;
      return;
    }
    lock.emplace(std::move(*taken));
  }
  if (arguments.fresh) {
    const auto known = probe_device(facts.device);
    if (known) CeilingCache(CeilingCache::usual_folder(), "").forget(known->machine.device_uuid);
  }
  const auto probe = probe_device(facts.device, {}, true);
  if (!probe) {
    facts.obstacle = {CauseCode::no_device, {{"device", facts.device}, {"why", probe.error().message}}};
    return;
  }
  facts.machine = probe->machine;
  for (const MachineField& field : probe->machine.fields)
    if (field.name == "ceilings_measured") facts.ceilings_measured = field.value;
}

// Checks only the store's name. The store is not opened.
Status check_kind_of_store(const std::string& url) {
  if (url.find("://") == std::string::npos || url.starts_with("sqlite:") || url.starts_with("postgres"))
    return {};
  if (const auto store = Store::open(url); !store) return fail(store.error());
  return {};
}

Result<MachineFacts> facts_of(const DoctorArguments& arguments) {
  MachineFacts facts;
  const fs::path root = environment::system_root();
  facts.host = read_host(root);
  facts.store = space_of(arguments.store.url);
  facts.clock_locks = find_clock_locks();
  facts.gpus = read_gpus();
  facts.driver = read_driver_parameters(root);
  const DeviceOption& wanted = arguments.plan.device;
  const bool has_gpu = !visible_gpus(facts.gpus).empty() || facts.driver.loaded;
  facts.device = wanted.given() ? wanted.names.front()
                 : has_gpu      ? gpu_device_name(0)
                                : std::string(cpu_kind.name);
  if (!is_gpu_device(facts.device)) {
    look_at_device(arguments, facts.device, facts);
    return facts;
  }
  const auto gpu = gpu_named(facts.gpus, facts.device);
  if (!gpu) return fail(gpu.error());
  if (*gpu != nullptr) facts.gpu = **gpu;
  facts.may_read_counters = may_read_counters(root);
  facts.libraries = libraries();
  facts.obstacle = cuda_obstacle();
  if (!facts.obstacle) look_at_device(arguments, facts.gpu ? facts.gpu->uuid : facts.device, facts);
  return facts;
}

// Tells how many cases of a suite could be measured here.
Checked<std::vector<Observation>> examine_suite(const SuiteOptions& options) {
  if (options.suite.empty()) return std::vector<Observation>{};
  const Checked<Prepared> prepared = prepare(options);
  if (!prepared) return tl::unexpected(prepared.error());
  std::vector<std::pair<Cause, std::size_t>> skipped;
  std::size_t measured = 0;
  for (const PlannedCase& one : prepared->plan.cases)
    if (!one.skip) {
      ++measured;
    } else {
      auto same = std::find_if(skipped.begin(), skipped.end(),
                               [&](const auto& known) { return known.first == *one.skip; });
      if (same == skipped.end()) same = skipped.insert(same, {*one.skip, 0});
      ++same->second;
    }
  std::vector<Observation> findings;
  findings.emplace_back(Check::cases, Figures{{"measured", measured}, {"of", prepared->plan.cases.size()}},
                        measured == 0 ? Fitness::unfit : Fitness::ok);
  for (const auto& [reason, count] : skipped) {
    Observation finding{Check::skipped, {{"cases", count}}, Fitness::warn};
    put_fact(finding.figures, "reason", reason);
    findings.push_back(std::move(finding));
  }
  for (const auto& [kind, choices] : prepared->side_by_side) {
    std::vector<std::string> names;
    for (const DeviceChoice& choice : choices) names.push_back(choice.name);
    findings.emplace_back(Check::devices, Figures{{"names", join(names, ", ")}});
  }
  return findings;
}

// All clock locks, or those of the GPU that --device names.
Result<std::vector<ClockLockFound>> clock_locks_of(const DeviceOption& option) {
  std::vector<ClockLockFound> locks = find_clock_locks();
  if (!option.given()) return locks;
  const std::string& device = option.names.front();
  const GpuHost host = read_gpus();
  const auto gpu = gpu_named(host, device);
  if (!gpu) return fail(gpu.error().kind, "--device: " + gpu.error().message, gpu.error().advice);
  if (*gpu == nullptr)
    return fail(ErrorKind::environment, fmt::format("NVML does not tell which GPU {} is", printable(device)),
                "leave --device out to undo the locks of all");
  std::erase_if(locks, [&](const ClockLockFound& lock) { return lock.note.gpu != (*gpu)->uuid; });
  return locks;
}

int unlock_clocks(const DeviceOption& device) {
  int status = exit_ok;
  const Result<std::vector<ClockLockFound>> found = clock_locks_of(device);
  if (!found) return report_error(found.error());
  const std::vector<ClockLockFound>& locks = *found;
  for (const ClockLockFound& lock : locks) {
    if (const Status undone = undo_clock_lock(lock.note.gpu); !undone)
      status = report_error(undone.error());
    else
      fmt::print("the SM clock of {} is free again: {}\n", printable(lock.note.gpu),
                 report::words(examine_clock_lock(lock)));
  }
  if (locks.empty())
    fmt::print("no clock lock by harness is known {}; `nvidia-smi -rgc` undoes locks by others\n",
               device.given() ? "of " + printable(device.text) : "here");
  return status;
}

int doctor(const DoctorArguments& arguments) {
  const std::vector<std::string> read =
      arguments.plan.suite.empty() ? std::vector<std::string>{} : plan_files(arguments.plan);
  if (const Status checked = check_outputs(arguments.output, {"", read}); !checked)
    return report_error(checked.error());
  if (arguments.unlock) return unlock_clocks(arguments.plan.device);
  if (arguments.plan.device.names.size() > 1)
    return report_error(
        {ErrorKind::usage, "--device: the doctor looks at one device", {}, "name one of them"});
  if (const Status checked = check_kind_of_store(arguments.store.url); !checked)
    return report_error(checked.error());
  const Result<MachineFacts> facts = facts_of(arguments);
  if (!facts) return report_error(facts.error());
  Examination examination = examine(*facts);
  const Checked<std::vector<Observation>> suite = examine_suite(arguments.plan);
  if (!suite) return report_errors(suite.error());
  examination.findings.insert(examination.findings.end(), suite->begin(), suite->end());
  const int status = fitness_of(examination) == Fitness::unfit ? exit_unfit : exit_ok;
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::doctor_document(examination), format, style);
      },
      status);
}

// A suite is named by its file, or by its name where its file lies in suites/.
Result<std::string> file_of_suite(const std::string& text) {
  const std::string file = fmt::format("suites/{}.yaml", text);
  std::error_code code;
  return !std::filesystem::exists(text, code) && std::filesystem::exists(file, code) ? file : text;
}

}  // namespace

void add_doctor(Commands& commands) {
  auto& [command, arguments] =
      commands.add("doctor", "Check whether this machine can measure, and what prevents it", doctor);
  arguments.plan.device.add_to(command)->description(
      "cpu, cuda or cuda:N; default: the first GPU, or the CPU where there is none");
  add_typed(command, "--suite", arguments.plan.suite, file_of_suite,
            "also check which cases of this suite can be measured here")
      ->type_name("NAME|FILE");
  arguments.store.add_to(command);
  command.add_flag("--fresh", arguments.fresh, "measure the ceilings again instead of using stored ones");
  command.add_flag(
      "--unlock-clocks", arguments.unlock,
      "only undo clock locks that a killed run left behind, on all GPUs or on that of --device; needs the "
      "same rights as locking");
  arguments.output.add_to(command);
  command.footer("Exit status: 0 fit (perhaps with warnings), 1 unfit, 2 usage.");
  add_examples(command, {"harness doctor", "harness doctor --suite suite.yaml --format json"});
}

}  // namespace harness
