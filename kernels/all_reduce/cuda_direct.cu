// all_reduce/direct: one kernel on each GPU, which reads and writes the memory of all of them.
#include <algorithm>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/all_reduce/all_reduce.h"
#include "kernels/all_reduce/direct_kernel.cuh"
#include "kernels/on_gpu.cuh"

namespace all_reduce {
namespace {

using harness::sdk::Stream;
using harness::sdk::Unsupported;

constexpr unsigned blocks_of_multiprocessor = 2;

class Direct final : public harness::sdk::Kernel {
 public:
  Direct(const harness::sdk::Params& params, const harness::sdk::Problem&,
         const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        ordinals_(kernels::gpus_of(traits)),
        grid_(static_cast<unsigned>(traits.multiprocessors) * blocks_of_multiprocessor) {
    if (shape_.gpus != 1 && shape_.gpus != 2 && shape_.gpus != 4 && shape_.gpus != 8)
      throw Unsupported("written for 1, 2, 4 and 8 GPUs, not for " + std::to_string(shape_.gpus));
    require_vectors(shape_);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
  }

  void run(Stream stream) override {
    switch (shape_.gpus) {
      case 1: return launch<1>(stream);
      case 2: return launch<2>(stream);
      case 4: return launch<4>(stream);
      default: return launch<8>(stream);
    }
  }

 private:
  template <int Gpus>
  void launch(Stream stream) {
    for (std::size_t gpu = 0; gpu < Gpus; ++gpu) {
      DirectArguments<Gpus> problem;
      for (std::size_t i = 0; i < Gpus; ++i) {
        const std::size_t other = (gpu + i) % Gpus;
        problem.from[i] = static_cast<const float*>(tensors_[other]);
        problem.to[i] = static_cast<float*>(tensors_[shape_.result_index(other)]);
      }
      problem.begin = shape_.part(gpu) / 4;
      problem.end = shape_.part(gpu + 1) / 4;
      const kernels::OnGpu current(ordinals_[gpu]);
      direct_kernel<Gpus><<<grid_, direct_threads, 0, kernels::queue_on(stream, gpu)>>>(problem);
      kernels::check(cudaGetLastError(), "launch of direct_kernel");
    }
  }

  Shape shape_;
  std::vector<int> ordinals_;
  unsigned grid_;
  std::vector<void*> tensors_;
};

}  // namespace
}  // namespace all_reduce

HARNESS_VARIANT(all_reduce, direct, cuda, "each GPU reads one part from all, and writes its sums to all",
                all_reduce::Direct)
