// Runs whose workers share one scripted device. It says when two workers are inside at once, and when one
// uses it in its host work.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <map>
#include <set>

#include "tests/measure/run_plan.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::Not;
using testing::SizeIs;

constexpr int workers = 3;
constexpr std::int64_t large = std::int64_t{1} << 19;  // elements: host work that is worth it

class Sharing : public RunPlan {
 protected:
  Sharing() {
    options_.workers["cpu"] = workers;
    for (const char* variant : {"right", "right_too"}) add_large(variant).sampling.processes = 5;
    play();
  }
  // `more`: members of the script.
  void play(const std::string& more = "") {
    script(R"({"version": 1, "default": {"us": 100, "process_sd": 0.01, "sample_sd": 0.01}, "inside": ")" +
           (folder_.path() / "inside").string() + "\"" + more + "}");
  }
  PlannedCase& add_large(const std::string& variant) {
    return plan_.cases.emplace_back(planned_line(variant, large));
  }
  [[nodiscard]] std::set<std::pair<std::string, int>> pairs() const {
    std::set<std::pair<std::string, int>> all;
    for (const ProcessResult& one : results_) all.emplace(one.case_id, one.process);
    return all;
  }
  // The series by case and process.
  [[nodiscard]] std::map<std::pair<std::string, int>, std::vector<Series>> values() const {
    std::map<std::pair<std::string, int>, std::vector<Series>> all;
    for (const ProcessResult& one : results_) all[{one.case_id, one.process}] = one.series;
    return all;
  }
};

TEST_F(Sharing, NeverTwoWorkersAreInsideAtOnce) {
  run();
  EXPECT_THAT(results_, SizeIs(10));
  EXPECT_THAT(pairs(), SizeIs(10));
  for (const ProcessResult& one : results_) EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
}

TEST_F(Sharing, TheDeviceTellsWhenTheyAre) {
  options_.workers.clear();
  for (PlannedCase& planned : plan_.cases) planned.sampling.processes = 1;
  const int held = open((folder_.path() / "inside").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  run();
  close(held);
  EXPECT_THAT(results_, Each(Field(&ProcessResult::outcome, Not(Outcome::measured))));
}

TEST_F(Sharing, MeasuresTheSameAsOneWorker) {
  run();
  const auto shared = values();
  results_.clear();
  options_.workers.clear();
  run();
  EXPECT_EQ(values(), shared);
}

TEST_F(Sharing, AContinuedRunMeasuresTheRest) {
  options_.already = {{plan_.cases[0].id, 1}, {plan_.cases[0].id, 2}, {plan_.cases[1].id, 4}};
  run();
  EXPECT_THAT(pairs(), SizeIs(7));
  for (const auto& one : options_.already) EXPECT_THAT(pairs(), Not(Contains(one)));
}

TEST_F(Sharing, ADeviceThatTakesOneWorkerAtATimeHasOne) {
  play(R"(, "context": ")" + (folder_.path() / "context").string() + "\"");
  run();
  EXPECT_THAT(pairs(), SizeIs(10));
  for (const ProcessResult& one : results_) EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
}

TEST_F(Sharing, ACaseThatFailsFailsAndTheOthersGoOn) {
  add_large("crash").sampling.processes = 3;
  run();
  EXPECT_THAT(results_, SizeIs(13));
  for (const ProcessResult& one : results_) {
    const bool crashes = one.case_id == plan_.cases.back().id;
    EXPECT_EQ(one.outcome, crashes ? Outcome::failed : Outcome::measured) << one.case_id << one.reason;
  }
}

TEST_F(Sharing, ItsDeadlineDoesNotCountItsWait) {
  add_large("hang").sampling.processes = 1;
  for (PlannedCase& planned : plan_.cases) planned.sampling.timeout = 8;
  run();
  EXPECT_THAT(results_, SizeIs(11));
  for (const ProcessResult& one : results_) {
    const bool hangs = one.case_id == plan_.cases.back().id;
    EXPECT_EQ(one.outcome, hangs ? Outcome::timed_out : Outcome::measured) << one.case_id << one.reason;
  }
}

TEST_F(Sharing, AnUngatedCaseHasTheHostForItself) {
  play(R"(, "gate_obstacle": "ungated_by_tool")");
  run();
  EXPECT_THAT(pairs(), SizeIs(10));
  for (const ProcessResult& one : results_) EXPECT_EQ(one.outcome, Outcome::measured) << one.reason;
}

}  // namespace
}  // namespace harness
