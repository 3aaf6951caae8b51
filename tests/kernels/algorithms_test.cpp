// The fastest of several algorithms by scripted times, and the note of a record whose reference was chosen
// from few.
#include "kernels/algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

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

// Ways whose calls take these times, one after the other; the last one for ever.
class Ways {
 public:
  explicit Ways(std::vector<std::vector<float>> times) : times_(std::move(times)), calls_(times_.size()) {}

  std::size_t fastest(int rounds = 7) {
    return fastest_by(times_.size(), rounds, [this](std::size_t i) {
      const std::size_t call = calls_[i]++;
      return times_[i][std::min(call, times_[i].size() - 1)];
    });
  }
  [[nodiscard]] const std::vector<std::size_t>& calls() const { return calls_; }

 private:
  std::vector<std::vector<float>> times_;
  std::vector<std::size_t> calls_;
};

TEST(Fastest, HasTheSmallestMedianWithoutItsFirstCall) {
  Ways ways({{1, 10}, {90, 8, 8, 15, 15, 8, 8, 8}, {9}});
  EXPECT_EQ(ways.fastest(), 1U);
  EXPECT_EQ(ways.calls(), (std::vector<std::size_t>{8, 8, 8}));
}

TEST(Fastest, IsTheFirstOfThoseThatAreAlike) {
  EXPECT_EQ(Ways({{10.2F}, {10.05F}, {10}}).fastest(), 1U);
}

TEST(Fastest, OfOneWayIsThatWay) {
  EXPECT_EQ(Ways(std::vector<std::vector<float>>{{3}}).fastest(1), 0U);
}

TEST(Fastest, LeavesOutWaysThatTwiceTookMoreThanTwiceTheShortest) {
  Ways ways({{21}, {20}, {10}, {500, 15}});
  EXPECT_EQ(ways.fastest(), 2U);
  EXPECT_EQ(ways.calls(), (std::vector<std::size_t>{3, 8, 8, 8}));
}

TEST(Fastest, IsNotLeftOutForOneDisturbedCall) {
  Ways ways({{5000, 10}, {5000, 21, 9}, {5000, 9.5F}});
  EXPECT_EQ(ways.fastest(), 1U);
  EXPECT_EQ(ways.calls()[1], 8U);
}

}  // namespace
}  // namespace kernels
