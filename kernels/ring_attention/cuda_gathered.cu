// ring_attention/gathered: all keys and values come to each GPU, during one kernel over all of them. Against
// `pulled`, sums are never stored between steps, and no step waits for the slowest block of the one before.
// It takes memory for the keys and values of all other GPUs, `pulled` for two blocks of them and its sums.
#include <cuda.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/on_gpu.cuh"
#include "kernels/owned.cuh"
#include "kernels/ptx/driver_function.cuh"
#include "kernels/ring_attention/gathered_kernel.cuh"
#include "kernels/ring_attention/ring_tensors.cuh"

namespace ring_attention {
namespace {

class Gathered final : public harness::sdk::Kernel {
 public:
  Gathered(const harness::sdk::Params& params, const harness::sdk::Problem&,
           const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)), ranks_(shape_.gpus) {
    require_supported(shape_, traits);
    const bool f16 = shape_.dtype == harness::sdk::DType::f16;
    launch_ =
        shape_.dimension == 64 ? make_launch<attention::Wgmma64>(f16) : make_launch<attention::Wgmma128>(f16);
    if (shape_.gpus > 1)
      write_word_ = ptx::driver_function<decltype(&cuStreamWriteValue32)>("cuStreamWriteValue32");
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
      rank.own_k = tensor(k_index);
      rank.own_v = tensor(v_index);
      rank.k.at[0] = map_of(shape_, rank.own_k, launch_.keys);
      rank.v.at[0] = map_of(shape_, rank.own_v, launch_.keys);
    }
  }

  // A GPU's copies are queued before its kernel: where launches are made to wait for their end, they still
  // come. A graph would not keep that order.
  void run(harness::sdk::Stream stream) override {
    cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
    kernels::check(cudaStreamIsCapturing(kernels::queue_on(stream, 0), &captured), "cudaStreamIsCapturing");
    if (captured != cudaStreamCaptureStatusNone && shape_.gpus > 1)
      throw std::runtime_error("copies that a running kernel waits for cannot be captured in a graph");
    for (std::size_t gpu = 0; gpu < shape_.gpus; ++gpu) {
      Rank& rank = ranks_[gpu];
      const kernels::OnGpu current(rank.ordinal);
      const cudaStream_t compute = kernels::queue_on(stream, gpu);
      if (shape_.gpus > 1) gather(rank, gpu, compute);
      attend(rank, compute);
      if (shape_.gpus == 1) continue;
      kernels::check(cudaMemsetAsync(rank.arrived, 0, flag_bytes(), compute), "cudaMemsetAsync");
      kernels::follow(compute, rank.ended, rank.copies.get());
    }
  }

 private:
  struct Launch {
    void (*kernel)(GatheredArguments, ptx::TensorMap, TwoMaps, TwoMaps) = nullptr;
    int queries = 0;  // of a block
    int keys = 0;     // of a tile
    int threads = 0;
    std::size_t shared_bytes = 0;
  };

  // One GPU: what it owns beside the case's tensors, and the tensors.
  struct Rank {
    int ordinal = 0;
    kernels::OwnedStream copies;
    kernels::OwnedEvent begun, ended;
    std::optional<kernels::DeviceMemory> memory;  // of the next three
    std::uint16_t* others_k = nullptr;            // (gpus - 1, h, block, d), the next GPU's first
    std::uint16_t* others_v = nullptr;
    unsigned* arrived = nullptr;
    ptx::TensorMap q = {};
    TwoMaps k = {}, v = {};
    std::uint16_t* own_k = nullptr;
    std::uint16_t* own_v = nullptr;
    std::uint16_t* o = nullptr;
  };

  template <class Tiling>
  static Launch make_launch(bool f16) {
    return {f16 ? gathered_kernel<Tiling, ptx::F16> : gathered_kernel<Tiling, ptx::BF16>, Tiling::queries,
            Tiling::keys, Tiling::threads, Tiling::shared_bytes};
  }

