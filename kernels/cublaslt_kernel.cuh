// CublasLtKernel: shared by variants that multiply by cuBLASLt with W as n x k. They take the
// fastest of up to 16 algorithms, timed on this device before measuring begins. Its workload declares the
// metrics algorithm, algorithm_tile, algorithm_stages and algorithms_tried.
#pragma once

#include "harness/sdk/variant.h"
#include "kernels/algorithms.h"
#include "kernels/cublaslt.cuh"

namespace kernels {

class CublasLtKernel : public harness::sdk::Kernel {
 public:
  [[nodiscard]] std::size_t workspace_bytes() const override { return library_workspace_bytes; }

  std::string choose(const harness::sdk::Buffers& buffers) override {
    bind(buffers);
    prepare();
    constexpr int rounds = 7;
    product_.choose_fastest(rounds);
    return product_.algorithm_text();
  }
  bool take_choice(const std::string& choice) override { return product_.take_algorithm(choice); }

  void report(harness::sdk::MetricSink& sink) const override {
    const CublasLtProduct::Algorithm algorithm = product_.algorithm();
    sink.report("algorithm", algorithm.id);
    sink.report("algorithm_tile", algorithm.tile);
    sink.report("algorithm_stages", algorithm.stages);
    sink.report("algorithms_tried", tried_);
    sink.note(too_few_algorithms(tried_, asked_algorithms));
  }

 protected:
  // The extents are those of Y = X W with W n x k, which the library sees transposed.
  CublasLtKernel(const ProductShape& shape, const LibraryTypes& types) : product_(shape, types) {}

  // When all attributes of the product are set.
  void find_algorithms(const char* what) { tried_ = product_.find_algorithms(asked_algorithms, what); }

  // Makes the operands of the product from the bound inputs, before algorithms are timed on them.
  virtual void prepare() {}

  [[nodiscard]] CublasLtProduct& product() { return product_; }

 private:
  CublasLtProduct product_;
  int tried_ = 0;
};

}  // namespace kernels
