// all_reduce/pushed: one kernel on each GPU, which writes to the memory of all of them and reads its own
// alone. Kernels wait for each other, so all of them must run at once.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/all_reduce/all_reduce.h"
#include "kernels/all_reduce/pushed_kernel.cuh"
#include "kernels/on_gpu.cuh"
#include "kernels/owned.cuh"

namespace all_reduce {
namespace {

using harness::sdk::Stream;
using harness::sdk::Unsupported;

class Pushed final : public harness::sdk::Kernel {
 public:
  Pushed(const harness::sdk::Params& params, const harness::sdk::Problem&,
         const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        ordinals_(kernels::gpus_of(traits)),
        grid_(static_cast<unsigned>(traits.multiprocessors)),
        part_(shape_.n / static_cast<std::int64_t>(4 * shape_.gpus)) {
    if (launches_block())
      throw Unsupported("kernels wait for each other, which CUDA_LAUNCH_BLOCKING does not allow");
    if (shape_.gpus != 2 && shape_.gpus != 4 && shape_.gpus != 8)
      throw Unsupported("written for 2, 4 and 8 GPUs, not for " + std::to_string(shape_.gpus));
    require_vectors(shape_);
    switch (shape_.gpus) {
      case 2: open<2>(); break;
      case 4: open<4>(); break;
      default: open<8>();
    }
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
  }

  void run(Stream stream) override {
    switch (shape_.gpus) {
      case 2: return launch<2>(stream);
      case 4: return launch<4>(stream);
      default: return launch<8>(stream);
    }
  }

 private:
  static bool launches_block() {
    const char* set = std::getenv("CUDA_LAUNCH_BLOCKING");
    return set != nullptr && *set != '\0' && std::string_view(set) != "0";
  }

  // The kernel is loaded here: not while others already wait for it.
  template <int Gpus>
  void open() {
    chunks_ = (part_ + pushed_chunk<Gpus> - 1) / pushed_chunk<Gpus>;
    for (std::size_t gpu = 0; gpu < Gpus; ++gpu) {
      const kernels::OnGpu current(ordinals_[gpu]);
      places_.emplace_back((Gpus - 1) * static_cast<std::size_t>(part_) * sizeof(float4));
      const std::size_t bytes = (Gpus - 1) * static_cast<std::size_t>(chunks_) * sizeof(unsigned);
      flags_.emplace_back(bytes);
      kernels::check(cudaMemset(flags_.back().as<void>(), 0, bytes), "cudaMemset");
      cudaFuncAttributes unused;
      kernels::check(cudaFuncGetAttributes(&unused, pushed_kernel<Gpus>), "cudaFuncGetAttributes");
      kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
  }

  // An error of before is told before any kernel waits.
  template <int Gpus>
  void launch(Stream stream) {
    kernels::check(cudaGetLastError(), "before the launches of pushed_kernel");
    for (std::size_t gpu = 0; gpu < Gpus; ++gpu) {
      PushedArguments<Gpus> problem;
      problem.values = static_cast<const float4*>(tensors_[gpu]);
      for (std::size_t i = 0; i < Gpus; ++i) {
        const std::size_t other = (gpu + i) % Gpus;
        problem.results[i] = static_cast<float4*>(tensors_[shape_.result_index(other)]);
        problem.places[i] = places_[other].as<float4>();
        problem.flags[i] = flags_[other].as<unsigned>();
      }
      problem.part = part_;
      problem.chunks = chunks_;
      problem.gpu = static_cast<int>(gpu);
      const kernels::OnGpu current(ordinals_[gpu]);
      pushed_kernel<Gpus><<<grid_, pushed_threads, 0, kernels::queue_on(stream, gpu)>>>(problem);
      kernels::check(cudaGetLastError(), "launch of pushed_kernel");
    }
  }

  Shape shape_;
  std::vector<int> ordinals_;
  unsigned grid_;
  std::int64_t part_;  // vectors
  std::int64_t chunks_ = 0;
  std::vector<kernels::DeviceMemory> places_, flags_;  // of each GPU
  std::vector<void*> tensors_;
};

}  // namespace
}  // namespace all_reduce

HARNESS_VARIANT(all_reduce, pushed, cuda, "each GPU sends the others their parts, and its sums to all",
                all_reduce::Pushed)
