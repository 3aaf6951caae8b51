// Commands that work on several suites: the exit status.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/cli/exit_status.h"

namespace harness {
namespace {

TEST(WorstStatus, IsTheOneOfTheGravestSuite) {
  const std::vector<int> gravest_first{exit_interrupted, exit_usage,        exit_failed, exit_regressed,
                                       exit_missing,     exit_inconclusive, exit_ok};
  for (std::size_t i = 0; i < gravest_first.size(); ++i)
    for (std::size_t j = 0; j < gravest_first.size(); ++j)
      EXPECT_EQ(worst_status(gravest_first[i], gravest_first[j]), gravest_first[std::min(i, j)]);
}

}  // namespace
}  // namespace harness
