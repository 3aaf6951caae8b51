// qkv_rope: its CPU variants and its kernels in the emulator against the oracle, and the oracle by hand.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/operators/qkv_rope/qkv_rope.h"
#include "kernels/operators/qkv_rope/turn_kernel.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/relative_error.h"

void register_workload_qkv_rope(harness::sdk::Registry&);
void register_variant_qkv_rope_threads_separate(harness::sdk::Registry&);
void register_variant_qkv_rope_threads_fused(harness::sdk::Registry&);

namespace operators::qkv_rope {
namespace {

using emulate::Landing;
using emulate::Options;
using emulate::Order;
using harness::sdk::HostTensor;
using harness::sdk::Value;

// A case with its tensors in guarded memory, which the emulator takes for a device's.
class RopeCase {
 public:
  RopeCase(const char* dtype, std::int64_t m, std::int64_t d, std::int64_t k, std::int64_t s,
           std::int64_t head)
      : params({{"dtype", Value{std::string(dtype)}},
                {"m", Value{m}},
                {"d", Value{d}},
                {"k", Value{k}},
                {"s", Value{s}},
                {"head", Value{head}}}) {
    register_workload_qkv_rope(registry);
    register_variant_qkv_rope_threads_separate(registry);
    register_variant_qkv_rope_threads_fused(registry);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
    workload().fill(params, 5, inputs());
    for (const HostTensor& tensor : tensors) {
      memory_.push_back(std::make_unique<emulate::Memory>(tensor.spec.name, tensor.data.size()));
      addresses.push_back(memory_.back()->data());
      if (&tensor != &tensors.back()) std::memcpy(addresses.back(), tensor.data.data(), tensor.data.size());
    }
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<HostTensor> inputs() { return std::span(tensors).first(3); }
  void poison() { std::memset(addresses[y_index], 0xFF, tensors[y_index].data.size()); }
  // As a multiple of the tolerance.
  [[nodiscard]] double error() {
    std::memcpy(tensors[y_index].data.data(), addresses[y_index], tensors[y_index].data.size());
    return relative_error(workload(), params, inputs(), tensors[y_index]) / problem.tolerance.relative;
  }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<HostTensor> tensors;
  std::vector<void*> addresses;

 private:
  std::vector<std::unique_ptr<emulate::Memory>> memory_;
};

// Two heads of four columns; W passes the one column of X on. Row 5 is at position 2 of 3.
TEST(QkvRope, TheOracleTurnsPairsOfQueriesAndKeysByTheirPosition) {
  RopeCase c("f32", 6, 8, 1, 3, 4);
  for (std::int64_t i = 0; i < 6; ++i) c.tensors[x_index].set(i, 1);
  for (std::int64_t i = 0; i < 24; ++i) c.tensors[w_index].set(i, static_cast<double>(1 + i));
  std::vector<std::int64_t> wanted = {5 * 24 + 6,  5 * 24 + 7,  5 * 24 + 12,
                                      5 * 24 + 13, 5 * 24 + 17, 3 * 24 + 2};
  std::vector<double> got(wanted.size());
  c.workload().reference(c.params, c.inputs(), 0, wanted, got);
  EXPECT_NEAR(got[0], 7 * std::cos(0.02) - 8 * std::sin(0.02), 1e-12) << "the second pair: 10000^(-2/4)";
  EXPECT_NEAR(got[1], 7 * std::sin(0.02) + 8 * std::cos(0.02), 1e-12);
  EXPECT_NEAR(got[2], 13 * std::cos(2.0) - 14 * std::sin(2.0), 1e-12) << "a head of the keys";
  EXPECT_NEAR(got[3], 13 * std::sin(2.0) + 14 * std::cos(2.0), 1e-12);
  EXPECT_EQ(got[4], 18) << "values stay";
  EXPECT_EQ(got[5], 3) << "so does position 0";
}

TEST(QkvRope, RefusesHeadsThatDoNotFit) {
  EXPECT_THROW(RopeCase("f32", 1, 6, 1, 1, 4), harness::sdk::Unsupported);
  EXPECT_THROW(RopeCase("f32", 1, 6, 1, 1, 3), harness::sdk::Unsupported);
}

TEST(QkvRope, ThreadsAgreeWithTheOracle) {
  for (const char* const dtype : {"f32", "f16", "bf16"})
    for (const auto& [m, d, k, s, head] : {std::array<std::int64_t, 5>{1, 2, 1, 1, 2},
                                           {7, 6, 5, 3, 6},
                                           {97, 132, 257, 200, 44},
                                           {130, 64, 40, 65, 32}})
      for (const std::size_t variant : {0, 1}) {
        RopeCase c(dtype, m, d, k, s, head);
        harness::sdk::DeviceTraits traits;
        traits.multiprocessors = 3;
        const auto kernel = c.registry.variants[variant].make(c.params, c.problem, traits);
        c.poison();
        kernel->bind({c.addresses, nullptr});
        kernel->run({});
        EXPECT_LE(c.error(), 1) << dtype << " " << m << " " << d << " " << k << ", " << variant;
      }
}

// Once with the embedding in the product's epilogue, and once in a kernel of its own after a plain product.
template <class Element, class Tile>
void expect_emulated_right(const char* dtype, std::int64_t m, std::int64_t d, std::int64_t k, std::int64_t s,
                           std::int64_t head) {
  using Storage = typename Element::Storage;
  RopeCase c(dtype, m, d, k, s, head);
  const auto tensor = [&](std::size_t index) { return static_cast<Storage*>(c.addresses[index]); };
  const auto n = static_cast<int>(3 * d);
  const gemm::Problem<Element> problem{
      tensor(x_index), tensor(w_index), tensor(y_index), static_cast<int>(m), n, static_cast<int>(k)};
  const Turns turns = shape_of(c.params).turns(static_cast<const float*>(c.addresses[turns_index]));
  for (const Options& options :
       {Options{Landing::late, Order::shuffled, 7}, Options{Landing::early, Order::backward, 1}}) {
    const auto multiply = [&]<class Epilogue>(const Epilogue& epilogue) {
      const auto launch = gemm::wgmma_specialised_launch_of<Element, Tile, Epilogue>(m, n, 2);
      c.poison();
      emulate::launch(options, {static_cast<unsigned>(launch.blocks)},
                      {static_cast<unsigned>(launch.threads)}, static_cast<std::size_t>(launch.shared_bytes),
                      launch.kernel, ptx::make_tensor_map<Element>(problem.x, launch.x_layout(problem)),
                      ptx::make_tensor_map<Element>(problem.w, launch.w_layout(problem)), problem, epilogue);
    };
    multiply(TurnEpilogue<Element>{turns});
    EXPECT_LE(c.error(), 1) << "fused, " << dtype << " " << m << " " << d << " " << k;
    multiply(gemm::PlainEpilogue{});
    EXPECT_GT(c.error(), 10) << "a plain product is wrong";
    const std::int64_t pieces = m * (turns.turned / 8);
    emulate::launch(options, {static_cast<unsigned>((pieces + turn_threads - 1) / turn_threads)},
                    {turn_threads}, 0, turn_kernel<Element>, tensor(y_index), turns, m, n);
    EXPECT_LE(c.error(), 1) << "separate, " << dtype << " " << m << " " << d << " " << k;
  }
}

TEST(QkvRope, ItsKernelsAreRightInTheEmulator) {
  expect_emulated_right<ptx::BF16, gemm::WgmmaTiling<128, 256, 4>>("bf16", 140, 96, 72, 50, 32);
  expect_emulated_right<ptx::F16, gemm::WgmmaTiling<128, 128, 6>>("f16", 129, 40, 136, 300, 20);
  expect_emulated_right<ptx::F16, gemm::WgmmaTiling<64, 64, 12>>("f16", 9, 8, 8, 4, 2);
}

}  // namespace
}  // namespace operators::qkv_rope
