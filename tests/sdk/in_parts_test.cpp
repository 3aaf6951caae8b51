// Loops that threads share: whole, once, and the same on any number of them.
#include "harness/sdk/in_parts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "harness/sdk/workload.h"

namespace harness::sdk {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;
using testing::SizeIs;

TEST(InParts, CoverTheWholeOnceOnAnyNumberOfThreads) {
  for (const int threads : {-1, 0, 1, 2, 7, 40})
    for (const std::int64_t count : {0, 1, 17, 100'000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      in_parts(
          count, 5,
          [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) ++seen[static_cast<std::size_t>(i)];
          },
          threads);
      for (const auto& times : seen) ASSERT_EQ(times, 1) << count << " on " << threads;
    }
}

std::set<std::pair<std::int64_t, std::int64_t>> stretches(std::int64_t count, std::int64_t grain,
                                                          int threads) {
  std::mutex mutex;
  std::set<std::pair<std::int64_t, std::int64_t>> all;
  in_parts(
      count, grain,
      [&](std::int64_t first, std::int64_t last) {
        const std::lock_guard lock(mutex);
        all.emplace(first, last);
      },
      threads);
  return all;
}

TEST(InParts, AreAtLeastAsLongAsTheirGrainAndAsManyAsThreads) {
  EXPECT_THAT(stretches(100, 10, 4), SizeIs(4));
  EXPECT_THAT(stretches(100, 30, 16), SizeIs(3));
  EXPECT_THAT(stretches(100, 101, 16), SizeIs(1));
  for (const auto& [first, last] : stretches(103, 10, 16)) EXPECT_THAT(last - first, AllOf(Ge(10), Le(11)));
}

TEST(InParts, ThrowWhatTheFirstOfThemThrew) {
  for (const int threads : {1, 4}) try {
      in_parts(
          100, 1, [](std::int64_t first, std::int64_t) { throw std::runtime_error(std::to_string(first)); },
          threads);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "0");
    }
}

TEST(PreparingThreads, AreTheMachinesOrWhatTheEnvironmentSays) {
  const auto with = [](const char* value) {
    setenv("HARNESS_PREPARING_THREADS", value, 1);
    const int threads = preparing_threads();
    unsetenv("HARNESS_PREPARING_THREADS");
    return threads;
  };
  EXPECT_THAT(preparing_threads(), AllOf(Ge(1), Le(most_preparing_threads)));
  EXPECT_EQ(with("3"), 3);
  EXPECT_EQ(with("100000"), 256);
  for (const char* nothing : {"", "0", "-2", "many"})
    EXPECT_EQ(with(nothing), preparing_threads()) << nothing;
}

TEST(HostTensors, BeginAsZerosWhateverTheirMemoryHeldBefore) {
  for (const std::int64_t elements :
       {std::int64_t{1000}, std::int64_t{3} << 19}) {  // the other: 6 MiB, mapped
    for (int again = 0; again < 3; ++again) {
      HostTensor tensor({"x", Role::input, DType::f32, {elements}});
      ASSERT_THAT(tensor.data, SizeIs(4 * static_cast<std::size_t>(elements)));
      ASSERT_TRUE(std::all_of(tensor.data.begin(), tensor.data.end(),
                              [](std::byte one) { return one == std::byte{0}; }));
      std::fill(tensor.data.begin(), tensor.data.end(), std::byte{0xAB});
      const HostTensor copy = tensor;
      ASSERT_EQ(copy.data, tensor.data);
    }
  }
}

TEST(FreshPages, ThatTheSystemDoesNotHaveAreRefused) {
  constexpr std::size_t too_many = std::size_t{1} << 56;
  if (too_many < least_mapped_bytes / sizeof(double)) GTEST_SKIP() << "AddressSanitizer ends the process";
  EXPECT_THROW((void)FreshPages<double>().allocate(too_many), std::bad_alloc);
}

TEST(FreshPages, OfMoreBytesThanAnAddressCountsAreRefused) {
  EXPECT_THROW((void)FreshPages<double>().allocate(std::numeric_limits<std::size_t>::max() / 2),
               std::bad_array_new_length);
}

}  // namespace
}  // namespace harness::sdk
