// The workload spectral_convolution: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/operators/spectral_convolution/spectral.h"

namespace operators::spectral {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

class SpectralConvolution final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "spectral_convolution"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Fourier transform, a product with complex weights at the lowest frequencies, inverse transform";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"b", ParamKind::integer, "pictures", {}, {}, 1},
            {"c", ParamKind::integer, "channels, of x and of y", {}, {}, 1},
            {"n", ParamKind::integer, "points of a side of a picture", {}, {}, 1},
            {"modes", ParamKind::integer, "frequencies that are kept, of each sign", {}, {}, 1}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// Bytes: each tensor once. Operations depend on the transform's algorithm, so none are counted. A sum of
// n^2 float32 numbers by halves is off by a few 1e-7.
Problem SpectralConvolution::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  if (static_cast<double>(shape.planes()) * static_cast<double>(shape.points()) > 0x1p36)
    throw harness::sdk::Unsupported("a tensor of more than 2^36 elements; choose smaller b, c or n");
  const std::vector<std::int64_t> pictures = {shape.batch, shape.channels, shape.side, shape.side};
  Problem problem;
  problem.tensors = {
      {"x", Role::input, DType::f32, pictures},
      {"w", Role::input, DType::f32, {shape.channels, shape.channels, 2 * shape.modes, shape.modes, 2}},
      {"y", Role::output, DType::f32, pictures}};
  for (const harness::sdk::TensorSpec& tensor : problem.tensors)
    problem.work.bytes += static_cast<double>(tensor.bytes());
  problem.work.items = static_cast<double>(shape.batch);
  problem.work.item_name = "pictures";
  problem.tolerance = {2e-6};
  return problem;
}

void SpectralConvolution::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  for (std::size_t i = 0; i < inputs.size(); ++i) kernels::fill_uniform(inputs[i], seed, i, 1.0F);
}

// Every picture with a wanted point is transformed whole, because each of its channels is in each result.
void SpectralConvolution::reference(const Params& params, std::span<const HostTensor> inputs,
                                    std::size_t output, std::span<const std::int64_t> wanted,
                                    std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("spectral_convolution has one output, number 0");
  using Complex = std::complex<double>;
  const Shape shape = shape_of(params);
  const std::int64_t frequencies = shape.frequencies();
  const auto* const x = reinterpret_cast<const float*>(inputs[x_index].data.data());
  const auto* const w = reinterpret_cast<const float*>(inputs[w_index].data.data());
  std::vector<char> used(static_cast<std::size_t>(shape.batch), 0);
  for (const std::int64_t at : wanted)
    used[static_cast<std::size_t>(at / shape.points() / shape.channels)] = 1;
  std::vector<Complex> kept(static_cast<std::size_t>(shape.planes() * frequencies));
  harness::sdk::in_parts(shape.planes(), 1, [&](std::int64_t first, std::int64_t last) {
    Transform<double> transform(shape);
    for (std::int64_t plane = first; plane < last; ++plane)
      if (used[static_cast<std::size_t>(plane / shape.channels)] != 0)
        transform.forward(x + plane * shape.points(), kept.data() + plane * frequencies);
  });
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  harness::sdk::in_parts(std::ssize(order), 16, [&](std::int64_t first, std::int64_t last) {
    const Transform<double> transform(shape);
    std::vector<Complex> mixed(static_cast<std::size_t>(frequencies));
    std::int64_t known = -1;
    for (std::int64_t i = first; i < last; ++i) {
      const std::size_t e = order[static_cast<std::size_t>(i)];
      const std::int64_t plane = wanted[e] / shape.points(), at = wanted[e] % shape.points();
      if (plane != known)
        mix(shape, kept.data() + plane / shape.channels * shape.channels * frequencies, w,
            plane % shape.channels, mixed.data());
      known = plane;
      expected[e] = transform.inverse(mixed.data(), at / shape.side, at % shape.side);
    }
  });
}

}  // namespace
}  // namespace operators::spectral

HARNESS_WORKLOAD(spectral_convolution, operators::spectral::SpectralConvolution)
