// Attention without scores in memory in the emulator, forward and backward, by both sets of instructions,
// against the definition in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/training/flash_kernels.cuh"
#include "tests/emulate/memory.h"

namespace training {
namespace {

struct Extents {
  int batch, heads, sequence, size;
};

// One attention in double, of values as BF16 has them. Rows as the kernels have them.
class Definition {
 public:
  Definition(const Extents& of, const std::vector<std::uint8_t>& seen, int block)
      : of_(of), seen_(seen), block_(block) {
    std::mt19937_64 random(11);
    std::normal_distribution<float> normal;
    const auto d = static_cast<std::size_t>(of.heads * of.size),
               tokens = static_cast<std::size_t>(of.batch * of.sequence);
    for (std::size_t i = 0; i < 3 * tokens * d; ++i)
      qkv.push_back(harness::sdk::bf16_from_float(normal(random)));
    for (std::size_t i = 0; i < tokens * d; ++i)
      of_out.push_back(harness::sdk::bf16_from_float(normal(random)));
    out.resize(tokens * d);
    of_qkv.resize(3 * tokens * d);
    for (int matrix = 0; matrix < of.batch * of.heads; ++matrix) compute(matrix);
  }

  std::vector<std::uint16_t> qkv, of_out;
  std::vector<double> out, of_qkv;

 private:
  [[nodiscard]] std::size_t place(int matrix, int row, int part, int parts, int column) const {
    const int token = matrix / of_.heads * of_.sequence + row;
    return static_cast<std::size_t>(((token * parts + part) * of_.heads + matrix % of_.heads) * of_.size +
                                    column);
  }
  void compute(int matrix) {
    const auto in = [&](int part, int row, int column) {
      return static_cast<double>(harness::sdk::float_from_bf16(
          part == 3 ? of_out[place(matrix, row, 0, 1, column)] : qkv[place(matrix, row, part, 3, column)]));
    };
    const auto product = [&](int a, int row_a, int b, int row_b) {
      double sum = 0;
      for (int c = 0; c < of_.size; ++c) sum += in(a, row_a, c) * in(b, row_b, c);
      return sum;
    };
    const double scale = 1 / std::sqrt(of_.size);
    const int s = of_.sequence, blocks = (s + block_ - 1) / block_;
    for (int query = 0; query < s; ++query) {
      std::vector<double> weights(static_cast<std::size_t>(s)), slopes(weights);
      double total = 0, mean = 0;
      for (int key = 0; key <= query; ++key) {
        if (!seen_.empty() &&
            seen_[static_cast<std::size_t>((matrix % of_.heads * blocks + query / block_) * blocks +
                                           key / block_)] == 0)
          continue;
        weights[static_cast<std::size_t>(key)] = std::exp(product(0, query, 1, key) * scale);
        total += weights[static_cast<std::size_t>(key)];
      }
      for (int key = 0; key <= query; ++key) {
        double& weight = weights[static_cast<std::size_t>(key)];
        weight /= total;
        slopes[static_cast<std::size_t>(key)] = product(3, query, 2, key);
        mean += weight * slopes[static_cast<std::size_t>(key)];
      }
      for (int key = 0; key <= query; ++key) {
        const double weight = weights[static_cast<std::size_t>(key)];
        const double slope = scale * weight * (slopes[static_cast<std::size_t>(key)] - mean);
        for (int c = 0; c < of_.size; ++c) {
          out[place(matrix, query, 0, 1, c)] += weight * in(2, key, c);
          of_qkv[place(matrix, query, 0, 3, c)] += slope * in(1, key, c);
          of_qkv[place(matrix, key, 1, 3, c)] += slope * in(0, query, c);
          of_qkv[place(matrix, key, 2, 3, c)] += weight * in(3, query, c);
        }
      }
    }
  }

  Extents of_;
  const std::vector<std::uint8_t>& seen_;
  int block_;
};

class Flash {
 public:
  Flash(const Extents& of, const emulate::Options& options, const std::vector<std::uint8_t>& seen = {},
        int block = 1)
      : of_(of),
        options_(options),
        right_(of, seen, block),
        qkv_("qkv", std::span<const std::uint16_t>(right_.qkv)),
        of_out_("of_out", std::span<const std::uint16_t>(right_.of_out)),
        out_("out", right_.out.size()),
        of_qkv_("of_qkv", right_.of_qkv.size()),
        rows_("rows", static_cast<std::size_t>(2 * of.batch * of.heads * of.sequence)) {
    on_ = {.qkv = qkv_.data(),
           .of_out = of_out_.data(),
           .to = out_.data(),
           .rows = rows_.data(),
           .largest = &largest_[0]};
    if (!seen.empty())
      on_.mask = {.seen = seen.data(),
                  .block = block,
                  .blocks = (of.sequence + block - 1) / block,
                  .lists = of.heads};
    on_.sequence = of.sequence;
    on_.heads = of.heads;
    on_.size = of.size;
    on_.scale = 1 / std::sqrt(static_cast<float>(of.size));
    on_.scale2 = on_.scale * 1.44269504F;
    maps_ = {
        ptx::make_tensor_map<ptx::BF16>(qkv_.data(),
                                        flash_layout(3, of.heads, of.size, of.sequence, of.batch)),
        ptx::make_tensor_map<ptx::BF16>(of_out_.data(),
                                        flash_layout(1, of.heads, of.size, of.sequence, of.batch)),
        ptx::make_tensor_map<ptx::F32>(rows_.data(), flash_rows_layout(of.batch * of.heads, of.sequence))};
  }

