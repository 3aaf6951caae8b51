// Batch: calls that were recorded once and are timed together as often as wanted, so that what one timing
// costs is shared by all of them: a CUDA graph (cuda/graph_batch.h), or a loop where a device has no queue
// to record. It refers to its device and to what its calls use, which must outlive it. One thread uses it.
#pragma once

#include <functional>
#include <memory>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace harness {

class Device;
struct Timing;
struct TimingOptions;

class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  virtual ~Batch() = default;

  // Makes all calls once and times them together, as Device::time() times one; `launch` is absent.
  virtual Result<Timing> time(const TimingOptions& options) = 0;
};

// Calls work(0), work(1), ... work(calls - 1) in a loop between two readings of the clock.
std::unique_ptr<Batch> loop_batch(Device& device, int calls, std::function<void(int)> work);

}  // namespace harness