  [[nodiscard]] std::size_t block_bytes() const {
    return static_cast<std::size_t>(shape_.block_elements()) * 2;
  }
  [[nodiscard]] std::size_t flag_bytes() const { return (shape_.gpus - 1) * sizeof(unsigned); }

  void open(Rank& rank, int ordinal) {
    rank.ordinal = ordinal;
    const kernels::OnGpu current(ordinal);
    kernels::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(launch_.kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(launch_.shared_bytes)),
                   "cudaFuncSetAttribute");
    const std::size_t others = shape_.gpus - 1;
    if (others == 0) return;
    rank.copies = kernels::make_stream();
    rank.begun = kernels::make_event();
    rank.ended = kernels::make_event();
    rank.memory.emplace(2 * others * block_bytes() + flag_bytes());
    rank.others_k = rank.memory->as<std::uint16_t>();
    rank.others_v = rank.others_k + others * block_bytes() / 2;
    rank.arrived = reinterpret_cast<unsigned*>(rank.others_v + others * block_bytes() / 2);
    kernels::check(cudaMemset(rank.arrived, 0, flag_bytes()), "cudaMemset");
    if (const CUresult refused = set_word(rank.copies.get(), rank.arrived, 0); refused != CUDA_SUCCESS)
      throw harness::sdk::Unsupported("the driver refuses to write words in a stream: CUresult " +
                                      std::to_string(static_cast<int>(refused)));
    kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    rank.k.at[1] = map_of(shape_, rank.others_k, launch_.keys, others);
    rank.v.at[1] = map_of(shape_, rank.others_v, launch_.keys, others);
  }

  [[nodiscard]] CUresult set_word(cudaStream_t stream, unsigned* word, unsigned value) const {
    return write_word_(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WRITE_VALUE_DEFAULT);
  }

  // The keys and values of all others, the next GPU's first, a flag behind each.
  void gather(const Rank& rank, std::size_t gpu, cudaStream_t compute) const {
    const cudaStream_t copies = rank.copies.get();
    kernels::follow(copies, rank.begun, compute);
    for (std::size_t step = 1; step < shape_.gpus; ++step) {
      const Rank& owner = ranks_[shape_.owner(gpu, step)];
      const std::size_t offset = (step - 1) * block_bytes() / 2;
      for (const auto& [to, from] : {std::pair{rank.others_k, owner.own_k}, {rank.others_v, owner.own_v}})
        kernels::check(
            cudaMemcpyPeerAsync(to + offset, rank.ordinal, from, owner.ordinal, block_bytes(), copies),
            "cudaMemcpyPeerAsync");
      if (const CUresult written = set_word(copies, rank.arrived + step - 1, 1); written != CUDA_SUCCESS)
        throw std::runtime_error("cuStreamWriteValue32: CUresult " +
                                 std::to_string(static_cast<int>(written)));
    }
  }

  void attend(const Rank& rank, cudaStream_t compute) const {
    auto problem = arguments_of<GatheredArguments>(shape_, rank.o);
    problem.arrived = rank.arrived;
    problem.blocks = static_cast<int>(shape_.gpus);
    problem.heads = static_cast<int>(shape_.heads);
    launch_.kernel<<<grid_of(shape_, launch_.queries), static_cast<unsigned>(launch_.threads),
                     launch_.shared_bytes, compute>>>(problem, rank.q, rank.k, rank.v);
    kernels::check(cudaGetLastError(), "launch of gathered_kernel");
  }

  Shape shape_;
  // Sets a word behind a copy without a multiprocessor. All of them are taken by the kernel that waits for
  // the word.
  decltype(&cuStreamWriteValue32) write_word_ = nullptr;
  Launch launch_;
  std::vector<Rank> ranks_;
};

}  // namespace
}  // namespace ring_attention

HARNESS_VARIANT(ring_attention, gathered, cuda, "all keys and values are copied during one kernel over them",
                ring_attention::Gathered)
