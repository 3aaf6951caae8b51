// qkv_rope/separate: the reference: cuBLASLt, then a kernel that turns queries and keys in place.
#include <limits>

#include "harness/sdk/registry.h"
#include "kernels/cublaslt_kernel.cuh"
#include "kernels/operators/qkv_rope/qkv_rope.h"
#include "kernels/operators/qkv_rope/turn_kernel.cuh"
#include "kernels/product_work.h"

namespace operators::qkv_rope {
namespace {

class SeparateRope final : public kernels::CublasLtKernel {
 public:
  SeparateRope(const harness::sdk::Params& params, const harness::sdk::Problem&,
               const harness::sdk::DeviceTraits&)
      : SeparateRope(supported(shape_of(params))) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    y_ = buffers.as<std::uint16_t>(y_index);
    turns_ = shape_.turns(buffers.as<float>(turns_index));
    product().bind(buffers.as<void>(x_index), buffers.as<void>(w_index), y_, buffers.workspace);
  }

  void run(harness::sdk::Stream stream) override {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    product().run(queue);
    auto* const kernel =
        shape_.product.dtype == harness::sdk::DType::f16 ? turn_kernel<ptx::F16> : turn_kernel<ptx::BF16>;
    kernel<<<static_cast<unsigned>(blocks_of(shape_)), turn_threads, 0, queue>>>(
        y_, turns_, shape_.product.m, static_cast<int>(shape_.product.n));
    kernels::check(cudaGetLastError(), "launch of turn_kernel");
  }

 private:
  explicit SeparateRope(const Shape& shape)
      : CublasLtKernel(shape.product, {shape.product.dtype, shape.product.dtype}), shape_(shape) {
    find_algorithms("");
  }

  static std::int64_t blocks_of(const Shape& shape) {
    return (shape.product.m * (shape.product.n / 3 * 2 / 8) + turn_threads - 1) / turn_threads;
  }

  static Shape supported(const Shape& shape) {
    kernels::require_half_extents(shape.product);
    if (shape.product.n % 8 != 0)
      throw harness::sdk::Unsupported(
          "the kernel after the product turns pieces of 8: d must be a multiple of 8");
    if (blocks_of(shape) > std::numeric_limits<std::int32_t>::max())
      throw harness::sdk::Unsupported("more blocks than one launch can hold");
    return shape;
  }

  Shape shape_;
  Turns turns_;
  std::uint16_t* y_ = nullptr;
};

}  // namespace
}  // namespace operators::qkv_rope

HARNESS_VARIANT(qkv_rope, separate, cuda, "cuBLASLt, the fastest of up to 16, then a kernel that turns pairs",
                operators::qkv_rope::SeparateRope)
