// Sampler: makes and times the calls of a case's subjects as its modes ask: one at a time or in batches, on
// one set of buffers or on sets in turn. Owns the further sets; batches and the kernels bound to these sets
// are the subject's. One thread uses it, for one case.
//
// A kernel stays bound to one set for a whole placement. Each further set has a kernel of its own, made as
// the first was, because a bound kernel may keep what depends on its buffers in memory of its own: a
// recorded call of it must find that unchanged. Variants need to know nothing of all this.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/device/device.h"
#include "harness/measure/case/subject.h"
#include "harness/measure/rules/pacer.h"
#include "harness/measure/tensors/input_sets.h"
#include "harness/model/plan.h"

namespace harness {

// Whether calls take turns with sets of buffers. Between the calls of a batch nothing can be flushed: cold
// batches rotate, too, after a flush.
bool rotates(const Sampling& sampling);

class Sampler {
 public:
  Sampler(Device& device, const PlannedCase& planned, Pacer& pacer, std::uint64_t seed)
      : device_(device), planned_(planned), pacer_(pacer), sets_(device, seed) {}

  // The way in which a case with `timing: auto` is timed: in batches where a call takes less than the
  // device's timer tells well, and all subjects' calls can be recorded. Fills in `obstacle` where they
  // cannot. After the first calls; an Error means that the device was lost.
  Result<TimingMode> choose_timing(Subject& subject, std::optional<Error>& obstacle) const;

  // Takes the further sets that the modes ask for, with the inputs of `first`; before a placement's first
  // bind().
  Status place(const sdk::Problem& problem, const CaseInputs& inputs, std::size_t workspace_bytes,
               const Allocation& first);

  // Binds a kernel to each further set and calls it once, ungated, so that a sample loads nothing.
  Status bind(Subject& subject);

  // Records the subject's batches; nothing to do where calls are timed one at a time. An Error of kind
  // `usage` when its calls cannot be recorded.
  Status record(Subject& subject);

  // One sample: the time of one call, and the lowest clock that was read meanwhile.
  Result<Timing> take(Subject& subject);

  // A call made as a sample of single calls is, for the pacer to know before the first sample.
  Result<Timing> rehearse(Subject& subject);

  // One call as samples make it, on the next set of buffers, for a profiler.
  void run_next(Subject& subject, sdk::Stream stream);
  // How the profiled calls follow each other: like those of a batch, or one at a time.
  [[nodiscard]] CallPattern pattern() const;

  // One call on the first set, made as samples are, and not timed: of its batches the shortest.
  Status call(Subject& subject);

 private:
  [[nodiscard]] bool batches() const { return planned_.sampling.timing == TimingMode::batch; }
  [[nodiscard]] bool rotates() const;
  [[nodiscard]] TimingOptions options(const Subject& subject) const;
  sdk::Kernel& kernel_of(Subject& subject, std::size_t set) const;
  void note_cache(Subject& subject) const;
  Result<std::unique_ptr<Batch>> record(Subject& subject, int calls) const;
  Result<Seconds> rough_time(Subject& subject) const;
  Result<Timing> take_batches(Subject& subject);
  // Times a call or a batch after the pause that the pacer asks for.
  template <class Time>
  Result<Timing> paced(const Subject& subject, Time&& time);

  Device& device_;
  const PlannedCase& planned_;
  Pacer& pacer_;
  InputSets sets_;
  std::size_t set_bytes_ = 0;
  std::size_t turn_ = 0;    // of the sets; all subjects' calls move it, so that none finds another's data
  std::vector<int> nodes_;  // calls in each batch, once they are known; the same for all subjects
};

}  // namespace harness
