// Buffers of many input sets in one block, by the log of a scripted device.
#include "harness/measure/tensors/shared_blocks.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "harness/measure/tensors/input_sets.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::size_t mib = std::size_t{1} << 20;

std::ptrdiff_t between(const Buffer& first, const Buffer& second) {
  return static_cast<const std::byte*>(second.data()) - static_cast<const std::byte*>(first.data());
}

TEST(SharedBlocks, LieAsBlocksOfADriverDo) {
  const auto device = scripted(R"({"version": 1})");
  const SharedBlocks::Wanted large{0, 3 * mib}, small{0, 700}, none{0, 0};
  auto blocks = SharedBlocks::take(device->memory(), {large, small, none}, 2);
  ASSERT_TRUE(blocks);
  const auto large_one = blocks->cut(large), small_one = blocks->cut(small), none_one = blocks->cut(none);
  const auto large_two = blocks->cut(large), small_two = blocks->cut(small), none_two = blocks->cut(none);
  EXPECT_EQ(large_one->bytes(), 3 * mib);
  EXPECT_EQ(between(*large_one, *large_two), 4 * mib) << "multiples of 2 MiB";
  EXPECT_EQ(between(*large_one, *small_one), 8 * mib) << "behind all large ones";
  EXPECT_EQ(between(*small_one, *none_one), 1024) << "multiples of 512 bytes";
  EXPECT_EQ(between(*none_one, *small_two), 512) << "a buffer of nothing has an address of its own";
  EXPECT_EQ(between(*small_two, *none_two), 1024);
  ASSERT_THAT(device->allocations(), SizeIs(1));
  EXPECT_EQ(device->allocations()[0].bytes, 8 * mib + 2 * (1024 + 512));
}

TEST(SharedBlocks, HoldAllFurtherInputSets) {
  const auto device = scripted(R"({"version": 1})");
  sdk::Params params;
  params.set("n", std::int64_t{100});
  const sdk::Problem problem = trial::Line().problem(params);
  CaseInputs inputs;
  inputs.inputs.emplace_back(problem.tensors[0]);
  inputs.inputs[0].set(7, 3.5);
  Allocation first(*device, 1);
  ASSERT_TRUE(first.place(problem, inputs, 64, false));
  const std::size_t before = device->allocations().size();
  InputSets sets(*device);
  ASSERT_TRUE(sets.place(problem, inputs, 64, 20, first));
  EXPECT_THAT(device->allocations(), SizeIs(before + 1));
  std::set<const void*> places;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const sdk::Buffers set = sets.buffers(i);
    places.insert(set.tensors.begin(), set.tensors.end());
    places.insert(set.workspace);
    EXPECT_EQ(std::memcmp(set.tensors[0], inputs.inputs[0].data.data(), 400), 0) << "the values of the first";
  }
  EXPECT_THAT(places, SizeIs(20 * 3));
}

TEST(SharedBlocks, AreOfTheirGpus) {
  const auto device = scripted(R"({"version": 1})");
  const SharedBlocks::Wanted here{0, mib}, there{1, 100};
  auto blocks = SharedBlocks::take(device->memory(), {here, there}, 3);
  ASSERT_TRUE(blocks);
  ASSERT_THAT(device->allocations(), SizeIs(2));
  EXPECT_EQ(device->allocations()[0].bytes, 6 * mib);
  EXPECT_EQ(device->allocations()[1].bytes, 3 * 512U);
  for (int i = 0; i < 3; ++i) std::memset(blocks->cut(there)->data(), i, 100);
}

TEST(SharedBlocks, LiveAsLongAsOneOfTheirBuffers) {
  const auto device = scripted(R"({"version": 1})");
  const SharedBlocks::Wanted wanted{0, 100};
  std::unique_ptr<Buffer> last;
  {
    auto blocks = SharedBlocks::take(device->memory(), {wanted}, 2);
    ASSERT_TRUE(blocks);
    (void)blocks->cut(wanted);
    last = blocks->cut(wanted);
  }
  EXPECT_THAT(device->allocations(), SizeIs(1));
  std::memset(last->data(), 1, last->bytes());
  last.reset();
  ASSERT_THAT(device->allocations(), SizeIs(2));
  EXPECT_EQ(device->allocations()[1].kind, AllocationEvent::Kind::freed);
}

TEST(SharedBlocks, TellThatADeviceIsTooSmall) {
  const auto device = scripted(R"({"version": 1, "memory_bytes": 1000})");
  const auto blocks = SharedBlocks::take(device->memory(), {{0, 512}}, 2);
  ASSERT_FALSE(blocks);
  EXPECT_THAT(blocks.error().message, HasSubstr("1024 bytes"));
}

}  // namespace
}  // namespace harness
