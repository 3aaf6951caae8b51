// The spectral convolution against its oracle: on the CPU, its own kernels in the emulator, and those between
// a library's transforms.
#include <gmock/gmock.h>

#include <complex>
#include <cstring>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/operators/spectral_convolution/spectral_launches.cuh"
#include "kernels/operators/spectral_convolution/spectrum_kernels.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/relative_error.h"

void register_workload_spectral_convolution(harness::sdk::Registry&);
void register_variant_spectral_convolution_threads(harness::sdk::Registry&);

namespace operators::spectral {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Value;

class SpectralCase {
 public:
  SpectralCase(std::int64_t b, std::int64_t c, std::int64_t n, std::int64_t modes)
      : params({{"b", Value{b}}, {"c", Value{c}}, {"n", Value{n}}, {"modes", Value{modes}}}) {
    register_workload_spectral_convolution(registry);
    register_variant_spectral_convolution_threads(registry);
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
  [[nodiscard]] std::span<HostTensor> inputs() { return std::span(tensors).first(2); }
  [[nodiscard]] float* tensor(std::size_t index) const { return static_cast<float*>(addresses[index]); }
  // As a multiple of the tolerance.
  [[nodiscard]] double error() {
    std::memcpy(tensors.back().data.data(), addresses.back(), tensors.back().data.size());
    return relative_error(workload(), params, inputs(), tensors.back()) / problem.tolerance.relative;
  }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  harness::sdk::Problem problem;
  std::vector<HostTensor> tensors;
  std::vector<void*> addresses;

 private:
  std::vector<std::unique_ptr<emulate::Memory>> memory_;
};

constexpr auto emulated = [](auto* kernel, dim3 blocks, dim3 threads, std::size_t bytes,
                             const auto&... arguments) {
  emulate::launch({emulate::Landing::late, emulate::Order::shuffled, 3}, blocks, threads, bytes, kernel,
                  arguments...);
};

TEST(Spectral, TheDefinitionIsThatOfAWholeTransform) {
  SpectralCase one(1, 1, 8, 2);
  std::vector<std::complex<double>> whole(64);
  const auto root = [](int number) {
    return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(number) / 8);
  };
  const HostTensor &x = one.tensors[0], &w = one.tensors[1];
  for (int u = 0; u < 8; ++u)
    for (int v = 0; v < 8; ++v)
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          whole[static_cast<std::size_t>(u * 8 + v)] += x.at(i * 8 + j) * root(-u * i - v * j);
  // A real inverse: half of each column but the first stands for its conjugates as well.
  std::vector<std::int64_t> wanted = {0, 9, 37, 63};
  std::vector<double> expected(wanted.size());
  one.workload().reference(one.params, one.inputs(), 0, wanted, expected);
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    double sum = 0;
    for (const int row : {0, 1, 2, 3})
      for (const int v : {0, 1}) {
        const int u = row < 2 ? row : row + 4, at = row * 2 + v;
        const std::complex<double> weight(w.at(2 * at), w.at(2 * at + 1));
        const int turn = static_cast<int>(wanted[e] / 8) * u + static_cast<int>(wanted[e] % 8) * v;
        sum += (v == 0 ? 1 : 2) * (whole[static_cast<std::size_t>(u * 8 + v)] * weight * root(turn)).real();
      }
    EXPECT_NEAR(expected[e], sum / 64, 1e-12);
  }
}

TEST(Spectral, ThreadsAgreeWithTheOracle) {
  for (const auto& [b, c, n, modes] :
       {std::array<std::int64_t, 4>{1, 1, 4, 1}, {2, 3, 12, 3}, {1, 2, 64, 16}}) {
    SpectralCase one(b, c, n, modes);
    harness::sdk::DeviceTraits traits;
    traits.multiprocessors = 2;
    const auto kernel = one.registry.variants.front().make(one.params, one.problem, traits);
    kernel->bind({one.addresses, nullptr});
    kernel->run({});
    EXPECT_LE(one.error(), 1) << b << " x " << c << " x " << n;
  }
}

