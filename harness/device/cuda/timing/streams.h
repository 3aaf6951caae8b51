// Streams: makes the streams of a device's work. Two streams launch the same kernel up to 0.1 us apart,
// always the same way, and so do two contexts. Cold kernels, matrix products most of all, also depend on how
// many launches their stream has seen (measure/offsets.md has the figures). With one stream for all, a
// process would have one offset in all its cases, and earlier cases would bias later ones. So each placement
// takes another stream. It has a green context of its own, with all multiprocessors and the memory of the
// primary context, and begins anywhere in its sequence of launches. Owns them all; one thread uses it.
//
// Streams of green contexts do not wait for the legacy default stream, so they are for work that keeps off it
// (stream_check.h). All other work gets plain streams, which do wait: a kernel on the default stream is then
// still between a sample's events.
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
  // has them; HARNESS_CUDA_STREAMS=plain in the environment forbids it. `by_chance`: queues up to 255
  // launches of an empty kernel on it. Otherwise its place in the sequence of launches would follow from the
  // cases measured before, and be the same for all placements of a case.
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
