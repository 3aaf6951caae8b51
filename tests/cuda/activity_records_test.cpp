// From buffers of activity records, filled by hand, to launches.
#include "harness/device/cuda/profiling/activity_records.h"

#include <gmock/gmock.h>

#include <vector>

namespace harness::cuda {
namespace {

using testing::HasSubstr;

CUpti_ActivityKernel10 kernel(const char* name) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.gridX = 132;
  record.gridY = 2;
  record.gridZ = 1;
  record.blockX = 128;
  record.blockY = 1;
  record.blockZ = 1;
  record.registersPerThread = 168;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 65536;
  record.localMemoryPerThread = 48;
  record.start = 1000;
  record.end = 5500;
  return record;
}

// Not inlined: the compiler would see records beyond the ends of others where there are none.
[[gnu::noinline]] void append_bytes(std::vector<std::uint8_t>& buffer, const void* record, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(record);
  buffer.insert(buffer.end(), bytes, bytes + size);
}

template <class Record>
void append(std::vector<std::uint8_t>& buffer, const Record& record) {
  append_bytes(buffer, &record, sizeof record);
}

// As CUPTI walks a buffer, for the kinds of record that these tests write.
CUptiResult next(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
  std::uint8_t* at = buffer;
  if (*record != nullptr) {
    at = reinterpret_cast<std::uint8_t*>(*record);
    switch ((*record)->kind) {
      case CUPTI_ACTIVITY_KIND_MEMCPY: at += sizeof(CUpti_ActivityMemcpy6); break;
      case CUPTI_ACTIVITY_KIND_MEMSET: at += sizeof(CUpti_ActivityMemset4); break;
      case CUPTI_ACTIVITY_KIND_RUNTIME: at += sizeof(CUpti_ActivityAPI); break;
      default: at += sizeof(CUpti_ActivityKernel10); break;
    }
  }
  if (at + sizeof(CUpti_Activity) > buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(at);
  return CUPTI_SUCCESS;
}

TEST(ActivityRecords, OfKernelsKeepEverythingThatARecordShows) {
  const KernelLaunch launch = launch_of(kernel("_Z3addPfPKfi"));
  EXPECT_EQ(launch.name, "_Z3addPfPKfi");
  EXPECT_EQ(launch.grid, (std::array<std::int64_t, 3>{132, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<std::int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(launch.registers, 168);
  EXPECT_EQ(launch.static_shared_bytes, 1024);
  EXPECT_EQ(launch.dynamic_shared_bytes, 65536);
  EXPECT_EQ(launch.local_bytes, 48);
  EXPECT_EQ(launch.started, 1000u);
  EXPECT_EQ(launch.ended, 5500u);
  EXPECT_EQ(launch_of(kernel(nullptr)).name, "[kernel without a name]");
}

TEST(ActivityRecords, OfABufferAreReadInTheirOrderAndOtherKindsPassedOver) {
  std::vector<std::uint8_t> buffer;
  append(buffer, kernel("a"));
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  append(buffer, call);
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.start = 6000;
  copy.end = 6100;
  append(buffer, copy);
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  append(buffer, fill);
  std::vector<KernelLaunch> launches;
  ASSERT_TRUE(append_launches(buffer.data(), buffer.size(), &next, launches));
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].name, "a");
  EXPECT_EQ(launches[1].name, "[memcpy device to host]");
  EXPECT_EQ(launches[1].ended, 6100u);
  EXPECT_EQ(launches[2].name, "[memset]");
  ASSERT_TRUE(append_launches(buffer.data(), 0, &next, launches));
  EXPECT_EQ(launches.size(), 3u);
}

TEST(ActivityRecords, ThatEndInTheMiddleAreAnError) {
  std::vector<std::uint8_t> buffer;
  append(buffer, kernel("a"));
  std::vector<KernelLaunch> launches;
  const Status read = append_launches(
      buffer.data(), buffer.size(),
      [](std::uint8_t*, std::size_t, CUpti_Activity**) { return CUPTI_ERROR_INVALID_KIND; }, launches);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("(21)"));
}

}  // namespace
}  // namespace harness::cuda
