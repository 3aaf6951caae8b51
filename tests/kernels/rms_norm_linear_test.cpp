// rms_norm_linear: its CPU variants and its kernel on wgmma in the emulator against the oracle, and the
// oracle against a plain loop.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/operators/rms_norm_linear/norm_epilogue.cuh"
#include "kernels/operators/rms_norm_linear/rms_norm_linear.h"
#include "tests/emulate/memory.h"
#include "tests/kernels/relative_error.h"

void register_workload_rms_norm_linear(harness::sdk::Registry&);
void register_variant_rms_norm_linear_threads_separate(harness::sdk::Registry&);
void register_variant_rms_norm_linear_threads_fused(harness::sdk::Registry&);

namespace operators::rms_norm_linear {
namespace {

using emulate::Landing;
using emulate::Options;
using emulate::Order;
using harness::sdk::HostTensor;
using harness::sdk::Value;

// A case with its tensors in guarded memory, which the emulator takes for a device's.
class NormLinearCase {
 public:
  NormLinearCase(const char* dtype, std::int64_t m, std::int64_t n, std::int64_t k)
      : params({{"dtype", Value{std::string(dtype)}}, {"m", Value{m}}, {"n", Value{n}}, {"k", Value{k}}}) {
    register_workload_rms_norm_linear(registry);
    register_variant_rms_norm_linear_threads_separate(registry);
    register_variant_rms_norm_linear_threads_fused(registry);
    problem = workload().problem(params);
    for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
    workload().fill(params, 5, inputs());
    for (const HostTensor& tensor : tensors) {
      memory_.push_back(std::make_unique<emulate::Memory>(tensor.spec.name, tensor.data.size()));
      addresses.push_back(memory_.back()->data());
    }
    copy_inputs();
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<HostTensor> inputs() { return std::span(tensors).first(3); }
  void copy_inputs() {
    for (std::size_t i = 0; i < y_index; ++i)
      std::memcpy(addresses[i], tensors[i].data.data(), tensors[i].data.size());
  }
  void poison() { std::memset(addresses[y_index], 0xFF, tensors[y_index].data.size()); }
  // As a multiple of the tolerance.
  [[nodiscard]] double error() {
    std::memcpy(tensors[y_index].data.data(), addresses[y_index], tensors[y_index].data.size());
    return relative_error(workload(), params, inputs(), tensors[y_index]) / problem.tolerance.relative;
  }
  void run_variant(std::size_t index) {
    harness::sdk::DeviceTraits traits;
    traits.multiprocessors = 3;
    const auto kernel = registry.variants[index].make(params, problem, traits);
    const emulate::Memory workspace("workspace", kernel->workspace_bytes());
    kernel->bind({addresses, workspace.data()});
    kernel->run({});
  }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<HostTensor> tensors;
  std::vector<void*> addresses;

 private:
  std::vector<std::unique_ptr<emulate::Memory>> memory_;
};

TEST(RmsNormLinear, TheOracleFollowsItsDefinition) {
  for (const char* const dtype : {"f32", "f16", "bf16"}) {
    NormLinearCase c(dtype, 3, 5, 70);
    for (std::int64_t i = 0; i < 15; ++i) {
      double squares = 0, sum = 0;
      for (std::int64_t p = 0; p < 70; ++p) squares += std::pow(c.tensors[x_index].at(i / 5 * 70 + p), 2);
      for (std::int64_t p = 0; p < 70; ++p)
        sum += c.tensors[x_index].at(i / 5 * 70 + p) / std::sqrt(squares / 70 + 1e-5) *
               c.tensors[gain_index].at(p) * c.tensors[w_index].at(p * 5 + i % 5);
      double got = 0;
      c.workload().reference(c.params, c.inputs(), 0, std::span(&i, 1), std::span(&got, 1));
      EXPECT_NEAR(got, sum, 1e-12) << dtype << " " << i;
    }
  }
}

TEST(RmsNormLinear, CountsTheProductsOperationsAndEachTensorOnce) {
  const NormLinearCase c("bf16", 3, 5, 7);
  EXPECT_EQ(c.problem.work.flops, 2.0 * 3 * 5 * 7);
  EXPECT_EQ(c.problem.work.bytes, 2.0 * (3 * 7 + 7 + 7 * 5 + 3 * 5));
}

TEST(RmsNormLinear, ThreadsAgreeWithTheOracle) {
  for (const char* const dtype : {"f32", "f16", "bf16"})
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{1, 1, 1}, {3, 5, 7}, {17, 33, 65}, {97, 129, 257}})
      for (const std::size_t variant : {0, 1}) {
        NormLinearCase c(dtype, m, n, k);
        for (int placement = 0; placement < 2; ++placement) {
          c.poison();
          c.run_variant(variant);
          EXPECT_LE(c.error(), 1) << dtype << " " << m << " x " << n << " x " << k << ", " << variant;
        }
      }
}

// Rows of X of very different size: each must get the factor of its own.
void give_rows_sizes(NormLinearCase& c) {
  const std::int64_t k = c.tensors[x_index].spec.shape[1];
  for (std::int64_t i = 0; i < c.tensors[x_index].spec.elements(); ++i)
    c.tensors[x_index].set(i, c.tensors[x_index].at(i) * std::ldexp(1.0, static_cast<int>(i / k % 5)));
  c.copy_inputs();
}

template <class Element, class Tile>
void expect_emulated_right(const char* dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  using Storage = typename Element::Storage;
  NormLinearCase c(dtype, m, n, k);
  give_rows_sizes(c);
  const auto tensor = [&](std::size_t index) { return static_cast<Storage*>(c.addresses[index]); };
  const gemm::Problem<Element> problem{tensor(x_index),     tensor(w_index),     tensor(y_index),
                                       static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)};
  // Two multiprocessors: a block takes several tiles.
  const auto launch = gemm::wgmma_specialised_launch_of<Element, Tile, NormEpilogue<Element>>(m, n, 2);
  for (const Options& options :
       {Options{Landing::late, Order::shuffled, 7}, Options{Landing::early, Order::backward, 1},
        Options{Landing::late, Order::first_warps, 1}, Options{Landing::late, Order::last_warps, 1}}) {
    c.poison();
    emulate::launch(options, {static_cast<unsigned>(launch.blocks)}, {static_cast<unsigned>(launch.threads)},
                    static_cast<std::size_t>(launch.shared_bytes), launch.kernel,
                    ptx::make_tensor_map<Element>(problem.x, launch.x_layout(problem)),
                    ptx::make_tensor_map<Element>(problem.w, launch.w_layout(problem)), problem,
                    NormEpilogue<Element>{tensor(gain_index)});
    EXPECT_LE(c.error(), 1) << dtype << " " << m << " x " << n << " x " << k;
  }
}

TEST(RmsNormLinear, ItsKernelIsRightInTheEmulator) {
  expect_emulated_right<ptx::BF16, gemm::WgmmaTiling<128, 256, 4>>("bf16", 140, 264, 328);
  expect_emulated_right<ptx::F16, gemm::WgmmaTiling<128, 128, 6>>("f16", 257, 120, 136);
  expect_emulated_right<ptx::BF16, gemm::WgmmaTiling<64, 64, 12>>("bf16", 1, 200, 72);
  expect_emulated_right<ptx::F16, gemm::WgmmaTiling<64, 64, 12>>("f16", 65, 8, 904);
}

}  // namespace
}  // namespace operators::rms_norm_linear
