// Runs whose workers share one scripted device. It says when two workers are inside at once, and when one
// uses it in its host work.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <map>
#include <set>

#include "harness/measure/case/measure_case.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/device_token.h"
#include "tests/measure/run_plan.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::Not;
using testing::SizeIs;

// Where the token was in each part of a case: "inside" with the worker, or "free".
class Watch {
 public:
  static inline std::filesystem::path file = {};
  static inline std::set<std::string> seen = {};

  static void at(const std::string& part) {
    Result<DeviceToken> other = DeviceToken::open(file);
    ASSERT_TRUE(other);
    seen.insert(part + (other->try_take() ? " free" : " inside"));
  }
};

class WatchedLine : public trial::Line {
 public:
  void fill(const sdk::Params& params, std::uint64_t seed, std::span<sdk::HostTensor> inputs) const override {
    Watch::at("fill");
    Line::fill(params, seed, inputs);
  }
  void reference(const sdk::Params& params, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    Watch::at("reference");
    Line::reference(params, inputs, output, wanted, expected);
  }
};

class WatchedKernel : public trial::Right {
 public:
  WatchedKernel(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    Watch::at("construct");
  }
  void bind(const sdk::Buffers& buffers) override {
    Watch::at("bind");
    Right::bind(buffers);
  }
  void run(sdk::Stream stream) override {
    Watch::at("run");
    Right::run(stream);
  }
};

void register_watched(sdk::Registry& registry) {
  registry.add(std::make_unique<WatchedLine>());
  registry.add(trial::variant<WatchedKernel>("watched"));
}

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

TEST_F(Sharing, InputsAreMadeBeforeConstructionAndWithoutTheDevice) {
  Watch::file = folder_.path() / "token";
  std::ofstream(Watch::file).flush();
  Result<DeviceToken> token = DeviceToken::open(Watch::file);
  ASSERT_TRUE(token);
  token->take();
  Carried carried;
  carried.token = &*token;
  Catalog catalog;
  ASSERT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", register_watched}));
  const ProcessResult result =
      measure_case(*scripted(R"({"version": 1})"), catalog, planned_line("watched", large), 1, carried);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_THAT(Watch::seen,
              ElementsAre("bind inside", "construct inside", "fill free", "reference free", "run inside"));
  EXPECT_EQ(result.phases.at(0).name, "inputs");
  EXPECT_EQ(result.phases.at(1).name, "construct");
}

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

TEST_F(Sharing, ACaseWithoutRoomIsTriedAgainAlone) {
  play(R"(, "memory_bytes": 1000000)");
  plan_.cases.resize(1);
  add("right_too").sampling.processes = 5;
  run();
  EXPECT_THAT(pairs(), SizeIs(10));
  for (const ProcessResult& one : results_) {
    const bool fits = one.case_id == plan_.cases.back().id;
    const Outcome otherwise = one.process == 1 ? Outcome::failed : Outcome::skipped;
    EXPECT_EQ(one.outcome, fits ? Outcome::measured : otherwise) << one.process << one.reason;
  }
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
