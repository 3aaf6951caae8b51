#include "harness/device/open.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/cpu/cpu_device.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/scripted/scripted_device.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view scripted_prefix = "scripted:";
using OpenCuda = Device* (*)(int ordinal, Error* error);
using PlanCounters = void (*)(const std::string* chip, const std::vector<std::string>* names,
                              CounterPlan* plan);

fs::path cuda_module_path() {
  if (fs::path chosen = environment::cuda_module(); !chosen.empty()) return chosen;
  return this_program().parent_path() / ".." / "lib" / "libharness_cuda.so";
}

bool has_cuda_module() {
  std::error_code code;
  return fs::is_regular_file(cuda_module_path(), code);
}

Result<OpenedDevice> open_cuda(int ordinal) {
  // Held from here on, or the look for it below would unload what is loaded again a moment later.
  [[maybe_unused]] static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (std::string obstacle = cuda_obstacle(); !obstacle.empty())
    return fail(ErrorKind::environment, std::move(obstacle));
  // cuda:N is then the GPU that nvidia-smi and NVML number so, not the N-th by speed. The user's word counts.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  const Location where{cuda_module_path().lexically_normal().string()};
  // Never closed: its kernels and the driver's threads live as long as the process.
  void* library = dlopen(where.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(ErrorKind::environment, where, fmt::format("the CUDA module cannot be loaded: {}", dlerror()),
                "put the CUDA libraries of the toolkit that built it on LD_LIBRARY_PATH");
  const auto entry = reinterpret_cast<sdk::ModuleFunction>(dlsym(library, sdk::module_symbol));
  const auto open = reinterpret_cast<OpenCuda>(dlsym(library, "harness_open_cuda"));
  if (entry == nullptr || open == nullptr)
    return fail(ErrorKind::environment, where, "is not a CUDA module of this harness",
                "rebuild it, or unset HARNESS_CUDA_MODULE");
  Error error;
  std::unique_ptr<Device> device(open(ordinal, &error));
  if (!device) return fail(std::move(error));
  return OpenedDevice{std::move(device), entry()};
}

}  // namespace

Result<OpenedDevice> open_device(std::string_view name) {
  if (name == "cpu") return OpenedDevice{std::make_unique<CpuDevice>(), nullptr};
  if (name.starts_with(scripted_prefix)) {
    auto scripted = ScriptedDevice::load(std::string(name.substr(scripted_prefix.size())));
    if (!scripted) return fail(scripted.error());
    return OpenedDevice{std::move(*scripted), nullptr};
  }
  if (const std::optional<int> ordinal = cuda_ordinal(name)) return open_cuda(*ordinal);
  const std::vector<std::string> known{"cpu", "cuda", "cuda:0", "cuda:1"};
  return fail(ErrorKind::usage, fmt::format("unknown device `{}`", printable(name)), suggestion(name, known));
}

std::string cuda_obstacle() {
  if (!has_cuda_module()) return "this build has no CUDA module (configured without a CUDA toolkit)";
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return "no NVIDIA driver on this machine (libcuda.so.1 not found)";
  dlclose(driver);
  return {};
}

std::string cuda_architectures() {
  if (!has_cuda_module()) return {};
  void* library = dlopen(cuda_module_path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {};
  const auto* text = static_cast<const char*>(dlsym(library, "harness_cuda_architectures"));
  return text == nullptr ? "" : text;  // left loaded: CUDA libraries do not like to be unloaded
}

CounterPlan plan_counters(const std::string& chip, const std::vector<std::string>& names) {
  CounterPlan plan;
  plan.chip = chip;
  const auto given_up = [&](std::string why) {
    plan.unchecked = std::move(why);
    return plan;
  };
  if (chip.empty()) return given_up("the chip is not known here");
  if (!has_cuda_module()) return given_up("this build has no CUDA module");
  void* library = dlopen(cuda_module_path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return given_up(fmt::format("the CUDA module cannot be loaded: {}", dlerror()));
  const auto ask = reinterpret_cast<PlanCounters>(dlsym(library, "harness_cuda_plan_counters"));
  if (ask == nullptr) return given_up("the CUDA module is of another build");
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
