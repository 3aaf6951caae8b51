// Streams: makes the streams of a device's work. Two streams or contexts launch the same kernel up to 0.1 us
// apart, always the same way. Cold kernels also depend on how many launches their stream has seen
// (measure/sampling.md). With one stream, all cases of a process would share an offset, and earlier cases
// would bias later ones. So each placement takes another stream, with a green context of all multiprocessors
// and the primary context's memory, at a random place in its sequence of launches. Owns them all; one thread
// uses it.
//
// Streams of green contexts do not wait for the legacy default stream, so work that uses it gets plain
// streams, which do. A kernel on the default stream is then still between a sample's events.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness::cuda {

class Streams {
 public:
  // For the current device, whose primary context must exist.
  static Result<std::unique_ptr<Streams>> create(int ordinal);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

  // A plain stream, for everything that belongs to no placement.
  [[nodiscard]] cudaStream_t home() const { return home_; }

  // Another stream each time, and the first again after `most`. `apart`: of a green context, where the driver
  // has them. `by_chance`: queues up to 255 launches of an empty kernel on it; else earlier cases would set
  // its place in the sequence of launches for all placements of a case.
  Result<cudaStream_t> next(bool apart, bool by_chance);

  // The streams of `apart`: "green contexts", or "plain" where no green context works.
  [[nodiscard]] std::string kind() const { return has_green_ ? "green contexts" : "plain"; }

  // A green context takes 1.1 to 1.9 ms to make, on an H200.
  static constexpr std::size_t most = 32;

 private:
  struct Driver;  // the calls that make green contexts
  struct Drawn {
    cudaStream_t stream = nullptr;
    CUgreenCtx context = nullptr;  // null: a plain stream
  };
  // Streams are made when they are first needed, then taken in turns.
  struct Ring {
    std::vector<Drawn> drawn;
    std::size_t turn = 0;
  };

  explicit Streams(int ordinal);
  bool draw_green(Drawn& drawn) const;
  [[nodiscard]] bool try_green();
  Status draw(Ring& ring);

  int ordinal_;
  std::unique_ptr<Driver> driver_;
  bool has_green_ = false;
  cudaStream_t home_ = nullptr;
  Ring green_;
  Ring plain_;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace harness::cuda
