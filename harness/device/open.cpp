#include "harness/device/open.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/cpu/cpu_device.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/scripted/scripted_device.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace fs = std::filesystem;

fs::path cuda_module_path() {
  if (fs::path chosen = environment::cuda_module(); !chosen.empty()) return chosen;
  return this_program().parent_path() / ".." / "lib" / "libharness_cuda.so";
}

namespace {

using OpenGpu = Device* (*)(const std::vector<int>* ordinals, bool profiled_from_outside, Error* error);
using PlanCounters = void (*)(const std::string* chip, const std::vector<std::string>* names,
                              CounterPlan* plan);

bool has_cuda_module() {
  std::error_code code;
  return fs::is_regular_file(cuda_module_path(), code);
}

tl::unexpected<Error> unknown_device(std::string_view name) {
  return fail(ErrorKind::usage, fmt::format("unknown device `{}`", printable(name)),
              suggestion(name, usual_device_names()));
}

Result<OpenedDevice> open_cpu(std::string_view name, const OpenOptions& /*options*/) {
  if (name != cpu_kind.name) return unknown_device(name);
  return OpenedDevice{std::make_unique<CpuDevice>(), nullptr};
}

Result<OpenedDevice> open_script(std::string_view name, const OpenOptions& /*options*/) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return unknown_device(name);
  auto scripted = ScriptedDevice::load(std::string(name.substr(colon + 1)));
  if (!scripted) return fail(scripted.error());
  return OpenedDevice{std::move(*scripted), nullptr};
}

// Before CUDA starts. `ordinals` become those of the GPUs that are left.
void hide_others(std::vector<int>& ordinals) {
  const auto shown = showing_only(ordinals, environment::cuda_visible_devices());
  if (!shown) return;  // opening fails and tells what is visible
  setenv("CUDA_VISIBLE_DEVICES", shown->c_str(), 1);
  std::iota(ordinals.begin(), ordinals.end(), 0);
}

Result<OpenedDevice> open_cuda(std::string_view name, const OpenOptions& options) {
  std::vector<int> ordinals;
  std::vector<std::string> names{std::string(name)};
  names.insert(names.end(), options.peers.begin(), options.peers.end());
  for (const std::string& one : names) {
    const std::optional<int> ordinal = cuda_ordinal(one);
    if (!ordinal) return unknown_device(one);
    ordinals.push_back(*ordinal);
  }
  // Held from here on: cuda_obstacle() would otherwise unload the driver, which is loaded again a moment
  // later.
  [[maybe_unused]] static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (const auto obstacle = cuda_obstacle())
    return fail(ErrorKind::environment, fmt::format("CUDA cannot be used: {}", name_of(obstacle->code)),
                "`harness doctor` tells what is missing");
  // Number N is then the GPU that nvidia-smi and NVML call N, not the N-th by speed. The user's own value
  // wins.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  if (options.hides_others) hide_others(ordinals);
  const Location where{cuda_module_path().lexically_normal().string()};
  // Never closed: its kernels and the driver's threads live as long as the process.
  void* library = dlopen(where.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(ErrorKind::environment, where, fmt::format("the CUDA module cannot be loaded: {}", dlerror()),
                "put the CUDA libraries of the toolkit that built it on LD_LIBRARY_PATH");
  const auto entry = reinterpret_cast<sdk::ModuleFunction>(dlsym(library, sdk::module_symbol));
  const auto open = reinterpret_cast<OpenGpu>(dlsym(library, "harness_cuda_open"));
  if (entry == nullptr || open == nullptr)
    return fail(ErrorKind::environment, where, "is not a CUDA module of this harness",
                "rebuild it, or unset HARNESS_CUDA_MODULE");
  Error error;
  std::unique_ptr<Device> device(open(&ordinals, options.profiled_from_outside, &error));
  if (!device) return fail(std::move(error));
  return OpenedDevice{std::move(device), entry()};
}

// How each kind of device is opened: by a name that begins with the kind's.
struct Opener {
  std::string_view kind;
  Result<OpenedDevice> (*open)(std::string_view name, const OpenOptions& options);
};
constexpr std::array openers{Opener{cpu_kind.name, open_cpu}, Opener{cuda_kind.name, open_cuda},
                             Opener{scripted_device, open_script}};

}  // namespace

Result<OpenedDevice> open_device(std::string_view name, const OpenOptions& options) {
  const std::string_view kind = name.substr(0, name.find(':'));
  for (const Opener& opener : openers)
    if (opener.kind == kind) return opener.open(name, options);
  return unknown_device(name);
}

std::vector<std::string> usual_device_names() {
  std::vector<std::string> names;
  for (const DeviceKind& kind : device_kinds) {
    names.emplace_back(kind.name);
    if (!kind.is_gpu) continue;
    for (const int ordinal : {0, 1}) names.push_back(fmt::format("{}:{}", kind.name, ordinal));
  }
  return names;
}

std::optional<Cause> cuda_obstacle() {
  if (!has_cuda_module()) return Cause{CauseCode::no_cuda_module};
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return Cause{CauseCode::no_driver};
  dlclose(driver);
  return std::nullopt;
}

std::string cuda_architectures() {
  if (!has_cuda_module()) return {};
  void* library = dlopen(cuda_module_path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto* text = static_cast<const char*>(dlsym(library, "harness_cuda_architectures"));
  return text == nullptr ? "" : text;  // left loaded: some CUDA libraries cannot be unloaded
}

CounterPlan plan_counters(const std::string& chip, const std::vector<std::string>& names) {
  CounterPlan plan;
  const auto given_up = [&](CounterFact why) {
    plan.outcome = std::move(why);
    return plan;
  };
  if (chip.empty()) return given_up({CounterCode::unknown_chip});
  if (!has_cuda_module()) return given_up({CounterCode::no_module});
  void* library = dlopen(cuda_module_path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return given_up({CounterCode::unloadable_module, {{"problem", dlerror()}}});
  const auto ask = reinterpret_cast<PlanCounters>(dlsym(library, "harness_cuda_plan_counters"));
  if (ask == nullptr) return given_up({CounterCode::other_module});
  ask(&chip, &names, &plan);
  return plan;
}

std::string counter_chip(std::string_view capability) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> chips{{{"70", "GV100"},
                                                                                        {"72", "GV11B"},
                                                                                        {"75", "TU102"},
                                                                                        {"80", "GA100"},
                                                                                        {"86", "GA102"},
                                                                                        {"87", "GA10B"},
                                                                                        {"89", "AD102"},
                                                                                        {"90", "GH100"},
                                                                                        {"100", "GB100"},
                                                                                        {"120", "GB202"}}};
  std::string digits;
  for (const char c : capability) {
    if (c == '.') continue;
    if (c < '0' || c > '9') break;
    digits += c;
  }
  const auto found =
      std::find_if(chips.begin(), chips.end(), [&](const auto& one) { return one.first == digits; });
  return found == chips.end() ? "" : std::string(found->second);
}

}  // namespace harness
