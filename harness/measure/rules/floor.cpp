#include "harness/measure/rules/floor.h"

#include <algorithm>
#include <vector>

#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

constexpr double share_of_floor = 0.95;
constexpr double us = 1e-6;

// How much faster than a machine's ceiling code can be.
struct Reach {
  double memory;        // reads alone, and a ceiling that was measured beside other processes
  double cache;         // the first level of the cache, of all cores
  double arithmetic;    // types of fewer bits, and matrices with zeros
  double cached_bytes;  // that need not leave the cache
};

constexpr Reach reach{2, 16, 8, 256e6};

double ceiling(const std::map<std::string, double>& ceilings, const char* name) {
  const auto found = ceilings.find(name);
  return found == ceilings.end() ? 0 : found->second;
}

// Work that a call has to do, and the rate at which the device does such work.
struct Bound {
  double work = 0;
  double rate = 0;
  bool memory = true;

  [[nodiscard]] Seconds least() const { return work > 0 && rate > 0 ? work / rate : 0; }
};

Bound bound_of(const PlannedCase& planned, const std::map<std::string, double>& ceilings) {
  if (!is_gpu_kind(planned.device)) return {};
  const double copy = planned.gpus * ceiling(ceilings, "copy_bytes_per_s");
  const double gemm = planned.gpus * ceiling(ceilings, "gemm_flops_per_s");
  std::vector<Bound> bounds{{planned.flops, gemm * reach.arithmetic, false},
                            {planned.bytes, copy * reach.cache, true}};
  if (planned.sampling.cache != CacheMode::hot)
    bounds.push_back({planned.bytes - planned.gpus * reach.cached_bytes, copy * reach.memory, true});
  return *std::max_element(bounds.begin(), bounds.end(),
                           [](const Bound& one, const Bound& other) { return one.least() < other.least(); });
}

// The median of the time, which is the first metric; 0 without any.
Seconds median_call(const ProcessResult& result) {
  std::vector<double> samples;
  if (result.outcome != Outcome::measured || result.series.empty() || result.series.front().unit != "us")
    return 0;
  for (const ProcessSamples& process : result.series.front().processes)
    for (const Placement& placement : process.placements)
      samples.insert(samples.end(), placement.samples.begin(), placement.samples.end());
  return samples.empty() ? 0 : stats::median(samples) * us;
}

}  // namespace

std::optional<Cause> below_floor(const PlannedCase& planned, const std::map<std::string, double>& ceilings,
                                 const ProcessResult& result) {
  const Bound bound = bound_of(planned, ceilings);
  const Seconds call = median_call(result);
  if (!(call > 0) || call >= share_of_floor * bound.least()) return std::nullopt;
  return Cause{CauseCode::faster_than_possible,
               {{"call", call},
                {"least", bound.least()},
                {"bound", std::string(bound.memory ? "memory" : "compute")},
                {"work", bound.work},
                {"rate", bound.rate}}};
}

}  // namespace harness
