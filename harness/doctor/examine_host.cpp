#include "harness/doctor/examine_host.h"

#include <algorithm>

#include "harness/base/text.h"
#include "harness/doctor/limits.h"

namespace harness {
namespace {

constexpr std::uint64_t little_memory = 2 * gib, too_little_memory = 256 * mib;
constexpr double tolerable_share = 0.25;  // of the CPUs, in use by others, for CPU cases

// One CPU is enough to launch on a GPU; CPU cases want them all.
Fitness fitness_of_load(const HostState& host, bool for_cpu_cases) {
  const double most =
      for_cpu_cases ? tolerable_share * host.usable_cpus : std::max(1.0, host.usable_cpus - 1.0);
  if (host.load <= most) return Fitness::ok;
  return for_cpu_cases && host.load >= std::max(1, host.usable_cpus) ? Fitness::unfit : Fitness::warn;
}

// The group stops a process that has used its share.
Fitness fitness_of_cpu_limit(double limit, int usable_cpus) {
  if (limit < 1) return Fitness::unfit;
  return warn_if(limit < usable_cpus);
}

// Inputs and references are kept in memory.
Fitness fitness_of_memory(std::uint64_t bytes) {
  if (bytes < too_little_memory) return Fitness::unfit;
  return warn_if(bytes < little_memory);
}

}  // namespace

std::vector<Observation> examine_host(const HostState& host, bool for_cpu_cases) {
  std::vector<Observation> found;
  const auto add = [&](Check check, Figures figures, Fitness fitness = Fitness::ok) {
    found.emplace_back(check, std::move(figures), fitness);
  };
  add(Check::cpu, {{"model", host.cpu}, {"usable", host.usable_cpus}, {"online", host.online_cpus}});
  const bool steady = host.governors.empty() || host.governors == std::vector<std::string>{"performance"};
  add(Check::governor, {{"governors", join(host.governors, ", ")}}, warn_if(!steady));
  if (host.turbo) add(Check::turbo, {{"on", *host.turbo}}, warn_if(*host.turbo && for_cpu_cases));
  if (host.smt) add(Check::smt, {{"on", *host.smt}}, warn_if(*host.smt && for_cpu_cases));
  add(Check::isolated_cpus, {{"cpus", host.isolated_cpus}});
  add(Check::load, {{"cpus", host.load}}, fitness_of_load(host, for_cpu_cases));
  add(Check::kernel, {{"name", host.kernel}});
  add(Check::container, {{"name", host.container}});
  add(Check::virtualisation, {{"virtual_machine", host.virtual_machine}},
      warn_if(host.virtual_machine && for_cpu_cases));
  if (host.cpu_limit)
    add(Check::cpu_limit, {{"cpus", *host.cpu_limit}},
        fitness_of_cpu_limit(*host.cpu_limit, host.usable_cpus));
  const std::uint64_t unlimited = ~std::uint64_t{0};
  const std::uint64_t memory =
      std::min(host.memory_available.value_or(unlimited), host.memory_limit.value_or(unlimited));
  if (memory != unlimited)
    add(Check::memory, {{"bytes", memory}, {"is_limit", host.memory_limit == memory}},
        fitness_of_memory(memory));
  if (!host.traced_by.empty()) add(Check::tracer, {{"name", host.traced_by}}, Fitness::unfit);
  return found;
}

}  // namespace harness
