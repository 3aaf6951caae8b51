// The matrix products of a training step, as BLAS sees them: D = alpha A B + beta C, column-major, for
// row-major arrays as they lie. Pure host code; a device computes them.
#pragma once

#include <cstdint>

namespace training {

enum class Element { bf16, f32, e4m3, e5m2 };

struct Product {
  Element a = Element::bf16;
  Element b = Element::bf16;
  Element d = Element::bf16;  // and of C
  std::int64_t m = 1, n = 1, k = 1;
  bool a_transposed = false, b_transposed = false;

  // Rows of A, B and D as they are stored, which are their leading dimensions: no matrix has gaps.
  [[nodiscard]] std::int64_t a_rows() const { return a_transposed ? k : m; }
  [[nodiscard]] std::int64_t a_columns() const { return a_transposed ? m : k; }
  [[nodiscard]] std::int64_t b_rows() const { return b_transposed ? n : k; }
  [[nodiscard]] std::int64_t b_columns() const { return b_transposed ? k : n; }
};

// Of FP8, hardware multiplies only this order: A transposed, B not.
constexpr Product eight_bit(Element a, Element b, Element d, std::int64_t m, std::int64_t n, std::int64_t k) {
  return {a, b, d, m, n, k, true, false};
}

// The three products of y = x W^T, where x has `tokens` rows of `inputs` and y rows of `outputs`.
// A is W (outputs x inputs), B is x.
constexpr Product forward_product(bool fp8, std::int64_t tokens, std::int64_t inputs, std::int64_t outputs) {
  if (fp8) return eight_bit(Element::e4m3, Element::e4m3, Element::bf16, outputs, tokens, inputs);
  return {Element::bf16, Element::bf16, Element::bf16, outputs, tokens, inputs, true, false};
}
// The gradient of x: A is W, or its transposed copy in FP8; B is the gradient of y.
constexpr Product input_product(bool fp8, std::int64_t tokens, std::int64_t inputs, std::int64_t outputs) {
  if (fp8) return eight_bit(Element::e4m3, Element::e5m2, Element::bf16, inputs, tokens, outputs);
  return {Element::bf16, Element::bf16, Element::bf16, inputs, tokens, outputs, false, false};
}
// The gradient of W: A is x, B the gradient of y; in FP8 transposed copies of both.
constexpr Product weight_product(bool fp8, std::int64_t tokens, std::int64_t inputs, std::int64_t outputs) {
  if (fp8) return eight_bit(Element::e4m3, Element::e5m2, Element::f32, inputs, outputs, tokens);
  return {Element::bf16, Element::bf16, Element::f32, inputs, outputs, tokens, false, true};
}

}  // namespace training
