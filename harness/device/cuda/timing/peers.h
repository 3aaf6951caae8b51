// Peers: the other GPUs of a device whose calls use several, each with a stream. Every GPU reaches the memory
// of every other one. One thread uses it.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/cuda/timing/cache.h"
#include "harness/device/scope.h"
#include "harness/sdk/variant.h"

namespace harness::cuda {

class Peers {
 public:
  // `home` is current, before and after. An error names two GPUs that do not reach each other.
  static Result<std::unique_ptr<Peers>> open(int home, const std::vector<int>& ordinals);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  [[nodiscard]] bool none() const { return ordinals_.size() < 2; }
  [[nodiscard]] int gpus() const { return static_cast<int>(ordinals_.size()); }
  // The CUDA number of GPU `gpu` of the case; 0 is the home.
  [[nodiscard]] int ordinal(int gpu) const { return ordinals_[static_cast<std::size_t>(gpu)]; }

  // Makes this GPU of the case current while the scope lives.
  [[nodiscard]] Result<Scope> on(int gpu) const;

  // Calls `work` with `stream` and those of the peers. Its work on peers begins after earlier work on
  // `stream`, and later work on `stream` waits for it. Without peers it only calls. Errors are the
  // runtime's last.
  void call(cudaStream_t stream, const std::function<void(sdk::Stream)>& work);

  // Queues an empty kernel on each GPU, on `stream` and those of the peers; nothing without peers. A profiler
  // that was just attached takes memory at a GPU's first launch. That may wait for all GPUs, and so for ever
  // behind a kernel that waits for this launch.
  Status wake(cudaStream_t stream);

  // Queues the eviction of the peers' caches, before the next call.
  Status evict();

  // Waits for everything that was queued on peers.
  Status synchronize();

  // A stream of GPU `gpu`, which is not the home.
  [[nodiscard]] cudaStream_t stream(int gpu) const {
    return static_cast<cudaStream_t>(streams_[static_cast<std::size_t>(gpu) - 1]);
  }

 private:
  Peers() = default;
  Status reach_all() const;
  Status create_streams();
  void join(cudaStream_t stream) const;

  std::vector<int> ordinals_;  // the home first
  std::vector<void*> streams_;
  std::vector<cudaEvent_t> ends_;       // of the peers
  std::vector<CacheFlusher> flushers_;  // of the peers
  cudaEvent_t begin_ = nullptr;         // on the home
};

}  // namespace harness::cuda
