// Subject: one build's part in measuring a case in one process: its kernel, its samples and its result.
// Usually there is one; an A/B run in one process has two, which share inputs and buffers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/measure/case/audit.h"
#include "harness/measure/metrics/collector.h"
#include "harness/measure/metrics/reported_metrics.h"
#include "harness/measure/rules/batching.h"
#include "harness/model/plan.h"

namespace harness {

// Why a case ends without a time.
struct Ending {
  Outcome outcome = Outcome::failed;
  Cause cause = {};
  bool device_lost = false;  // no subject can continue
};
using Step = tl::expected<void, Ending>;

tl::unexpected<Ending> ended(Outcome outcome, Cause cause);

class Phases;

// Loads what a variant needs before it is constructed, in a phase of its own.
void load(const sdk::Variant& variant, Phases& phases, const sdk::Params& params,
          const sdk::DeviceTraits& traits);

// How the calls of a subject are made (sampler.h).
struct Calls {
  bool gated = true;
  bool keeps_to_stream = false;                            // as far as is known
  std::vector<std::unique_ptr<sdk::Kernel>> further = {};  // bound to the further sets of buffers
  std::vector<std::unique_ptr<Batch>> batches = {};        // of this placement, in the order of their length
  BatchMeans batch_means = {};
  int retaken = 0;                // samples of batches whose line fell
  bool rotates_in_cache = false;  // its sets are too few to leave the cache
};

struct Subject {
  std::string side;  // "baseline", "current"; "" where there is one
  const Catalog* catalog = nullptr;
  const sdk::Workload* workload = nullptr;
  const sdk::Variant* variant = nullptr;
  sdk::Problem problem = {};
  std::unique_ptr<sdk::Kernel> kernel = {};
  Calls calls = {};
  std::optional<Audit> audit = {};
  ProcessSamples samples = {};
  Placement placement = {};  // being sampled; until it is closed, `clock_ghz` is the sum over its samples
  int clocks = 0;            // in that sum
  Collectors collectors = {};
  std::optional<Reported> reported = {};
  std::optional<std::size_t> own_bytes = {};  // of the device's memory, where the case asks for its peak
  SteadyUse energy = {};
  ProcessResult result = {};
  bool over = false;  // its result is final
};

// Without the axes of measuring (model/sampling_modes.h), which are no parameters of the workload.
PlannedCase as_workload_sees(const PlannedCase& planned, const Catalog& catalog);

// Whether one problem has the tensors of the other, in the same order.
bool same_tensors(const sdk::Problem& one, const sdk::Problem& other);

// Whether calls find what the calls before have left in a tensor.
bool changes_in_place(const sdk::Problem& problem);

// Looks up its workload and variant, which must run on this kind of device.
Step find(Subject& subject, const PlannedCase& planned, const sdk::DeviceTraits& traits);

// Finds out where it queues its work, unless it waits for the device: that cannot be found out.
Status look_at_streams(Subject& subject, Device& device);

// Keeps a timed call as a sample of the placement at hand. `slow`: it ran below the boost clock.
Step keep(Subject& subject, const Timing& timing, bool slow = false);

// Closes the placement at hand, under the conditions that it had.
void close_placement(Subject& subject, const Placement& surroundings);

// Compares short cases and batches with the instrument's reading of an empty call. Ends a subject that took
// no longer than nothing at all.
Step compare_with_nothing(Subject& subject, const Sampling& sampling, Device& device);

// Fills the result of a subject that was measured: its series and notes. `buffer_bytes`: that it needs.
void conclude(Subject& subject, const PlannedCase& planned, Device& device, std::size_t buffer_bytes);

}  // namespace harness
