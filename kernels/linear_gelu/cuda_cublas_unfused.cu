// linear_gelu/cublas_unfused: cuBLAS, then a kernel that adds the bias, then a kernel that applies GELU:
// what three separate operators do. Each kernel reads and writes all of Y.
#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/cublas_product.cuh"
#include "kernels/linear_gelu/cuda_elementwise.cuh"

namespace linear_gelu {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class CublasUnfused final : public harness::sdk::Kernel {
 public:
  CublasUnfused(const Params& params, const Problem&, const DeviceTraits&)
      : shape_(shape_of(params)), product_(shape_) {}

  [[nodiscard]] std::size_t workspace_bytes() const override { return library_workspace_bytes; }

  void bind(const Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    bias_ = buffers.as<std::uint16_t>(bias_index);
    y_ = buffers.as<std::uint16_t>(y_index);
    product_.bind(buffers.workspace);
  }

  void run(Stream stream) override {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    product_.run(x_, w_, y_, queue);
    with_types(shape_, [&]<class Element, class Form>(Element, Form) {
      launch_elementwise<Element, true, NoActivation>(shape_, y_, bias_, queue);
      launch_elementwise<Element, false, Activation<Form::value>>(shape_, y_, bias_, queue);
    });
  }

 private:
  Shape shape_;
  CublasProduct product_;
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  const std::uint16_t* bias_ = nullptr;
  std::uint16_t* y_ = nullptr;
};

}  // namespace
}  // namespace linear_gelu

HARNESS_VARIANT(linear_gelu, cublas_unfused, cuda, "cuBLAS, then a bias kernel, then a GELU kernel",
                linear_gelu::CublasUnfused)
