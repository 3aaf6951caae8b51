// The CUDA kernels of quant_gemm on the CPU: the headers that nvcc compiles, in the emulator, on tails,
// against the workload's oracle.
#include <gmock/gmock.h>

#include <cmath>

#include "harness/sdk/registry.h"
#include "kernels/gemm/wgmma_8bit.cuh"
#include "kernels/quant_gemm/few_tokens_kernel.cuh"
#include "kernels/quant_gemm/quant_gemm.h"
#include "kernels/quant_gemm/quantise_kernels.cuh"
#include "kernels/quant_gemm/scaled_epilogues.cuh"
#include "kernels/quantise.h"
#include "tests/emulate/memory.h"
#include "tests/emulate/tma_product.h"
#include "tests/kernels/relative_error.h"

void register_workload_quant_gemm(harness::sdk::Registry&);

namespace quant_gemm {
namespace {

using emulate::Buffer;
using emulate::Landing;
using emulate::Options;
using emulate::Order;
using harness::sdk::HostTensor;
using harness::sdk::Value;

constexpr Options late_and_shuffled{Landing::late, Order::shuffled, 7};
constexpr Options early_and_backward{Landing::early, Order::backward, 1};

// A case of the workload, with its tensors in emulated device memory.
class OnDevice {
 public:
  OnDevice(const char* weights, std::int64_t m, std::int64_t n, std::int64_t k,
           const char* quantise = "inside")
      : params({{"weights", Value{std::string(weights)}},
                {"m", Value{m}},
                {"n", Value{n}},
                {"k", Value{k}},
                {"quantise", Value{std::string(quantise)}}}),
        shape(shape_of(params)) {
    register_workload_quant_gemm(registry);
    problem = workload().problem(params);
    for (const auto& spec : problem.tensors) tensors.emplace_back(spec);
    workload().fill(params, 7, inputs());
    for (const HostTensor& tensor : tensors)
      memory.push_back(std::make_unique<Buffer<std::byte>>(tensor.spec.name, tensor.data.size()));
    for (std::size_t i = 0; i + 1 < tensors.size(); ++i)
      std::memcpy(memory[i]->data(), tensors[i].data.data(), tensors[i].data.size());
  }

