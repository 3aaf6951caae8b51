// LibraryKernel: a product by cuBLASLt as a variant of quant_gemm, by the fastest of up to 16 algorithms,
// timed on this device before measuring begins.
#pragma once

#include "kernels/algorithms.h"
#include "kernels/cublaslt.cuh"
#include "kernels/quant_gemm/quantised_x.cuh"

namespace quant_gemm {

class LibraryKernel : public harness::sdk::Kernel {
 public:
  [[nodiscard]] std::size_t workspace_bytes() const override { return kernels::library_workspace_bytes; }

  std::string choose(const harness::sdk::Buffers& buffers) override {
    bind(buffers);
    prepare();
    constexpr int rounds = 7;
    product_.choose_fastest(rounds);
    return product_.algorithm_text();
  }
  bool take_choice(const std::string& choice) override { return product_.take_algorithm(choice); }

  void report(harness::sdk::MetricSink& sink) const override {
    const kernels::CublasLtProduct::Algorithm algorithm = product_.algorithm();
    sink.report("algorithm", algorithm.id);
    sink.report("algorithm_tile", algorithm.tile);
    sink.report("algorithm_stages", algorithm.stages);
    sink.report("algorithms_tried", tried_);
    sink.note(kernels::too_few_algorithms(tried_, kernels::asked_algorithms));
  }

 protected:
  // W is n x k, so that the library sees it transposed.
  LibraryKernel(const Shape& shape, harness::sdk::DType operands, harness::sdk::DType result,
                cublasComputeType_t compute = CUBLAS_COMPUTE_32F)
      : shape_(require_launchable(shape)),
        product_({operands, shape.m, shape.n, shape.k}, {operands, result, compute, true}) {}

  // When all attributes of the product are set.
  void find_algorithms(const char* what) {
    tried_ = product_.find_algorithms(kernels::asked_algorithms, what);
  }

  // Makes the operands of the product from the bound inputs, before algorithms are timed on them.
  virtual void prepare() {}

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] kernels::CublasLtProduct& product() { return product_; }

 private:
  Shape shape_;
  kernels::CublasLtProduct product_;
  int tried_ = 0;
};

}  // namespace quant_gemm
