// The CPU variants against the oracle, and the inner loops of every instruction set that this machine has.
#include <gmock/gmock.h>

#include <bit>
#include <tuple>

#include "kernels/cpu/blocked_product.h"
#include "kernels/linear_gelu/linear_gelu.h"
#include "tests/kernels/isas.h"
#include "tests/kernels/linear_gelu_case.h"

namespace {

using harness::sdk::Kernel;
using kernels::Isa;

// Runs `kernel` on the case's host memory with a guard after the workspace.
void run_on(LinearGeluCase& c, Kernel& kernel) {
  std::vector<void*> addresses;
  for (auto& tensor : c.tensors) addresses.push_back(tensor.data.data());
  std::vector<float> workspace(kernel.workspace_bytes() / sizeof(float) + 1, -77.0F);
  kernel.bind({addresses, workspace.data()});
  kernel.run({});
  EXPECT_EQ(workspace.back(), -77.0F) << "wrote past its workspace";
}

using Register = void (*)(harness::sdk::Registry&);
using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

class CpuVariant : public testing::TestWithParam<std::tuple<Register, const char*, const char*, Extents>> {};

TEST_P(CpuVariant, AgreesWithTheOracle) {
  const auto [register_variant, dtype, gelu, extents] = GetParam();
  const auto [m, n, k] = extents;
  LinearGeluCase c(linear_gelu_params(dtype, m, n, k, gelu), 11);
  register_variant(c.registry);
  harness::sdk::DeviceTraits traits;
  traits.kind = "cpu";
  traits.multiprocessors = 3;
  const auto kernel = c.registry.variants.front().make(c.params, c.problem, traits);
  run_on(c, *kernel);
  EXPECT_LE(c.error(), c.problem.tolerance.relative);
  c.poison();
  run_on(c, *kernel);
  EXPECT_LE(c.error(), c.problem.tolerance.relative) << "second placement";
}

INSTANTIATE_TEST_SUITE_P(EveryTypeAndTail, CpuVariant,
                         testing::Combine(testing::Values(&register_variant_linear_gelu_threads_unfused,
                                                          &register_variant_linear_gelu_threads_fused),
                                          testing::Values("f32", "f16", "bf16"),
                                          testing::Values("tanh", "erf"),
                                          testing::Values(Extents{1, 1, 1}, Extents{3, 5, 7},
                                                          Extents{17, 33, 65}, Extents{64, 256, 256},
                                                          Extents{97, 129, 257}, Extents{193, 130, 24})));

TEST(CpuVariantOutput, FusedAndUnfusedDifferOnlyInRounding) {
  LinearGeluCase fused(linear_gelu_params("f32", 100, 140, 300));
  LinearGeluCase unfused(linear_gelu_params("f32", 100, 140, 300));
  register_variant_linear_gelu_threads_fused(fused.registry);
  register_variant_linear_gelu_threads_unfused(unfused.registry);
  run_on(fused, *fused.registry.variants.front().make(fused.params, fused.problem, {}));
  run_on(unfused, *unfused.registry.variants.front().make(unfused.params, unfused.problem, {}));
  EXPECT_EQ(fused.output().data, unfused.output().data);
}

TEST(Isa, TheTileIsAMultipleOfEveryRegisterBlock) {
  for (const Isa* isa : kernels::usable_isas()) {
    EXPECT_EQ(kernels::BlockedProduct::tile_rows % isa->rows, 0) << isa->name;
    EXPECT_EQ(kernels::BlockedProduct::tile_columns % isa->columns, 0) << isa->name;
  }
}

TEST(Isa, EveryInstructionSetComputesTheSameProduct) {
  LinearGeluCase c(linear_gelu_params("bf16", 101, 131, 270));
  const linear_gelu::Shape shape = linear_gelu::shape_of(c.params);
  for (const Isa* isa : kernels::usable_isas()) {
    std::vector<double> got(std::size_t{101} * 131, std::nan(""));
    kernels::BlockedProduct product(linear_gelu::product_shape(shape), 2, *isa);
    product.run(c.tensors[0].data.data(), c.tensors[1].data.data(), [&](const kernels::Tile& tile) {
      for (std::int64_t row = 0; row < tile.rows; ++row)
        for (std::int64_t column = 0; column < tile.columns; ++column)
          got[static_cast<std::size_t>((tile.row + row) * 131 + tile.column + column)] =
              tile.sums[row * tile.stride + column];
    });
    for (std::int64_t i = 0; i < std::int64_t{101} * 131; ++i) {
      double want = 0;
      for (std::int64_t p = 0; p < 270; ++p)
        want += c.tensors[0].at(i / 131 * 270 + p) * c.tensors[1].at(p * 131 + i % 131);
      ASSERT_NEAR(got[static_cast<std::size_t>(i)], want, 1e-5) << isa->name << " " << i;
    }
  }
}

TEST(Isa, WidensEveryHalfAsTheSdkDoes) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(halves.size());
  for (const Isa* isa : kernels::usable_isas()) {
    isa->widen_f16(halves.data(), wide.data(), 65536);
    for (std::size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]),
                std::bit_cast<std::uint32_t>(harness::sdk::float_from_f16(halves[i])))
          << isa->name << " f16 " << i;
    isa->widen_bf16(halves.data(), wide.data(), 65536);
    for (std::size_t i = 0; i < halves.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]),
                std::bit_cast<std::uint32_t>(harness::sdk::float_from_bf16(halves[i])))
          << isa->name << " bf16 " << i;
  }
}

