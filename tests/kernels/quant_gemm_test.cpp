// quant_gemm: the CPU variants against the oracle on tails, the scales, and what quantising X in the call
// costs.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/quant_gemm/quant_gemm.h"
#include "kernels/quantise.h"
#include "tests/kernels/relative_error.h"

void register_workload_quant_gemm(harness::sdk::Registry&);
void register_variant_quant_gemm_weight_only(harness::sdk::Registry&);
void register_variant_quant_gemm_quantised(harness::sdk::Registry&);

namespace quant_gemm {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::Value;

Params params_of(const std::string& weights, std::int64_t m, std::int64_t n, std::int64_t k,
                 const std::string& quantise = "inside") {
  return Params({{"weights", Value{weights}},
                 {"m", Value{m}},
                 {"n", Value{n}},
                 {"k", Value{k}},
                 {"quantise", Value{quantise}}});
}

class Case {
 public:
  explicit Case(Params given, std::uint64_t seed = 7) : params(std::move(given)) {
    register_workload_quant_gemm(registry);
    register_variant_quant_gemm_weight_only(registry);
    register_variant_quant_gemm_quantised(registry);
    problem = registry.workloads.front()->problem(params);
    for (const auto& spec : problem.tensors) tensors.emplace_back(spec);
    registry.workloads.front()->fill(params, seed, inputs());
  }
  std::span<HostTensor> inputs() { return std::span(tensors).first(tensors.size() - 1); }
  [[nodiscard]] std::span<const HostTensor> inputs() const {
    return std::span(tensors).first(tensors.size() - 1);
  }

  // The error of a variant and its tolerance.
  std::pair<double, double> run(std::size_t variant, int threads = 3) {
    harness::sdk::DeviceTraits traits;
    traits.multiprocessors = threads;
    const auto kernel = registry.variants[variant].make(params, problem, traits);
    std::vector<void*> addresses;
    for (HostTensor& tensor : tensors) addresses.push_back(tensor.data.data());
    std::fill(tensors.back().data.begin(), tensors.back().data.end(), std::byte{0xFF});
    kernel->bind({addresses, nullptr});
    kernel->run({});
    return {relative_error(*registry.workloads.front(), params, inputs(), tensors.back()),
            kernel->tolerance().value_or(problem.tolerance).relative};
  }

  harness::sdk::Registry registry;
  Params params;
  harness::sdk::Problem problem;
  std::vector<HostTensor> tensors;
};

constexpr std::size_t weight_only = 0, quantised = 1;

using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
class Tails : public testing::TestWithParam<std::tuple<const char*, Extents>> {};

TEST_P(Tails, OfEveryTypeAgreeWithTheOracle) {
  const auto [weights, extents] = GetParam();
  const auto [m, n, k] = extents;
  for (const std::string quantise : {"inside", "outside"}) {
    if (quantise == "outside" && weights[0] != 'e' && std::string(weights) != "i8") continue;
    Case one(params_of(weights, m, n, k, quantise));
    const auto [error, tolerance] = one.run(weight_only);
    EXPECT_LE(error, tolerance) << quantise;
    EXPECT_EQ(tolerance, one.problem.tolerance.relative);
    if (std::string(weights) == "f16" || std::string(weights) == "i4") continue;
    const auto [rounded, contract] = one.run(quantised);
    EXPECT_LE(rounded, contract) << quantise;
  }
}

INSTANTIATE_TEST_SUITE_P(QuantGemm, Tails,
                         testing::Combine(testing::Values("f16", "i8", "e4m3", "e4m3_block", "i4"),
                                          testing::Values(Extents{1, 1, 1}, Extents{1, 129, 255},
                                                          Extents{3, 5, 7}, Extents{17, 128, 128},
                                                          Extents{16, 257, 130}, Extents{65, 33, 384})));

TEST(QuantGemm, RoundsXInTheCallAsItsContractSays) {
  Case bytes(params_of("i8", 64, 64, 256)), eighths(params_of("e4m3", 64, 64, 256));
  const auto [of_bytes, bytes_contract] = bytes.run(quantised);
  EXPECT_GT(of_bytes, 1e-3) << "X is rounded";
  EXPECT_LE(of_bytes, bytes_contract);
  const auto [of_eighths, eighths_contract] = eighths.run(quantised);
  EXPECT_GT(of_eighths, 1e-2);
  EXPECT_LE(of_eighths, eighths_contract);
  EXPECT_LT(bytes.problem.tolerance.relative, of_bytes) << "the workload's tolerance is for rounding Y alone";
  Case stored(params_of("i8", 64, 64, 256, "outside"));
  EXPECT_LE(stored.run(quantised).first, stored.problem.tolerance.relative)
      << "it is rounded before the call";
}

// Fast paths of fill() and reference() store and answer what the definition says, bit by bit.
TEST_P(Tails, OfInputsAndAnswersAreThoseOfTheDefinition) {
  const auto [weights, extents] = GetParam();
  const auto [m, n, k] = extents;
  for (const std::string quantise : {"inside", "outside"}) {
    if (quantise == "outside" && weights[0] != 'e' && std::string(weights) != "i8") continue;
    const Case one(params_of(weights, m, n, k, quantise));
    const Shape shape = shape_of(one.params);
    const auto x_scale = [&](std::int64_t row, std::int64_t p) {
      return one.tensors[x_scales_index].at(shape.x_scale_of(row, p));
    };
    const auto w_scale = [&](std::int64_t row, std::int64_t p) {
      return one.tensors[w_scales_index].at(shape.scale_of(row, p));
    };
    const auto expect_codes = [&](const HostTensor& stored, std::size_t stream, float size,
                                  const auto& scale) {
      HostTensor drawn({"", harness::sdk::Role::input, harness::sdk::DType::f32, stored.spec.shape});
      kernels::fill_uniform(drawn, 7, stream, size);
      const std::int64_t columns = stored.spec.shape[1];
      for (std::int64_t i = 0; i < stored.spec.elements(); ++i) {
        const auto value = static_cast<float>(drawn.at(i));
        const float code = kernels::rounded_code(value, static_cast<float>(scale(i / columns, i % columns)),
                                                 stored.spec.dtype);
        ASSERT_EQ(stored.at(i), static_cast<double>(code)) << i;
      }
    };
    if (shape.stored) expect_codes(one.tensors[x_index], 0, 1.0F, x_scale);
    if (shape.weights != Weights::f16)
      expect_codes(one.tensors[w_index], 1, 3.0F / std::sqrt(static_cast<float>(k)), w_scale);

    std::vector<std::int64_t> wanted(static_cast<std::size_t>(m * n));
    std::iota(wanted.begin(), wanted.end(), std::int64_t{0});
    std::vector<double> answers(wanted.size());
    one.registry.workloads.front()->reference(one.params, one.inputs(), 0, wanted, answers);
    for (const std::int64_t element : wanted) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        double x = one.tensors[x_index].at(element / n * k + p);
        double w = one.tensors[w_index].at(element % n * k + p);
        if (shape.stored) x *= x_scale(element / n, p);
        if (shape.weights != Weights::f16) w *= w_scale(element % n, p);
        sum += x * w;
      }
      ASSERT_EQ(answers[static_cast<std::size_t>(element)], sum) << element;
    }
  }
}

