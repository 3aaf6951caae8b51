// matmul/cublas_pedantic: float32 by CUBLAS_COMPUTE_32F_PEDANTIC, which forbids the Tensor Cores and every
// reordering that would change the arithmetic: the reference for the FP32 rungs on CUDA cores.
#include "kernels/matmul/library_kernel.cuh"

namespace matmul {
namespace {

class CublasPedantic final : public LibraryKernel {
 public:
  CublasPedantic(const harness::sdk::Params& params, const harness::sdk::Problem&,
                 const harness::sdk::DeviceTraits&)
      : LibraryKernel(float_shape(params), CUBLAS_COMPUTE_32F_PEDANTIC, 1) {}

 private:
  static Shape float_shape(const harness::sdk::Params& params) {
    const Shape shape = shape_of(params);
    if (shape.arithmetic != Arithmetic::f32)
      throw harness::sdk::Unsupported("the reference for float32: it multiplies f32 alone");
    return shape;
  }
};

}  // namespace
}  // namespace matmul

HARNESS_VARIANT(matmul, cublas_pedantic, cuda, "cuBLASLt in float32 without Tensor Cores",
                matmul::CublasPedantic)