TEST(Spectral, SixteenPointsFoldAndUnfold) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto root = [](int number) { return std::polar(1.0, 2 * std::numbers::pi * number / 16); };
  float points[16], back[16];
  float2 folded[9], given[16];
  for (float& point : points) point = uniform(random);
  for (float2& one : given) one = {uniform(random), uniform(random)};
  fold16(points, folded);
  unfold16(given, back);
  for (int k = 0; k < 16; ++k) {
    std::complex<double> sum = 0, inverse = 0;
    for (int a = 0; a < 16; ++a) {
      sum += static_cast<double>(points[a]) * root(-a * k);
      inverse += std::complex<double>(given[a].x, given[a].y) * root(a * k);
    }
    EXPECT_NEAR(back[k], inverse.real(), 3e-6) << k;
    if (k > 8) continue;
    EXPECT_NEAR(folded[k].x, sum.real(), 3e-6) << k;
    EXPECT_NEAR(folded[k].y, sum.imag(), 3e-6) << k;
  }
}

template <int n>
double error_of_fused(std::int64_t b, std::int64_t c) {
  SpectralCase one(b, c, n, 16);
  const Shape shape = shape_of(one.params);
  const auto numbers = static_cast<std::size_t>(shape.planes() * shape.frequencies());
  const emulate::Buffer<float2> kept("kept", numbers), mixed("mixed", numbers);
  launch_spectral<n>(shape, one.tensor(x_index), one.tensor(w_index), one.tensor(y_index), kept.data(),
                     mixed.data(), emulated);
  return one.error();
}

// Pictures and channels that fill no block of the product, and such as fill several.
TEST(Spectral, FusedKernelsAgreeWithTheOracle) {
  EXPECT_LE(error_of_fused<64>(1, 1), 1);
  EXPECT_LE(error_of_fused<64>(2, 19), 1);
  EXPECT_LE(error_of_fused<64>(17, 3), 1);
  EXPECT_LE(error_of_fused<128>(1, 2), 1);
}

// All frequencies of a plane, as a library would have them.
TEST(Spectral, FrequenciesAreTakenOutAndPutBack) {
  constexpr int side = 64, width = side / 2 + 1, planes = 2;
  const emulate::Buffer<float2> spectrum("spectrum", planes * side * width),
      kept("kept", planes * kept_frequencies);
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    spectrum[i] = {static_cast<float>(i), static_cast<float>(i % 7)};
  emulated(&crop_kernel, dim3{planes * kept_frequencies / spectrum_threads, 1, 1},
           dim3{spectrum_threads, 1, 1}, std::size_t{0}, static_cast<const float2*>(spectrum.data()),
           kept.data(), planes, side);
  const auto place_of = [](int plane, int f, int column) {
    return static_cast<std::size_t>((plane * side + (f + side) % side) * width + column);
  };
  for (int plane = 0; plane < planes; ++plane)
    for (int f = -16; f < 16; ++f)
      for (int k = 0; k < 16; ++k)
        EXPECT_EQ(kept[static_cast<std::size_t>((plane * 32 + (f + 32) % 32) * 16 + k)].x,
                  static_cast<float>(place_of(plane, f, k)));
  emulated(&place_kernel, dim3{planes * side * width / spectrum_threads + 1, 1, 1},
           dim3{spectrum_threads, 1, 1}, std::size_t{0}, static_cast<const float2*>(kept.data()),
           spectrum.data(), planes, side);
  for (int f = -32; f < 32; ++f)
    for (int k = 0; k < width; ++k) {
      const float2 one = spectrum[place_of(1, f, k)], other = spectrum[place_of(1, -f, k)];
      if (k >= 16 || f < -16 || f > 16) {
        EXPECT_EQ(one.x, 0) << f << " " << k;
      } else if (k == 0) {
        EXPECT_EQ(one.x, other.x) << "a conjugate, " << f;
        EXPECT_EQ(one.y, -other.y) << f;
        EXPECT_GT(one.x, 0) << f;
      } else if (f < 16) {
        EXPECT_EQ(one.x * 4096, static_cast<float>(place_of(1, f, k)));
      }
    }
}

}  // namespace
}  // namespace operators::spectral
