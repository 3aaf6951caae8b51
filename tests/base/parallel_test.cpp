#include "harness/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace harness {
namespace {

TEST(ForEachIndex, CallsEachIndexOnceOnAnyNumberOfThreads) {
  for (const unsigned threads : {0U, 1U, 2U, 7U})
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<int> calls(count, 0);
      for_each_index(count, threads, [&](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads << " threads, " << count << " indices";
    }
}

TEST(ForEachIndex, GoesInOrderOnOneThread) {
  std::vector<std::size_t> order;
  for_each_index(4, 1, [&](std::size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(ForEachIndex, ThrowsOnWhatACallThrewAndBeginsNoMore) {
  for (const unsigned threads : {1U, 3U}) {
    std::atomic<std::size_t> calls{0};
    const auto work = [&](std::size_t) {
      ++calls;
      throw std::runtime_error("no");
    };
    EXPECT_THROW(for_each_index(100, threads, work), std::runtime_error);
    EXPECT_LE(calls, threads);
    EXPECT_GE(calls, 1U);
  }
}

}  // namespace
}  // namespace harness
