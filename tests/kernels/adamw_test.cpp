// AdamW on the CPU and in the emulator, in one pass and in five, against the oracle: each of its outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/adamw/adamw_kernel.cuh"
#include "kernels/adamw/cpu_step.h"
#include "kernels/offloaded_adamw/offload_plan.h"
#include "tests/emulate/memory.h"

void register_workload_adamw(harness::sdk::Registry&);
void register_workload_offloaded_adamw(harness::sdk::Registry&);

namespace adamw {
namespace {

using harness::sdk::HostTensor;

class EmulatedStep {
 public:
  explicit EmulatedStep(const harness::sdk::DeviceTraits&) {}
  template <Part part>
  void run(const Arguments& all, harness::sdk::Stream) {
    const auto blocks = static_cast<unsigned>((all.elements + 4 * step_threads - 1) / (4 * step_threads));
    emulate::launch({emulate::Landing::late, emulate::Order::shuffled, 3}, {blocks, 1, 1},
                    {step_threads, 1, 1}, 0, &adamw_kernel<part>, all);
  }
};

template <class Variant>
void expect_right(std::int64_t n) {
  harness::sdk::Registry registry;
  register_workload_adamw(registry);
  const harness::sdk::Workload& workload = *registry.workloads.front();
  const harness::sdk::Params params({{"n", harness::sdk::Value{n}}});
  const harness::sdk::Problem problem = workload.problem(params);
  std::vector<HostTensor> before;
  for (const harness::sdk::TensorSpec& tensor : problem.tensors) before.emplace_back(tensor);
  workload.fill(params, 7, before);

  std::vector<std::unique_ptr<emulate::Buffer<float>>> memory;
  std::vector<void*> addresses;
  for (const HostTensor& tensor : before) {
    const std::span values(reinterpret_cast<const float*>(tensor.data.data()), static_cast<std::size_t>(n));
    memory.push_back(std::make_unique<emulate::Buffer<float>>(tensor.spec.name, values));
    addresses.push_back(memory.back()->data());
  }
  Variant variant(params, problem, {});
  const emulate::Memory workspace("workspace", variant.workspace_bytes());
  variant.bind({addresses, workspace.data()});
  variant.run({});

  std::vector<std::int64_t> wanted(static_cast<std::size_t>(n));
  std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<double> expected(wanted.size());
  for (const std::size_t output : {weights_index, mean_index, variance_index}) {
    workload.reference(params, before, output, wanted, expected);
    double wrong = 0, size = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wrong += std::pow(static_cast<double>((*memory[output])[i]) - expected[i], 2);
      size += expected[i] * expected[i];
    }
    EXPECT_LE(std::sqrt(wrong / size), problem.tolerance.relative) << "output " << output << " of " << n;
  }
}

TEST(AdamW, AgreesWithTheOracleOnTails) {
  for (const std::int64_t n : {1, 3, 4, 5, 1023, 1024, 1025, 9001}) {
    expect_right<AdamWVariant<Passes::fused, CpuStep>>(n);
    expect_right<AdamWVariant<Passes::separate, CpuStep>>(n);
    expect_right<AdamWVariant<Passes::fused, EmulatedStep>>(n);
    expect_right<AdamWVariant<Passes::separate, EmulatedStep>>(n);
  }
}

TEST(OffloadPlan, TakesEachWeightOnceAndNoPlaceTwiceAtOnce) {
  for (const std::int64_t n :
       {std::int64_t{1}, OffloadPlan::of_piece, OffloadPlan::of_piece + 1, 7 * OffloadPlan::of_piece - 3}) {
    const OffloadPlan plan(n);
    std::int64_t next = 0;
    for (std::int64_t piece = 0; piece < plan.pieces(); ++piece) {
      EXPECT_EQ(plan.first(piece), next);
      EXPECT_EQ(plan.first(piece) % 4, 0) << "the step takes four at once";
      EXPECT_GT(plan.count(piece), 0);
      next += plan.count(piece);
      const std::int64_t end = plan.place(piece) + OffloadPlan::of_piece + plan.count(piece);
      EXPECT_LE(static_cast<std::size_t>(end) * sizeof(float), plan.workspace_bytes());
      for (std::int64_t other = std::max<std::int64_t>(0, piece - OffloadPlan::slots + 1); other < piece;
           ++other)
        EXPECT_NE(plan.place(other), plan.place(piece));
    }
    EXPECT_EQ(next, n);
  }
}

TEST(AdamW, HasItsMomentsOnTheDeviceOrOnTheHost) {
  harness::sdk::Registry registry;
  register_workload_adamw(registry);
  register_workload_offloaded_adamw(registry);
  const harness::sdk::Params params({{"n", harness::sdk::Value{std::int64_t{8}}}});
  const auto on_device = registry.workloads[0]->problem(params).tensors;
  const auto on_host = registry.workloads[1]->problem(params).tensors;
  for (const std::size_t moment : {mean_index, variance_index}) {
    EXPECT_EQ(on_device[moment].gpu, 0);
    EXPECT_EQ(on_host[moment].gpu, harness::sdk::host_memory);
  }
  EXPECT_EQ(on_host[weights_index].gpu, 0);
}

// The corrections are constants of the header; here they are powers.
TEST(AdamW, CorrectsTheMomentsAsItsPaperDoes) {
  Element one{0.5F, 0.1F, 0.04F, 0.3F, 0};
  step<Part::whole>(one);
  const double mean = 0.9 * 0.1 + 0.1 * 0.3, variance = 0.999 * 0.04 + 0.001 * 0.09;
  const double direction =
      mean / (1 - std::pow(0.9, 10)) / (std::sqrt(variance / (1 - std::pow(0.999, 10))) + 1e-8);
  EXPECT_NEAR(one.weight, 0.5 * (1 - 1e-3 * 1e-2) - 1e-3 * direction, 1e-7);
  EXPECT_NEAR(one.mean, mean, 1e-8);
  EXPECT_NEAR(one.variance, variance, 1e-8);
}

}  // namespace
}  // namespace adamw
