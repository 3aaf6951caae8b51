// linear_gelu/cublaslt_epilogue: one cuBLASLt call whose epilogue adds the bias and applies GELU before Y
// is first written. The library has the tanh form only.
#include <cublasLt.h>

#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/cublas_product.cuh"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;
using harness::sdk::Unsupported;
using kernels::check;

template <class Pointer, cublasStatus_t (*Function)(Pointer)>
struct Destroy {
  void operator()(Pointer object) const { Function(object); }
};
template <class Pointer, cublasStatus_t (*Function)(Pointer)>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<Pointer, Function>>;

using Handle = Owned<cublasLtHandle_t, cublasLtDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

Handle make_handle() {
  cublasLtHandle_t handle = nullptr;
  check(cublasLtCreate(&handle), "cublasLtCreate");
  return Handle(handle);
}

// A dense column-major matrix.
Layout make_layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), rows),
        "cublasLtMatrixLayoutCreate");
  return Layout(layout);
}

template <class Value>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check(cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
}

Operation make_operation(cudaDataType_t type) {
  cublasLtMatmulDesc_t created = nullptr;
  check(cublasLtMatmulDescCreate(&created, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
  Operation operation(created);
  set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU_BIAS);
  set(operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
  return operation;
}

class CublasLtEpilogue final : public harness::sdk::Kernel {
 public:
  CublasLtEpilogue(const Params& params, const Problem&, const DeviceTraits&) : shape_(shape_of(params)) {
    require_half_precision(shape_);
    if (shape_.gelu != Gelu::tanh_form)
      throw Unsupported("cuBLASLt's GELU epilogue is the tanh form; this case asks for erf");
    const cudaDataType_t type = library_type(shape_);
    handle_ = make_handle();
    operation_ = make_operation(type);
    // As in CublasProduct, Y^T = W^T X^T. The bias runs along the rows of the column-major Y^T, which is
    // how the epilogue wants it.
    w_layout_ = make_layout(type, shape_.n, shape_.k);
    x_layout_ = make_layout(type, shape_.k, shape_.m);
    y_layout_ = make_layout(type, shape_.n, shape_.m);
    choose_algorithm();
  }

  [[nodiscard]] std::size_t workspace_bytes() const override { return library_workspace_bytes; }

  void bind(const Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    y_ = buffers.as<void>(y_index);
    workspace_ = buffers.workspace;
    const void* const bias = buffers.as<void>(bias_index);
    set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  }

  void run(Stream stream) override {
    const float one = 1.0F;
    const float zero = 0.0F;
    check(cublasLtMatmul(handle_.get(), operation_.get(), &one, w_, w_layout_.get(), x_, x_layout_.get(),
                         &zero, y_, y_layout_.get(), y_, y_layout_.get(), &algorithm_, workspace_,
                         library_workspace_bytes, static_cast<cudaStream_t>(stream.handle)),
          "cublasLtMatmul");
  }

 private:
  // The library's first choice for this shape. The buffers are 256-byte aligned, which is what it assumes;
  // leading dimensions that are not multiples of 16 bytes narrow the choice, sometimes to nothing.
  void choose_algorithm() {
    cublasLtMatmulPreference_t created = nullptr;
    check(cublasLtMatmulPreferenceCreate(&created), "cublasLtMatmulPreferenceCreate");
    const Preference preference(created);
    check(cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &library_workspace_bytes, sizeof library_workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t result = {};
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle_.get(), operation_.get(), w_layout_.get(), x_layout_.get(), y_layout_.get(), y_layout_.get(),
        preference.get(), 1, &result, &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || (status == CUBLAS_STATUS_SUCCESS && found == 0))
      throw Unsupported("cuBLASLt has no algorithm with the GELU_BIAS epilogue for this shape");
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    check(result.state, "cublasLtMatmulAlgoGetHeuristic, first result");
    algorithm_ = result.algo;
  }

  Shape shape_;
  Handle handle_;
  Operation operation_;
  Layout w_layout_;
  Layout x_layout_;
  Layout y_layout_;
  cublasLtMatmulAlgo_t algorithm_ = {};
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  void* y_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, cublaslt_epilogue, cuda, "cuBLASLt with its GELU+bias epilogue",
                linear_gelu::CublasLtEpilogue)
