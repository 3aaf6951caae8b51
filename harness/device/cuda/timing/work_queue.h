// WorkQueue: the stream that work is queued on now, another one in each placement. It counts its uses, so the
// timer can tell whether something was queued since its last sample. Owns the streams; one thread uses it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/cuda/timing/peers.h"
#include "harness/device/cuda/timing/streams.h"
#include "harness/device/scope.h"

namespace harness::cuda {

class WorkQueue {
 public:
  static Result<std::unique_ptr<WorkQueue>> create(int ordinal, const std::vector<int>& peers = {});
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;
  ~WorkQueue() = default;

  // The stream, to queue something on it; this is a use.
  cudaStream_t use() {
    ++uses_;
    return stream_;
  }
  [[nodiscard]] std::uint64_t uses() const { return uses_; }

  // The same stream, to ask it something.
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  // The other GPUs that calls use.
  [[nodiscard]] Peers& peers() { return *peers_; }

  // The stream for everything that belongs to no placement. It waits for the default stream: work that was
  // queued there by mistake is found when its result is.
  [[nodiscard]] cudaStream_t home() const { return streams_->home(); }

  // Waits for everything that was queued, on the default stream, too. Tells an error of an earlier launch.
  Status synchronize();

  // Takes another stream, from Streams::next(), until the scope ends or another placement begins.
  Result<Scope> begin_placement(bool apart, bool by_chance);

  // Streams::kind().
  [[nodiscard]] std::string kind() const { return streams_->kind(); }

 private:
  WorkQueue(std::unique_ptr<Streams> streams, std::unique_ptr<Peers> peers);
  void go_home();

  std::unique_ptr<Peers> peers_;
  std::unique_ptr<Streams> streams_;
  cudaStream_t stream_;
  std::uint64_t uses_ = 0;
  std::uint64_t placements_ = 0;
};

}  // namespace harness::cuda
