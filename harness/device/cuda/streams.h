// Streams: what a device's work is queued on. Two streams launch the same kernel up to 0.1 us apart, always
// the same way, and so do two contexts: a process that keeps to one stream measures all its cases with one
// offset, and the next process with another (../../measure/sampling.md has the figures). So each placement
// takes a stream that is new in as much as can be had: one of a green context of its own, which has all of
// the device's multiprocessors and the memory of the context at hand. A driver without green contexts gives
// plain streams. Owns them all; one thread uses it.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "harness/base/result.h"

namespace harness::cuda {

class Streams {
 public:
  // For the current device, whose primary context must be there.
  static Result<std::unique_ptr<Streams>> create(int ordinal);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

  // It waits for the legacy default stream and that for it: a kernel that is launched there by mistake is
  // seen by whoever waits for this one.
  [[nodiscard]] cudaStream_t home() const { return home_; }

  // Another stream each time, and the first again after `most`. Up to 255 launches of an empty kernel are
  // queued on it: a stream's launches go through memory in turn, and where in it a case begins tells in what
  // its kernels take when the cache is cold, matrix products' most of all. Without them that place would
  // follow from what the process measured before, and be the same for all placements of a case.
  Result<cudaStream_t> next();

  // "green contexts" or "plain".
  [[nodiscard]] const char* kind() const { return green_ ? "green contexts" : "plain"; }

  // A green context takes 1.1 to 1.3 ms to make, on an H200.
  static constexpr std::size_t most = 16;

 private:
  struct Driver;  // the calls that make green contexts
  struct Drawn {
    cudaStream_t stream = nullptr;
    CUgreenCtx context = nullptr;  // null: a plain stream
  };

  explicit Streams(int ordinal);
  bool draw_green(Drawn& drawn) const;
  Status draw(Drawn& drawn);
  Result<cudaStream_t> take();

  int ordinal_;
  std::unique_ptr<Driver> driver_;
  bool green_ = false;
  cudaStream_t home_ = nullptr;
  std::vector<Drawn> drawn_;
  std::size_t turn_ = 0;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace harness::cuda
