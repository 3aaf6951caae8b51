// Bench: what a context needs so that a kernel can be timed in it the way the device module times one: its
// gate, its cache flush, its clock. Subject: the two kernels with everything that an event time may depend
// on.
//
// Both belong to the context that was current when they were made, and to one thread. Times are of one launch
// between two events, cold, behind the gate.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <vector>

#include "harness/base/units.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/device/cuda/timing/clock.h"
#include "harness/device/cuda/timing/gate.h"

namespace harness::offsets {

using Stream = std::shared_ptr<CUstream_st>;
using Event = std::shared_ptr<CUevent_st>;
using Buffer = std::shared_ptr<void>;

Stream new_stream();
Event new_event();
Buffer new_buffer(std::size_t bytes);

class Bench;

// Copies share what they do not replace.
struct Subject {
  using Launch = std::function<void(const Subject&)>;

  // Before the bench, so that they outlive it: a gate ends by waiting for the stream that it held last.
  Stream stream;
  std::shared_ptr<Bench> bench;
  Event begin, end;
  Buffer padding, input, output;
  Launch nothing, gelu;
};

// All of it new, in the current context; the input is random.
Subject new_subject();

// Launches both kernels, waits, and throws what they met. Loads their code, which no gate may be closed for.
void launch_once(const Subject& subject);

class Bench {
 public:
  // When the cache is flushed for the next sample: once this one was read; evicted at once after the gate was
  // opened and made ordinary once the sample was read, as the device does it; or both at once.
  enum class NextFlush { once_read, evicted_ahead, all_ahead };

  explicit Bench(cudaStream_t stream);

  // The event times of `samples` launches in nanoseconds, after `left_out` that are not told.
  std::vector<double> time(const Subject& subject, const Subject::Launch& launch, int samples,
                           int left_out = 5, NextFlush next = NextFlush::once_read);

  // The time of one flush, from ten in a row between two events.
  Seconds flush_time(const Subject& subject);

  void keep_busy(cudaStream_t stream, Seconds duration);
  double clock_ghz(cudaStream_t stream);

 private:
  double sample(const Subject& subject, const Subject::Launch& launch, NextFlush next);

  cuda::CacheFlusher flusher_;
  std::unique_ptr<cuda::Gate> gate_;
  std::unique_ptr<cuda::ClockMeter> meter_;
  int multiprocessors_;
};

}  // namespace harness::offsets
