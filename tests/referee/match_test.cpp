// Matches of real players on memory that they share with the test. Their times are scripted.
#include "harness/measure/referee/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "harness/base/files.h"
#include "harness/device/open.h"
#include "harness/measure/worker/build_catalog.h"

namespace harness::referee {
namespace {

using testing::HasSubstr;

constexpr Seconds soon = 0.4;  // for a player that hangs

// The sides of memory of the host. A batch takes what the script says, whatever the clock says.
class ScriptedSide final : public RefereeSide {
 public:
  using Script = std::function<Result<PlayTiming>(const Play& play, int number)>;
  // `loses`: a batch that does not end blocks the device.
  explicit ScriptedSide(Script script, bool loses) : script_(std::move(script)), loses_(loses) {}
  Result<Block> share(std::size_t bytes) override { return host_->share(bytes); }
  Result<PlayTiming> time(const Play& play, std::span<std::uint64_t> read) override {
    Result<PlayTiming> timing = host_->time(play, read);
    if (!timing) return timing;
    longest = std::max(longest, play.calls);
    Result<PlayTiming> scripted = script_(play, number_++);
    lost_ = lost_ || (!scripted && loses_);
    return scripted;
  }
  [[nodiscard]] bool lost() const override { return lost_; }
  int longest = 0;

 private:
  std::unique_ptr<RefereeSide> host_ = host_referee_side();
  Script script_;
  int number_ = 0;
  bool loses_, lost_ = false;
};

// 300 us beside the calls. A call of the current build takes `ratio` times as long.
ScriptedSide::Script calls_of(Seconds call, double ratio = 1, double wobble = 1e-3) {
  return [=](const Play& play, int number) -> Result<PlayTiming> {
    const double turn = number % 3 == 0 ? 1 + wobble : 1 - wobble;
    const Seconds elapsed = 300e-6 + play.calls * call * (play.player == 1 ? ratio : 1) * turn;
    return PlayTiming{elapsed, elapsed, false};
  };
}

// Looks so often at the player after each batch.
ScriptedSide::Script looked_at(int times) {
  return [=](const Play& play, int number) -> Result<PlayTiming> {
    for (int i = 0; play.calls > 0 && i < times; ++i)
      if (const Status alive = play.look(); !alive) return fail(alive.error());
    return calls_of(100e-6)(play, number);
  };
}

ScriptedSide::Script blocked_device() {
  return [](const Play& play, int number) -> Result<PlayTiming> {
    if (play.calls > 0) return fail(ErrorKind::environment, "the calls did not end within 20 s");
    return calls_of(100e-6)(play, number);
  };
}

class Matches : public testing::Test {
 protected:
  // The plugin as the build of this name.
  std::string build(const std::string& way) {
    const std::filesystem::path file = folder_.path() / (way + ".so");
    if (!std::filesystem::exists(file)) std::filesystem::copy_file(REFEREE_PLUGIN, file);
    return file.string();
  }

  RefereedCase match(const std::string& current, ScriptedSide::Script script = calls_of(100e-6),
                     const std::string& baseline = "honest", MatchOptions options = {}) {
    const PairedBuilds builds{{folder_.path().string(), {}, {}, {build(baseline)}},
                              {folder_.path().string(), {}, {}, {build(current)}}};
    Result<Catalog> catalog = catalog_of_build(builds.baseline, nullptr);
    EXPECT_TRUE(catalog);
    Result<OpenedDevice> opened = open_device("cpu");
    ScriptedSide side(std::move(script), loses);
    PlannedCase planned;
    planned.id = "line/work/n=1000";
    planned.workload = "line";
    planned.variant = "work";
    planned.device = "cpu";
    planned.params.set("n", std::int64_t{1000});
    planned.sampling.timeout = timeout;
    const Arena arena{"cpu", *opened->device, side, *catalog, builds, {TEST_PLAYER}, [] { return 0.0; }};
    lost = false;
    const RefereedCase judged = referee_case(arena, planned, options, lost);
    longest = side.longest;
    return judged;
  }

  // The current build is at fault.
  void expect_fault(const std::string& way, Ruling ruling, std::optional<CauseCode> code = {}) {
    const RefereedCase judged = match(way);
    EXPECT_EQ(judged.ruling, ruling) << way;
    ASSERT_TRUE(judged.reason) << way;
    EXPECT_EQ(judged.build, "current") << way;
    if (code) EXPECT_EQ(name_of(judged.reason->code), name_of(*code)) << way;
    EXPECT_FALSE(lost);
  }

  Seconds timeout = 20;
  bool loses = false, lost = false;
  int longest = 0;

