// The part of an examination that concerns a GPU, its driver and profilers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "harness/base/text.h"
#include "harness/doctor/examine_parts.h"

namespace harness {
namespace {

constexpr double near_slowdown = 5;  // kelvin below the temperature at which the GPU slows down
constexpr double hot = 80;           // degrees, where that temperature is not told: an idle GPU is cooler
constexpr unsigned mode_prohibited = 2, mode_exclusive = 3;  // nvmlComputeMode_t

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

std::string field(const MachineFacts& facts, std::string_view name) {
  if (!facts.machine) return {};
  for (const MachineField& one : facts.machine->fields)
    if (one.name == name) return one.value;
  return {};
}

std::string told(const std::string& value) {
  return value.empty() ? "not told" : value;
}

// 130001 -> "13.0 update 1".
std::string cupti_text(const std::string& number) {
  int version = 0;
  std::from_chars(number.data(), number.data() + number.size(), version);
  if (version < 100'000) return number;  // CUDA 12 and before counted otherwise
  const int update = version % 100;
  return fmt::format("{}.{}{}", version / 10'000, version / 100 % 100,
                     update == 0 ? "" : fmt::format(" update {}", update));
}

void examine_driver(const MachineFacts& facts, Observations& out) {
  const std::string version = facts.gpus.driver.empty() ? facts.driver.version : facts.gpus.driver;
  const bool there = !version.empty() || facts.machine;
  out.add("driver",
          there ? told(version) + (!facts.driver.loaded       ? ""
                                   : facts.driver.open_module ? ", open kernel module"
                                                              : ", proprietary kernel module")
                : "none",
          there ? Fitness::ok : Fitness::unfit,
          "install the NVIDIA driver; in a container, start it with the GPU (--gpus all)");
  out.add("nvml",
          facts.gpus.started   ? "answers"
          : facts.gpus.library ? "does not start"
                               : "not found",
          facts.gpus.started ? Fitness::ok : Fitness::warn,
          "clocks, power, temperature and other processes cannot be watched: make the driver's "
          "libnvidia-ml.so.1 available (in a container, the `utility` capability)");
  if (!facts.gpus.cuda_driver.empty()) out.add("cuda driver", facts.gpus.cuda_driver);
  if (facts.machine) {
    out.add("cuda runtime", told(field(facts, "cuda_runtime")));
    out.add("nvcc", told(field(facts, "nvcc")));
    out.add("architectures", told(field(facts, "architectures")));
  }
  if (!facts.libraries.toolkit.empty()) out.add("toolkit", facts.libraries.toolkit);
  const std::string cublas = facts.machine ? field(facts, "cublas") : facts.libraries.cublas;
  out.add("cublas", cublas.empty() ? "not found" : cublas, cublas.empty() ? Fitness::warn : Fitness::ok,
          "variants that use it cannot run: put the toolkit's libraries on LD_LIBRARY_PATH");
}

std::string megahertz(std::optional<double> clock) {
  return clock ? fmt::format("{:.0f} MHz", *clock) : "not told";
}

void examine_clocks(const GpuState& gpu, Observations& out) {
  out.add("sm clock",
          fmt::format("{} now, {} at most", megahertz(gpu.sm_clock_mhz), megahertz(gpu.max_sm_clock_mhz)));
  out.add("memory clock", fmt::format("{} now, {} at most", megahertz(gpu.memory_clock_mhz),
                                      megahertz(gpu.max_memory_clock_mhz)));
  if (gpu.application_sm_clock_mhz) {
    const bool usual = !gpu.default_application_sm_clock_mhz ||
                       gpu.application_sm_clock_mhz == gpu.default_application_sm_clock_mhz;
    out.add(
        "application clock",
        megahertz(gpu.application_sm_clock_mhz) +
            (usual ? "" : fmt::format(", not the usual {}", megahertz(gpu.default_application_sm_clock_mhz))),
        usual ? Fitness::ok : Fitness::warn, "somebody set it: nvidia-smi -rac brings the usual one back");
  }
  if (gpu.reasons.empty()) return out.add("clock events", "none");
  for (const std::string& reason : gpu.reasons) {
    const bool harmless =
        reason == "clock_setting" || reason == "sync_boost" || reason == "display" || reason == "power_cap";
    out.add(
        "clock events", "held down by " + reason_in_words(reason), harmless ? Fitness::warn : Fitness::unfit,
        reason == "clock_setting" ? "somebody set or locked a clock: nvidia-smi -rac and -rgc undo it"
        : harmless ? "measure when it is gone: a GPU at rest has no reason for a low clock but being idle"
                   : "the GPU protects itself: let it cool, look at its fans, power supply and neighbours");
  }
}

void examine_lock(const MachineFacts& facts, Observations& out) {
  for (const ClockLockFound& lock : facts.clock_locks) {
    if (lock.note.gpu != facts.gpu->uuid) continue;
    const std::string what = described(lock.note);
    if (lock.held) return out.add("clock lock", what + ", and measures");
    return out.add("clock lock", what + " and left it behind", Fitness::unfit,
                   "undo it: harness doctor --unlock-clocks");
  }
  out.add("clock lock", "none of harness's");
}

void examine_power(const GpuState& gpu, Observations& out) {
  if (gpu.power_w) out.add("power", fmt::format("{:.0f} W", *gpu.power_w));
  if (gpu.power_limit_w) {
    const bool lowered = gpu.default_power_limit_w && *gpu.power_limit_w < *gpu.default_power_limit_w;
    out.add("power limit",
            fmt::format("{:.0f} W", *gpu.power_limit_w) +
                (lowered ? fmt::format(", lowered from {:.0f} W", *gpu.default_power_limit_w) : ""),
            lowered ? Fitness::warn : Fitness::ok,
            fmt::format("results compare only with others at this limit: nvidia-smi -pl {:.0f}",
                        gpu.default_power_limit_w.value_or(0)));
  }
  if (!gpu.temperature_c) return;
  const double slow = gpu.slowdown_temperature_c.value_or(hot + near_slowdown);
  out.add("temperature",
          fmt::format(
              "{:.0f} C, slows down at {}", *gpu.temperature_c,
              gpu.slowdown_temperature_c ? fmt::format("{:.0f} C", slow) : "a temperature that is not told"),
          *gpu.temperature_c >= slow - near_slowdown ? Fitness::unfit : Fitness::ok,
          "let it cool, and look at its fans and neighbours: it is about to slow down");
}

void examine_modes(const GpuState& gpu, Observations& out) {
  if (gpu.ecc) {
    const bool changes = gpu.ecc_pending && *gpu.ecc_pending != *gpu.ecc;
    out.add(
        "ecc",
        on_or_off(*gpu.ecc) + (changes ? fmt::format(", {} after a reset", on_or_off(*gpu.ecc_pending)) : ""),
        changes || !*gpu.ecc ? Fitness::warn : Fitness::ok,
        changes ? "results before and after the reset do not compare: reset the GPU now, or set it back "
                  "with nvidia-smi -e"
                : "results compare only with others without ECC: nvidia-smi -e 1, then reset the GPU");
  }
  if (gpu.mig)
    out.add("mig", on_or_off(*gpu.mig), *gpu.mig ? Fitness::warn : Fitness::ok,
            "slices share clocks and power with their neighbours: nvidia-smi -mig 0 for a whole GPU");
  if (gpu.persistence)
    out.add("persistence", on_or_off(*gpu.persistence), *gpu.persistence ? Fitness::ok : Fitness::warn,
            "the driver unloads between processes, which costs time and forgets settings: nvidia-smi -pm 1");
  if (!gpu.compute_mode) return;
  constexpr std::array<const char*, 4> names{"default", "exclusive thread", "prohibited",
                                             "exclusive process"};
  const bool known = *gpu.compute_mode < names.size();
  out.add("compute mode", known ? names.at(*gpu.compute_mode) : std::to_string(*gpu.compute_mode),
          *gpu.compute_mode == mode_prohibited  ? Fitness::unfit
          : *gpu.compute_mode == mode_exclusive ? Fitness::warn
                                                : Fitness::ok,
          *gpu.compute_mode == mode_prohibited
              ? "no process may use this GPU: nvidia-smi -c 0"
              : "a run fails while any other process has the GPU: nvidia-smi -c 0");
}

void examine_processes(const GpuState& gpu, Observations& out) {
  if (gpu.processes.empty()) return out.add("other processes", "none");
  for (const GpuProcess& process : gpu.processes)
    out.add(
        "other processes",
        fmt::format("process {}, {}, {}", process.pid,
                    process.name.empty() ? "of which this process sees no name" : process.name,
                    process.bytes ? fmt::format("{} MiB", *process.bytes >> 20) : "memory not told"),
        Fitness::unfit,
        fmt::format("it shares the GPU with what is measured: wait for it, or end process {}", process.pid));
}

void examine_gpu(const MachineFacts& facts, Observations& out) {
  if (!facts.gpu)
    return out.add("gpu", facts.machine ? facts.machine->device_uuid : "none found",
                   facts.machine ? Fitness::warn : Fitness::unfit,
                   facts.machine ? "NVML does not know it, so that its state cannot be watched"
                                 : "check nvidia-smi and CUDA_VISIBLE_DEVICES");
  const GpuState& gpu = *facts.gpu;
  out.add("gpu", told(gpu.name));
  out.add("uuid", told(gpu.uuid));
  out.add("pci bus", told(gpu.pci_bus));
  if (gpu.vbios) out.add("vbios", *gpu.vbios);
  examine_clocks(gpu, out);
  examine_lock(facts, out);
  examine_power(gpu, out);
  examine_modes(gpu, out);
  examine_processes(gpu, out);
  const std::string gate = field(facts, "gate");
  if (!gate.empty())
    out.add(
        "gate", gate, gate.find("spin") != std::string::npos ? Fitness::warn : Fitness::ok,
        "a spinning thread occupies an SM while work is queued: see that HARNESS_CUDA_GATE is not set, and "
        "that the driver supports stream memory operations");
}

void examine_profilers(const MachineFacts& facts, Observations& out) {
  const CudaLibraries& libraries = facts.libraries;
  const bool cupti = !libraries.cupti.empty();
  out.add("cupti",
          cupti ? fmt::format("{} ({})", cupti_text(libraries.cupti), libraries.cupti_path) : "not found",
          cupti ? Fitness::ok : Fitness::warn,
          fmt::format("no kernel times and counters without it: put the toolkit's libcupti.so.13 on "
                      "LD_LIBRARY_PATH{}",
                      libraries.cupti_error.empty() ? "" : " (" + libraries.cupti_error + ")"));
  const std::string& holder = libraries.cupti_holder.empty() ? libraries.injected : libraries.cupti_holder;
  out.add("cupti holder", holder.empty() ? "none seen" : holder, holder.empty() ? Fitness::ok : Fitness::warn,
          libraries.cupti_holder.empty()
              ? "CUDA_INJECTION64_PATH loads it into every CUDA process, where it slows work down and keeps "
                "others from CUPTI: unset it"
              : "only one may use CUPTI at a time: end that tool, or leave kernel times out");
  const auto& restricted = facts.driver.counters_for_admins_only;
  const bool refused = restricted.value_or(false) && !facts.may_read_counters;
  out.add("counters",
          !restricted ? "not told who may read them"
          : *restricted
              ? fmt::format("for administrators only, which this process is{}", refused ? " not" : "")
              : "for everybody",
          refused ? Fitness::warn : Fitness::ok,
          "hardware counters will be null: run as root (CAP_PERFMON in a container), or load the driver with "
          "NVreg_RestrictProfilingToAdminUsers=0");
}

}  // namespace

std::string reason_in_words(const std::string& reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> words{
      {{"clock_setting", "a clock that was set by hand"},
       {"power_cap", "the power limit"},
       {"hardware_slowdown", "a slowdown in hardware (temperature or power)"},
       {"sync_boost", "another GPU that it is coupled with (sync boost)"},
       {"thermal", "its temperature"},
       {"hardware_thermal", "its temperature (a slowdown in hardware)"},
       {"power_brake", "the power brake of the server"},
       {"display", "a clock that a display needs"}}};
  for (const auto& [name, text] : words)
    if (name == reason) return std::string(text);
  return reason;
}

void examine_cuda(const MachineFacts& facts, std::vector<Observation>& to) {
  Observations driver("driver", to);
  examine_driver(facts, driver);
  Observations gpu("gpu", to);
  examine_gpu(facts, gpu);
  Observations profilers("profilers", to);
  examine_profilers(facts, profilers);
}

}  // namespace harness
