// Shared by tests of emulated matrix products: a random problem in guarded buffers with the float64 answer,
// random shapes, and the schedules to run under.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/gemm/tiles.cuh"

namespace emulate {

struct Extents {
  int m, n, k;
};

// Both landings and every order.
inline std::vector<Options> every_schedule() {
  return {{Landing::late, Order::forward, 1},      {Landing::early, Order::backward, 1},
          {Landing::late, Order::shuffled, 5},     {Landing::early, Order::shuffled, 6},
          {Landing::early, Order::first_warps, 1}, {Landing::late, Order::last_warps, 1}};
}

// Random extents from 1 to `largest`; n and k multiples of `multiple`.
class Shapes {
 public:
  Shapes(std::uint64_t seed, int largest, int multiple)
      : random_(seed), largest_(largest), multiple_(multiple) {}
  Extents next() { return {draw(1), draw(multiple_), draw(multiple_)}; }

 private:
  int draw(int multiple) {
    return multiple * (1 + static_cast<int>(random_() % static_cast<std::uint64_t>(largest_ / multiple)));
  }
  std::mt19937_64 random_;
  int largest_;
  int multiple_;
};

template <class Element>
class ProductCase {
 public:
  using Storage = typename Element::Storage;
  // Turns the right sum at a column into the right result.
  using Finish = std::function<double(double sum, int column)>;

  explicit ProductCase(const Extents& extents, std::uint64_t seed = 1)
      : extents_(extents),
        x_("x", elements(extents.m, extents.k)),
        w_("w", elements(extents.k, extents.n)),
        y_("y", elements(extents.m, extents.n)) {
    std::mt19937_64 random(seed);
    fill(x_, random);
    fill(w_, random);
  }

  [[nodiscard]] gemm::Problem<Element> problem() const {
    return {x_.data(), w_.data(), y_.data(), extents_.m, extents_.n, extents_.k};
  }

  // Runs `product` on an output of NaNs and compares with the answer in double precision. The relative error
  // may be that of rounding the result (and, for TF32, the inputs) and of float32 sums.
  template <class Product>
  void expect_right(
      const Options& options, Product product, const Finish& finish = [](double sum, int) { return sum; }) {
    const std::string about = std::to_string(extents_.m) + " x " + std::to_string(extents_.n) + " x " +
                              std::to_string(extents_.k) +
                              (options.landing == Landing::late ? ", landing late" : ", landing early") +
                              ", order " + std::to_string(static_cast<int>(options.order));
    SCOPED_TRACE(about);
    std::memset(y_.data(), 0xFF, y_.size() * sizeof(Storage));
    ASSERT_NO_THROW(product(problem()));
    EXPECT_LE(error(finish), tolerance());
  }

  [[nodiscard]] double error(const Finish& finish) const {
    double wrong = 0;
    double size = 0;
    for (int row = 0; row < extents_.m; ++row)
      for (int column = 0; column < extents_.n; ++column) {
        double sum = 0;
        for (int p = 0; p < extents_.k; ++p)
          sum += at(x_, row, p, extents_.k) * at(w_, p, column, extents_.n);
        const double expected = finish(sum, column);
        const double difference = at(y_, row, column, extents_.n) - expected;
        wrong += difference * difference;
        size += expected * expected;
      }
    return std::sqrt(wrong / size);
  }

 private:
  static std::size_t elements(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }
  static void fill(const Buffer<Storage>& to, std::mt19937_64& random) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = Element::narrow((static_cast<float>(random() >> 40) - 8388607.5F) * 0x1p-23F);
  }
  static double at(const Buffer<Storage>& from, int row, int column, int columns) {
    return static_cast<double>(
        Element::widen(from[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                            static_cast<std::size_t>(column)]));
  }
  // Half of what the workload allows; no room for a wrong element.
  [[nodiscard]] double tolerance() const {
    const double few = std::max(1.0, 12.0 / std::sqrt(static_cast<double>(y_.size())));
    if constexpr (std::is_same_v<Element, ptx::F16>) return 3e-4 * few;
    if constexpr (std::is_same_v<Element, ptx::BF16>) return 2.5e-3 * few;
    if constexpr (std::is_same_v<Element, ptx::TF32>) return 7e-4 * few;
    return 1e-6 * few;
  }

  Extents extents_;
  Buffer<Storage> x_;
  Buffer<Storage> w_;
  Buffer<Storage> y_;
};

}  // namespace emulate
