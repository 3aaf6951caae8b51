// The workload itself: parameters, work, tolerance, inputs and oracle.
#include <gmock/gmock.h>

#include <set>

#include "kernels/linear_gelu/linear_gelu.h"
#include "tests/kernels/linear_gelu_case.h"

namespace {

using harness::sdk::Unsupported;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(LinearGeluWorkload, ItsParametersAreNamedInTheOrderOfItsIdentity) {
  harness::sdk::Registry registry;
  register_workload_linear_gelu(registry);
  std::vector<std::string> names;
  for (const auto& spec : registry.workloads.front()->params()) names.push_back(spec.name);
  EXPECT_THAT(names, ElementsAre("dtype", "m", "n", "k", "gelu"));
  const auto gelu = registry.workloads.front()->params().back();
  EXPECT_THAT(gelu.choices, ElementsAre("tanh", "erf"));
  ASSERT_EQ(gelu.fallback.size(), 1U);
  EXPECT_EQ(harness::sdk::to_string(gelu.fallback.front()), "tanh");
}

TEST(LinearGeluWorkload, WorkIsTwoMNKOperationsAndEveryTensorOnce) {
  const LinearGeluCase c(linear_gelu_params("f16", 3, 5, 7));
  EXPECT_EQ(c.problem.work.flops, 2.0 * 3 * 5 * 7);
  double bytes = 0;
  for (const auto& tensor : c.problem.tensors) bytes += static_cast<double>(tensor.bytes());
  EXPECT_EQ(c.problem.work.bytes, bytes);
  EXPECT_EQ(bytes, 2.0 * (3 * 7 + 7 * 5 + 5 + 3 * 5));
}

TEST(LinearGeluWorkload, ReportsTheBoundOfFusing) {
  struct Sink final : harness::sdk::MetricSink {
    void report(std::string_view name, double value) override { values.emplace_back(name, value); }
    std::vector<std::pair<std::string, double>> values;
  } sink;
  LinearGeluCase c(linear_gelu_params("f16", 3, 5, 734));
  c.workload().report(c.params, {}, {}, sink);
  EXPECT_THAT(sink.values, ElementsAre(testing::Pair("fusion_bound", DoubleNear(1.5, 1e-12))));
  ASSERT_EQ(c.workload().metrics().size(), 1U);
  EXPECT_EQ(c.workload().metrics().front().name, "fusion_bound");
}

TEST(LinearGeluWorkload, TensorsAreRowMajorXWBiasY) {
  const LinearGeluCase c(linear_gelu_params("bf16", 3, 5, 7));
  ASSERT_EQ(c.problem.tensors.size(), 4U);
  EXPECT_THAT(c.problem.tensors[linear_gelu::x_index].shape, ElementsAre(3, 7));
  EXPECT_THAT(c.problem.tensors[linear_gelu::w_index].shape, ElementsAre(7, 5));
  EXPECT_THAT(c.problem.tensors[linear_gelu::bias_index].shape, ElementsAre(5));
  EXPECT_THAT(c.problem.tensors[linear_gelu::y_index].shape, ElementsAre(3, 5));
  for (const auto& tensor : c.problem.tensors) {
    EXPECT_EQ(tensor.dtype, harness::sdk::DType::bf16);
    EXPECT_EQ(tensor.role == harness::sdk::Role::output, tensor.name == "y");
  }
}

TEST(LinearGeluWorkload, ToleranceIsThatOfTheTypeOnLargeShapes) {
  harness::sdk::Registry registry;
  register_workload_linear_gelu(registry);
  const auto tolerance = [&](const char* dtype, std::int64_t mn, std::int64_t k) {
    return registry.workloads.front()->problem(linear_gelu_params(dtype, mn, mn, k)).tolerance.relative;
  };
  EXPECT_DOUBLE_EQ(tolerance("f16", 64, 1024), 6e-4);
  EXPECT_DOUBLE_EQ(tolerance("bf16", 64, 1024), 4e-3);
  EXPECT_DOUBLE_EQ(tolerance("f32", 64, 1024), 1e-5);
  EXPECT_DOUBLE_EQ(tolerance("f32", 64, 65536), 2e-5);
  EXPECT_DOUBLE_EQ(tolerance("f16", 64, 65536), 6e-4);
  EXPECT_DOUBLE_EQ(tolerance("f16", 1, 1024), 12 * 6e-4);
}

TEST(LinearGeluWorkload, AMatrixBeyondAnyMachineIsUnsupported) {
  harness::sdk::Registry registry;
  register_workload_linear_gelu(registry);
  EXPECT_THROW((void)registry.workloads.front()->problem(
                   linear_gelu_params("f16", std::int64_t{1} << 62, std::int64_t{1} << 62, 8)),
               Unsupported);
}

TEST(LinearGeluWorkload, TheSameSeedFillsTheSameBytesAndAnotherSeedOthers) {
  LinearGeluCase first(linear_gelu_params("f16", 33, 65, 129), 7);
  LinearGeluCase again(linear_gelu_params("f16", 33, 65, 129), 7);
  LinearGeluCase other(linear_gelu_params("f16", 33, 65, 129), 8);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.tensors[i].data, again.tensors[i].data) << i;
    EXPECT_NE(first.tensors[i].data, other.tensors[i].data) << i;
  }
}

