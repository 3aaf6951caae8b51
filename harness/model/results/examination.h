// Examination: facts that decide whether a machine can measure, each with a judgement. Made by doctor/, put
// into words by report/words/examination_words.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/model/fact.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class Fitness {
  ok,
  warn,   // results are worse, or do not compare with others
  unfit,  // nothing that is measured here can be trusted
};
template <>
inline constexpr auto enum_names<Fitness> =
    names<Fitness>({{Fitness::ok, "ok"}, {Fitness::warn, "warn"}, {Fitness::unfit, "unfit"}});

enum class Topic { machine, driver, gpu, profilers, store, ceilings, suite };
template <>
inline constexpr auto enum_names<Topic> = names<Topic>({{Topic::machine, "machine"},
                                                        {Topic::driver, "driver"},
                                                        {Topic::gpu, "gpu"},
                                                        {Topic::profilers, "profilers"},
                                                        {Topic::store, "store"},
                                                        {Topic::ceilings, "ceilings"},
                                                        {Topic::suite, "suite"}});

// The checks. The comments tell the figures; those in brackets are absent when they are unknown, or
// when there is nothing to tell. A text is "" when it is unknown.
enum class Check {
  // Topic::machine
  cpu,             // model, usable, online
  governor,        // governors
  turbo,           // on
  smt,             // on
  isolated_cpus,   // cpus
  load,            // cpus that other processes keep busy
  kernel,          // name
  container,       // name
  virtualisation,  // virtual_machine
  cpu_limit,       // cpus
  memory,          // bytes, is_limit
  tracer,          // name
  // Topic::driver
  driver,         // [version, loaded, open_module]
  nvml,           // library, started
  cuda_driver,    // version
  cuda_runtime,   // version
  nvcc,           // version
  architectures,  // names
  toolkit,        // version
  cublas,         // version
  // Topic::gpu
  gpu,                // [name], or [uuid] when NVML does not know it
  uuid,               // uuid
  pci_bus,            // bus
  vbios,              // version
  sm_clock,           // [now_mhz], [highest_mhz]
  memory_clock,       // [now_mhz], [highest_mhz]
  application_clock,  // mhz, [usual_mhz] when it is another one
  clock_events,       // [reason], as in Conditions::throttled
  clock_lock,         // [gpu, mhz, process, since, held]
  power,              // watts
  power_limit,        // watts, [usual_watts] when it was lowered
  temperature,        // celsius, [slowdown_celsius]
  ecc,                // on, [on_after_reset] when that differs
  mig,                // on
  persistence,        // on
  compute_mode,       // mode, as nvmlComputeMode_t
  other_processes,    // [process, name, [bytes]]
  gate,               // kind
  // Topic::profilers
  cupti,         // [version, path], error
  cupti_holder,  // [name, injected]
  counters,      // [restricted], allowed
  // Topic::store
  disk_space,  // [folder], [bytes]; no folder: the store is a database
  // Topic::ceilings
  ceilings,        // not measured; [in_use] by another run
  device,          // obstacle: a CauseCode, with its figures
  measured,        // when
  copy,            // per_second (bytes), [expected]
  matrix_product,  // per_second (FLOP), [expected]
  // Topic::suite
  cases,    // measured, of
  skipped,  // cases, reason: a CauseCode, with its figures
  devices,  // names
};
template <>
inline constexpr auto enum_names<Check> = names<Check>({{Check::cpu, "cpu"},
                                                        {Check::governor, "governor"},
                                                        {Check::turbo, "turbo"},
                                                        {Check::smt, "smt"},
                                                        {Check::isolated_cpus, "isolated cpus"},
                                                        {Check::load, "load"},
                                                        {Check::kernel, "kernel"},
                                                        {Check::container, "container"},
                                                        {Check::virtualisation, "virtualisation"},
                                                        {Check::cpu_limit, "cpu limit"},
                                                        {Check::memory, "memory"},
                                                        {Check::tracer, "tracer"},
                                                        {Check::driver, "driver"},
                                                        {Check::nvml, "nvml"},
                                                        {Check::cuda_driver, "cuda driver"},
                                                        {Check::cuda_runtime, "cuda runtime"},
                                                        {Check::nvcc, "nvcc"},
                                                        {Check::architectures, "architectures"},
                                                        {Check::toolkit, "toolkit"},
                                                        {Check::cublas, "cublas"},
                                                        {Check::gpu, "gpu"},
                                                        {Check::uuid, "uuid"},
                                                        {Check::pci_bus, "pci bus"},
                                                        {Check::vbios, "vbios"},
                                                        {Check::sm_clock, "sm clock"},
                                                        {Check::memory_clock, "memory clock"},
                                                        {Check::application_clock, "application clock"},
                                                        {Check::clock_events, "clock events"},
                                                        {Check::clock_lock, "clock lock"},
                                                        {Check::power, "power"},
                                                        {Check::power_limit, "power limit"},
                                                        {Check::temperature, "temperature"},
                                                        {Check::ecc, "ecc"},
                                                        {Check::mig, "mig"},
                                                        {Check::persistence, "persistence"},
                                                        {Check::compute_mode, "compute mode"},
                                                        {Check::other_processes, "other processes"},
                                                        {Check::gate, "gate"},
                                                        {Check::cupti, "cupti"},
                                                        {Check::cupti_holder, "cupti holder"},
                                                        {Check::counters, "counters"},
                                                        {Check::disk_space, "disk space"},
                                                        {Check::ceilings, "ceilings"},
                                                        {Check::device, "device"},
                                                        {Check::measured, "measured"},
                                                        {Check::copy, "copy"},
                                                        {Check::matrix_product, "matrix product"},
                                                        {Check::cases, "cases"},
                                                        {Check::skipped, "skipped"},
                                                        {Check::devices, "devices"}});

Topic topic_of(Check check);

struct Observation : Fact<Check> {
  Fitness fitness = Fitness::ok;

  Observation(Check check, Figures of_it, Fitness how_fit = Fitness::ok)
      : Fact{check, std::move(of_it)}, fitness(how_fit) {}
  bool operator==(const Observation&) const = default;
};

struct Examination {
  std::string device;                 // as open_device() takes it
  std::string described;              // "NVIDIA H200 (GPU-...)"
  std::vector<Observation> findings;  // those of a topic stand together
  bool operator==(const Examination&) const = default;
};

// The worst of the findings.
Fitness fitness_of(const Examination& examination);

}  // namespace harness
