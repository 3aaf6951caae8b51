// LibraryKernel: a product by cuBLASLt as a variant of matmul: the references that the ladder is measured
// against. f16, bf16 and f32 are multiplied as such (CUBLAS_COMPUTE_32F), tf32 by
// CUBLAS_COMPUTE_32F_FAST_TF32; sums are float32. The compute type is given, so NVIDIA_TF32_OVERRIDE aside
// nothing else decides it.
#pragma once

#include <cstdlib>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/algorithms.h"
#include "kernels/cublaslt.cuh"
#include "kernels/matmul/matmul.h"

namespace matmul {

class LibraryKernel : public harness::sdk::Kernel {
 public:
  // `candidates`: how many algorithms to ask for; 1: the library's first choice, more: the fastest here.
  LibraryKernel(const Shape& shape, cublasComputeType_t compute, int candidates)
      : product_(checked(shape), compute), asked_(candidates) {
    if (std::getenv("NVIDIA_TF32_OVERRIDE") != nullptr)
      throw harness::sdk::Unsupported(
          "NVIDIA_TF32_OVERRIDE is set, which changes what cuBLAS computes; unset it");
    tried_ = product_.find_algorithms(candidates, "");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override { return kernels::library_workspace_bytes; }

  std::string choose(const harness::sdk::Buffers& buffers) override {
    if (asked_ <= 1) return {};
    bind(buffers);
    constexpr int rounds = 7;
    product_.choose_fastest(rounds);
    return product_.algorithm_text();
  }
  bool take_choice(const std::string& choice) override {
    return asked_ > 1 && product_.take_algorithm(choice);
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    product_.bind(buffers.as<void>(a_index), buffers.as<void>(b_index), buffers.as<void>(c_index),
                  buffers.workspace);
  }

  void run(harness::sdk::Stream stream) override { product_.run(static_cast<cudaStream_t>(stream.handle)); }

  void report(harness::sdk::MetricSink& sink) const override {
    const kernels::CublasLtProduct::Algorithm algorithm = product_.algorithm();
    sink.report("algorithm", algorithm.id);
    sink.report("algorithm_tile", algorithm.tile);
    sink.report("algorithm_stages", algorithm.stages);
    sink.report("algorithms_tried", tried_);
    sink.note(kernels::too_few_algorithms(tried_, asked_));
  }

  static cublasComputeType_t compute_of(const Shape& shape) {
    return shape.arithmetic == Arithmetic::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  }

 private:
  static kernels::ProductShape checked(const Shape& shape) {
    require_32_bit_extents(shape);
    return product_shape(shape);
  }

  kernels::CublasLtProduct product_;
  int asked_;
  int tried_ = 0;
};

}  // namespace matmul
