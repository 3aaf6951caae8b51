// matmul/mma_sync: ldmatrix and mma.sync fed by a ring of slots in shared memory, rows swizzled against bank
// conflicts. The algorithms are gemm/mma_tma.cuh, where the copy engine fills the ring, and gemm/mma_tile.cuh,
// where cp.async does. Nothing is done to the sums. The tiling is the largest that gives each multiprocessor a
// tile. Where rows are not whole pieces of 16 bytes, plain loads replace the asynchronous copies. Limiter on
// Hopper: the mma.sync rate, well below that of wgmma.
#include "kernels/gemm/run_mma.cuh"
#include "kernels/matmul/rungs/run_rung.cuh"

namespace matmul {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Stream;

class MmaSync final : public harness::sdk::Kernel {
 public:
  MmaSync(const Params& params, const harness::sdk::Problem&, const DeviceTraits& traits)
      : shape_(shape_of(params)) {
    require_32_bit_extents(shape_);
    with_element<ptx::F16, ptx::BF16, ptx::TF32>(
        shape_, "the Tensor Cores have no full float32: this rung multiplies f16, bf16 and tf32",
        [&](auto element) {
          using Product = gemm::MmaProduct<decltype(element), gemm::PlainEpilogue>;
          auto product = std::make_shared<Product>(product_shape(shape_), traits);
          bind_ = [product](const Buffers& buffers) {
            product->bind(buffers.as<void>(a_index), buffers.as<void>(b_index), buffers.as<void>(c_index),
                          {});
          };
          run_ = [product](cudaStream_t stream) { product->run(stream); };
        });
  }

  void bind(const Buffers& buffers) override { bind_(buffers); }
  void run(Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 private:
  Shape shape_;
  std::function<void(const Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, mma_sync, cuda, "mma.sync and ldmatrix from a swizzled ring",
                matmul::MmaSync)
