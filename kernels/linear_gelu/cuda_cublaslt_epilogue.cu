// linear_gelu/cublaslt_epilogue: one cuBLASLt call whose epilogue adds the bias and applies GELU before Y
// is first written. The library has the tanh form only.
#include "harness/sdk/registry.h"
#include "kernels/cublaslt.cuh"
#include "kernels/linear_gelu/linear_gelu.h"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;
using harness::sdk::Unsupported;

class CublasLtEpilogue final : public harness::sdk::Kernel {
 public:
  CublasLtEpilogue(const Params& params, const Problem&, const DeviceTraits&)
      : product_(supported(shape_of(params)), CUBLAS_COMPUTE_32F) {
    // The bias runs along the rows of the column-major Y^T, which is how the epilogue wants it.
    product_.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS);
    product_.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, kernels::library_type(params.dtype()));
    product_.find_algorithms(1, "with the GELU_BIAS epilogue");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override { return kernels::library_workspace_bytes; }

  void bind(const Buffers& buffers) override {
    const void* const bias = buffers.as<void>(bias_index);
    product_.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    product_.bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index),
                  buffers.workspace);
  }

  void run(Stream stream) override { product_.run(static_cast<cudaStream_t>(stream.handle)); }

 private:
  // The product of a shape that this variant can do; throws Unsupported on others.
  static kernels::ProductShape supported(const Shape& shape) {
    require_half_precision(shape);
    if (shape.gelu != Gelu::tanh_form)
      throw Unsupported("cuBLASLt's GELU epilogue is the tanh form; this case asks for erf");
    return product_shape(shape);
  }

  kernels::CublasLtProduct product_;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, cublaslt_epilogue, cuda, "cuBLASLt with its GELU+bias epilogue",
                linear_gelu::CublasLtEpilogue)
