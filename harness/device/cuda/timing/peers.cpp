#include "harness/device/cuda/timing/peers.h"

#include <fmt/format.h>

#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/gpu_kernels.h"

namespace harness::cuda {
namespace {

constexpr unsigned without_times = cudaEventDisableTiming;

cudaStream_t as_stream(void* handle) {
  return static_cast<cudaStream_t>(handle);
}

}  // namespace

Result<std::unique_ptr<Peers>> Peers::open(int home, const std::vector<int>& ordinals) {
  std::unique_ptr<Peers> peers(new Peers());
  peers->ordinals_.push_back(home);
  peers->ordinals_.insert(peers->ordinals_.end(), ordinals.begin(), ordinals.end());
  if (peers->none()) return peers;
  if (auto status = peers->reach_all(); !status) return fail(std::move(status.error()));
  if (auto status = peers->create_streams(); !status) return fail(std::move(status.error()));
  return peers;
}

Peers::~Peers() {
  if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
  for (cudaEvent_t event : ends_) (void)cudaEventDestroy(event);
  for (void* stream : streams_) (void)cudaStreamDestroy(as_stream(stream));
}

Result<Scope> Peers::on(int gpu) const {
  if (gpu < 0 || gpu >= gpus())
    return fail(ErrorKind::internal, fmt::format("GPU {} of a case with {}", gpu, gpus()));
  if (gpu == 0) return Scope();
  if (auto status = check(cudaSetDevice(ordinal(gpu)), "cudaSetDevice"); !status)
    return fail(std::move(status.error()));
  return Scope([home = ordinal(0)] { (void)cudaSetDevice(home); });
}

// Each GPU opens its own way to each other one.
Status Peers::reach_all() const {
  for (int from = 0; from < gpus(); ++from) {
    const auto current = on(from);
    if (!current) return fail(current.error());
    for (int to = 0; to < gpus(); ++to) {
      if (to == from) continue;
      int can = 0;
      if (auto status =
              check(cudaDeviceCanAccessPeer(&can, ordinal(from), ordinal(to)), "cudaDeviceCanAccessPeer");
          !status)
        return status;
      if (can == 0)
        return fail(ErrorKind::environment,
                    fmt::format("GPU {} does not reach the memory of GPU {}", ordinal(from), ordinal(to)),
                    "`nvidia-smi topo -p2p r` shows which GPUs reach each other; name some with --device");
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(ordinal(to), 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled)
        (void)cudaGetLastError();
      else if (auto status = check(enabled, "cudaDeviceEnablePeerAccess"); !status)
        return status;
    }
  }
  return {};
}

Status Peers::create_streams() {
  if (auto status = check(cudaEventCreateWithFlags(&begin_, without_times), "cudaEventCreate"); !status)
    return status;
  for (int gpu = 1; gpu < gpus(); ++gpu) {
    const auto current = on(gpu);
    if (!current) return fail(current.error());
    cudaStream_t stream = nullptr;
    if (auto status = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
        !status)
      return status;
    streams_.push_back(stream);
    cudaEvent_t end = nullptr;
    if (auto status = check(cudaEventCreateWithFlags(&end, without_times), "cudaEventCreate"); !status)
      return status;
    ends_.push_back(end);
    int cache_bytes = 0;
    if (auto status = check(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, ordinal(gpu)),
                            "cudaDeviceGetAttribute");
        !status)
      return status;
    flushers_.emplace_back(static_cast<std::size_t>(cache_bytes));
  }
  return {};
}

void Peers::call(cudaStream_t stream, const std::function<void(sdk::Stream)>& work) {
  if (none()) return work(sdk::Stream{stream});
  (void)cudaEventRecord(begin_, stream);
  for (void* peer : streams_) (void)cudaStreamWaitEvent(as_stream(peer), begin_, 0);
  const Scope joined([this, stream] { join(stream); });  // also where the work throws
  work(sdk::Stream{stream, streams_});
}

void Peers::join(cudaStream_t stream) const {
  (void)cudaSetDevice(ordinal(0));
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    (void)cudaEventRecord(ends_[i], as_stream(streams_[i]));
    (void)cudaStreamWaitEvent(stream, ends_[i], 0);
  }
}

Status Peers::wake(cudaStream_t stream) {
  for (int gpu = 0; gpu < gpus() && !none(); ++gpu) {
    const auto current = on(gpu);
    if (!current) return fail(current.error());
    launch_nothing(gpu == 0 ? stream : this->stream(gpu));
    if (auto status = check_launch("the empty kernel"); !status) return status;
  }
  return {};
}

Status Peers::evict() {
  for (int gpu = 1; gpu < gpus(); ++gpu) {
    const auto current = on(gpu);
    if (!current) return fail(current.error());
    if (auto status = flushers_[static_cast<std::size_t>(gpu) - 1].flush(stream(gpu)); !status) return status;
  }
  return {};
}

Status Peers::synchronize() {
  for (void* stream : streams_)
    if (auto status = check(cudaStreamSynchronize(as_stream(stream)), "cudaStreamSynchronize of a peer");
        !status)
      return status;
  return {};
}

}  // namespace harness::cuda
