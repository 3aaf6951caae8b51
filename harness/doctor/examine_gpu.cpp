#include "harness/doctor/examine_gpu.h"

#include <algorithm>
#include <string>
#include <utility>

#include "harness/device/gate_kind.h"
#include "harness/doctor/limits.h"
#include "harness/model/clock_reason.h"

namespace harness {
namespace {

constexpr double near_slowdown = 5;  // kelvin below the temperature at which the GPU slows down
constexpr double hot = 80;           // degrees, where that temperature is unknown: an idle GPU is cooler
constexpr unsigned mode_prohibited = 2, mode_exclusive = 3;  // nvmlComputeMode_t

class Findings {
 public:
  void add(Check check, Figures figures, Fitness fitness = Fitness::ok) {
    found_.emplace_back(check, std::move(figures), fitness);
  }
  void add(Observation finding) { found_.push_back(std::move(finding)); }
  std::vector<Observation> take() { return std::move(found_); }

 private:
  std::vector<Observation> found_;
};

// Figures of which some may be unknown; those are left out.
template <class T>
void put(Figures& figures, const char* name, const std::optional<T>& value) {
  if (value) figures.emplace_back(name, *value);
}

std::string field(const MachineFacts& facts, std::string_view name) {
  if (!facts.machine) return {};
  for (const MachineField& one : facts.machine->fields)
    if (one.name == name) return one.value;
  return {};
}

void examine_driver(const MachineFacts& facts, Findings& out) {
  const std::string version = facts.gpus.driver.empty() ? facts.driver.version : facts.gpus.driver;
  if (version.empty() && !facts.machine)
    out.add(Check::driver, {}, Fitness::unfit);
  else
    out.add(
        Check::driver,
        {{"version", version}, {"loaded", facts.driver.loaded}, {"open_module", facts.driver.open_module}});
  out.add(Check::nvml, {{"library", facts.gpus.library}, {"started", facts.gpus.started}},
          warn_if(!facts.gpus.started));
  if (!facts.gpus.cuda_driver.empty()) out.add(Check::cuda_driver, {{"version", facts.gpus.cuda_driver}});
  if (facts.machine) {
    out.add(Check::cuda_runtime, {{"version", field(facts, "cuda_runtime")}});
    out.add(Check::nvcc, {{"version", field(facts, "nvcc")}});
    out.add(Check::architectures, {{"names", field(facts, "architectures")}});
  }
  if (!facts.libraries.toolkit.empty()) out.add(Check::toolkit, {{"version", facts.libraries.toolkit}});
  const std::string cublas = facts.machine ? field(facts, "cublas") : facts.libraries.cublas;
  out.add(Check::cublas, {{"version", cublas}}, warn_if(cublas.empty()));
}

// A GPU at rest has no reason for a low clock but being idle. The others protect it from damage.
Fitness fitness_of_reason(const std::string& name) {
  switch (parse_name<ClockReason>(name).value_or(ClockReason::thermal)) {
    case ClockReason::clock_setting:
    case ClockReason::sync_boost:
    case ClockReason::display:
    case ClockReason::power_cap: return Fitness::warn;
    default: return Fitness::unfit;
  }
}

void examine_clocks(const GpuState& gpu, Findings& out) {
  Figures sm, memory;
  put(sm, "now_mhz", gpu.sm_clock_mhz);
  put(sm, "highest_mhz", gpu.max_sm_clock_mhz);
  out.add(Check::sm_clock, std::move(sm));
  put(memory, "now_mhz", gpu.memory_clock_mhz);
  put(memory, "highest_mhz", gpu.max_memory_clock_mhz);
  out.add(Check::memory_clock, std::move(memory));
  if (gpu.application_sm_clock_mhz) {
    const bool usual = !gpu.default_application_sm_clock_mhz ||
                       gpu.application_sm_clock_mhz == gpu.default_application_sm_clock_mhz;
    Figures figures{{"mhz", *gpu.application_sm_clock_mhz}};
    if (!usual) put(figures, "usual_mhz", gpu.default_application_sm_clock_mhz);
    out.add(Check::application_clock, std::move(figures), warn_if(!usual));
  }
  if (gpu.reasons.empty()) out.add(Check::clock_events, {});
  for (const std::string& reason : gpu.reasons)
    out.add(Check::clock_events, {{"reason", reason}}, fitness_of_reason(reason));
}

void examine_lock(const MachineFacts& facts, Findings& out) {
  const auto lock = std::find_if(facts.clock_locks.begin(), facts.clock_locks.end(),
                                 [&](const ClockLockFound& one) { return one.note.gpu == facts.gpu->uuid; });
  if (lock == facts.clock_locks.end()) return out.add(Check::clock_lock, {});
  out.add(examine_clock_lock(*lock));
}

void examine_power(const GpuState& gpu, Findings& out) {
  if (gpu.power_w) out.add(Check::power, {{"watts", *gpu.power_w}});
  if (gpu.power_limit_w) {
    const bool lowered = gpu.default_power_limit_w && *gpu.power_limit_w < *gpu.default_power_limit_w;
    Figures figures{{"watts", *gpu.power_limit_w}};
    if (lowered) put(figures, "usual_watts", gpu.default_power_limit_w);
    out.add(Check::power_limit, std::move(figures), warn_if(lowered));
  }
  if (!gpu.temperature_c) return;
  const double slow = gpu.slowdown_temperature_c.value_or(hot + near_slowdown);
  Figures figures{{"celsius", *gpu.temperature_c}};
  put(figures, "slowdown_celsius", gpu.slowdown_temperature_c);
  out.add(Check::temperature, std::move(figures),
          *gpu.temperature_c >= slow - near_slowdown ? Fitness::unfit : Fitness::ok);
}

void examine_modes(const GpuState& gpu, Findings& out) {
  if (gpu.ecc) {
    const bool changes = gpu.ecc_pending && *gpu.ecc_pending != *gpu.ecc;
    Figures figures{{"on", *gpu.ecc}};
    if (changes) put(figures, "on_after_reset", gpu.ecc_pending);
    out.add(Check::ecc, std::move(figures), warn_if(changes || !*gpu.ecc));
  }
  if (gpu.mig) out.add(Check::mig, {{"on", *gpu.mig}}, warn_if(*gpu.mig));
  if (gpu.persistence) out.add(Check::persistence, {{"on", *gpu.persistence}}, warn_if(!*gpu.persistence));
  if (!gpu.compute_mode) return;
  out.add(
      Check::compute_mode, {{"mode", *gpu.compute_mode}},
      *gpu.compute_mode == mode_prohibited ? Fitness::unfit : warn_if(*gpu.compute_mode == mode_exclusive));
}

void examine_processes(const GpuState& gpu, Findings& out) {
  if (gpu.processes.empty()) out.add(Check::other_processes, {});
  for (const GpuProcess& process : gpu.processes) {
    Figures figures{{"process", process.pid}, {"name", process.name}};
    put(figures, "bytes", process.bytes);
    out.add(Check::other_processes, std::move(figures), Fitness::unfit);
  }
}

void examine_state(const MachineFacts& facts, Findings& out) {
  if (!facts.gpu && facts.machine)
    return out.add(Check::gpu, {{"uuid", facts.machine->device_uuid}}, Fitness::warn);
  if (!facts.gpu) return out.add(Check::gpu, {}, Fitness::unfit);
  const GpuState& gpu = *facts.gpu;
  out.add(Check::gpu, {{"name", gpu.name}});
  out.add(Check::uuid, {{"uuid", gpu.uuid}});
  out.add(Check::pci_bus, {{"bus", gpu.pci_bus}});
  if (gpu.vbios) out.add(Check::vbios, {{"version", *gpu.vbios}});
  examine_clocks(gpu, out);
  examine_lock(facts, out);
  examine_power(gpu, out);
  examine_modes(gpu, out);
  examine_processes(gpu, out);
  // A spinning thread occupies an SM while work is queued.
  const std::string gate = field(facts, "gate");
  if (!gate.empty())
    out.add(Check::gate, {{"kind", gate}}, warn_if(parse_name<GateKind>(gate) == GateKind::spinning_thread));
}

void examine_profilers(const MachineFacts& facts, Findings& out) {
  const CudaLibraries& libraries = facts.libraries;
  Figures cupti{{"error", libraries.cupti_error}};
  if (!libraries.cupti.empty()) {
    cupti.emplace_back("version", libraries.cupti);
    cupti.emplace_back("path", libraries.cupti_path);
  }
  out.add(Check::cupti, std::move(cupti), warn_if(libraries.cupti.empty()));
  const bool injected = libraries.cupti_holder.empty() && !libraries.injected.empty();
  const std::string& holder = injected ? libraries.injected : libraries.cupti_holder;
  if (holder.empty())
    out.add(Check::cupti_holder, {});
  else
    out.add(Check::cupti_holder, {{"name", holder}, {"injected", injected}}, Fitness::warn);
  const std::optional<bool>& restricted = facts.driver.counters_for_admins_only;
  Figures counters{{"allowed", facts.may_read_counters}};
  put(counters, "restricted", restricted);
  out.add(Check::counters, std::move(counters),
          warn_if(restricted.value_or(false) && !facts.may_read_counters));
}

}  // namespace

Observation examine_clock_lock(const ClockLockFound& lock) {
  const ClockLockNote& note = lock.note;
  return {Check::clock_lock,
          {{"gpu", note.gpu},
           {"mhz", note.mhz},
           {"process", note.process},
           {"since", note.since},
           {"held", lock.held}},
          lock.held ? Fitness::ok : Fitness::unfit};
}

std::vector<Observation> examine_gpu(const MachineFacts& facts) {
  Findings found;
  examine_driver(facts, found);
  examine_state(facts, found);
  examine_profilers(facts, found);
  return found.take();
}

}  // namespace harness