 private:
  TemporaryFolder folder_;
};

TEST_F(Matches, OfEqualBuildsAreNotSlowerAndAllCallsAreChecked) {
  const RefereedCase judged = match("honest");
  EXPECT_EQ(judged.ruling, Ruling::not_slower);
  EXPECT_FALSE(judged.reason);
  EXPECT_NEAR(judged.baseline_us, 100, 1);
  EXPECT_EQ(judged.rounds, most_rounds);
  EXPECT_THAT(judged.calls, testing::ElementsAre(5, 41));
  // Before the rounds: three times both builds, four calls and one.
  EXPECT_EQ(judged.checked, 3 * 2 * 5 + most_rounds * 2 * 46);
}

TEST_F(Matches, TellTheSlowerFromTheFaster) {
  EXPECT_EQ(match("honest", calls_of(100e-6, 1.05)).ruling, Ruling::slower);
  const RefereedCase judged = match("honest", calls_of(100e-6, 0.9));
  EXPECT_EQ(judged.ruling, Ruling::faster);
  EXPECT_NEAR(judged.ratio, 0.9, 0.002);
}

TEST_F(Matches, FindWrongResultsOfAnyCall) {
  for (const char* way : {"nothing", "in_bind", "practised_only", "each_second", "by_address", "part",
                          "later_thread", "zeroed_inputs"})
    expect_fault(way, Ruling::incorrect);
}

TEST_F(Matches, TakeTheToleranceOfTheBaselineAlone) {
  expect_fault("wide_tolerance", Ruling::incorrect, CauseCode::wrong_values);
  EXPECT_EQ(match("wide_tolerance", calls_of(100e-6), "wide_tolerance").ruling, Ruling::not_slower);
}

TEST_F(Matches, EndWithAPlayerThatFails) {
  expect_fault("crashes", Ruling::failed, CauseCode::crashed);
  expect_fault("leaves", Ruling::failed, CauseCode::crashed);
  expect_fault("throws", Ruling::failed, CauseCode::threw);
  expect_fault("throws_at_once", Ruling::failed, CauseCode::threw);
}

TEST_F(Matches, EndWithAPlayerThatHangs) {
  timeout = soon;
  expect_fault("hangs", Ruling::failed, CauseCode::timed_out);
}

TEST_F(Matches, EndWithAPlayerThatAnswersForItself) {
  expect_fault("answers_itself", Ruling::failed, CauseCode::worker_out_of_protocol);
}

TEST_F(Matches, AreNotPlayedWithoutTheCase) {
  expect_fault("no_variant", Ruling::unjudged, CauseCode::no_variant);
  expect_fault("other_tensors", Ruling::unjudged, CauseCode::other_tensors);
}

TEST_F(Matches, BlameNobodyButTheBaselineForItsFaults) {
  for (const char* way : {"part", "crashes"}) {
    const RefereedCase judged = match("honest", calls_of(100e-6), way);
    EXPECT_EQ(judged.ruling, Ruling::unjudged);
    EXPECT_EQ(judged.build, "baseline");
  }
}

TEST_F(Matches, TakeShorterBatchesWhereTheLongerCannotBeQueued) {
  const auto at_most_12 = [](const Play& play, int number) -> Result<PlayTiming> {
    PlayTiming timing = *calls_of(100e-6)(play, number);
    timing.gate_forced = play.calls > 12;
    return timing;
  };
  const RefereedCase judged = match("honest", at_most_12);
  EXPECT_EQ(judged.ruling, Ruling::not_slower);
  EXPECT_THAT(judged.calls, testing::ElementsAre(1, 10));
}

TEST_F(Matches, CannotBePlayedByCallsThatWaitForTheDevice) {
  const auto always_forced = [](const Play& play, int number) -> Result<PlayTiming> {
    PlayTiming timing = *calls_of(100e-6)(play, number);
    timing.gate_forced = play.calls > 0;
    return timing;
  };
  const RefereedCase judged = match("honest", always_forced);
  EXPECT_EQ(judged.ruling, Ruling::unjudged);
  EXPECT_EQ(judged.build, "");
  EXPECT_THAT(judged.reason->text("problem"), HasSubstr("wait for the device"));
}

// No player can know the batches.
TEST_F(Matches, HoldSomeBatchesBeforeTheirInputsAreWritten) {
  std::vector<Seconds> held, others;
  const auto noted = [&](const Play& play, int number) -> Result<PlayTiming> {
    if (play.calls > 0) (play.hold > 0 ? held : others).push_back(play.hold);
    return calls_of(100e-6)(play, number);
  };
  EXPECT_EQ(match("honest", noted).ruling, Ruling::not_slower);
  EXPECT_GE(held.size(), 5U);
  EXPECT_GT(others.size(), held.size());
  EXPECT_THAT(held, testing::Each(testing::AllOf(testing::Ge(0.5e-3), testing::Le(3e-3))));
}

TEST_F(Matches, KeepToTheBudget) {
  const RefereedCase judged = match("honest", calls_of(20e-3), "honest", {.budget = 2});
  EXPECT_THAT(judged.calls, testing::ElementsAre(1, 4));
  EXPECT_GE(judged.rounds, least_rounds);
  EXPECT_LE(judged.device_s, 2);
  const RefereedCase too_long = match("honest", calls_of(1), "honest", {.budget = 1});
  EXPECT_EQ(too_long.ruling, Ruling::unjudged);
  EXPECT_THAT(too_long.reason->text("advice"), HasSubstr("--budget"));
}

TEST_F(Matches, EndWithAPlayerThatDiesWhileItsCallsRun) {
  const RefereedCase judged = match("dies_later", looked_at(2000));
  EXPECT_EQ(judged.ruling, Ruling::failed);
  EXPECT_EQ(judged.build, "current");
  ASSERT_TRUE(judged.reason);
  EXPECT_EQ(name_of(judged.reason->code), name_of(CauseCode::crashed));
  EXPECT_FALSE(lost);
}

TEST_F(Matches, GoOnWithPlayersThatAreLookedAt) {
  EXPECT_EQ(match("honest", looked_at(2)).ruling, Ruling::not_slower);
}

TEST_F(Matches, GoOnAfterCallsThatDoNotEndWhereTheDeviceIsFreeAgain) {
  EXPECT_EQ(match("honest", blocked_device()).ruling, Ruling::unjudged);
  EXPECT_FALSE(lost);
}

TEST_F(Matches, TellThatTheDeviceIsLost) {
  loses = true;
  const RefereedCase judged = match("honest", blocked_device());
  EXPECT_EQ(judged.ruling, Ruling::unjudged);
  EXPECT_EQ(judged.build, "baseline");
  EXPECT_TRUE(lost);
}

}  // namespace
}  // namespace harness::referee
