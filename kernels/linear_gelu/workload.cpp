// The workload linear_gelu: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <bit>
#include <thread>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/linear_gelu/linear_gelu.h"

namespace linear_gelu {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Tolerance;
using harness::sdk::Unsupported;
using harness::sdk::Value;
using harness::sdk::Work;

// The splitmix64 finaliser (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
// It turns an element's index into its random bits, so that any thread can draw any element.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

// Element `index` of the stream `key`: uniform on a grid of 2^24 steps in (-1, 1), never exactly zero.
float uniform(std::uint64_t key, std::int64_t index) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  const std::uint64_t bits = mix(key + golden * static_cast<std::uint64_t>(index + 1));
  return (static_cast<float>(bits >> 40) - 8388607.5F) * 0x1p-23F;
}

template <class T, class Convert>
void fill_range(HostTensor& tensor, std::uint64_t key, float scale, std::int64_t first, std::int64_t last,
                Convert convert) {
  std::byte* const data = tensor.data.data();
  for (std::int64_t i = first; i < last; ++i) {
    const T value = convert(uniform(key, i) * scale);
    std::memcpy(data + i * std::ptrdiff_t{sizeof(T)}, &value, sizeof(T));
  }
}

void fill_range(HostTensor& tensor, std::uint64_t key, float scale, std::int64_t first, std::int64_t last) {
  switch (tensor.spec.dtype) {
    case DType::f16:
      return fill_range<std::uint16_t>(tensor, key, scale, first, last, harness::sdk::f16_from_float);
    case DType::bf16:
      return fill_range<std::uint16_t>(tensor, key, scale, first, last, harness::sdk::bf16_from_float);
    default: return fill_range<float>(tensor, key, scale, first, last, [](float value) { return value; });
  }
}

// Draws the whole tensor uniformly from (-scale, scale). Each element depends on the key and its index
// alone, so the result is the same for any number of threads.
void fill_uniform(HostTensor& tensor, std::uint64_t key, float scale) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 20;
  const std::int64_t elements = tensor.spec.elements();
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::int64_t parts =
      std::clamp<std::int64_t>(elements / worth_a_thread, 1, std::min<std::int64_t>(cores, 16));
  std::vector<std::jthread> threads;
  for (std::int64_t part = 1; part < parts; ++part)
    threads.emplace_back(
        [&tensor, key, scale, first = elements * part / parts, last = elements * (part + 1) / parts] {
          fill_range(tensor, key, scale, first, last);
        });
  fill_range(tensor, key, scale, 0, elements / parts);
}

template <class T>
T read(const HostTensor& tensor, std::int64_t index) {
  T value;
  std::memcpy(&value, tensor.data.data() + index * std::ptrdiff_t{sizeof(T)}, sizeof(T));
  return value;
}

// expected[e] += the dot product for element wanted[e]. Each sum runs over k in order; k is cut into
// blocks only so that the rows of W in use stay in the cache.
template <class T, class Widen>
void accumulate(const Shape& shape, const HostTensor& x, const HostTensor& w,
                std::span<const std::int64_t> wanted, std::span<double> expected, Widen widen) {
  constexpr std::int64_t block = 64;
  for (std::int64_t begin = 0; begin < shape.k; begin += block) {
    const std::int64_t end = std::min(begin + block, shape.k);
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const std::int64_t row = wanted[e] / shape.n;
      const std::int64_t column = wanted[e] % shape.n;
      double sum = expected[e];
      for (std::int64_t p = begin; p < end; ++p)
        sum += static_cast<double>(widen(read<T>(x, row * shape.k + p))) *
               static_cast<double>(widen(read<T>(w, p * shape.n + column)));
      expected[e] = sum;
    }
  }
}