// An element depends on its index alone, so a matrix large enough for several threads begins with the
// elements of a small one (k is the same: it sets the scale of W).
TEST(LinearGeluWorkload, FillDoesNotDependOnHowManyThreadsShareIt) {
  LinearGeluCase small(linear_gelu_params("f16", 16, 4, 1024), 5);
  LinearGeluCase large(linear_gelu_params("f16", 4096, 4, 1024), 5);
  const auto& all = large.tensors[0].data;
  const auto& few = small.tensors[0].data;
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  std::set<double> values;  // no value is exactly zero, so a zero is an element that nobody filled
  for (std::int64_t i = 0; i < large.tensors[0].spec.elements(); ++i) values.insert(large.tensors[0].at(i));
  EXPECT_EQ(values.count(0.0), 0U);
  EXPECT_GT(values.size(), 10'000U);
}

TEST(LinearGeluWorkload, InputsDifferFromEachOther) {
  LinearGeluCase c(linear_gelu_params("f32", 16, 16, 16));
  EXPECT_NE(c.tensors[0].data, c.tensors[1].data);
  EXPECT_NE(c.tensors[0].at(0) * 0.75, c.tensors[1].at(0));  // W is not X times 3/sqrt(k)
}

// What GELU sees has mean 0 and variance 4/3, whatever k: both signs, the bend and the tails.
TEST(LinearGeluWorkload, TheSumsBeforeGeluAreOfOrderOneOnBothSides) {
  for (const std::int64_t k : {1, 16, 256, 2048}) {
    LinearGeluCase c(linear_gelu_params("f32", 64, 64, k));
    double sum = 0;
    double squares = 0;
    int negative = 0;
    for (std::int64_t row = 0; row < 64; ++row)
      for (std::int64_t column = 0; column < 64; ++column) {
        double value = c.tensors[2].at(column);
        for (std::int64_t p = 0; p < k; ++p)
          value += c.tensors[0].at(row * k + p) * c.tensors[1].at(p * 64 + column);
        sum += value;
        squares += value * value;
        negative += value < 0 ? 1 : 0;
      }
    EXPECT_THAT(sum / 4096, DoubleNear(0.0, 0.35)) << k;
    EXPECT_THAT(squares / 4096, DoubleNear(4.0 / 3.0, 0.5)) << k;
    EXPECT_THAT(negative / 4096.0, DoubleNear(0.5, 0.2)) << k;
  }
}

// Values of x * Phi(x) and of its tanh approximation, computed with mpmath 1.3 at 30 digits.
TEST(LinearGeluWorkload, GeluHasItsTextbookValues) {
  using linear_gelu::gelu;
  using linear_gelu::Gelu;
  EXPECT_NEAR(gelu(1.0, Gelu::erf_form), 0.841344746068542949, 1e-15);
  EXPECT_NEAR(gelu(-1.0, Gelu::erf_form), -0.158655253931457051, 1e-15);
  EXPECT_NEAR(gelu(1.0, Gelu::tanh_form), 0.841191990608276705, 1e-15);
  EXPECT_NEAR(gelu(-1.0, Gelu::tanh_form), -0.158808009391723295, 1e-15);
  EXPECT_EQ(gelu(0.0, Gelu::erf_form), 0.0);
  EXPECT_NEAR(gelu(10.0, Gelu::tanh_form), 10.0, 1e-12);
  EXPECT_NEAR(gelu(-10.0, Gelu::tanh_form), 0.0, 1e-12);
}

// Y[1,0] of a 2 x 2 product by hand: x = [[1,2],[3,4]], w = [[5,6],[7,8]], b = [-40,1] gives
// 3*5 + 4*7 - 40 = 3 and GELU(3) = 2.99595 (erf).
TEST(LinearGeluWorkload, TheOracleMultipliesRowsOfXWithColumnsOfW) {
  LinearGeluCase c(linear_gelu_params("f32", 2, 2, 2, "erf"));
  for (int i = 0; i < 4; ++i) {
    c.tensors[0].set(i, 1.0 + i);
    c.tensors[1].set(i, 5.0 + i);
  }
  c.tensors[2].set(0, -40.0);
  c.tensors[2].set(1, 1.0);
  const std::int64_t wanted[] = {2, 3, 2};
  double expected[3] = {-1, -1, -1};
  c.workload().reference(c.params, c.inputs(), 0, wanted, expected);
  EXPECT_NEAR(expected[0], 3.0 * 0.998650101968370, 1e-12);
  EXPECT_NEAR(expected[1], 51.0, 1e-12);
  EXPECT_EQ(expected[2], expected[0]);
  EXPECT_THROW(c.workload().reference(c.params, c.inputs(), 1, wanted, expected), std::out_of_range);
}

TEST(LinearGeluWorkload, TheOracleAgreesWithAPlainDoubleLoopAcrossItsBlocks) {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    LinearGeluCase c(linear_gelu_params(dtype, 3, 5, 200));
    for (std::int64_t i = 0; i < 15; ++i) {
      double sum = 0;
      for (std::int64_t p = 0; p < 200; ++p)
        sum += c.tensors[0].at(i / 5 * 200 + p) * c.tensors[1].at(p * 5 + i % 5);
      const double want = linear_gelu::gelu(sum + c.tensors[2].at(i % 5), linear_gelu::Gelu::tanh_form);
      double got = 0;
      c.workload().reference(c.params, c.inputs(), 0, std::span(&i, 1), std::span(&got, 1));
      EXPECT_NEAR(got, want, 1e-13) << dtype << " " << i;
    }
  }
}

}  // namespace
