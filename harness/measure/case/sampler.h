// Sampler: makes and times the calls of a case's subjects: alone or in batches, on one set of buffers or on
// sets in turn. Owns the further sets; a subject owns its batches and the kernels bound to these sets. One
// thread uses it, for one case.
//
// A kernel stays bound to one set for a whole placement. Each further set has its own kernel, because a bound
// kernel may keep data that depends on its buffers, and a recorded call must find that unchanged. Variants
// need not know this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/device/device.h"
#include "harness/measure/case/subject.h"
#include "harness/measure/rules/pacer.h"
#include "harness/measure/tensors/input_sets.h"
#include "harness/model/plan.h"

namespace harness {

// Whether calls take turns with sets of buffers. Nothing can be flushed between the calls of a batch, so cold
// batches rotate, too, after a flush.
bool rotates(const Sampling& sampling);

class Sampler {
 public:
  Sampler(Device& device, const PlannedCase& planned, Pacer& pacer)
      : device_(device), planned_(planned), pacer_(pacer), sets_(device) {}

  // How a case with `timing: auto` is timed: in batches where a call is too short for single timing and all
  // subjects' calls can be recorded, else `obstacle` says why not. After the first calls; an Error means that
  // the device was lost.
  Result<TimingMode> choose_timing(Subject& subject, std::optional<Error>& obstacle) const;

  // Takes the sets that the modes need, with the inputs of `first`, before a placement's first bind().
  Status place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
               const Allocation& first);

  // Binds a kernel to each further set and calls it once, ungated, so that a sample loads nothing.
  Status bind(Subject& subject);

  // Records the subject's batches, if calls are timed in batches. An Error of kind `usage` when its calls
  // cannot be recorded.
  Status record(Subject& subject);

  // One sample: the time of one call, and the lowest clock that was read meanwhile.
  Result<Timing> take(Subject& subject);

  // Whether calls take turns with sets of buffers.
  [[nodiscard]] bool rotates() const;
  // The sets of buffers that the next sample of the subject uses: one, or those of its longest batch.
  [[nodiscard]] std::vector<std::size_t> next_sets(const Subject& subject) const;
  // That of the last call.
  [[nodiscard]] std::size_t last_set(const Subject& subject) const;
  // The first is the case's own.
  [[nodiscard]] Allocation& set(std::size_t index, Allocation& first);

  // A sample that is not kept, made as take() makes one. `touched`: TimingOptions::touched.
  Result<Timing> take_unkept(Subject& subject, std::span<const std::span<const std::byte>> touched = {});
  // One warm call without a gate on this set, whose time can be compared with the clock (Timing::passed).
  Result<Timing> audit_clock(Subject& subject, std::size_t set);
  // The set that this call of the batch uses.
  [[nodiscard]] std::size_t set_of_call(const Subject& subject, int call) const;
  // How many calls this one of the subject's batches has.
  [[nodiscard]] int calls_of(std::size_t batch) const { return nodes_.at(batch); }
  // One of its batches, made as samples are, with a call that is watched.
  Status watch(Subject& subject, std::size_t batch, const WatchedCall& watched);

  // A single call made as samples are, so that the pacer knows its length before the first sample.
  Result<Timing> rehearse(Subject& subject);

  // One call as samples make it, on the next set of buffers, for a profiler.
  void run_next(Subject& subject, sdk::Stream stream);
  // Queues calls as samples make them, without timing them: the longest batch, or one call on the next set.
  void queue_next(Subject& subject, sdk::Stream stream);
  // How many calls that are.
  [[nodiscard]] int calls_at_once(const Subject& subject) const;
  // How profiled calls follow each other: as in a batch, or one at a time.
  [[nodiscard]] CallPattern pattern() const;

  // One untimed call on the first set, made as samples are; with batches the shortest batch, or
  // one of a single call where calls change tensors in place.
  Status call(Subject& subject);

 private:
  [[nodiscard]] bool batches() const { return planned_.sampling.timing == TimingMode::batch; }
  [[nodiscard]] TimingOptions options(const Subject& subject) const;
  sdk::Kernel& kernel_of(Subject& subject, std::size_t set) const;
  void note_cache(Subject& subject) const;
  Result<std::unique_ptr<Batch>> record(Subject& subject, int calls) const;
  Result<Seconds> rough_time(Subject& subject) const;
  Result<Timing> take_batches(Subject& subject);
  [[nodiscard]] TimingOptions unkept(const Subject& subject) const;
  // Times a call or a batch after the pause that the pacer asks for.
  template <class Time>
  Result<Timing> paced(const Subject& subject, Time&& time);

  Device& device_;
  const PlannedCase& planned_;
  Pacer& pacer_;
  InputSets sets_;
  std::size_t set_bytes_ = 0;
  std::size_t turn_ =
      0;  // next set; shared by all subjects, so that no call finds another's data in the cache
  std::vector<int> nodes_;  // calls in each batch, once known; the same for all subjects
};

}  // namespace harness