TEST(QuantGemm, DoesNotDependOnThreads) {
  Case one(params_of("i4", 5, 67, 300));
  (void)one.run(weight_only, 1);
  const auto alone = one.tensors.back().data;
  (void)one.run(weight_only, 8);
  EXPECT_EQ(one.tensors.back().data, alone);
}

// Quantised weights are as near to uniform ones as their type allows: the published figures of suites.
TEST(QuantGemm, StoresWeightsWithTheErrorOfTheirType) {
  const auto error = [](const std::string& weights) {
    Case plain(params_of("f16", 1, 64, 256)), small(params_of(weights, 1, 64, 256));
    const Shape shape = shape_of(small.params);
    double wrong = 0, size = 0;
    for (std::int64_t n = 0; n < 64; ++n)
      for (std::int64_t k = 0; k < 256; ++k) {
        const double w = plain.tensors[w_index].at(n * 256 + k);
        const double q =
            small.tensors[w_index].at(n * 256 + k) * small.tensors[w_scales_index].at(shape.scale_of(n, k));
        wrong += (w - q) * (w - q);
        size += w * w;
      }
    return std::sqrt(wrong / size);
  };
  EXPECT_NEAR(error("i8"), 1 / (127 * 2.0), 5e-4) << "uniform: a step over sqrt(12), against 1 over sqrt(3)";
  EXPECT_NEAR(error("i4"), 1 / (7 * 2.0), 5e-3);
  EXPECT_NEAR(error("e4m3"), 0.026, 4e-3);
  EXPECT_NEAR(error("e4m3_block"), 0.026, 4e-3);
}

TEST(QuantGemm, CountsTheBytesOfStoredWeights) {
  const auto bytes = [](const std::string& weights, const std::string& quantise = "inside") {
    return Case(params_of(weights, 1, 256, 512, quantise)).problem.work.bytes;
  };
  const double x = 2 * 512, y = 2 * 256, w = 256 * 512;
  EXPECT_EQ(bytes("f16"), x + y + 2 * w);
  EXPECT_EQ(bytes("i8"), x + y + w + 4 * 256);
  EXPECT_EQ(bytes("e4m3"), x + y + w + 4);
  EXPECT_EQ(bytes("e4m3_block"), x + y + w + 4 * 2 * 4);
  EXPECT_EQ(bytes("i4"), x + y + w / 2 + 4 * 256 * 4);
  EXPECT_EQ(bytes("i8", "outside"), x / 2 + 4 + y + w + 4 * 256);
  EXPECT_EQ(bytes("e4m3", "outside"), x / 2 + 4 + y + w + 4);
  EXPECT_EQ(bytes("e4m3_block", "outside"), x / 2 + 4 * 4 + y + w + 4 * 2 * 4);
}

// As cuBLASLt and our own kernels read them.
TEST(QuantGemm, ScalesOfAStoredXAreOfATensorATokenOr128OfK) {
  const auto shape = [](const std::string& weights) {
    return shape_of(params_of(weights, 5, 256, 300, "outside"));
  };
  EXPECT_EQ(shape("e4m3").x_scales(), 1);
  EXPECT_EQ(shape("e4m3").x_scale_of(4, 299), 0);
  EXPECT_EQ(shape("i8").x_scales(), 5);
  EXPECT_EQ(shape("i8").x_scale_of(4, 299), 4);
  EXPECT_EQ(shape("e4m3_block").x_scales(), 15);
  EXPECT_EQ(shape("e4m3_block").x_scale_of(1, 127), 1);
  EXPECT_EQ(shape("e4m3_block").x_scale_of(1, 128), 6) << "neighbouring tokens are neighbours";
}

TEST(QuantGemm, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(Case(params_of("f16", 1, 1, 1, "outside")), harness::sdk::Unsupported);
  EXPECT_THROW(Case(params_of("i4", 1, 1, 1, "outside")), harness::sdk::Unsupported);
  Case four_bits(params_of("i4", 2, 2, 2));
  EXPECT_THROW((void)four_bits.run(quantised), harness::sdk::Unsupported);
}

}  // namespace
}  // namespace quant_gemm
