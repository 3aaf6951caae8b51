// Shared by the variants of block that call libraries, on the host: the products, and the launches of the
// norms and of single steps.
#pragma once

#include <array>
#include <sstream>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/algorithms.h"
#include "kernels/block/intermediate.h"
#include "kernels/block/step_kernels.cuh"
#include "kernels/cublaslt.cuh"
#include "kernels/operators/cuda_rows.cuh"
#include "kernels/operators/row_variant.h"

namespace transformer_block {

// LayerNorm of tokens.
class Norms {
 public:
  Norms(const Shape& shape, const harness::sdk::DeviceTraits& traits) : shape_(shape), rows_(traits) {
    rows_.require_possible<operators::LayerNorm>({shape.dtype, shape.tokens(), shape.width});
  }
  void run(const void* x, const void* weight, const void* bias, void* y, harness::sdk::Stream stream) {
    operators::RowArguments rows;
    rows.x = x;
    rows.weight = weight;
    rows.bias = bias;
    rows.y = y;
    rows.rows = shape_.tokens();
    rows.x_stride = rows.columns = shape_.width;
    rows_.run<operators::LayerNorm, operators::every_stage>(rows, shape_.dtype, stream);
  }

 private:
  Shape shape_;
  operators::CudaRows rows_;
};

template <Step step>
void launch_step(const Shape& shape, const std::uint16_t* x, const void* second, void* y, std::int64_t width,
                 harness::sdk::Stream stream) {
  StepArguments of;
  of.x = x;
  of.second = static_cast<const std::uint16_t*>(second);
  of.y = static_cast<std::uint16_t*>(y);
  of.elements = shape.tokens() * width;
  of.width = static_cast<int>(width);
  of.split = {static_cast<int>(shape.batch), static_cast<int>(shape.sequence), static_cast<int>(shape.heads),
              static_cast<int>(shape.head())};
  const auto blocks = static_cast<unsigned>((of.elements / 8 + step_threads - 1) / step_threads);
  step_kernel<step><<<blocks, step_threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(of);
  kernels::check(cudaGetLastError(), "launch of step_kernel");
}

enum Product : std::size_t { qkv_product, out_product, up_product, down_product };

// The four products by cuBLASLt, each by the fastest of up to 16 algorithms.
class LibraryProducts {
 public:
  explicit LibraryProducts(const Shape& shape)
      : products_{make(shape, 3 * shape.width, shape.width), make(shape, shape.width, shape.width),
                  make(shape, shape.hidden(), shape.width), make(shape, shape.width, shape.hidden())} {}

  kernels::CublasLtProduct& operator[](Product product) { return products_[product]; }

  // When all attributes are set.
  void find_algorithms() {
    for (kernels::CublasLtProduct& one : products_) one.find_algorithms(kernels::asked_algorithms, "");
  }
  // On bound buffers.
  std::string choose() {
    constexpr int rounds = 7;
    std::string text;
    for (kernels::CublasLtProduct& one : products_) {
      one.choose_fastest(rounds);
      text += one.algorithm_text() + ";";
    }
    return text;
  }
  bool take_choice(const std::string& choice) {
    std::istringstream parts(choice);
    for (kernels::CublasLtProduct& one : products_) {
      std::string text;
      if (!std::getline(parts, text, ';') || !one.take_algorithm(text)) return false;
    }
    return true;
  }

 private:
  static kernels::CublasLtProduct make(const Shape& shape, std::int64_t n, std::int64_t k) {
    return {{shape.dtype, shape.tokens(), n, k}, CUBLAS_COMPUTE_32F};
  }

  std::array<kernels::CublasLtProduct, 4> products_;
};

}  // namespace transformer_block