class LinearGelu final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "linear_gelu"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Y[m,n] = gelu(X[m,k] W[k,n] + b[n]), row-major";
  }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"dtype", ParamKind::text, "element type of X, W, b and Y", {"f32", "f16", "bf16"}, {}, 1},
            {"m", ParamKind::integer, "rows of X and Y", {}, {}, 1},
            {"n", ParamKind::integer, "columns of W and Y", {}, {}, 1},
            {"k", ParamKind::integer, "columns of X, rows of W", {}, {}, 1},
            {"gelu", ParamKind::text, "form of GELU", {"tanh", "erf"}, {Value{std::string("tanh")}}, 1}};
  }

  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
};

// Relative Frobenius error that a correct kernel stays under. A 16-bit result that was rounded up to three
// times (product, bias, GELU: the unfused variants) has an error of about 3.6e-4 (f16) or 2.9e-3 (bf16);
// sums in float32 add about 6e-8 sqrt(k/6), which only f32 can see. With few elements the errors no longer
// average out and one cancelling sum can dominate, hence the allowance below 144 elements.
Tolerance tolerance_of(const Shape& shape) {
  const double k = static_cast<double>(shape.k);
  const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.n);
  const double few = std::max(1.0, 12.0 / std::sqrt(elements));
  if (shape.dtype == DType::f16) return {6e-4 * few};
  if (shape.dtype == DType::bf16) return {4e-3 * few};
  return {1e-5 * few * std::max(1.0, std::sqrt(k / 16384.0))};
}

// Work counts 2mnk operations, the usual convention: bias and GELU are left out, so that the rate compares
// with that of a plain matrix product. Bytes: every input read once, the output written once.
Problem LinearGelu::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  constexpr double most_elements = 0x1p40;
  if (m * k > most_elements || k * n > most_elements || m * n > most_elements)
    throw Unsupported("a matrix of more than 2^40 elements; choose smaller m, n or k");
  Problem problem;
  problem.tensors = {{"x", Role::input, shape.dtype, {shape.m, shape.k}},
                     {"w", Role::input, shape.dtype, {shape.k, shape.n}},
                     {"bias", Role::input, shape.dtype, {shape.n}},
                     {"y", Role::output, shape.dtype, {shape.m, shape.n}}};
  const double element = static_cast<double>(harness::sdk::size_of(shape.dtype));
  problem.work = Work{2.0 * m * n * k, element * (m * k + k * n + n + m * n), m, "rows"};
  problem.tolerance = tolerance_of(shape);
  return problem;
}

// X and b are uniform on (-1, 1), W on (-3, 3)/sqrt(k): X and W then have variances 1/3 and 3/k, so XW has
// variance 1 for any k, and with b about 4/3. GELU so sees both signs, its bend and both of its tails,
// and no 16-bit value overflows or vanishes.
void LinearGelu::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const Shape shape = shape_of(params);
  const float weight_scale = 3.0F / std::sqrt(static_cast<float>(shape.k));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t key = mix(mix(seed + 0x9E3779B97F4A7C15U) + i + 1);
    fill_uniform(inputs[i], key, i == w_index ? weight_scale : 1.0F);
  }
}

void LinearGelu::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                           std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("linear_gelu has one output, number 0");
  const Shape shape = shape_of(params);
  const HostTensor& x = inputs[x_index];
  const HostTensor& w = inputs[w_index];
  std::fill(expected.begin(), expected.end(), 0.0);
  if (shape.dtype == DType::f16)
    accumulate<std::uint16_t>(shape, x, w, wanted, expected, harness::sdk::float_from_f16);
  else if (shape.dtype == DType::bf16)
    accumulate<std::uint16_t>(shape, x, w, wanted, expected, harness::sdk::float_from_bf16);
  else
    accumulate<float>(shape, x, w, wanted, expected, [](float value) { return value; });
  for (std::size_t e = 0; e < wanted.size(); ++e)
    expected[e] = gelu(expected[e] + inputs[bias_index].at(wanted[e] % shape.n), shape.gelu);
}

}  // namespace
}  // namespace linear_gelu

HARNESS_WORKLOAD(linear_gelu, linear_gelu::LinearGelu)
