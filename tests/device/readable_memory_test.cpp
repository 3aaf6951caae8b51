#include "harness/device/host/readable_memory.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace harness {
namespace {

TEST(ReadableMemory, LeavesOutWhatCannotBeReadAndTheDriversOwn) {
  const auto ranges = readable_ranges(
      "55d0a0000000-55d0a0001000 r--p 00000000 08:01 12 /bin/x\n"
      "7f0000000000-7f1000000000 ---p 00000000 00:00 0 \n"
      "7f2000000000-7f2000001000 rw-s 00000000 00:05 9 /dev/nvidia-uvm\n"
      "7ffd00000000-7ffd00002000 rw-p 00000000 00:00 0 [stack]\nnonsense\n");
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].begin, 0x55d0a0000000U);
  EXPECT_EQ(ranges[0].bytes, 0x1000U);
  EXPECT_TRUE(ranges[1].contains(0x7ffd00001fff));
  EXPECT_FALSE(ranges[1].contains(0x7ffd00002000));
}

TEST(ReadableMemory, OfThisProcessHoldsItsStack) {
  const int here = 0;
  const auto ranges = readable_host_memory();
  EXPECT_TRUE(std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& one) {
    return one.contains(reinterpret_cast<std::uint64_t>(&here));
  }));
}

}  // namespace
}  // namespace harness