  const harness::sdk::Workload& workload() { return *registry.workloads.front(); }
  std::span<HostTensor> inputs() { return std::span(tensors).first(tensors.size() - 1); }
  template <class T>
  T* as(std::size_t index) {
    return reinterpret_cast<T*>(memory[index]->data());
  }
  void poison() { std::memset(memory.back()->data(), 0xFF, memory.back()->size()); }
  double error() {
    std::memcpy(tensors.back().data.data(), memory.back()->data(), tensors.back().data.size());
    return relative_error(workload(), params, inputs(), tensors.back());
  }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  Shape shape;
  harness::sdk::Problem problem;
  std::vector<HostTensor> tensors;
  std::vector<std::unique_ptr<Buffer<std::byte>>> memory;
};

void expect_right(const SkinnyLaunch& launch, const char* weights, std::int64_t m, std::int64_t n,
                  std::int64_t k) {
  SCOPED_TRACE(std::string(weights) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " +
               std::to_string(k));
  OnDevice c(weights, m, n, k);
  const SkinnyProblem problem{c.as<const std::uint16_t>(x_index),
                              c.as<const unsigned char>(w_index),
                              c.as<const float>(w_scales_index),
                              c.as<std::uint16_t>(y_index(c.shape)),
                              static_cast<int>(m),
                              static_cast<int>(n),
                              static_cast<int>(k),
                              launch.rows_of_block};
  for (const Options& options : {late_and_shuffled, early_and_backward}) {
    c.poison();
    emulate::launch(options, {static_cast<unsigned>(launch.blocks)}, launch.threads,
                    static_cast<std::size_t>(launch.shared_bytes), launch.kernel, problem);
    EXPECT_LE(c.error(), c.problem.tolerance.relative);
  }
}

template <class Codes>
void expect_skinny_right(const char* weights, int m, int n, int k) {
  expect_right(skinny_launch<Codes>(m, n), weights, m, n, k);
}

TEST(SkinnyKernel, WidensFourBitsOnTails) {
  expect_skinny_right<FourBits>("i4", 1, 16, 128);
  expect_skinny_right<FourBits>("i4", 1, 37, 32 * 75);
  expect_skinny_right<FourBits>("i4", 9, 33, 160);
  expect_skinny_right<FourBits>("i4", 19, 8, 32);
  expect_skinny_right<FourBits>("i4", 64, 17, 1024 + 96);
}
TEST(SkinnyKernel, WidensEightBitsOnTails) {
  expect_skinny_right<EightBits>("i8", 1, 16, 64);
  expect_skinny_right<EightBits>("i8", 3, 37, 16 * 141);
  expect_skinny_right<EightBits>("i8", 16, 33, 80);
  expect_skinny_right<EightBits>("i8", 32, 8, 16);
  expect_skinny_right<EightBits>("i8", 33, 17, 1024 + 48);
}

// In few blocks, so that a warp takes more steps than are on their way.
template <class Codes, int Tokens, int Warps, int Depth>
void expect_few_right(const char* weights, int m, int n, int k, int blocks) {
  expect_right(few_tokens_launch_of<Codes, Tokens, Warps, Depth>(n, k, blocks, 48 * 1024), weights, m, n, k);
}

TEST(FewTokens, WidenFourBitsOnTails) {
  expect_few_right<FourBits, 1, 16, 4>("i4", 1, 16, 128, 132);
  expect_few_right<FourBits, 1, 16, 4>("i4", 1, 101, 32 * 75, 2);
  expect_few_right<FourBits, 1, 2, 3>("i4", 1, 37, 32 * 165, 2);
  expect_few_right<FourBits, 2, 4, 2>("i4", 2, 90, 32 * 75, 3);
  expect_few_right<FourBits, 4, 4, 2>("i4", 3, 33, 32, 1);
  expect_few_right<FourBits, 8, 4, 3>("i4", 8, 70, 1024 + 96, 2);
  expect_few_right<FourBits, 8, 16, 4>("i4", 5, 17, 128 * 17 + 32, 2);
}
TEST(FewTokens, WidenEightBitsOnTails) {
  expect_few_right<EightBits, 1, 16, 4>("i8", 1, 16, 64, 132);
  expect_few_right<EightBits, 1, 16, 4>("i8", 1, 101, 16 * 141, 2);
  expect_few_right<EightBits, 1, 2, 3>("i8", 1, 75, 16 * 165, 2);
  expect_few_right<EightBits, 2, 4, 2>("i8", 2, 90, 16 * 141, 3);
  expect_few_right<EightBits, 4, 4, 3>("i8", 4, 33, 16, 1);
  expect_few_right<EightBits, 8, 4, 2>("i8", 7, 70, 1024 + 48, 2);
}

TEST(FewTokens, BlocksFitIntoTheDevice) {
  const auto launch = [](int m, int n, int k, std::size_t bytes) {
    const SkinnyLaunch chosen = weight_only_launch<EightBits>(m, n, k, 132, bytes);
    EXPECT_LE(static_cast<std::size_t>(chosen.shared_bytes), bytes);
    if (chosen.rows_of_block > 0) {
      EXPECT_GE(chosen.blocks * chosen.rows_of_block, n);
      EXPECT_GE(static_cast<int>(32 * chosen.threads.y * chosen.threads.z), chosen.rows_of_block)
          << "each thread takes a scale";
    }
    return chosen;
  };
  EXPECT_EQ(launch(1, 4096, 4096, 227 * 1024).rows_of_block, 32);
  EXPECT_GT(launch(8, 128256, 14336, 227 * 1024).rows_of_block, 0);
  EXPECT_GT(launch(3, 128256, 4096 + 16, 48 * 1024).rows_of_block, 0);
  EXPECT_GT(launch(2, 8, 16, 48 * 1024).rows_of_block, 0);
  EXPECT_EQ(launch(9, 4096, 4096, 227 * 1024).rows_of_block, 0) << "too many tokens";
  EXPECT_EQ(launch(1, 4096, (1 << 24) + 16, 227 * 1024).rows_of_block, 0) << "steps are past an int";
}

// Every code of a type, exactly.
TEST(SkinnyKernel, WidensEveryCodeExactly) {
  const auto value = [](std::uint32_t halves, int which) {
    return ptx::F16::widen(static_cast<std::uint16_t>(halves >> (16 * which)));
  };
  const std::uint32_t four[4] = {0x76543210U, 0xFEDCBA98U, 0, 0};
  for (int i = 0; i < 2; ++i) {
    std::uint32_t halves[4];
    FourBits::widen(four, i, halves);
    for (int pair = 0; pair < 4; ++pair)
      for (int which = 0; which < 2; ++which)
        EXPECT_EQ(value(halves[pair], which), static_cast<float>(pair + 4 * which - 8 * i));
  }
  for (int first = -128; first < 128; first += 8) {
    std::uint32_t words[4] = {};
    for (int i = 0; i < 8; ++i)
      words[i / 4] |= static_cast<std::uint32_t>((first + i) & 0xFF) << (8 * (i % 4));
    std::uint32_t halves[4];
    EightBits::widen(words, 0, halves);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(value(halves[i / 2], i % 2), static_cast<float>(first + i));
  }
}

template <class Element, class Epilogue>
void run_wgmma(const Options& options, OnDevice& c, const gemm::TmaLaunch<Element, Epilogue>& launch,
               const Epilogue& epilogue) {
  using Storage = typename Element::Storage;
  const gemm::Problem<Element> problem{c.as<const Storage>(x_index),          c.as<const Storage>(w_index),
                                       c.as<std::uint16_t>(y_index(c.shape)), static_cast<int>(c.shape.m),
                                       static_cast<int>(c.shape.n),           static_cast<int>(c.shape.k)};
  c.poison();
  emulate::run(options, launch, problem, epilogue);
}

constexpr Options schedules[] = {late_and_shuffled,
                                 early_and_backward,
                                 {Landing::late, Order::first_warps, 1},
                                 {Landing::late, Order::last_warps, 1}};

// On two multiprocessors, so that a block takes several tiles. X is stored small: no error but that of Y.
template <class Element, class Tile>
void expect_scaled_right(const char* weights, std::int64_t m, std::int64_t n, std::int64_t k) {
  SCOPED_TRACE(std::string(weights) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " +
               std::to_string(k));
  OnDevice c(weights, m, n, k, "outside");
  const int step = c.shape.weights == Weights::i8 ? 1 : 0;
  const auto launch = gemm::wgmma_specialised_launch_of<Element, Tile, ScaledEpilogue>(m, n, 2);
  for (const Options& options : schedules) {
    run_wgmma<Element, ScaledEpilogue>(
        options, c, launch,
        {c.as<const float>(x_scales_index), c.as<const float>(w_scales_index), step, step});
    EXPECT_LE(c.error(), c.problem.tolerance.relative);
  }
}

template <class Tile>
void expect_blocks_right(std::int64_t m, std::int64_t n, std::int64_t k) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
  OnDevice c("e4m3_block", m, n, k, "outside");
  const auto launch = gemm::wgmma_specialised_launch_of<ptx::E4M3, Tile, BlockEpilogue>(m, n, 2);
  for (const Options& options : schedules) {
    run_wgmma<ptx::E4M3, BlockEpilogue>(options, c, launch,
                                        {c.as<const float>(x_scales_index), c.as<const float>(w_scales_index),
                                         static_cast<int>(m), static_cast<int>(c.shape.groups_of_k())});
    EXPECT_LE(c.error(), c.problem.tolerance.relative);
  }
}

TEST(WgmmaOf8Bits, MultipliesInt8OnTails) {
  expect_scaled_right<ptx::I8, gemm::WgmmaTiling<128, 256, 4>>("i8", 130, 264, 208);
  expect_scaled_right<ptx::I8, gemm::WgmmaTiling<128, 128, 6>>("i8", 129, 120, 400);
  expect_scaled_right<ptx::I8, gemm::WgmmaTiling<64, 64, 12>>("i8", 1, 200, 16);
}
TEST(WgmmaOf8Bits, MultipliesE4m3OnTails) {
  expect_scaled_right<ptx::E4M3, gemm::WgmmaTiling<128, 256, 4>>("e4m3", 70, 264, 336);
  expect_scaled_right<ptx::E4M3, gemm::WgmmaTiling<128, 64, 8>>("e4m3", 300, 136, 144);
  expect_scaled_right<ptx::E4M3, gemm::WgmmaTiling<64, 64, 12>>("e4m3", 17, 8, 128);
}
TEST(WgmmaOf8Bits, PromotesScaledSumsOfBlocks) {
  expect_blocks_right<gemm::WgmmaTiling<128, 128, 6>>(130, 264, 400);
  expect_blocks_right<gemm::WgmmaTiling<128, 64, 3>>(65, 200, 640);
  expect_blocks_right<gemm::WgmmaTiling<64, 64, 12>>(3, 136, 16);
}
TEST(WgmmaOf8Bits, TilesOfBlocksAreNoWiderThanABlock) {
  const auto launch = gemm::wgmma_specialised_launch<ptx::E4M3, BlockEpilogue>(4096, 4096, 132);
  const gemm::Problem<ptx::E4M3> problem{nullptr, nullptr, nullptr, 4096, 4096, 4096};
  EXPECT_EQ(launch.w_layout(problem).box[1], 128U);
  EXPECT_EQ(launch.x_layout(problem).box[0], 128U) << "a slot is as deep as a block";
}

// X is widened and rounded as the workload rounds a stored one, up to a tie.
template <class Code>
void expect_codes_near(const std::vector<float>& x, const typename Code::Storage* codes, float scale,
                       std::int64_t first, std::int64_t count, harness::sdk::DType type) {
  float largest = 0;
  for (std::int64_t i = first; i < first + count; ++i)
    largest = std::max(largest, std::fabs(x[static_cast<std::size_t>(i)]));
  EXPECT_EQ(scale, kernels::scale_for(largest, type));
  for (std::int64_t i = first; i < first + count; ++i) {
    const float code = static_cast<float>(harness::sdk::load(codes, type, i));
    const float exact = x[static_cast<std::size_t>(i)] / scale;
    const float step = type == harness::sdk::DType::i8 ? 1.0F : std::max(std::fabs(exact) / 8, 0x1p-9F);
    EXPECT_LE(std::fabs(code - exact), step / 2 * 1.0001F) << i;
  }
}

template <class Code>
void expect_quantised(const char* weights, std::int64_t m, std::int64_t k) {
  const harness::sdk::DType type =
      std::is_same_v<Code, ptx::I8> ? harness::sdk::DType::i8 : harness::sdk::DType::e4m3;
  OnDevice c(weights, m, 1, k);
  std::vector<float> x(static_cast<std::size_t>(m * k));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(c.tensors[x_index].at(static_cast<std::int64_t>(i)));
  const auto* const from = c.as<const std::uint16_t>(x_index);
  const auto groups = static_cast<std::int64_t>((k + 127) / 128);
  const Buffer<typename Code::Storage> codes("codes", x.size());
  const Buffer<float> scales("scales", static_cast<std::size_t>(m * groups));
  emulate::launch(late_and_shuffled, {static_cast<unsigned>(m)}, {quantise_threads}, 0, quantise_tokens<Code>,
                  from, codes.data(), scales.data(), static_cast<int>(k));
  for (std::int64_t row = 0; row < m; ++row)
    expect_codes_near<Code>(x, codes.data(), scales[static_cast<std::size_t>(row)], row * k, k, type);

  emulate::launch(late_and_shuffled, {static_cast<unsigned>((groups + 15) / 16), static_cast<unsigned>(m)},
                  {quantise_threads}, 0, quantise_groups<Code>, from, codes.data(), scales.data(),
                  static_cast<int>(m), static_cast<int>(k));
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t group = 0; group < groups; ++group)
      expect_codes_near<Code>(x, codes.data(), scales[static_cast<std::size_t>(group * m + row)],
                              row * k + group * 128, std::min<std::int64_t>(128, k - group * 128), type);