// The definition of a stream, element by element. Records know their inputs by these bits.
TEST(Isa, EveryInstructionSetDrawsTheSameNumbers) {
  const auto mixed = [](std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  };
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U, seed = 7, stream = 3;
  constexpr std::int64_t count = 1003;
  for (const std::int64_t first : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 40})
    for (const Isa* isa : kernels::usable_isas()) {
      std::vector<float> values(count);
      isa->draw(seed, stream, first, 3.0F / 7.0F, values.data(), count);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t number = static_cast<std::uint64_t>(first + i) + 1;
        const std::uint64_t bits = mixed(mixed(mixed(seed + golden) + stream + 1) + golden * number);
        const float unit = (static_cast<float>(bits >> 40) - 8388607.5F) * 0x1p-23F;
        ASSERT_EQ(values[static_cast<std::size_t>(i)], unit * (3.0F / 7.0F)) << isa->name << " " << i;
      }
    }
}

// Every pattern of the upper 16 bits with lower bits on, above and below each tie.
TEST(Isa, NarrowsAsTheSdkDoesTiesIncluded) {
  std::vector<float> wide;
  for (std::uint32_t high = 0; high < 65536; ++high)
    for (const std::uint32_t low :
         {0x0000U, 0x0001U, 0x0FFFU, 0x1000U, 0x1001U, 0x3000U, 0x7FFFU, 0x8000U, 0x8001U, 0xF000U, 0xFFFFU})
      wide.push_back(std::bit_cast<float>((high << 16) | low));
  std::vector<std::uint16_t> halves(wide.size());
  const auto count = static_cast<std::int64_t>(wide.size());
  for (const Isa* isa : kernels::usable_isas()) {
    isa->narrow_f16(wide.data(), halves.data(), count);
    for (std::size_t i = 0; i < wide.size(); ++i)
      ASSERT_EQ(halves[i], harness::sdk::f16_from_float(wide[i])) << isa->name << " f16 " << wide[i];
    isa->narrow_bf16(wide.data(), halves.data(), count);
    for (std::size_t i = 0; i < wide.size(); ++i)
      ASSERT_EQ(halves[i], harness::sdk::bf16_from_float(wide[i])) << isa->name << " bf16 " << wide[i];
  }
}

TEST(Isa, GeluFollowsTheOracleFromTailToTail) {
  std::vector<float> inputs;
  for (int i = -120'000; i <= 120'000; ++i) inputs.push_back(static_cast<float>(i) * 1e-3F);
  const auto count = static_cast<std::int64_t>(inputs.size());
  for (const Isa* isa : kernels::usable_isas())
    for (const auto form : {linear_gelu::Gelu::tanh_form, linear_gelu::Gelu::erf_form}) {
      std::vector<float> values = inputs;
      (form == linear_gelu::Gelu::erf_form ? isa->gelu_erf : isa->gelu_tanh)(values.data(), count);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double want = linear_gelu::gelu(static_cast<double>(inputs[i]), form);
        ASSERT_NEAR(static_cast<double>(values[i]), want, 4e-7 * std::max(1.0, std::abs(want)))
            << isa->name << " at " << inputs[i];
      }
    }
}

TEST(Isa, GeluKeepsNaN) {
  for (const Isa* isa : kernels::usable_isas()) {
    std::vector<float> values(70, std::numeric_limits<float>::quiet_NaN());
    isa->gelu_tanh(values.data(), 70);
    for (const float value : values) ASSERT_TRUE(std::isnan(value)) << isa->name;
    values.assign(70, std::numeric_limits<float>::quiet_NaN());
    isa->gelu_erf(values.data(), 70);
    for (const float value : values) ASSERT_TRUE(std::isnan(value)) << isa->name;
  }
}

}  // namespace
