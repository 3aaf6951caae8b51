// The CPU variants of attention against the oracle, and the inner loops of every instruction set that this
// machine has.
#include <gmock/gmock.h>

#include <tuple>

#include "kernels/cpu/isa.h"
#include "tests/kernels/attention_case.h"
#include "tests/kernels/isas.h"

namespace {

using kernels::Isa;

using Register = void (*)(harness::sdk::Registry&);

double error_of(AttentionCase& c, Register register_variant) {
  register_variant(c.registry);
  harness::sdk::DeviceTraits traits;
  traits.kind = "cpu";
  traits.multiprocessors = 3;
  const auto kernel = c.registry.variants.front().make(c.params, c.problem, traits);
  std::vector<void*> addresses;
  for (auto& tensor : c.tensors) addresses.push_back(tensor.data.data());
  EXPECT_EQ(kernel->workspace_bytes(), 0U);
  kernel->bind({addresses, nullptr});
  kernel->run({});
  return c.error();
}

class AttentionCpuVariant
    : public testing::TestWithParam<std::tuple<Register, const char*, bool, AttentionExtents>> {};

TEST_P(AttentionCpuVariant, AgreesWithTheOracle) {
  const auto [register_variant, dtype, causal, extents] = GetParam();
  AttentionCase c(attention_params(dtype, extents, causal), 11);
  EXPECT_LE(error_of(c, register_variant), c.problem.tolerance.relative);
}

// Scores of some hundreds: without the running maximum their exponentials are infinite.
TEST_P(AttentionCpuVariant, AgreesWithTheOracleOnLargeScores) {
  const auto [register_variant, dtype, causal, extents] = GetParam();
  AttentionCase c(attention_params(dtype, extents, causal), 12);
  c.scale_queries(300);
  EXPECT_LE(error_of(c, register_variant), c.problem.tolerance.relative);
}

INSTANTIATE_TEST_SUITE_P(
    EveryTypeAndTail, AttentionCpuVariant,
    testing::Combine(testing::Values(&register_variant_attention_plain,
                                     &register_variant_attention_threads_online),
                     testing::Values("f16", "bf16"), testing::Bool(),
                     testing::Values(AttentionExtents{1, 1, 1, 1}, AttentionExtents{1, 2, 7, 5},
                                     AttentionExtents{2, 1, 64, 64}, AttentionExtents{1, 3, 65, 33},
                                     AttentionExtents{1, 1, 200, 128}, AttentionExtents{1, 2, 129, 40})));

TEST(SoftmaxIsa, ExponentialsAreRightDownToWhereTheyVanish) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  for (const Isa* isa : kernels::usable_isas()) {
    std::vector<float> values(1024);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 3.0F - static_cast<float>(i) * 0.09F;
    values[5] = none;
    std::vector<float> got = values;
    const float sum = isa->exponentials(got.data(), 1024, 3.0F);
    double want_sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double want =
          i == 5 || values[i] - 3.0F < -87.0F ? 0.0 : std::exp(static_cast<double>(values[i] - 3.0F));
      ASSERT_NEAR(got[i], want, 4e-7 * want) << isa->name << " " << i;
      want_sum += want;
    }
    EXPECT_NEAR(sum, want_sum, 1e-5 * want_sum) << isa->name;
  }
}

TEST(Isa, AddsFourRowsTermByTerm) {
  std::vector<float> rows(4 * 200);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 17) - 8.0F;
  const double factors[] = {1.5, -2, 0.25, 3};
  for (const Isa* isa : kernels::usable_isas())
    for (const std::size_t count : {0U, 1U, 7U, 128U, 200U}) {
      std::vector<double> sums(200, 0.5);
      isa->add_four_rows(factors, rows.data(), 200, sums.data(), static_cast<std::int64_t>(count));
      for (std::size_t j = 0; j < sums.size(); ++j) {
        double want = 0.5;  // each product and sum is exact
        for (std::size_t r = 0; r < 4 && j < count; ++r) want += factors[r] * double{rows[r * 200 + j]};
        ASSERT_EQ(sums[j], want) << isa->name << " " << count << " " << j;
      }
    }
}

TEST(SoftmaxIsa, LargestLooksAtEveryValueAndTheFloor) {
  for (const Isa* isa : kernels::usable_isas())
    for (std::int64_t at = 0; at < 37; ++at) {
      std::vector<float> values(37, -2.0F);
      values[static_cast<std::size_t>(at)] = 5.0F;
      EXPECT_EQ(isa->largest(values.data(), 37, -7.0F), 5.0F) << isa->name << " " << at;
      EXPECT_EQ(isa->largest(values.data(), 37, 9.0F), 9.0F) << isa->name;
      EXPECT_EQ(isa->largest(values.data(), at, -1.0F), -1.0F) << isa->name;
    }
}

}  // namespace
