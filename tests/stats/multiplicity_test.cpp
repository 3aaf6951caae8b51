#include "harness/stats/hypothesis/multiplicity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference.h"

namespace harness::stats {
namespace {

TEST(Multiplicity, AgreesWithTheDefinitionsInNumpy) {
  for (const auto& one : reference("multiplicity.json")) {
    const auto p_values = one["p"].get<std::vector<double>>();
    const auto by_holm = holm(p_values), by_bh = benjamini_hochberg(p_values);
    ASSERT_EQ(by_holm.size(), p_values.size());
    for (std::size_t i = 0; i < p_values.size(); ++i) {
      expect_close(by_holm[i], one["holm"][i], 1e-12, 0);
      expect_close(by_bh[i], one["benjamini_hochberg"][i], 1e-12, 0);
    }
  }
}

TEST(Multiplicity, OfNothingIsNothing) {
  EXPECT_TRUE(holm({}).empty());
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(Multiplicity, LeavesAMissingTestMissingAndCountsIt) {
  const std::vector<double> p_values{0.01, std::nan(""), 0.5};
  const auto by_holm = holm(p_values), by_bh = benjamini_hochberg(p_values);
  EXPECT_DOUBLE_EQ(by_holm[0], 0.03);
  EXPECT_TRUE(std::isnan(by_holm[1]));
  EXPECT_DOUBLE_EQ(by_holm[2], 1.0);
  EXPECT_DOUBLE_EQ(by_bh[0], 0.03);
  EXPECT_TRUE(std::isnan(by_bh[1]));
}

}  // namespace
}  // namespace harness::stats
