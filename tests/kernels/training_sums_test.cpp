// Kernels of training whose result is a sum over tokens, against sums in double: the gradients of symbols and
// of the gains of a norm.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/training/layer_kernels.cuh"
#include "kernels/training/model_kernels.cuh"
#include "tests/emulate/memory.h"

namespace training {
namespace {

using Halves = emulate::Buffer<std::uint16_t>;
using Floats = emulate::Buffer<float>;

template <class... Parameters, class... Arguments>
void launch(unsigned blocks, void (*kernel)(Parameters...), const Arguments&... arguments) {
  emulate::launch({emulate::Landing::late, emulate::Order::shuffled, 5}, {blocks, 1, 1},
                  {threads_a_block, 1, 1}, 0, kernel, arguments...);
}

Halves random_halves(const char* name, std::int64_t count, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
  for (std::uint16_t& value : values) value = harness::sdk::bf16_from_float(normal(random));
  return {name, std::span<const std::uint16_t>(values)};
}

double value_of(const Halves& values, std::int64_t i) {
  return static_cast<double>(harness::sdk::float_from_bf16(values[static_cast<std::size_t>(i)]));
}

struct Extents {
  int sequences, sequence, symbols, d;
};

class SymbolGradients : public testing::TestWithParam<Extents> {};

TEST_P(SymbolGradients, AreTheSumsOfTheirTokens) {
  const auto [sequences, sequence, symbols, d] = GetParam();
  const int count = sequences * sequence;
  std::mt19937_64 random(11);
  std::vector<std::int32_t> array(static_cast<std::size_t>(sequences * (sequence + 1)));
  // Half of all tokens are one symbol, and the last symbol is none.
  for (std::int32_t& token : array)
    token = random() % 2 == 0 ? 1 : static_cast<std::int32_t>(random() % static_cast<unsigned>(symbols - 1));
  const Halves of_x = random_halves("of_x", std::int64_t{count} * d, random);
  const auto row = static_cast<std::size_t>(d);
  Floats sums("sums", static_cast<std::size_t>(symbols) * row);
  Tokens tokens;
  tokens.array = array.data();
  tokens.batch = sequences;
  tokens.sequence = sequence;
  launch(static_cast<unsigned>(symbols), &embed_backward_kernel, tokens, of_x.data(), sums.data(), count, d);
  std::vector<double> exact(sums.size()), sizes(exact.size());
  for (int token = 0; token < count; ++token)
    for (int i = 0; i < d; ++i) {
      const double value = value_of(of_x, std::int64_t{token} * d + i);
      const std::size_t at =
          static_cast<std::size_t>(tokens.at(token, 0)) * row + static_cast<std::size_t>(i);
      exact[at] += value;
      sizes[at] += std::abs(value);
    }
  for (std::size_t i = 0; i < exact.size(); ++i)
    ASSERT_NEAR(static_cast<double>(sums[i]), exact[i], 1e-5 * sizes[i]) << "symbol " << i / row;
}

// Tokens that fill no tile, and more than two; rows of one group, of many, of a width that divides no block,
// and wider than a block.
INSTANTIATE_TEST_SUITE_P(Extents, SymbolGradients,
                         testing::Values(Extents{2, 40, 16, 8}, Extents{5, 430, 4, 64},
                                         Extents{3, 700, 3, 256}, Extents{2, 530, 3, 768},
                                         Extents{1, 50, 3, 2048}, Extents{1, 50, 3, 2064},
                                         Extents{1, 40, 3, 4096}));

struct OfNorm {
  int rows, d;
  unsigned blocks;
};

class NormGradients : public testing::TestWithParam<OfNorm> {};

TEST_P(NormGradients, AreThoseOfTheDefinition) {
  const auto [rows, d, blocks] = GetParam();
  const std::int64_t count = std::int64_t{rows} * d;
  std::mt19937_64 random(13);
  const Halves x = random_halves("x", count, random), of_y = random_halves("of_y", count, random);
  const Halves before = random_halves("before", count, random);
  Floats gains("gains", static_cast<std::size_t>(d)), roots("roots", static_cast<std::size_t>(rows));
  for (int i = 0; i < d; ++i) gains[static_cast<std::size_t>(i)] = static_cast<float>(i % 7) / 4 - 0.5F;
  for (int row = 0; row < rows; ++row) {
    double squares = 0;
    for (int i = 0; i < d; ++i) squares += std::pow(value_of(x, std::int64_t{row} * d + i), 2);
    roots[static_cast<std::size_t>(row)] = static_cast<float>(1 / std::sqrt(squares / d + 1e-5));
  }
  std::vector<void (*)(const std::uint16_t*, const float*, const float*, const std::uint16_t*, std::uint16_t*,
                       float*, std::uint32_t*, int, int)>
      kernels{&norm_backward_kernel<2>};
  if (d <= step_of_block) kernels.push_back(&norm_backward_kernel<1>);
  if (d <= narrow) kernels.push_back(&narrow_norm_backward_kernel);
  for (const auto kernel : kernels) {
    Halves of_x("of_x", {before.data(), before.size()});
    Floats partial("partial", blocks * static_cast<std::size_t>(d)),
        sums("sums", static_cast<std::size_t>(d));
    launch(blocks, kernel, x.data(), roots.data(), gains.data(), of_y.data(), of_x.data(), partial.data(),
           nullptr, rows, d);
    launch(static_cast<unsigned>(d / sum_columns), &sum_rows_kernel, partial.data(), static_cast<int>(blocks),
           d, sums.data());
    std::vector<double> of_gains(static_cast<std::size_t>(d));
    for (int row = 0; row < rows; ++row) {
      const std::int64_t at = std::int64_t{row} * d;
      const auto root = static_cast<double>(roots[static_cast<std::size_t>(row)]);
      double along = 0;
      for (int i = 0; i < d; ++i) {
        const double product = value_of(of_y, at + i) * value_of(x, at + i) * root;
        of_gains[static_cast<std::size_t>(i)] += product;
        along += product * static_cast<double>(gains[static_cast<std::size_t>(i)]) / d;
      }
      for (int i = 0; i < d; ++i) {
        const double gain = static_cast<double>(gains[static_cast<std::size_t>(i)]);
        const double exact = value_of(before, at + i) +
                             root * (value_of(of_y, at + i) * gain - value_of(x, at + i) * root * along);
        ASSERT_NEAR(value_of(of_x, at + i), exact, 0.005 * std::abs(exact) + 1e-5) << row << ", " << i;
      }
    }
    for (int i = 0; i < d; ++i)
      ASSERT_NEAR(static_cast<double>(sums[static_cast<std::size_t>(i)]),
                  of_gains[static_cast<std::size_t>(i)], 1e-4 * rows)
          << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Extents, NormGradients,
                         testing::Values(OfNorm{5, 16, 2}, OfNorm{40, 256, 3}, OfNorm{9, 160, 1},
                                         OfNorm{6, 264, 4}, OfNorm{3, 2064, 2}));

}  // namespace
}  // namespace training
