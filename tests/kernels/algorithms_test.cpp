// The note of a record whose reference was chosen from few algorithms.
#include "kernels/algorithms.h"

#include <gtest/gtest.h>

namespace kernels {
namespace {

TEST(Algorithms, AreEnoughFromEightOn) {
  EXPECT_EQ(too_few_algorithms(8, asked_algorithms), "");
  EXPECT_EQ(too_few_algorithms(16, asked_algorithms), "");
  EXPECT_EQ(too_few_algorithms(7, asked_algorithms),
            "cuBLASLt offers 7 algorithms for this shape, of 16 that it was asked for: the fastest of fewer "
            "than 8");
  EXPECT_EQ(too_few_algorithms(1, asked_algorithms).substr(0, 28), "cuBLASLt offers 1 algorithm ");
}

TEST(Algorithms, AreNotMissedWhereOneWasAskedFor) {
  EXPECT_EQ(too_few_algorithms(1, 1), "");
}

}  // namespace
}  // namespace kernels
