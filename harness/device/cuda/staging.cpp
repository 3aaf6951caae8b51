#include "harness/device/cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "harness/device/cuda/check.h"
#include "harness/sdk/in_parts.h"

namespace harness::cuda {
namespace {

constexpr std::size_t worth_staging = std::size_t{8} << 20;
// A half has work for four threads, and for sixteen where a copy is large: pinning that much takes longer
// than small copies do.
constexpr std::size_t usual_half = std::size_t{16} << 20;
constexpr std::size_t large_half = std::size_t{64} << 20;
constexpr std::size_t large_copy = std::size_t{256} << 20;
constexpr std::int64_t worth_a_thread = std::int64_t{4} << 20;

Status wait_for(cudaEvent_t copied) {
  return check(cudaEventSynchronize(copied), "cudaEventSynchronize (staging)");
}

Status mark(cudaEvent_t copied, cudaStream_t stream) {
  return check(cudaEventRecord(copied, stream), "cudaEventRecord (staging)");
}

}  // namespace

void copy_on_threads(void* to, const void* from, std::size_t bytes) {
  sdk::in_parts(static_cast<std::int64_t>(bytes), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                static_cast<std::size_t>(last - first));
  });
}

Staging::~Staging() {
  release();
}

void Staging::release() {
  for (Half& half : halves_) {
    if (half.copied != nullptr) {
      (void)cudaEventSynchronize(half.copied);
      (void)cudaEventDestroy(half.copied);
    }
    if (half.memory != nullptr) (void)cudaFreeHost(half.memory);
    half = {};
  }
  half_bytes_ = 0;
}

// Both halves or none.
bool Staging::take(std::size_t half_bytes) {
  release();
  for (Half& half : halves_) {
    void* memory = nullptr;
    if (!check(cudaHostAlloc(&memory, half_bytes, cudaHostAllocDefault), "cudaHostAlloc of staging memory"))
      return false;
    half.memory = static_cast<std::byte*>(memory);
    if (!check(cudaEventCreateWithFlags(&half.copied, cudaEventDisableTiming), "cudaEventCreateWithFlags"))
      return false;
  }
  half_bytes_ = half_bytes;
  return true;
}

// A host that cannot pin more memory is no error.
bool Staging::ready(std::size_t bytes) {
  const std::size_t wanted = bytes < large_copy ? usual_half : large_half;
  if (wanted > std::max(half_bytes_, tried_)) {
    tried_ = wanted;
    if (!take(wanted) && !take(usual_half)) release();
  }
  return half_bytes_ > 0;
}

// A copy that is not large is still worth several pieces, so that both sides work at once.
std::size_t Staging::piece_of(std::size_t bytes) const {
  return std::min(half_bytes_, bytes < large_copy ? usual_half : large_half);
}

Status Staging::upload(void* to, std::span<const std::byte> from, cudaStream_t stream) {
  if (from.size() < worth_staging || !ready(from.size()))
    return check(cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream),
                 "cudaMemcpyAsync to the device");
  const std::size_t piece = piece_of(from.size());
  for (std::size_t begin = 0, turn = 0; begin < from.size(); begin += piece, ++turn) {
    const std::size_t bytes = std::min(piece, from.size() - begin);
    if (Status free = wait_for(half(turn).copied); !free) return free;
    copy_on_threads(half(turn).memory, from.data() + begin, bytes);
    if (Status sent = check(cudaMemcpyAsync(static_cast<std::byte*>(to) + begin, half(turn).memory, bytes,
                                            cudaMemcpyHostToDevice, stream),
                            "cudaMemcpyAsync to the device");
        !sent)
      return sent;
    if (Status marked = mark(half(turn).copied, stream); !marked) return marked;
  }
  return {};
}

// A piece is fetched while the one before is copied out of the other half. A half may still be the source of
// an upload on another stream.
Status Staging::download(std::span<std::byte> to, const void* from, cudaStream_t stream) {
  if (to.size() < worth_staging || !ready(to.size()))
    return check(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream),
                 "cudaMemcpyAsync to the host");
  const std::size_t piece = piece_of(to.size());
  const auto fetch = [&](std::size_t turn) -> Status {
    const std::size_t begin = turn * piece;
    if (begin >= to.size()) return {};
    if (Status free = wait_for(half(turn).copied); !free) return free;
    if (Status fetched =
            check(cudaMemcpyAsync(half(turn).memory, static_cast<const std::byte*>(from) + begin,
                                  std::min(piece, to.size() - begin), cudaMemcpyDeviceToHost, stream),
                  "cudaMemcpyAsync to the host");
        !fetched)
      return fetched;
    return mark(half(turn).copied, stream);
  };
  if (Status first = fetch(0); !first) return first;
  for (std::size_t begin = 0, turn = 0; begin < to.size(); begin += piece, ++turn) {
    if (Status next = fetch(turn + 1); !next) return next;
    if (Status here = wait_for(half(turn).copied); !here) return here;
    copy_on_threads(to.data() + begin, half(turn).memory, std::min(piece, to.size() - begin));
  }
  return {};
}

}  // namespace harness::cuda
