// sparse_gemm/wgmma_sp: our own kernel on the sparse Tensor Cores of Hopper (sparse_tile.cuh). A dense W is
// compressed in the timed call.
#include <limits>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/launch.cuh"
#include "kernels/ptx/tensor_map.cuh"
#include "kernels/sparse_gemm/compress_kernel.cuh"
#include "kernels/sparse_gemm/sparse_gemm.h"
#include "kernels/sparse_gemm/sparse_tile.cuh"

namespace sparse_gemm {
namespace {

using harness::sdk::Unsupported;

class WgmmaSp final : public harness::sdk::Kernel {
 public:
  WgmmaSp(const harness::sdk::Params& params, const harness::sdk::Problem&,
          const harness::sdk::DeviceTraits& traits)
      : shape_(supported(shape_of(params), traits)),
        launch_(sparse_launch(shape_.n, shape_.m, traits.multiprocessors)) {
    problem_.m = static_cast<int>(shape_.n);
    problem_.n = static_cast<int>(shape_.m);
    problem_.k = static_cast<int>(shape_.k);
    kernels::allow_shared_memory(launch_.kernel, static_cast<std::size_t>(launch_.shared_bytes), traits);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return shape_.compressed ? 0 : static_cast<std::size_t>(shape_.extents().bytes());
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    w_ = buffers.as<std::uint16_t>(w_index);
    blocks_ = shape_.compressed ? buffers.as<unsigned char>(w_index)
                                : static_cast<unsigned char*>(buffers.workspace);
    problem_.y = buffers.as<std::uint16_t>(y_index);
    w_map_ = ptx::make_tensor_map<ptx::F16>(reinterpret_cast<const std::uint16_t*>(blocks_),
                                            layout_of_blocks(problem_));
    x_map_ = ptx::make_tensor_map<ptx::F16>(buffers.as<const std::uint16_t>(x_index),
                                            layout_of_rows(problem_, launch_.columns));
  }

  void run(harness::sdk::Stream stream) override {
    auto* const queue = static_cast<cudaStream_t>(stream.handle);
    if (!shape_.compressed) {
      const dim3 grid(static_cast<unsigned>(shape_.extents().blocks_across()),
                      static_cast<unsigned>(shape_.extents().blocks_down()));
      compress_kernel<<<grid, compress_threads, 0, queue>>>(w_, blocks_, problem_.m, problem_.k);
      kernels::check(cudaGetLastError(), "launch of compress_kernel");
    }
    launch_.kernel<<<static_cast<unsigned>(launch_.blocks), static_cast<unsigned>(launch_.threads),
                     static_cast<std::size_t>(launch_.shared_bytes), queue>>>(w_map_, x_map_, problem_);
    kernels::check(cudaGetLastError(), "launch of sparse_kernel");
  }

 private:
  static Shape supported(const Shape& shape, const harness::sdk::DeviceTraits& traits) {
    kernels::require_hopper(traits);
    if (shape.k % 8 != 0 || shape.n % 8 != 0)
      throw Unsupported("rows are copied in whole 16 bytes: k and n must be multiples of 8");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1024;
    if (shape.m > most || shape.k > most || shape.extents().blocks_down() > 65535 ||
        gemm::tiles_of(shape.m, 64) * shape.extents().blocks_down() > most)
      throw Unsupported("more tiles than one launch can hold");
    return shape;
  }

  Shape shape_;
  SparseLaunch launch_;
  TransposedProblem problem_;
  const std::uint16_t* w_ = nullptr;
  unsigned char* blocks_ = nullptr;
  ptx::TensorMap w_map_ = {};
  ptx::TensorMap x_map_ = {};
};

}  // namespace
}  // namespace sparse_gemm

HARNESS_VARIANT(sparse_gemm, wgmma_sp, cuda,
                "own kernel on sparse Tensor Cores; a dense W is compressed in the call",
                sparse_gemm::WgmmaSp)
