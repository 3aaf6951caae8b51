// Where a case's buffers land, by the log of a scripted device.
#include "harness/measure/tensors/allocation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/tensors/verify.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::SizeIs;

using Kind = AllocationEvent::Kind;

constexpr std::size_t tensor = 4096;
constexpr std::size_t workspace = 1000;
constexpr std::size_t kept = std::size_t{1} << 30;
constexpr std::size_t mib = std::size_t{1} << 20;

class Placements : public testing::Test {
 protected:
  Placements() {
    problem_ = trial::Line().problem(params());
    inputs_.inputs.emplace_back(problem_.tensors[0]);
  }
  static sdk::Params params() {
    sdk::Params params;
    params.set("n", std::int64_t{tensor / sizeof(float)});
    return params;
  }
  void limit(std::size_t bytes) {
    device_ = scripted(R"({"version": 1, "memory_bytes": )" + std::to_string(bytes) + "}");
  }
  Status place(Allocation& allocation, bool moved) {
    return allocation.place(problem_, inputs_, workspace, moved);
  }
  // Positions in the log.
  [[nodiscard]] std::vector<std::size_t> events(Kind kind) const {
    std::vector<std::size_t> found;
    const auto& log = device_->allocations();
    for (std::size_t i = 0; i < log.size(); ++i)
      if (log[i].kind == kind) found.push_back(i);
    return found;
  }
  [[nodiscard]] std::size_t live() const {
    std::size_t bytes = 0;
    for (const AllocationEvent& event : device_->allocations())
      bytes += event.kind == Kind::taken ? event.bytes : event.kind == Kind::freed ? -event.bytes : 0;
    return bytes;
  }

  std::unique_ptr<ScriptedDevice> device_ = scripted(R"({"version": 1})");
  sdk::Problem problem_;
  CaseInputs inputs_;
};

TEST_F(Placements, BringTheInputsAlong) {
  auto* const values = reinterpret_cast<float*>(inputs_.inputs[0].data.data());
  std::iota(values, values + tensor / sizeof(float), 1.0F);
  for (const std::size_t memory :
       {std::size_t{1} << 30, 2 * tensor + workspace}) {  // the second: no room for both
    limit(memory);
    Allocation allocation(*device_, 1, kept);
    for (const bool moved : {false, true, true}) {
      ASSERT_TRUE(place(allocation, moved));
      EXPECT_EQ(std::memcmp(allocation.buffers().tensors[0], inputs_.inputs[0].data.data(), tensor), 0)
          << memory << " " << moved;
      HostOutputs outputs;
      ASSERT_TRUE(allocation.download_outputs(problem_, outputs));
      EXPECT_THAT(outputs.tensors()[0].data, Each(static_cast<std::byte>(poison)));
    }
    EXPECT_EQ(allocation.cramped(), memory == std::size_t{1} << 30 ? 0 : 2);
  }
}

TEST_F(Placements, TakeTheNextBuffersBeforeTheyGiveUpTheOld) {
  Allocation allocation(*device_, 1, kept);
  ASSERT_TRUE(place(allocation, false));
  const auto held = allocation.buffers().tensors;
  const std::vector<void*> first(held.begin(), held.end());
  ASSERT_TRUE(place(allocation, true));
  EXPECT_THAT(events(Kind::taken), SizeIs(4)) << "two tensors and a workspace, then one block for all";
  EXPECT_THAT(events(Kind::freed), SizeIs(0));
  const sdk::Buffers now = allocation.buffers();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NE(now.tensors[i], first[i]);
  EXPECT_EQ(allocation.cramped(), 0);
}

// With the last buffers alone, two sets of blocks would take turns.
TEST_F(Placements, LandWhereNoneBeforeThemDid) {
  Allocation allocation(*device_, 1, kept);
  std::set<void*> blocks;
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(place(allocation, true));
    for (void* const one : allocation.buffers().tensors) blocks.insert(one);
  }
  EXPECT_EQ(blocks.size(), 32U);
  EXPECT_THAT(events(Kind::freed), SizeIs(0));
}

TEST_F(Placements, KeepNoMoreOfTheOldBuffersThanTheyMay) {
  constexpr std::size_t set = 2 * tensor + workspace;
  Allocation allocation(*device_, 1, 3 * set);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(place(allocation, true)) << i;
  EXPECT_THAT(events(Kind::taken), SizeIs(10));
  EXPECT_THAT(events(Kind::freed), SizeIs(6)) << "all but three sets and the one in use";
  EXPECT_EQ(allocation.cramped(), 0);
}

