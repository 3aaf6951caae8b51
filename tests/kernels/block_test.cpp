// The transformer block against its oracle: on the CPU, and the launches of the fused block in the emulator.
#include <gmock/gmock.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/block/cpu_block.h"
#include "kernels/block/fused_block.cuh"
#include "kernels/block/step_kernels.cuh"
#include "kernels/linear_gelu/linear_gelu.h"
#include "tests/emulate/memory.h"
#include "tests/kernels/relative_error.h"

void register_workload_block(harness::sdk::Registry&);

namespace transformer_block {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Value;

struct Extents {
  std::int64_t b, s, d, h;
};

// A case with its tensors in emulated memory, with NaN around them.
class BlockCase {
 public:
  explicit BlockCase(const Extents& extents, std::uint64_t seed = 11)
      : params({{"dtype", Value{std::string("f16")}},
                {"b", Value{extents.b}},
                {"s", Value{extents.s}},
                {"d", Value{extents.d}},
                {"h", Value{extents.h}}}) {
    register_workload_block(registry_);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors_.emplace_back(tensor);
    workload().fill(params, seed, inputs());
    for (const HostTensor& tensor : tensors_) {
      memory_.push_back(std::make_unique<emulate::Memory>(tensor.spec.name, tensor.data.size()));
      addresses.push_back(memory_.back()->data());
      if (&tensor != &tensors_.back()) std::memcpy(addresses.back(), tensor.data.data(), tensor.data.size());
    }
  }

  // As a multiple of the tolerance.
  [[nodiscard]] double error() {
    std::memcpy(tensors_.back().data.data(), addresses.back(), tensors_.back().data.size());
    return relative_error(workload(), params, inputs(), tensors_.back()) / problem.tolerance.relative;
  }

  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<void*> addresses;

 private:
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry_.workloads.front(); }
  [[nodiscard]] std::span<HostTensor> inputs() { return std::span(tensors_).first(tensors_.size() - 1); }

  harness::sdk::Registry registry_;
  std::vector<HostTensor> tensors_;
  std::vector<std::unique_ptr<emulate::Memory>> memory_;
};

template <CpuSteps steps>
double error_on_cpu(const Extents& extents) {
  BlockCase one(extents);
  harness::sdk::DeviceTraits traits;
  traits.multiprocessors = 2;
  CpuBlock<steps> block(one.params, one.problem, traits);
  block.bind({one.addresses, nullptr});
  block.run({});
  return one.error();
}

TEST(Block, AgreesWithTheOracleOnTheCpu) {
  for (const Extents& extents : {Extents{1, 1, 8, 1}, Extents{2, 5, 16, 2}, Extents{1, 130, 96, 3},
                                 Extents{2, 33, 64, 2}, Extents{3, 7, 136, 1}}) {
    EXPECT_LE(error_on_cpu<CpuSteps::fused>(extents), 1) << extents.s << " x " << extents.d;
    EXPECT_LE(error_on_cpu<CpuSteps::separate>(extents), 1) << extents.s << " x " << extents.d;
  }
}

Device few_multiprocessors() {
  return {3, emulate::Block::most_shared_bytes};
}

template <class Launches>
double error_emulated(const Extents& extents, emulate::Order order) {
  BlockCase one(extents);
  const Shape shape = shape_of(one.params);
  Carver counter(nullptr);
  const Intermediate counted(shape, counter);
  const emulate::Memory workspace("workspace", counter.used());
  Carver carver(workspace.data());
  Launches launches(shape, few_multiprocessors());
  launches.bind(one.addresses, Intermediate(shape, carver));
  launches.run(
      [&](bool, auto* kernel, dim3 blocks, dim3 threads, std::size_t bytes, const auto&... arguments) {
        emulate::launch({emulate::Landing::late, order, 3}, blocks, threads, bytes, kernel, arguments...);
      });
  return one.error();
}

TEST(Block, ShortLaunchesAgreeWithTheOracle) {
  const auto expect_right = [](const Extents& extents, emulate::Order order) {
    EXPECT_LE(error_emulated<ShortBlock>(extents, order), 1) << extents.s << " x " << extents.d;
  };
  expect_right({1, 1, 64, 2}, emulate::Order::first_warps);
  expect_right({2, 20, 64, 1}, emulate::Order::last_warps);
  expect_right({1, 70, 128, 4}, emulate::Order::shuffled);
  expect_right({3, 33, 128, 2}, emulate::Order::shuffled);
}

