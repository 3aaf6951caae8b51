// Shared by tests of emulated matrix products that add a bias and apply GELU.
#pragma once

#include "kernels/linear_gelu/gelu_epilogue.cuh"
#include "kernels/linear_gelu/linear_gelu.h"
#include "tests/emulate/product.h"

namespace emulate {

// Calls product(options, problem, epilogue) in every schedule and compares with the answer in double
// precision.
template <class Element, linear_gelu::Gelu Form, class Product>
void expect_gelu_right(const Extents& shape, Product product) {
  ProductCase<Element> c(shape);
  Buffer<typename Element::Storage> bias("bias", static_cast<std::size_t>(shape.n));
  for (int i = 0; i < shape.n; ++i)
    bias[static_cast<std::size_t>(i)] = Element::narrow(static_cast<float>(i % 7 - 3) * 0.25F);
  const linear_gelu::GeluEpilogue<Element, Form> epilogue{bias.data()};
  for (const Options& options : every_schedule())
    c.expect_right(
        options, [&](const gemm::Problem<Element>& problem) { product(options, problem, epilogue); },
        [&](double sum, int column) {
          return linear_gelu::gelu(
              sum + static_cast<double>(Element::widen(bias[static_cast<std::size_t>(column)])), Form);
        });
}

}  // namespace emulate