// Room for some of the sets.
TEST_F(Placements, GiveUpTheOldestBuffersFirst) {
  constexpr int placements = 12;
  {
    Allocation frugal(*device_, 3, 0);
    std::size_t most = 0;
    for (int i = 0; i < placements; ++i) {
      ASSERT_TRUE(place(frugal, true)) << i;
      most = std::max(most, live());
    }
    limit(3 * most);
  }
  Allocation allocation(*device_, 3, kept);
  for (int i = 0; i < placements; ++i) ASSERT_TRUE(place(allocation, true)) << i;
  EXPECT_GT(events(Kind::freed).size(), 0U);
  EXPECT_EQ(allocation.cramped(), 0) << "the last ones stayed until the next were there";
}

TEST_F(Placements, BeginAnywhereWithinTheirBlocks) {
  Allocation allocation(*device_, 1, kept);
  std::set<std::uintptr_t> places;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(place(allocation, true));
    const auto held = allocation.buffers().tensors;
    for (void* const one : held) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % 256, 0U);
      places.insert(reinterpret_cast<std::uintptr_t>(one) / 4096 % 512);  // the page within 2 MiB
    }
    EXPECT_EQ(allocation.tensor_bytes(), 2 * tensor);
  }
  EXPECT_GT(places.size(), 60U) << "of 80 draws among 512 pages";
}

// The blocks' sizes tell.
TEST_F(Placements, LieBehindPaddingOfEverySize) {
  Allocation allocation(*device_, 7, kept);
  ASSERT_TRUE(place(allocation, false));
  EXPECT_EQ(live(), 2 * tensor + workspace) << "the first, which is only checked, needs no padding";
  std::set<std::size_t> sizes;
  for (int i = 0; i < 60; ++i) {
    const std::size_t before = live();
    ASSERT_TRUE(place(allocation, true));
    sizes.insert(live() - before);
  }
  constexpr std::size_t most_padding = 32 * mib, rounding = 2 * mib;
  EXPECT_THAT(sizes, Each(Le(3 * (most_padding + most_buffer_offset + rounding))));
  EXPECT_LT(*sizes.begin(), 8 * mib);
  EXPECT_GT(*sizes.rbegin(), 32 * mib);
  EXPECT_GT(sizes.size(), 12U);
}

TEST_F(Placements, GiveEverythingBackAtTheEnd) {
  {
    Allocation allocation(*device_, 1, kept);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(place(allocation, true));
    EXPECT_THAT(events(Kind::taken), SizeIs(20));
    EXPECT_THAT(events(Kind::freed), SizeIs(0));
  }
  EXPECT_THAT(events(Kind::freed), SizeIs(20));
  EXPECT_EQ(live(), 0U);
}

TEST_F(Placements, RepeatThemselvesWithTheirSeedAlone) {
  const auto log_of = [&](std::uint64_t seed) {
    const auto device = scripted(R"({"version": 1})");
    Allocation allocation(*device, seed, kept);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(allocation.place(problem_, inputs_, workspace, true));
    return device->allocations();
  };
  EXPECT_EQ(log_of(5), log_of(5));
  EXPECT_NE(log_of(5), log_of(6));
}

// Room for one set and little more: padding is refused, and the old set must go before the new one comes.
TEST_F(Placements, GiveUpTheOldBuffersWhereBothDoNotFit) {
  limit(2 * tensor + workspace + 200);
  Allocation allocation(*device_, 1, kept);
  ASSERT_TRUE(place(allocation, false));
  ASSERT_TRUE(place(allocation, true));
  const auto freed = events(Kind::freed), taken = events(Kind::taken);
  ASSERT_GE(freed.size(), 3U);
  EXPECT_LT(freed[2], taken.back());
  EXPECT_EQ(allocation.cramped(), 1);
  EXPECT_EQ(live(), 2 * tensor + workspace);
}

TEST_F(Placements, KeepThePaddingWhereGivingUpTheOldBuffersSuffices) {
  std::size_t block = 0;
  {
    Allocation probe(*device_, 6, kept);
    ASSERT_TRUE(place(probe, true));
    block = live();
  }
  limit(block);
  Allocation allocation(*device_, 6, kept);
  ASSERT_TRUE(place(allocation, false));
  ASSERT_TRUE(place(allocation, true));
  EXPECT_EQ(allocation.cramped(), 1);
  EXPECT_EQ(live(), block);
}

TEST_F(Placements, AreRefusedOnlyWhereAnEmptyDeviceIsTooSmall) {
  limit(2 * tensor);
  Allocation allocation(*device_, 1, kept);
  const Status refused = place(allocation, true);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("1000 bytes"));
  EXPECT_EQ(live(), 0U) << "half a set is of no use";
}

}  // namespace
}  // namespace harness
