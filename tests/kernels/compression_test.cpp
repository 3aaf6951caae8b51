// Compression of gradients on the CPU and in the emulator against the oracle, and what error feedback keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/compression/compress_kernels.cuh"
#include "tests/emulate/memory.h"

void register_workload_compression(harness::sdk::Registry&);

namespace compression {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::Value;

class EmulatedDevice {
 public:
  static int multiprocessors() { return 1; }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned grid, const Arguments&... arguments) {
    emulate::launch({emulate::Landing::late, emulate::Order::shuffled, ++launches_}, {grid, 1, 1},
                    {compress_threads, 1, 1}, 0, kernel, arguments...);
  }
  static void zero(void* at, std::size_t bytes) { std::memset(at, 0, bytes); }

 private:
  unsigned launches_ = 0;
};

struct Case {
  Case(const std::string& form, std::int64_t n) : params({{"form", Value{form}}, {"n", Value{n}}}) {
    register_workload_compression(registry);
    problem = workload().problem(params);
    for (const std::size_t index : {residual_index, gradient_index})
      inputs.emplace_back(problem.tensors[index]);
    workload().fill(params, 5, inputs);
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<const float> input(std::size_t index) const {
    return {reinterpret_cast<const float*>(inputs[index].data.data()),
            static_cast<std::size_t>(inputs[index].spec.elements())};
  }
  // The relative error of an output.
  double error(std::size_t output, const float* values) const {
    std::vector<std::int64_t> wanted(input(0).size());
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<double> expected(wanted.size());
    workload().reference(params, inputs, output, wanted, expected);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      off += std::pow(static_cast<double>(values[i]) - expected[i], 2);
      size += expected[i] * expected[i];
    }
    return std::sqrt(off / size);
  }

  harness::sdk::Registry registry;
  Params params;
  harness::sdk::Problem problem;
  std::vector<HostTensor> inputs;
};

TEST(Compression, AgreesWithTheOracleOnTheCpuAndInTheEmulator) {
  for (const std::string form : {"top_1", "top_10", "int8"})
    for (const std::int64_t n : {2, 255, 257, 3001}) {
      const Case one(form, n);
      const auto size = static_cast<std::size_t>(n);
      std::vector<float> residual(one.input(residual_index).begin(), one.input(residual_index).end());
      std::vector<float> restored(size, NAN);
      PlainCompressor plain(settings_of(one.params));
      plain.run(residual, one.input(gradient_index), restored);
      EXPECT_LE(one.error(0, residual.data()), 1e-6) << form << " " << n;
      EXPECT_LE(one.error(1, restored.data()), 1e-6) << form << " " << n;

      const emulate::Buffer<float> on_residual("residual", one.input(residual_index));
      const emulate::Buffer<float> on_gradient("gradient", one.input(gradient_index));
      const emulate::Buffer<float> on_restored("restored", size);
      EmulatedDevice device;
      const Compressor<EmulatedDevice> compressor(settings_of(one.params), n);
      const emulate::Memory workspace("workspace", compressor.workspace_bytes());
      compressor.run(device, on_residual.data(), on_gradient.data(), on_restored.data(), workspace.data());
      EXPECT_LE(one.error(0, on_residual.data()), 1e-6) << form << " " << n;
      EXPECT_LE(one.error(1, on_restored.data()), 1e-6) << form << " " << n;
    }
}

// Equal magnitudes at the threshold are lost together, wherever they lie.
TEST(Compression, KeepsAtMostItsShareWhereMagnitudesAreEqual) {
  std::vector<float> gradient(1000, 0.5F), restored(1000);
  gradient[3] = -2;
  gradient[700] = 1;
  std::vector<float> residual(1000, 0.0F);
  PlainCompressor({Form::largest, 1}).run(residual, gradient, restored);
  EXPECT_EQ(restored[3], -2);
  EXPECT_EQ(restored[700], 1);
  EXPECT_EQ(std::count(restored.begin(), restored.end(), 0.0F), 998);

  const emulate::Buffer<float> on_residual("residual", 1000), on_restored("restored", 1000);
  std::fill_n(on_residual.data(), 1000, 0.0F);
  const emulate::Buffer<float> on_gradient("gradient", std::span<const float>(gradient));
  EmulatedDevice device;
  const Compressor<EmulatedDevice> compressor({Form::largest, 1}, 1000);
  const emulate::Memory workspace("workspace", compressor.workspace_bytes());
  compressor.run(device, on_residual.data(), on_gradient.data(), on_restored.data(), workspace.data());
  EXPECT_TRUE(std::equal(restored.begin(), restored.end(), on_restored.data()));
  EXPECT_TRUE(std::equal(residual.begin(), residual.end(), on_residual.data()));
}

// Over many steps the sum of all restored gradients is that of the gradients, up to one residual.
TEST(Compression, LosesNothingInTheLongRun) {
  for (const Settings settings :
       {Settings{Form::largest, 1}, Settings{Form::largest, 10}, Settings{Form::int8, 100}}) {
    std::mt19937_64 random(2);
    constexpr std::size_t n = 500;
    std::vector<float> residual(n, 0.0F), gradient(n), restored(n);
    std::vector<double> given(n), told(n);
    PlainCompressor compressor(settings);
    for (int step = 0; step < 200; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        gradient[i] = static_cast<float>(random() >> 11) * 0x1p-52F - 0.9F;
        given[i] += static_cast<double>(gradient[i]);
      }
      compressor.run(residual, gradient, restored);
      for (std::size_t i = 0; i < n; ++i) told[i] += static_cast<double>(restored[i]);
    }
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(told[i] + static_cast<double>(residual[i]), given[i], 1e-3);
  }
}

TEST(Compression, TellsItsBytes) {
  std::vector<float> residual(1000, 0.0F), gradient(1000), restored(1000);
  for (std::size_t i = 0; i < 1000; ++i) gradient[i] = static_cast<float>(i + 1);
  PlainCompressor largest({Form::largest, 10});
  largest.run(residual, gradient, restored);
  EXPECT_EQ(largest.bytes(), 100 * 8);
  PlainCompressor codes({Form::int8, 100});
  codes.run(residual, gradient, restored);
  EXPECT_EQ(codes.bytes(), 1000 + 4 * 4);
}

}  // namespace
}  // namespace compression
