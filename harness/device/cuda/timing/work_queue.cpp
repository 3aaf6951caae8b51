#include "harness/device/cuda/timing/work_queue.h"

#include <utility>

#include "harness/device/cuda/check.h"

namespace harness::cuda {

Result<std::unique_ptr<WorkQueue>> WorkQueue::create(int ordinal, const std::vector<int>& peers) {
  auto streams = Streams::create(ordinal);
  if (!streams) return fail(std::move(streams.error()));
  auto opened = Peers::open(ordinal, peers);
  if (!opened) return fail(std::move(opened.error()));
  return std::unique_ptr<WorkQueue>(new WorkQueue(std::move(*streams), std::move(*opened)));
}

WorkQueue::WorkQueue(std::unique_ptr<Streams> streams, std::unique_ptr<Peers> peers)
    : peers_(std::move(peers)), streams_(std::move(streams)), stream_(streams_->home()) {}

Status WorkQueue::synchronize() {
  if (auto status = usable(); !status) return status;
  // The error of a launch that was refused outside of a sample would otherwise be blamed on the next sample.
  const cudaError_t earlier = cudaGetLastError();
  const cudaError_t finished = cudaStreamSynchronize(stream_);
  // Streams of green contexts do not wait for work on the default stream, which bind() may have queued.
  const cudaError_t by_default = cudaStreamSynchronize(cudaStreamLegacy);
  const Status by_peers = peers_->synchronize();
  if (auto status = check(earlier, "an earlier CUDA call or launch"); !status) return status;
  if (auto status = check(finished, "cudaStreamSynchronize"); !status) return status;
  if (auto status = check(by_default, "cudaStreamSynchronize of the default stream"); !status) return status;
  return by_peers;
}

Result<Scope> WorkQueue::begin_placement(bool apart, bool by_chance) {
  if (auto status = synchronize(); !status) return fail(std::move(status.error()));
  const Result<cudaStream_t> next = streams_->next(apart, by_chance);
  if (!next) return fail(next.error());
  stream_ = *next;
  ++uses_;
  return Scope([this, placement = ++placements_] {
    if (placement == placements_) go_home();
  });
}

void WorkQueue::go_home() {
  if (stream_ == streams_->home()) return;
  (void)synchronize();  // an error stays, and is told to the next who asks
  stream_ = streams_->home();
  ++uses_;
}

}  // namespace harness::cuda
