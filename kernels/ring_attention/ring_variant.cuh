// RingVariant: ring attention by peer copies and the kernel of ring_kernel.cuh. In each step every GPU pulls
// the keys and values of the next owner into one of two buffers. All take from different GPUs, which sends as
// much over each link as a ring does, and no GPU waits for its neighbour. Copies overlap with the step
// before, or not, which tells the sum of both. Host code; belongs to one thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/on_gpu.cuh"
#include "kernels/owned.cuh"
#include "kernels/ring_attention/ring_attention.h"
#include "kernels/ring_attention/ring_kernel.cuh"
#include "kernels/ring_attention/ring_tensors.cuh"

namespace ring_attention {

class RingVariant : public harness::sdk::Kernel {
 public:
  RingVariant(const harness::sdk::Params& params, const harness::sdk::DeviceTraits& traits, bool overlaps)
      : shape_(shape_of(params)), overlaps_(overlaps), ranks_(shape_.gpus) {
    require_supported(shape_, traits);
    const bool f16 = shape_.dtype == harness::sdk::DType::f16;
    launch_ =
        shape_.dimension == 64 ? make_launch<attention::Wgmma64>(f16) : make_launch<attention::Wgmma128>(f16);
    const std::vector<int> ordinals = kernels::gpus_of(traits);
    for (std::size_t gpu = 0; gpu < shape_.gpus; ++gpu) open(ranks_[gpu], ordinals[gpu]);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    for (std::size_t gpu = 0; gpu < shape_.gpus; ++gpu) {
      Rank& rank = ranks_[gpu];
      const auto tensor = [&](std::size_t index) {
        return buffers.as<std::uint16_t>(gpu * tensors_of_gpu + index);
      };
      rank.q = map_of(shape_, tensor(q_index), launch_.queries);
      rank.o = tensor(o_index);
      rank.own = {tensor(k_index), tensor(v_index)};
      rank.own_maps = maps_of(rank.own);
    }
  }

  // A GPU after the other is given its work, which the host takes less time for than a step takes.
  void run(harness::sdk::Stream stream) override {
    for (std::size_t gpu = 0; gpu < shape_.gpus; ++gpu) {
      Rank& rank = ranks_[gpu];
      const kernels::OnGpu current(rank.ordinal);
      const cudaStream_t compute = kernels::queue_on(stream, gpu);
      const cudaStream_t copies = overlaps_ ? rank.copies.get() : compute;
      if (rank.copies && overlaps_) kernels::follow(copies, rank.begun, compute);
      for (std::size_t step = 0; step < shape_.gpus; ++step) {
        const std::size_t next = overlaps_ ? step + 1 : step;
        if (next > 0 && next < shape_.gpus) pull(rank, gpu, next, copies);
        if (step > 0 && overlaps_) kernels::hold(compute, rank.copied[step % 2]);
        attend(rank, step, compute);
      }
    }
  }

 private:
  using KeysAndValues = std::array<std::uint16_t*, 2>;
  using Maps = std::array<ptx::TensorMap, 2>;

  struct Launch {
    void (*kernel)(Arguments, ptx::TensorMap, ptx::TensorMap, ptx::TensorMap) = nullptr;
    int queries = 0;  // of a block
    int keys = 0;     // of a tile
    int threads = 0;
    std::size_t shared_bytes = 0;
  };

  // One GPU: what it owns beside the case's tensors, and the tensors.
  struct Rank {
    int ordinal = 0;
    kernels::OwnedStream copies;
    kernels::OwnedEvent begun;
    kernels::OwnedEvent copied[2];                // the buffer is full
    kernels::OwnedEvent used[2];                  // the buffer may be overwritten
    std::optional<kernels::DeviceMemory> memory;  // of all below
    Carry carry;
    KeysAndValues buffers[2] = {};
    Maps buffer_maps[2] = {};
    ptx::TensorMap q = {};
    std::uint16_t* o = nullptr;
    KeysAndValues own = {};
    Maps own_maps = {};
  };

  template <class Tiling>
  static Launch make_launch(bool f16) {
    return {f16 ? ring_kernel<Tiling, ptx::F16> : ring_kernel<Tiling, ptx::BF16>, Tiling::queries,
            Tiling::keys, Tiling::threads, Tiling::shared_bytes};
  }

  [[nodiscard]] std::size_t block_bytes() const {
    return static_cast<std::size_t>(shape_.block_elements()) * 2;
  }

  [[nodiscard]] Maps maps_of(const KeysAndValues& both) const {
    return {map_of(shape_, both[0], launch_.keys), map_of(shape_, both[1], launch_.keys)};
  }

  void open(Rank& rank, int ordinal) {
    rank.ordinal = ordinal;
    const kernels::OnGpu current(ordinal);
    kernels::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(launch_.kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(launch_.shared_bytes)),
                   "cudaFuncSetAttribute");
    if (shape_.gpus == 1) return;
    rank.copies = kernels::make_stream();
    for (kernels::OwnedEvent* event :
         {&rank.begun, &rank.copied[0], &rank.copied[1], &rank.used[0], &rank.used[1]})
      *event = kernels::make_event();
    // A block's bytes are a multiple of 128, since a row has 64 elements at least.
    const std::size_t rows = static_cast<std::size_t>(shape_.heads * shape_.block());
    const std::size_t sums = 2 * block_bytes(), scores = rows * 4 * sizeof(float2);
    rank.memory.emplace(sums + scores + 4 * block_bytes());
    auto* next = rank.memory->as<std::byte>();
    for (KeysAndValues& buffer : rank.buffers)
      for (std::uint16_t*& tensor : buffer) {
        tensor = reinterpret_cast<std::uint16_t*>(next);
        next += block_bytes();
      }
    rank.carry.sums = reinterpret_cast<float*>(next);
    rank.carry.scores = reinterpret_cast<float2*>(next + sums);
    for (int i = 0; i < 2; ++i) rank.buffer_maps[i] = maps_of(rank.buffers[i]);
  }

  // Keys and values of step `step`. A buffer was last used two steps before.
  void pull(Rank& rank, std::size_t gpu, std::size_t step, cudaStream_t copies) const {
    const Rank& owner = ranks_[shape_.owner(gpu, step)];
    if (overlaps_ && step > 2) kernels::hold(copies, rank.used[step % 2]);
    for (std::size_t i = 0; i < 2; ++i)
      kernels::check(cudaMemcpyPeerAsync(rank.buffers[step % 2][i], rank.ordinal, owner.own[i], owner.ordinal,
                                         block_bytes(), copies),
                     "cudaMemcpyPeerAsync");
    if (overlaps_) kernels::record(rank.copied[step % 2], copies);
  }

  void attend(Rank& rank, std::size_t step, cudaStream_t compute) const {
    const Maps& maps = step == 0 ? rank.own_maps : rank.buffer_maps[step % 2];
    auto problem = arguments_of<Arguments>(shape_, rank.o);
    problem.carry = rank.carry;
    problem.carry.first = step == 0 ? 1 : 0;
    problem.carry.last = step + 1 == shape_.gpus ? 1 : 0;
    launch_.kernel<<<grid_of(shape_, launch_.queries), static_cast<unsigned>(launch_.threads),
                     launch_.shared_bytes, compute>>>(problem, rank.q, maps[0], maps[1]);
    kernels::check(cudaGetLastError(), "launch of ring_kernel");
    if (overlaps_ && step > 0) kernels::record(rank.used[step % 2], compute);
  }

  Shape shape_;
  bool overlaps_;
  Launch launch_;
  std::vector<Rank> ranks_;
};

}  // namespace ring_attention
