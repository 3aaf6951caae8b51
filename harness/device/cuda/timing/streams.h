// Streams: what a device's work is queued on. Two streams launch the same kernel up to 0.1 us apart, always
// the same way, and so do two contexts; and what kernels take when the cache is cold, matrix products most of
// all, goes with how many launches their stream has seen (../../measure/offsets.md has the figures). Kept to
// one stream a process would measure all its cases with one offset, and what it measured before would tell in
// each. So each placement takes a stream that is new in as much as can be had: one of a green context of its
// own, which has all of the device's multiprocessors and the memory of the context at hand, and begins
// anywhere in its sequence of launches. Owns them all; one thread uses it.
//
// Streams of green contexts do not wait for the legacy default stream, so they are for work that was seen to
// keep off it (stream_check.h). Whatever else there is gets plain ones, which do: a kernel that is launched
// there by mistake is still between a sample's events, and so is timed instead of lost.
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
  // For the current device, whose primary context must be there.
  static Result<std::unique_ptr<Streams>> create(int ordinal);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

  // A plain one, for whatever belongs to no placement.
  [[nodiscard]] cudaStream_t home() const { return home_; }

  // Another each time, and the first again after `most`. `apart`: of a green context, where there are such;
  // HARNESS_CUDA_STREAMS=plain in the environment forbids it. `by_chance`: with up to 255 launches of an
  // empty kernel queued on it, without which its place in the sequence of launches would follow from what the
  // process measured before, and be the same for all placements of a case.
  Result<cudaStream_t> next(bool apart, bool by_chance);

  // What those of work apart are: "green contexts", where one could be made and used, or "plain".
  [[nodiscard]] std::string kind() const { return has_green_ ? "green contexts" : "plain"; }

  // A green context takes 1.1 to 1.9 ms to make, on an H200.
  static constexpr std::size_t most = 32;

 private:
  struct Driver;  // the calls that make green contexts
  struct Drawn {
    cudaStream_t stream = nullptr;
    CUgreenCtx context = nullptr;  // null: a plain stream
  };
  // Made as they are asked for, then taken in turns.
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
