// Words for a change of a kernel.
#include "harness/report/words/kernel_words.h"

#include <gtest/gtest.h>

namespace harness::report {
namespace {

KernelUse kernel(double us, std::int64_t blocks) {
  return {"gemm", {blocks, 1, 1}, {256, 1, 1}, 64, 0, 0, 2, us, "c0de"};
}

TEST(KernelWords, TellTimesOfACallAndWhatChanged) {
  EXPECT_EQ(words(KernelChange{KernelChange::Kind::reshaped, kernel(5, 132), kernel(6, 66), 0.5}),
            "10 -> 12 us a call, 50 % of the change of all kernels, grid 132x1x1 -> 66x1x1");
  EXPECT_EQ(words(KernelChange{KernelChange::Kind::appeared, {}, kernel(6, 66), 0}), "12 us a call");
}

TEST(KernelWords, SayWhereAKernelWasNotTimed) {
  EXPECT_EQ(words(KernelChange{KernelChange::Kind::reshaped, kernel(0, 132), kernel(0, 66), 0}),
            "not timed, grid 132x1x1 -> 66x1x1");
  EXPECT_EQ(words(KernelChange{KernelChange::Kind::vanished, kernel(0, 132), {}, 0}), "not timed");
}

}  // namespace
}  // namespace harness::report