  const Buffer<std::uint32_t> largest("largest", 1);
  largest[0] = 0;
  emulate::launch(late_and_shuffled, {2}, {quantise_threads}, 0, find_largest<ptx::F16>, from, m * k,
                  largest.data());
  emulate::launch(late_and_shuffled, {2}, {quantise_threads}, 0, quantise_tensor<Code>, from, codes.data(),
                  m * k, largest.data(), scales.data());
  expect_codes_near<Code>(x, codes.data(), scales[0], 0, m * k, type);
}

TEST(QuantiseKernels, RoundToTheirTypeByTokensGroupsAndTensors) {
  expect_quantised<ptx::I8>("i8", 3, 300);
  expect_quantised<ptx::I8>("i8", 2, 2100);
  expect_quantised<ptx::E4M3>("e4m3", 3, 300);
  expect_quantised<ptx::E4M3>("e4m3", 5, 13);
}

TEST(ScaleSums, MultipliesByTokenAndChannel) {
  constexpr int m = 3, n = 12;
  const Buffer<std::int32_t> sums("sums", m * n);
  const Buffer<float> x_scales("x_scales", m), w_scales("w_scales", n);
  const Buffer<std::uint16_t> y("y", m * n);
  for (std::size_t i = 0; i < m; ++i) x_scales[i] = static_cast<float>(i + 1);
  for (std::size_t i = 0; i < n; ++i) w_scales[i] = 1.0F / static_cast<float>(1U << i);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<std::int32_t>(i * 7) - 100;
  emulate::launch(early_and_backward, {1}, {quantise_threads}, 0, scale_sums<ptx::F16>, sums.data(),
                  x_scales.data(), w_scales.data(), y.data(), std::int64_t{m} * n, n);
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(y[i], ptx::F16::narrow(static_cast<float>(sums[i]) * x_scales[i / n] * w_scales[i % n]));
}

}  // namespace
}  // namespace quant_gemm