TEST(Block, LongLaunchesAgreeWithTheOracle) {
  for (const Extents& extents :
       {Extents{1, 1, 32, 1}, Extents{2, 70, 128, 2}, Extents{1, 130, 256, 2}, Extents{2, 9, 96, 3}})
    EXPECT_LE(error_emulated<LongBlock>(extents, emulate::Order::shuffled), 1)
        << extents.s << " x " << extents.d;
}

TEST(Block, FewTokensAreShort) {
  const auto takes = [](const Extents& extents) {
    return ShortBlock::takes(
        {.batch = extents.b, .sequence = extents.s, .width = extents.d, .heads = extents.h}, {132, 232448});
  };
  EXPECT_TRUE(takes({2, 128, 256, 8}));
  EXPECT_FALSE(takes({4, 256, 512, 8})) << "four widths of W do not fit";
  EXPECT_FALSE(takes({8, 512, 768, 12}));
  EXPECT_FALSE(takes({1, 1, 96, 3})) << "k is no multiple of 64";
  EXPECT_FALSE(takes({1, 1, 64, 4})) << "heads of 16";
}

template <Step step>
std::vector<float> stepped(const std::vector<float>& x, const std::vector<float>& second, int width,
                           const HeadSplit& split) {
  const auto stored = [](const std::vector<float>& values, const char* name) {
    std::vector<std::uint16_t> bits;
    for (const float value : values) bits.push_back(ptx::F16::narrow(value));
    return std::make_unique<emulate::Buffer<std::uint16_t>>(name, bits);
  };
  const auto from = stored(x, "x"), other = stored(second, "second");
  const emulate::Buffer<std::uint16_t> y("y", x.size());
  StepArguments of;
  of.x = from->data();
  of.second = other->data();
  of.y = y.data();
  of.elements = std::ssize(x);
  of.width = width;
  of.split = split;
  const auto blocks = static_cast<unsigned>((x.size() / 8 + step_threads - 1) / step_threads);
  emulate::launch({}, {blocks, 1, 1}, {step_threads, 1, 1}, 0, &step_kernel<step>, of);
  std::vector<float> result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(ptx::F16::widen(y[i]));
  return result;
}

// Two pictures of three tokens, two heads of eight.
TEST(Block, HeadsMoveApartAndTogether) {
  const HeadSplit split = {2, 3, 2, 8};
  std::vector<float> x, bias;
  for (int i = 0; i < 6 * 48; ++i) x.push_back(static_cast<float>(i));
  for (int i = 0; i < 48; ++i) bias.push_back(static_cast<float>(i % 2));
  const std::vector<float> apart = stepped<Step::bias_and_split>(x, bias, 48, split);
  for (int which = 0; which < 3; ++which)
    for (int b = 0; b < 2; ++b)
      for (int h = 0; h < 2; ++h)
        for (int s = 0; s < 3; ++s)
          for (int c = 0; c < 8; ++c) {
            const int column = which * 16 + h * 8 + c;
            const auto at = static_cast<std::size_t>((((which * 2 + b) * 2 + h) * 3 + s) * 8 + c);
            EXPECT_EQ(apart[at], static_cast<float>((b * 3 + s) * 48 + column + column % 2));
          }
  const std::vector<float> keys(apart.begin() + 96, apart.begin() + 192);
  const std::vector<float> merged = stepped<Step::merge>(keys, {0}, 16, split);
  for (int token = 0; token < 6; ++token)
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(merged[static_cast<std::size_t>(token * 16 + c)],
                static_cast<float>(token * 48 + 16 + c + c % 2));
}

TEST(Block, StepsAreOneOperationEach) {
  const std::vector<float> x = {-2, -1, 0, 0.5F, 1, 2, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1};
  const std::vector<float> second = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const std::vector<float> biased = stepped<Step::bias>(x, second, 8, {}),
                           sum = stepped<Step::add>(x, second, 8, {}),
                           gelu = stepped<Step::gelu>(x, second, 8, {});
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(biased[i], x[i] + second[i % 8]);
    EXPECT_EQ(sum[i], x[i] + second[i]);
    EXPECT_NEAR(gelu[i], linear_gelu::gelu(static_cast<double>(x[i]), linear_gelu::Gelu::tanh_form), 2e-3);
  }
}

}  // namespace
}  // namespace transformer_block
