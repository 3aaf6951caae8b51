// The four probes: work, inputs, oracles, and the CPU variants against them, tails included.
#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <set>

#include "kernels/probe/gelu/gelu.h"
#include "kernels/probe/inputs.h"
#include "tests/kernels/probe_case.h"

namespace {

using harness::sdk::DType;
using harness::sdk::Unsupported;
using harness::sdk::Value;

ProbeCase copy_of(std::int64_t n) {
  return {&register_workload_probe_copy, {{"n", Value{n}}}};
}
ProbeCase gelu_of(const std::string& dtype, std::int64_t n, double factor = 1) {
  return {&register_workload_probe_gelu,
          {{"dtype", Value{dtype}}, {"n", Value{n}}, {"factor", Value{factor}}}};
}
ProbeCase gemm_of(const std::string& dtype, std::int64_t n) {
  return {&register_workload_probe_gemm, {{"dtype", Value{dtype}}, {"n", Value{n}}}};
}

TEST(ProbeEmpty, HasNoTensorsAndClaimsNoWork) {
  ProbeCase c(&register_workload_probe_empty, {{"blocks", Value{std::int64_t{1}}}});
  EXPECT_TRUE(c.problem.tensors.empty());
  EXPECT_EQ(c.problem.work.flops, 0);
  EXPECT_EQ(c.problem.work.bytes, 0);
  c.run(&register_variant_probe_empty_call);
  EXPECT_THROW(ProbeCase(&register_workload_probe_empty, {{"blocks", Value{std::int64_t{1} << 31}}}),
               Unsupported);
  EXPECT_THROW(c.workload().reference(c.params, {}, 0, {}, {}), std::out_of_range);
}

TEST(ProbeCopy, ReadsAndWritesEveryElementOnce) {
  const ProbeCase c = copy_of(16777216);
  EXPECT_EQ(c.problem.work.bytes, 2.0 * 64 * 1024 * 1024);
  EXPECT_EQ(c.problem.work.flops, 0);
  EXPECT_EQ(c.problem.tolerance.relative, 0);
}

class ProbeCopySizes : public testing::TestWithParam<std::int64_t> {};
TEST_P(ProbeCopySizes, AreCopiedExactly) {
  ProbeCase c = copy_of(GetParam());
  c.run(&register_variant_probe_copy_memcpy);
  EXPECT_EQ(c.error(), 0);
  EXPECT_EQ(c.tensors[0].data, c.tensors[1].data);
}
INSTANTIATE_TEST_SUITE_P(Tails, ProbeCopySizes, testing::Values(1, 3, 4, 5, 1023, 4099));

TEST(ProbeGelu, TheFactorGivesItMoreElements) {
  EXPECT_EQ(gelu_of("f16", 1000).problem.tensors[0].elements(), 1000);
  EXPECT_EQ(gelu_of("f16", 1000, 1.02).problem.tensors[0].elements(), 1020);
  EXPECT_EQ(gelu_of("f16", 8388608, 1.05).problem.tensors[1].elements(), 8808038);
  EXPECT_EQ(gelu_of("f16", 1000, 1.02).problem.work.bytes, 2.0 * 2 * 1020);
  EXPECT_EQ(gelu_of("f32", 1000, 1.02).problem.work.bytes, 2.0 * 4 * 1020);
  EXPECT_EQ(gelu_of("f32", 1000, 1.02).problem.work.items, 1020);
}

TEST(ProbeGelu, RefusesFactorsThatMakeNoSense) {
  for (const double factor : {0.0, -1.0, 1e9, std::nan(""), 0.02})
    EXPECT_THROW(gelu_of("f16", factor == 0.02 ? 1 : 1000, factor), Unsupported) << factor;
}

// The tanh form at 1 and -1, computed with mpmath 1.3 at 30 digits.
TEST(ProbeGelu, TheOracleHasItsTextbookValues) {
  ProbeCase c = gelu_of("f32", 3);
  c.tensors[0].set(0, 1.0);
  c.tensors[0].set(1, -1.0);
  c.tensors[0].set(2, 0.0);
  const std::int64_t wanted[] = {0, 1, 2};
  double expected[3] = {7, 7, 7};
  c.workload().reference(c.params, c.inputs(), 0, wanted, expected);
  EXPECT_NEAR(expected[0], 0.841191990608276705, 1e-15);
  EXPECT_NEAR(expected[1], -0.158808009391723295, 1e-15);
  EXPECT_EQ(expected[2], 0);
  EXPECT_THROW(c.workload().reference(c.params, c.inputs(), 1, wanted, expected), std::out_of_range);
}

// Many f16 are looked up, few are computed: to the last bit the same, infinities and NaN included.
TEST(ProbeGelu, TheOracleGivesManyWhatItGivesOne) {
  constexpr std::int64_t n = 3 << 16;
  ProbeCase c = gelu_of("f16", n);
  for (std::int64_t i = 0; i < 1 << 16; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    std::memcpy(c.tensors[0].data.data() + (n - 1 - i) * 2, &bits, 2);
  }
  std::vector<std::int64_t> wanted(n);
  std::iota(wanted.rbegin(), wanted.rend(), 0);
  std::vector<double> many(n), few(n);
  c.workload().reference(c.params, c.inputs(), 0, wanted, many);
  for (std::int64_t i = 0; i < n; i += 1 << 16)
    c.workload().reference(c.params, c.inputs(), 0, std::span(wanted).subspan(i, 1 << 16),
                           std::span(few).subspan(i, 1 << 16));
  EXPECT_EQ(std::memcmp(many.data(), few.data(), n * sizeof(double)), 0);
}

class ProbeGeluSizes : public testing::TestWithParam<std::int64_t> {};
TEST_P(ProbeGeluSizes, AreRightOnTheCpu) {
  ProbeCase c = gelu_of("f32", GetParam());
  c.run(&register_variant_probe_gelu_threads);
  EXPECT_LE(c.error(), c.problem.tolerance.relative);
}
INSTANTIATE_TEST_SUITE_P(Tails, ProbeGeluSizes, testing::Values(1, 7, 4095, 4096, 4097, 20000));

TEST(ProbeGelu, TheCpuVariantTakesFloat32Alone) {
  ProbeCase c = gelu_of("f16", 16);
  EXPECT_THROW(c.run(&register_variant_probe_gelu_threads), Unsupported);
}

// The extra work of a build that is slower on purpose: whole groups of eight, never less than was asked for.
TEST(ProbeGelu, ASlowerBuildDoesThatManyPercentMore) {
  EXPECT_EQ(probe::extra_elements(8388608, 0), 0);
  EXPECT_EQ(probe::extra_elements(8388608, 2), 167776);
  EXPECT_EQ(probe::extra_elements(8000, 2), 160);
  EXPECT_EQ(probe::extra_elements(100, 2), 8);
  EXPECT_EQ(probe::extra_elements(8000, 100), 8000);
}

TEST(ProbeGemm, WorkIsTwoNCubedAndEveryMatrixOnce) {
  const ProbeCase c = gemm_of("f16", 512);
  EXPECT_EQ(c.problem.work.flops, 2.0 * 512 * 512 * 512);
  EXPECT_EQ(c.problem.work.bytes, 3.0 * 512 * 512 * 2);
}

// [[1,2],[3,4]] times [[5,6],[7,8]].
TEST(ProbeGemm, TheOracleMultipliesRowsWithColumns) {
  ProbeCase c = gemm_of("f32", 2);
  for (int i = 0; i < 4; ++i) {
    c.tensors[0].set(i, 1.0 + i);
    c.tensors[1].set(i, 5.0 + i);
  }
  const std::int64_t wanted[] = {3, 0, 1, 2};
  double expected[4] = {7, 7, 7, 7};
  c.workload().reference(c.params, c.inputs(), 0, wanted, expected);
  EXPECT_THAT(expected, testing::ElementsAre(50, 19, 22, 43));
}

class ProbeGemmSizes : public testing::TestWithParam<std::int64_t> {};
TEST_P(ProbeGemmSizes, AreRightOnTheCpu) {
  ProbeCase c = gemm_of("f32", GetParam());
  c.run(&register_variant_probe_gemm_rows);
  EXPECT_LE(c.error(), c.problem.tolerance.relative);
}
INSTANTIATE_TEST_SUITE_P(Tails, ProbeGemmSizes, testing::Values(1, 2, 5, 64, 65, 131));

// C has variance 1 whatever n: no f16 overflows or vanishes, and power-hungry random data at every size.
TEST(ProbeGemm, ElementsOfTheResultAreOfOrderOne) {
  for (const std::int64_t n : {64, 300}) {
    ProbeCase c = gemm_of("f32", n);
    c.run(&register_variant_probe_gemm_rows);
    double squares = 0;
    for (std::int64_t i = 0; i < n * n; ++i) squares += c.output().at(i) * c.output().at(i);
    EXPECT_NEAR(squares / static_cast<double>(n * n), 1.0, 0.25) << n;
  }
}

TEST(ProbeInputs, AreTheSameForASeedAndOthersForAnother) {
  const auto drawn = [](const char* dtype, std::uint64_t seed) {
    return ProbeCase(&register_workload_probe_gemm,
                     {{"dtype", Value{std::string(dtype)}}, {"n", Value{std::int64_t{900}}}}, seed)
        .tensors;
  };
  for (const char* dtype : {"f32", "f16"}) {
    const auto one = drawn(dtype, 7), again = drawn(dtype, 7), other = drawn(dtype, 8);
    EXPECT_EQ(one[0].data, again[0].data);
    EXPECT_NE(one[0].data, other[0].data);
    EXPECT_NE(one[0].data, one[1].data);
  }
  const auto tensors = drawn("f32", 7);
  std::set<double> values;
  double sum = 0;
  for (std::int64_t i = 0; i < 810'000; ++i) {
    const double value = tensors[0].at(i);
    ASSERT_LT(std::abs(value), 1.0);
    ASSERT_NE(value, 0.0);
    sum += value;
    if (i % 100 == 0) values.insert(value);
  }
  EXPECT_NEAR(sum / 810'000, 0.0, 0.005);
  EXPECT_GT(values.size(), 8'090U);
}

// FNV-1a of the bytes: what a seed gave when results were recorded it gives for ever.
TEST(ProbeInputs, AreThoseOfEveryVersion) {
  const auto hash_of = [](DType dtype) {
    harness::sdk::HostTensor tensor({"x", harness::sdk::Role::input, dtype, {1'000'003}});
    probe::fill_uniform(tensor, 7, 1, 4.0F);
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::byte one : tensor.data) hash = (hash ^ static_cast<std::uint64_t>(one)) * 0x100000001b3U;
    return hash;
  };
  EXPECT_EQ(hash_of(DType::f32), 5971946090500481880U);
  EXPECT_EQ(hash_of(DType::f16), 12228300303607564219U);
}

TEST(ProbeInputs, OtherTypesAreRefused) {
  harness::sdk::HostTensor tensor({"x", harness::sdk::Role::input, DType::i8, {4}});
  EXPECT_THROW(probe::fill_uniform(tensor, 1, 0, 1.0F), std::invalid_argument);
}

}  // namespace