  template <class Tiling>
  void run() {
    const dim3 grid{static_cast<unsigned>((of_.sequence + Tiling::rows - 1) / Tiling::rows),
                    static_cast<unsigned>(of_.batch * of_.heads), 1};
    const dim3 threads{Tiling::threads, 1, 1};
    if constexpr (Tiling::hopper)
      emulate::launch(options_, grid, threads, Tiling::shared_bytes, &flash_on_hopper_kernel<Tiling>, on_,
                      maps_);
    else
      emulate::launch(options_, grid, threads, Tiling::shared_bytes, &flash_kernel<Tiling>, on_);
  }
  template <class Forward, class OfQueries, class OfKeys>
  void expect_right() {
    run<Forward>();
    expect_near(out_, right_.out, largest_[0]);
    emulate::launch(options_, {static_cast<unsigned>(of_.batch * of_.heads * of_.sequence / 16), 1, 1},
                    {threads_a_block, 1, 1}, 0, &flash_delta_kernel, on_, out_.data());
    on_.to = of_qkv_.data();
    on_.largest = &largest_[1];
    run<OfQueries>();
    run<OfKeys>();
    expect_near(of_qkv_, right_.of_qkv, largest_[1]);
  }

 private:
  static void expect_near(const emulate::Buffer<std::uint16_t>& values, const std::vector<double>& right,
                          std::uint32_t bits) {
    double off = 0, size = 0;
    float largest = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      const float value = harness::sdk::float_from_bf16(values[i]);
      off += std::pow(static_cast<double>(value) - right[i], 2);
      size += std::pow(right[i], 2);
      largest = std::max(largest, std::fabs(value));
    }
    EXPECT_LE(std::sqrt(off / size), 5e-3);
    EXPECT_EQ(std::bit_cast<float>(bits), largest);
  }

  Extents of_;
  emulate::Options options_;
  Definition right_;
  emulate::Buffer<std::uint16_t> qkv_, of_out_, out_, of_qkv_;
  emulate::Buffer<float> rows_;
  std::uint32_t largest_[2] = {};
  FlashTensors on_;
  FlashMaps maps_;
};

using emulate::Landing;
using emulate::Order;
constexpr emulate::Options late{Landing::late, Order::shuffled, 3};
constexpr emulate::Options early{Landing::early, Order::last_warps, 1};
constexpr emulate::Options unfair{Landing::late, Order::first_warps, 1};

template <template <FlashPass, int> class Tiling, int Size>
void expect_right(const Extents& of, const emulate::Options& options) {
  Flash(of, options)
      .expect_right<Tiling<FlashPass::forward, Size>, Tiling<FlashPass::of_queries, Size>,
                    Tiling<FlashPass::of_keys, Size>>();
}

TEST(Flash, IsRightOnHopper) {
  expect_right<FlashOnHopper, 64>({1, 2, 16, 8}, late);
  expect_right<FlashOnHopper, 64>({2, 1, 208, 64}, early);
  expect_right<FlashOnHopper, 128>({1, 2, 272, 80}, unfair);
  expect_right<FlashOnHopper, 128>({1, 1, 256, 128}, late);
}

TEST(Flash, IsRightAnywhere) {
  expect_right<FlashAnywhere, 64>({2, 2, 16, 8}, late);
  expect_right<FlashAnywhere, 64>({2, 1, 208, 64}, early);
  expect_right<FlashAnywhere, 128>({1, 2, 144, 80}, unfair);
  expect_right<FlashAnywhere, 128>({1, 1, 128, 128}, late);
}

// Blocks of 3 tokens, of which every second one is seen, and the own one.
TEST(Flash, SeesTheBlocksOfAMask) {
  constexpr Extents of{2, 2, 80, 16};
  constexpr int block = 3, blocks = 27;
  std::vector<std::uint8_t> seen;
  for (int head = 0; head < of.heads; ++head)
    for (int query = 0; query < blocks; ++query)
      for (int key = 0; key < blocks; ++key)
        seen.push_back(query == key || (query + key + head) % 2 == 0 ? 1 : 0);
  Flash(of, late, seen, block)
      .expect_right<FlashAnywhere<FlashPass::forward, 64>, FlashAnywhere<FlashPass::of_queries, 64>,
                    FlashAnywhere<FlashPass::of_keys, 64>>();
}

}  // namespace
}  // namespace training
