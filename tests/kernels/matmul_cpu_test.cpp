// The workload matmul and its CPU variants against the oracle.
#include <gmock/gmock.h>

#include <tuple>

#include "kernels/matmul/matmul.h"
#include "tests/kernels/matmul_case.h"

namespace {

using Register = void (*)(harness::sdk::Registry&);
using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

class MatmulCpuVariant : public testing::TestWithParam<std::tuple<Register, const char*, Extents>> {};

TEST_P(MatmulCpuVariant, AgreesWithTheOracle) {
  const auto [register_variant, dtype, extents] = GetParam();
  const auto [m, n, k] = extents;
  MatmulCase c(matmul_params(dtype, m, n, k), 11);
  register_variant(c.registry);
  harness::sdk::DeviceTraits traits;
  traits.kind = "cpu";
  traits.multiprocessors = 3;
  const auto kernel = c.registry.variants.front().make(c.params, c.problem, traits);
  std::vector<void*> addresses;
  for (auto& tensor : c.tensors) addresses.push_back(tensor.data.data());
  kernel->bind({addresses, nullptr});
  kernel->run({});
  EXPECT_LE(c.error(), c.problem.tolerance.relative);
}

INSTANTIATE_TEST_SUITE_P(EveryTypeAndTail, MatmulCpuVariant,
                         testing::Combine(testing::Values(&register_variant_matmul_loops,
                                                          &register_variant_matmul_threads),
                                          testing::Values("f32", "f16", "bf16", "tf32"),
                                          testing::Values(Extents{1, 1, 1}, Extents{3, 5, 7},
                                                          Extents{64, 256, 40}, Extents{97, 129, 257})));

TEST(MatmulOracle, MultipliesRowsByColumns) {
  MatmulCase c(matmul_params("f32", 2, 2, 3));
  for (int i = 0; i < 6; ++i) c.tensors[0].set(i, i + 1);  // 1 2 3 / 4 5 6
  for (int i = 0; i < 6; ++i) c.tensors[1].set(i, i - 2);  // -2 -1 / 0 1 / 2 3
  const std::vector<std::int64_t> wanted = {3, 0, 1, 2};
  std::vector<double> expected(4);
  c.workload().reference(c.params, c.inputs(), 0, wanted, expected);
  EXPECT_EQ(expected, (std::vector<double>{19, 4, 10, 4}));
}

TEST(MatmulWorkload, StoresTf32AsFloat32AndAllowsItsRounding) {
  const MatmulCase tf32(matmul_params("tf32", 64, 64, 64));
  const MatmulCase f32(matmul_params("f32", 64, 64, 64));
  EXPECT_EQ(tf32.problem.tensors[0].dtype, harness::sdk::DType::f32);
  EXPECT_GT(tf32.problem.tolerance.relative, 50 * f32.problem.tolerance.relative);
  EXPECT_EQ(tf32.problem.work.bytes, 3 * 64 * 64 * 4.0);
  EXPECT_EQ(tf32.problem.work.flops, 2.0 * 64 * 64 * 64);
}

TEST(MatmulWorkload, RefusesAnotherElementTypeInWords) {
  EXPECT_THROW((void)matmul::shape_of(matmul_params("f64", 1, 1, 1)), std::invalid_argument);
}

// A tolerance that lets one wrong element of 64 x 64 pass would be no check.
TEST(MatmulWorkload, ToleranceCatchesOneMissingProduct) {
  for (const char* const dtype : {"f32", "f16", "bf16", "tf32"}) {
    MatmulCase c(matmul_params(dtype, 64, 64, 64));
    std::vector<std::int64_t> wanted(64 * 64);
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<double> expected(wanted.size());
    c.workload().reference(c.params, c.inputs(), 0, wanted, expected);
    for (std::size_t i = 0; i < wanted.size(); ++i) c.output().set(wanted[i], expected[i]);
    EXPECT_LE(c.error(), c.problem.tolerance.relative) << dtype;
    for (std::int64_t i = 0; i < 64; ++i)
      c.output().set(i, c.output().at(i) - c.tensors[0].at(0) * c.tensors[1].at(i));
    EXPECT_GT(c.error(), c.problem.tolerance.relative) << dtype;
  }
}

}  // namespace
