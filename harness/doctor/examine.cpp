#include "harness/doctor/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/doctor/examine_parts.h"

namespace harness {
namespace {

constexpr std::uint64_t mib = 1U << 20, gib = 1U << 30;
constexpr std::uint64_t little_memory = 2 * gib, too_little_memory = 256 * mib;
constexpr std::uint64_t little_space = gib, too_little_space = 100 * mib;

std::string bytes_text(std::uint64_t bytes) {
  return bytes >= gib ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(gib))
                      : fmt::format("{} MiB", bytes / mib);
}

void examine_cpus(const HostState& host, bool on_cpu, Observations& out) {
  out.add("cpu", fmt::format("{}, {} of {} CPUs usable", host.cpu, host.usable_cpus, host.online_cpus));
  const bool steady = host.governors.empty() || host.governors == std::vector<std::string>{"performance"};
  out.add("governor", host.governors.empty() ? "not told" : join(host.governors, ", "),
          steady ? Fitness::ok : Fitness::warn,
          "the clock of the CPU follows its load: cpupower frequency-set -g performance");
  if (host.turbo)
    out.add("turbo", *host.turbo ? "on" : "off", *host.turbo && on_cpu ? Fitness::warn : Fitness::ok,
            "CPU times depend on temperature and neighbours: switch it off (intel_pstate/no_turbo, "
            "cpufreq/boost) for CPU cases");
  if (host.smt)
    out.add("smt", *host.smt ? "on" : "off", *host.smt && on_cpu ? Fitness::warn : Fitness::ok,
            "two threads share a core: write off to /sys/devices/system/cpu/smt/control for CPU cases");
  out.add("isolated cpus", host.isolated_cpus.empty() ? "none" : host.isolated_cpus);
  // Of a GPU's host one busy thread is enough to launch; the CPU device wants every core.
  const double most = on_cpu ? 0.25 * host.usable_cpus : std::max(1.0, host.usable_cpus - 1.0);
  out.add("load", fmt::format("{:.2f}", host.load),
          host.load <= most                                      ? Fitness::ok
          : on_cpu && host.load >= std::max(1, host.usable_cpus) ? Fitness::unfit
                                                                 : Fitness::warn,
          fmt::format("others keep {:.1f} CPUs busy: find them with top, and measure when they are done",
                      host.load));
}

void examine_host(const HostState& host, bool on_cpu, Observations& out) {
  examine_cpus(host, on_cpu, out);
  out.add("kernel", host.kernel.empty() ? "not told" : host.kernel);
  out.add("container", host.container.empty() ? "not told" : host.container);
  out.add("virtualisation", host.virtual_machine ? "virtual machine" : "none seen",
          host.virtual_machine && on_cpu ? Fitness::warn : Fitness::ok,
          "the hypervisor gives time to others: expect wider spreads of CPU cases, or use a whole machine");
  if (host.cpu_limit)
    out.add(
        "cpu limit", fmt::format("{:.2f} CPUs", *host.cpu_limit),
        *host.cpu_limit < 1                  ? Fitness::unfit
        : *host.cpu_limit < host.usable_cpus ? Fitness::warn
                                             : Fitness::ok,
        "the control group stops the process once it has used its share: raise the container's CPU limit, "
        "or pin CPUs instead");
  const std::uint64_t memory = std::min(host.memory_available.value_or(~std::uint64_t{0}),
                                        host.memory_limit.value_or(~std::uint64_t{0}));
  if (host.memory_available || host.memory_limit)
    out.add("memory",
            bytes_text(memory) + (host.memory_limit && *host.memory_limit == memory
                                      ? " is the control group's limit"
                                      : " available"),
            memory < too_little_memory ? Fitness::unfit
            : memory < little_memory   ? Fitness::warn
                                       : Fitness::ok,
            "inputs and references are kept in memory: free some, or raise the container's limit");
  if (!host.traced_by.empty())
    out.add("tracer", host.traced_by, Fitness::unfit,
            "a debugger or tracer stops what it watches: measure without it");
}

void examine_store(const StoreSpace& store, Observations& out) {
  if (store.folder.empty()) return out.add("disk space", "in a database");
  if (!store.free_bytes)
    return out.add("disk space", fmt::format("{}: not known", store.folder), Fitness::warn,
                   "see that the folder of the store exists and can be written to");
  const std::uint64_t free = *store.free_bytes;
  out.add("disk space", fmt::format("{} free in {}", bytes_text(free), store.folder),
          free < too_little_space ? Fitness::unfit
          : free < little_space   ? Fitness::warn
                                  : Fitness::ok,
          "make room, or keep the store elsewhere with --store");
}

void examine_ceiling(const Machine& machine, const char* key, const char* name, const char* unit,
                     double expected, Observations& out) {
  const auto found = machine.ceilings.find(key);
  if (found == machine.ceilings.end() || !(found->second > 0)) return;
  std::string value = format_si(found->second, unit);
  if (expected > 0)
    value += fmt::format(", {:.0f} % of the {} that its class reaches at the least",
                         100 * found->second / expected, format_si(expected, unit));
  out.add(name, value, expected > 0 && found->second < expected ? Fitness::unfit : Fitness::ok,
          fmt::format("the machine is slow, not a kernel: look at clocks, power limit, temperature and other "
                      "processes above before blaming code (expected: {})",
                      format_si(expected, unit)));
}

void examine_ceilings(const MachineFacts& facts, Observations& out) {
  if (!facts.in_use.empty())
    return out.add("ceilings", "not measured: " + facts.in_use, Fitness::warn,
                   "ask again when that run has ended");
  if (!facts.obstacle.empty())
    return out.add("device", facts.obstacle, Fitness::unfit,
                   "nothing can be measured on it until this is solved; `harness list --devices` shows what "
                   "there is");
  if (!facts.machine) return;
  if (facts.machine->ceilings.empty())
    return out.add("ceilings", "not measured", Fitness::warn,
                   "without them no share of what the machine can do is shown; see the notes of a run");
  if (!facts.ceilings_measured.empty()) out.add("measured", facts.ceilings_measured);
  const ExpectedCeilings expected = expected_ceilings(facts.machine->machine_class);
  examine_ceiling(*facts.machine, "copy_bytes_per_s", "copy", "B/s", expected.copy_bytes_per_s, out);
  examine_ceiling(*facts.machine, "gemm_flops_per_s", "matrix product", "FLOP/s", expected.gemm_flops_per_s,
                  out);
}

}  // namespace

ExpectedCeilings expected_ceilings(const std::string& machine_class) {
  if (machine_class == "nvidia-h200") return {4.1e12, 750e12};
  return {};
}

Examination examine(const MachineFacts& facts) {
  Examination examination;
  examination.device = facts.device;
  examination.described = facts.host.cpu;
  const bool on_cpu = !facts.device.starts_with("cuda");
  Observations machine("machine", examination.findings);
  examine_host(facts.host, on_cpu, machine);
  if (!on_cpu) {
    if (facts.gpu) examination.described = fmt::format("{} ({})", facts.gpu->name, facts.gpu->uuid);
    examine_cuda(facts, examination.findings);
  }
  Observations store("store", examination.findings);
  examine_store(facts.store, store);
  Observations ceilings("ceilings", examination.findings);
  examine_ceilings(facts, ceilings);
  return examination;
}

}  // namespace harness
