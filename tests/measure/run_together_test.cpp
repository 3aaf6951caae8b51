// Two builds measured together by real worker processes, on scripted time: in turns, and in one process.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/measure/schedule/run.h"
#include "harness/measure/worker/probe.h"
#include "harness/stats/series/turns.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::ElementsAreArray;
using testing::SizeIs;

class RunTogether : public testing::Test {
 protected:
  RunTogether() {
    std::ofstream(folder_.path() / "script.json")
        << R"({"version": 1, "cases": [{"match": "*", "side": "current", "us": 103}]})";
    for (RunOptions* options : {&baseline_, &current_}) {
      options->worker_command = {TEST_WORKER};
      options->worker_folder = folder_.path();  // the script is found from there
      options->devices["cpu"] = "scripted:script.json";
    }
    const auto keep = [this](const char* side, std::vector<ProcessResult>& results) {
      return [this, side, &results](EncodedResult one) -> Status {
        order_.push_back(side + std::to_string(one.result.process));
        results.push_back(std::move(one.result));
        return {};
      };
    };
    baseline_.on_result = current_.on_baseline = keep("b", before_);
    current_.on_result = keep("c", after_);
    plan_.modules = {TEST_PLUGIN};
  }

  // Two builds of the plugin: the same code in two files.
  PairedBuilds two_builds() {
    PairedBuilds builds;
    for (auto [build, name] : {std::pair{&builds.baseline, "baseline.so"}, {&builds.current, "current.so"}}) {
      const std::filesystem::path copy = folder_.path() / name;
      std::filesystem::copy_file(TEST_PLUGIN, copy);
      build->plugins = {copy.string()};
    }
    return builds;
  }

  PlannedCase& add(const std::string& variant, int processes = 7) {
    PlannedCase& planned = plan_.cases.emplace_back(planned_line(variant));
    planned.sampling.processes = processes;
    return planned;
  }

  TemporaryFolder folder_;
  Plan plan_;
  RunOptions baseline_, current_;
  std::vector<ProcessResult> before_, after_;
  std::vector<std::string> order_;
};

TEST_F(RunTogether, TimesBothBuildsInOneWay) {
  std::ofstream(folder_.path() / "script.json")
      << R"({"version": 1, "batch_below_us": 30, "default": {"us": 31}})";
  std::ofstream(folder_.path() / "other.json")
      << R"({"version": 1, "batch_below_us": 30, "default": {"us": 29}})";
  current_.devices["cpu"] = "scripted:other.json";
  add("right", 3);
  ASSERT_TRUE(run_in_turns({plan_, baseline_}, {plan_, current_}, 1));
  ASSERT_EQ(before_.size() + after_.size(), 6U);
  for (const std::vector<ProcessResult>* side : {&before_, &after_})
    for (const ProcessResult& one : *side)
      EXPECT_EQ(one.batching.has_value(), before_.front().batching.has_value()) << one.process;
}

TEST_F(RunTogether, TakesTurnsInTheOrderThatTheSeedGives) {
  add("right");
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    order_.clear();
    const auto report = run_in_turns({plan_, baseline_}, {plan_, current_}, seed);
    ASSERT_TRUE(report) << report.error().text();
    std::vector<std::string> wanted;
    for (int process = 1; process <= 7; ++process) {
      const std::string number = std::to_string(process);
      if (stats::current_first(process, seed))
        wanted.insert(wanted.end(), {"c" + number, "b" + number});
      else
        wanted.insert(wanted.end(), {"b" + number, "c" + number});
    }
    EXPECT_THAT(order_, ElementsAreArray(wanted));
  }
  for (const ProcessResult& one : before_) EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
}

TEST_F(RunTogether, TakesTurnsThoughOneSideHasMoreProcessesOrNone) {
  add("right", 3);
  Plan longer = plan_, nothing;
  longer.cases[0].sampling.processes = 5;
  ASSERT_TRUE(run_in_turns({plan_, baseline_}, {longer, current_}, 1));
  EXPECT_THAT(before_, SizeIs(3));
  EXPECT_THAT(after_, SizeIs(5));
  ASSERT_TRUE(run_in_turns({nothing, baseline_}, {plan_, current_}, 1));
  EXPECT_THAT(before_, SizeIs(3));
  EXPECT_THAT(after_, SizeIs(8));
}

TEST_F(RunTogether, LooksAtBothBuildsInOneProcess) {
  std::ofstream(folder_.path() / "script.json")
      << R"({"version": 1, "cases": [{"match": "*", "side": "current", "identity": {"digest": "other"}}],
             "default": {"identity": {"digest": "same"}}})";
  add("right");
  current_.pair = two_builds();
  current_.look = true;
  const auto report = run_plan(plan_, current_);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_THAT(before_, SizeIs(1));
  ASSERT_THAT(after_, SizeIs(1));
  EXPECT_EQ(before_[0].outcome, Outcome::looked_at) << before_[0].reason;
  ASSERT_TRUE(before_[0].identity && after_[0].identity);
  EXPECT_NE(before_[0].identity->digest, after_[0].identity->digest);
}

TEST_F(RunTogether, MeasuresBothBuildsInEveryProcess) {
  add("right", 2);
  current_.pair = two_builds();
  const auto report = run_plan(plan_, current_);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(order_, ElementsAreArray({"b1", "c1", "b2", "c2"}));
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(before_[i].outcome, Outcome::measured) << before_[i].reason;
    ASSERT_EQ(after_[i].outcome, Outcome::measured) << after_[i].reason;
    EXPECT_EQ(before_[i].series[0].processes[0].placements[0].samples[0], 100);
    EXPECT_EQ(after_[i].series[0].processes[0].placements[0].samples[0], 103);
  }
}

TEST_F(RunTogether, ACrashIsBothBuildsFailureAndTheNextCaseIsMeasured) {
  add("crash", 2);
  add("right", 2);
  current_.pair = two_builds();
  ASSERT_TRUE(run_plan(plan_, current_));
  ASSERT_EQ(before_.size(), after_.size());
  int crashed = 0, measured = 0;
  for (std::size_t i = 0; i < after_.size(); ++i) {
    EXPECT_EQ(before_[i].outcome, after_[i].outcome);
    EXPECT_EQ(before_[i].case_id, after_[i].case_id);
    crashed += after_[i].outcome == Outcome::failed ? 1 : 0;
    measured += after_[i].outcome == Outcome::measured ? 1 : 0;
  }
  EXPECT_EQ(crashed, 1);  // and is not tried again
  EXPECT_EQ(measured, 2);
}

TEST_F(RunTogether, SaysWhyBothBuildsCannotShareAProcess) {
  PairedBuilds builds = two_builds();
  EXPECT_TRUE(probe_pair("scripted:script.json", builds, {TEST_WORKER}, folder_.path()));
  builds.current = builds.baseline;
  const Status same = probe_pair("scripted:script.json", builds, {TEST_WORKER}, folder_.path());
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().kind, ErrorKind::environment);
  builds.current.plugins = {TEST_WORKER};
  EXPECT_FALSE(probe_pair("scripted:script.json", builds, {TEST_WORKER}, folder_.path()));
}

TEST_F(RunTogether, NeedsSomewhereToPutBothResults) {
  add("right");
  current_.pair = two_builds();
  current_.on_baseline = nullptr;
  EXPECT_FALSE(run_plan(plan_, current_));
}

}  // namespace
}  // namespace harness
