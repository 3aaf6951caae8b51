#include "kernels/cpu_pool.h"

#include <gtest/gtest.h>

#include <barrier>

namespace {

using kernels::Pool;

TEST(Pool, CallsTheTaskOncePerIndexWithAWorkerInRange) {
  for (const int threads : {0, 1, 2, 5}) {
    Pool pool(threads);
    EXPECT_EQ(pool.threads(), std::max(1, threads));
    for (const std::int64_t count : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      std::atomic<bool> in_range = true;
      pool.for_each(count, [&](std::int64_t index, int worker) {
        ++calls[static_cast<std::size_t>(index)];
        if (worker < 0 || worker >= pool.threads()) in_range = false;
      });
      for (const auto& call : calls) EXPECT_EQ(call.load(), 1);
      EXPECT_TRUE(in_range);
    }
  }
}

TEST(Pool, HasFinishedEveryTaskWhenItReturns) {
  Pool pool(4);
  std::vector<int> plain(64);
  for (int round = 0; round < 500; ++round) {
    pool.for_each(64, [&](std::int64_t index, int) { ++plain[static_cast<std::size_t>(index)]; });
    for (const int value : plain) ASSERT_EQ(value, round + 1);
  }
}

// Both threads have a task, and the worker's is the longer one.
TEST(Pool, WaitsForAWorkerThatIsStillBusy) {
  Pool pool(2);
  for (int round = 0; round < 20; ++round) {
    std::barrier meeting(2);
    std::atomic<int> finished = 0;
    pool.for_each(2, [&](std::int64_t, int worker) {
      meeting.arrive_and_wait();
      std::atomic<int> turns = 0;
      while (worker != 0 && turns.fetch_add(1) < 200'000) {
      }
      ++finished;
    });
    ASSERT_EQ(finished.load(), 2);
  }
}

TEST(Pool, NoTwoTasksShareAWorkerAtATime) {
  Pool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> shared = false;
  pool.for_each(2000, [&](std::int64_t, int worker) {
    if (inside[static_cast<std::size_t>(worker)].fetch_add(1) != 0) shared = true;
    inside[static_cast<std::size_t>(worker)].fetch_sub(1);
  });
  EXPECT_FALSE(shared);
}

TEST(Pool, AnUnusedPoolEndsQuietly) {
  const Pool pool(8);
}

TEST(Pool, ADeviceThatDoesNotKnowItsThreadsStillGetsOne) {
  EXPECT_EQ(kernels::usable_threads(6), 6);
  EXPECT_GE(kernels::usable_threads(0), 1);
}

}  // namespace
