// Kernels tell the largest magnitude of what they store: the one that a pass over it finds. Rounding computes
// norms and GELU again: it gives the codes of what is stored.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/training/fp8_kernels.cuh"
#include "kernels/training/layer_kernels.cuh"
#include "kernels/training/model_kernels.cuh"
#include "tests/emulate/memory.h"

namespace training {
namespace {

constexpr int rows = 144, d = 160;  // more than a tile
constexpr std::int64_t count = rows * d;

template <class... Parameters, class... Arguments>
void launch(dim3 grid, void (*kernel)(Parameters...), const Arguments&... arguments) {
  emulate::launch({emulate::Landing::late, emulate::Order::shuffled, 5}, grid, {threads_a_block, 1, 1}, 0,
                  kernel, arguments...);
}

using Halves = emulate::Buffer<std::uint16_t>;
using Floats = emulate::Buffer<float>;

class Largest : public testing::Test {
 protected:
  Largest() {
    std::mt19937_64 random(7);
    std::normal_distribution<float> normal;
    for (Halves* const values : {&x_, &y_})
      for (std::int64_t i = 0; i < count; ++i)
        (*values)[static_cast<std::size_t>(i)] = harness::sdk::bf16_from_float(normal(random));
    for (std::size_t i = 0; i < d; ++i) gains_[i] = normal(random);
    for (std::size_t i = 0; i < count; ++i) target_[i] = normal(random);
  }

  void expect_told_of(const Halves& values) {
    std::uint32_t found = 0;
    launch({2, 1, 1}, &largest_kernel<std::uint16_t>, values.data(), count, &found);
    EXPECT_GT(found, 0U);
    EXPECT_EQ(told_, found);
  }
  template <class Matrix>
  void expect_codes_of(const Halves& values, const Matrix& computed) {
    emulate::Buffer<std::uint8_t> codes("codes", 4 * count);
    Floats scales("scales", 2);
    std::uint32_t next[2] = {};
    const auto quantise = [&](const auto& matrix, int which) {
      launch({(d + tile - 1) / tile, (rows + tile - 1) / tile, 1},
             &quantise_kernel<std::decay_t<decltype(matrix)>, ptx::E4M3>, matrix, rows, d, &told_,
             &next[which], scales.data() + which, codes.data() + 2 * which * count,
             codes.data() + (2 * which + 1) * count);
    };
    quantise(StoredMatrix<std::uint16_t>{values.data(), d}, 0);
    quantise(computed, 1);
    EXPECT_EQ(next[0], told_);
    EXPECT_EQ(next[1], told_);
    EXPECT_EQ(scales[0], scales[1]);
    for (std::size_t i = 0; i < 2 * count; ++i) EXPECT_EQ(codes[i], codes[2 * count + i]);
    float largest = 0;
    std::memcpy(&largest, &told_, sizeof largest);
    const float factor = ptx::E4M3::largest / largest;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(codes[i], ptx::E4M3::narrow(harness::sdk::float_from_bf16(values[i]) * factor));
      EXPECT_EQ(codes[count + i % d * rows + i / d], codes[i]) << "transposed";
    }
  }

  Halves x_{"x", count}, y_{"y", count};
  Floats gains_{"gains", d}, target_{"target", count}, roots_{"roots", rows};
  std::uint32_t told_ = 0;
};

TEST_F(Largest, IsToldByANorm) {
  launch({rows / norm_rows + 1, 1, 1}, &norm_kernel<4>, x_.data(), gains_.data(), y_.data(), roots_.data(),
         &told_, rows, d);
  expect_told_of(y_);
  expect_codes_of(y_, NormedMatrix{x_.data(), gains_.data(), roots_.data(), d});
}

TEST_F(Largest, IsToldByANormThatStoresNothing) {
  launch({rows / norm_rows + 1, 1, 1}, &norm_kernel<4>, x_.data(), gains_.data(), nullptr, roots_.data(),
         &told_, rows, d);
  launch({rows / norm_rows + 1, 1, 1}, &norm_kernel<4>, x_.data(), gains_.data(), y_.data(), roots_.data(),
         nullptr, rows, d);
  expect_told_of(y_);
}

TEST_F(Largest, IsToldByTheBackwardPassOfANorm) {
  Halves sum("sum", count);
  Floats partial("partial", static_cast<std::size_t>(7 * d));
  launch({rows / norm_rows + 1, 1, 1}, &norm_kernel<4>, x_.data(), gains_.data(), nullptr, roots_.data(),
         nullptr, rows, d);
  for (const auto kernel : {&norm_backward_kernel<1>, &narrow_norm_backward_kernel}) {
    for (std::size_t i = 0; i < count; ++i) sum[i] = y_[count - 1 - i];
    told_ = 0;
    launch({7, 1, 1}, kernel, x_.data(), roots_.data(), gains_.data(), y_.data(), sum.data(), partial.data(),
           &told_, rows, d);
    expect_told_of(sum);
  }
}

TEST_F(Largest, IsToldByGelu) {
  for (const bool below_zero : {false, true}) {
    if (below_zero)
      for (std::size_t i = 0; i < count; ++i)
        x_[i] = harness::sdk::bf16_from_float(-0.1F * std::fabs(harness::sdk::float_from_bf16(x_[i])));
    told_ = 0;
    launch({2, 1, 1}, &gelu_kernel, x_.data(), y_.data(), count);
    launch({2, 1, 1}, &gelu_largest_kernel, x_.data(), &told_, count);
    expect_told_of(y_);
    expect_codes_of(y_, GeluMatrix{x_.data(), d});
  }
}

TEST_F(Largest, IsToldByTheBackwardPassOfGelu) {
  launch({2, 1, 1}, &gelu_backward_kernel, x_.data(), y_.data(), &told_, count);
  expect_told_of(y_);
}

TEST_F(Largest, IsToldByTheDistance) {
  Floats losses("losses", rows);
  launch({rows, 1, 1}, &distance_kernel, x_.data(), target_.data(), y_.data(), losses.data(), &told_, d,
         1.0F / 480);
  expect_told_of(y_);
}

}  // namespace
}  // namespace training
