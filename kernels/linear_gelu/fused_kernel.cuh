// FusedKernel: a product of our own (kernels/gemm) with bias and GELU in its epilogue, as a variant of
// linear_gelu, whatever the product's mainloop.
#pragma once

#include <functional>
#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/gelu_epilogue.cuh"
#include "kernels/linear_gelu/linear_gelu.h"

namespace linear_gelu {

class FusedKernel : public harness::sdk::Kernel {
 public:
  void bind(const harness::sdk::Buffers& buffers) override { bind_(buffers); }
  void run(harness::sdk::Stream stream) override { run_(static_cast<cudaStream_t>(stream.handle)); }

 protected:
  // Calls make(Element{}, Epilogue{}), which returns a std::shared_ptr to the product, for the case's element
  // type and form of GELU; throws Unsupported on elements other than f16 and bf16.
  template <class Make>
  void use(const Shape& shape, Make make) {
    require_half_precision(shape);
    const bool erf = shape.gelu == Gelu::erf_form;
    if (shape.dtype == harness::sdk::DType::f16)
      erf ? use<ptx::F16, Gelu::erf_form>(make) : use<ptx::F16, Gelu::tanh_form>(make);
    else
      erf ? use<ptx::BF16, Gelu::erf_form>(make) : use<ptx::BF16, Gelu::tanh_form>(make);
  }

 private:
  template <class Element, Gelu Form, class Make>
  void use(Make make) {
    auto product = make(Element{}, GeluEpilogue<Element, Form>{});
    bind_ = [product](const harness::sdk::Buffers& buffers) {
      product->bind(buffers.as<void>(x_index), buffers.as<void>(w_index), buffers.as<void>(y_index),
                    {buffers.as<typename Element::Storage>(bias_index)});
    };
    run_ = [product](cudaStream_t stream) { product->run(stream); };
  }

  std::function<void(const harness::sdk::Buffers&)> bind_;
  std::function<void(cudaStream_t)> run_;
};

}  // namespace linear_gelu
