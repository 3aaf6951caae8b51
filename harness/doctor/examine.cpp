#include "harness/doctor/examine.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "harness/doctor/examine_gpu.h"
#include "harness/doctor/examine_host.h"
#include "harness/doctor/limits.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr std::uint64_t little_space = gib, too_little_space = 100 * mib;

Observation examine_store(const StoreSpace& store) {
  if (store.folder.empty()) return {Check::disk_space, {}};
  if (!store.free_bytes) return {Check::disk_space, {{"folder", store.folder}}, Fitness::warn};
  const std::uint64_t free = *store.free_bytes;
  return {Check::disk_space,
          {{"folder", store.folder}, {"bytes", free}},
          free < too_little_space ? Fitness::unfit
          : free < little_space   ? Fitness::warn
                                  : Fitness::ok};
}

// A machine below the ceilings of its class is slow itself; no kernel is the cause.
void examine_ceiling(const Machine& machine, Check check, const char* key, double expected,
                     std::vector<Observation>& out) {
  const auto found = machine.ceilings.find(key);
  if (found == machine.ceilings.end() || !(found->second > 0)) return;
  Figures figures{{"per_second", found->second}};
  if (expected > 0) figures.emplace_back("expected", expected);
  out.emplace_back(check, std::move(figures),
                   expected > 0 && found->second < expected ? Fitness::unfit : Fitness::ok);
}

std::vector<Observation> examine_ceilings(const MachineFacts& facts) {
  if (!facts.in_use.empty()) return {{Check::ceilings, {{"in_use", facts.in_use}}, Fitness::warn}};
  if (facts.obstacle) {
    Observation found{Check::device, {}, Fitness::unfit};
    put_fact(found.figures, "obstacle", *facts.obstacle);
    return {found};
  }
  if (!facts.machine) return {};
  if (facts.machine->ceilings.empty()) return {{Check::ceilings, {}, Fitness::warn}};
  std::vector<Observation> found;
  if (!facts.ceilings_measured.empty())
    found.emplace_back(Check::measured, Figures{{"when", facts.ceilings_measured}});
  const ExpectedCeilings expected = expected_ceilings(facts.machine->machine_class);
  examine_ceiling(*facts.machine, Check::copy, "copy_bytes_per_s", expected.copy_bytes_per_s, found);
  examine_ceiling(*facts.machine, Check::matrix_product, "gemm_flops_per_s", expected.gemm_flops_per_s,
                  found);
  return found;
}

}  // namespace

// Measured on H200s that worked as they should.
ExpectedCeilings expected_ceilings(const std::string& machine_class) {
  if (machine_class == "nvidia-h200") return {4.1e12, 750e12};
  return {};
}

Examination examine(const MachineFacts& facts) {
  Examination examination;
  examination.device = facts.device;
  examination.described = facts.host.cpu;
  const bool on_gpu = is_gpu_device(facts.device);
  const auto add = [&](std::vector<Observation> found) {
    std::move(found.begin(), found.end(), std::back_inserter(examination.findings));
  };
  add(examine_host(facts.host, !on_gpu));
  if (on_gpu) {
    if (facts.gpu) examination.described = fmt::format("{} ({})", facts.gpu->name, facts.gpu->uuid);
    add(examine_gpu(facts));
  }
  add({examine_store(facts.store)});
  add(examine_ceilings(facts));
  return examination;
}

}  // namespace harness
