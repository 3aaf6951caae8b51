// A run on two devices at the same time, each a script: lanes are threads, and under ThreadSanitizer what
// they share must be guarded.
#include "harness/measure/schedule/run.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>

#include "harness/base/files.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class SideBySide : public testing::Test {
 protected:
  SideBySide() {
    plan_.modules = {TEST_PLUGIN};
    options_.worker_command = {TEST_WORKER};
    options_.devices["cpu"] = device("a").name;
    options_.side_by_side["cpu"] = {device("a"), device("b")};
    options_.on_result = [&](EncodedResult one) -> Status {
      results_.push_back(std::move(one.result));
      if (full_) return fail(ErrorKind::environment, "the disk is full");
      return {};
    };
    options_.on_machine = [&](const std::string& kind, const Machine& machine) {
      machines_.push_back(kind + " " + machine.device_uuid);
    };
    options_.on_progress = [&](const Progress& progress) { progress_.push_back(progress); };
    options_.may_begin = [&] { return asked_++ < may_begin_; };
    for (const char* variant : {"right", "right_too"})
      plan_.cases.emplace_back(planned_line(variant)).sampling.processes = 5;
  }

  SideDevice device(const std::string& name) {
    const std::filesystem::path path = folder_.path() / (name + ".json");
    std::ofstream(path) << R"({"version": 1, "device_uuid": "uuid-)" << name
                        << R"(", "default": {"us": 100}})";
    return {"scripted:" + path.string(), "uuid-" + name};
  }

  TemporaryFolder folder_;
  Plan plan_;
  RunOptions options_;
  std::vector<ProcessResult> results_;
  std::vector<std::string> machines_;
  std::vector<Progress> progress_;
  int asked_ = 0;
  int may_begin_ = 1000;
  bool full_ = false;
};

TEST_F(SideBySide, EachDeviceMeasuresItsProcessesAndResultsNameIt) {
  const Result<RunReport> report = run_plan(plan_, options_);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->ended);
  EXPECT_FALSE(report->interrupted);
  std::set<std::pair<std::string, int>> seen;
  for (const ProcessResult& one : results_) {
    EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
    EXPECT_EQ(one.device_uuid, one.process % 2 == 1 ? "uuid-a" : "uuid-b") << one.process;
    seen.emplace(one.case_id, one.process);
  }
  EXPECT_THAT(results_, SizeIs(10));
  EXPECT_THAT(seen, SizeIs(10));
  EXPECT_THAT(machines_, UnorderedElementsAre("cpu uuid-a", "cpu uuid-b"));
}

TEST_F(SideBySide, BothDevicesTimeACaseInOneWay) {
  for (const auto& [name, us] : {std::pair{"a", 29}, {"b", 31}})
    std::ofstream(folder_.path() / (std::string(name) + ".json"))
        << R"({"version": 1, "batch_below_us": 30, "default": {"us": )" << us << "}}";
  ASSERT_TRUE(run_plan(plan_, options_));
  std::map<std::string, std::set<bool>> in_batches;
  for (const ProcessResult& one : results_) {
    EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
    in_batches[one.case_id].insert(one.batching.has_value());
  }
  EXPECT_THAT(results_, SizeIs(10)) << "a case that was timed otherwise is measured again";
  for (const auto& [id, ways] : in_batches) EXPECT_THAT(ways, SizeIs(1)) << id;
}

TEST_F(SideBySide, ProgressIsOfBothTogether) {
  options_.already = {{plan_.cases[0].id, 1}, {plan_.cases[1].id, 1}, {plan_.cases[0].id, 2}};
  ASSERT_TRUE(run_plan(plan_, options_));
  EXPECT_THAT(results_, SizeIs(7));
  ASSERT_FALSE(progress_.empty());
  EXPECT_THAT(progress_, Each(Field(&Progress::total, 10U)));
  EXPECT_EQ(progress_.front().done, 3U);
  for (std::size_t i = 1; i < progress_.size(); ++i) EXPECT_GE(progress_[i].done, progress_[i - 1].done);
  EXPECT_GE(progress_.back().done, 9U);
}

TEST_F(SideBySide, NoLaneBeginsWhatMayNotBegin) {
  may_begin_ = 0;
  const Result<RunReport> report = run_plan(plan_, options_);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(report->ended);
  EXPECT_THAT(results_, IsEmpty());
}

TEST_F(SideBySide, ASinkThatFailsFailsTheRun) {
  full_ = true;
  const Result<RunReport> report = run_plan(plan_, options_);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace harness
