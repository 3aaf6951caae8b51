// Streams: what a device's work is queued on. Two streams launch the same kernel up to 0.1 us apart, always
// the same way, and what kernels take when the cache is cold, matrix products most of all, goes with how many
// launches their stream has seen (../../measure/offsets.md has the figures). Kept to one stream a process
// would measure all its cases with one offset, and what it measured before would tell in each. So each
// placement takes another stream, and begins anywhere in its sequence of launches. Owns them all; one thread
// uses it.
//
// All of them wait for the legacy default stream and that for them: a kernel that is launched there by
// mistake is still between a sample's events, and so is timed instead of lost.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <memory>
#include <random>

#include "harness/base/result.h"

namespace harness::cuda {

class Streams {
 public:
  // For the current device.
  static Result<std::unique_ptr<Streams>> create();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

  [[nodiscard]] cudaStream_t current() const { return streams_[turn_]; }

  // Turns to the next, and the first again after the last. `by_chance`: with up to 255 launches of an empty
  // kernel queued on it; under a tool that looks at every launch they would only be in the way.
  Status turn(bool by_chance);

 private:
  Streams() = default;

  std::array<cudaStream_t, 16> streams_ = {};
  std::size_t turn_ = 0;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace harness::cuda
