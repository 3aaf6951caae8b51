// One case of two builds in one process, on scripted time.
#include <gmock/gmock.h>

#include <algorithm>

#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;
using trial::Right;

// Who ran, in order, and where; reset by each test.
struct Seen {
  std::string runs;    // "b" and "c", without those that were audited
  std::string audits;  // likewise
  const ScriptedDevice* device = nullptr;
  std::vector<void*> baseline_outputs, current_outputs;
  std::vector<float> first_inputs;
};
Seen seen;

template <char letter>
class Watched : public Right {
 public:
  using Right::Right;
  [[nodiscard]] std::size_t workspace_bytes() const override { return letter == 'b' ? 100 : 5000; }
  void bind(const sdk::Buffers& buffers) override {
    Right::bind(buffers);
    (letter == 'b' ? seen.baseline_outputs : seen.current_outputs).push_back(y_);
    seen.first_inputs.push_back(x_[0]);
    static_cast<char*>(buffers.workspace)[workspace_bytes() - 1] = 1;  // is there, whoever asked for more
  }
  void run(sdk::Stream stream) override {
    (seen.device->auditing() ? seen.audits : seen.runs) += letter;
    Right::run(stream);
  }
};

class Wrong : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    y_[0] += 1;
  }
};

// Writes nothing: whatever is right in the outputs, another has put there.
class Idle : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {}
};

class Thrower : public Right {
 public:
  Thrower(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    throw std::runtime_error("no plan");
  }
};

class Choosy : public Right {
 public:
  Choosy(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    throw sdk::Unsupported("odd sizes only");
  }
};

class WiderLine : public trial::Line {
 public:
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    sdk::Problem problem = Line::problem(params);
    problem.tensors[0].shape[0] *= 2;
    return problem;
  }
};

template <class Workload>
void add_workload(sdk::Registry& registry) {
  registry.add(std::make_unique<Workload>());
}

// A build whose variant `v` is this kernel.
template <class Kernel, class Workload = trial::Line>
Catalog build() {
  Catalog catalog;
  const auto added = catalog.add({sdk::module_abi, sdk::compiler_abi, "build", [](sdk::Registry& registry) {
                                    registry.add(std::make_unique<Workload>());
                                    registry.add(trial::variant<Kernel>("v"));
                                  }});
  if (!added) ADD_FAILURE() << added.error().text();
  return catalog;
}

Catalog without_variant() {
  Catalog catalog;
  const auto added = catalog.add({sdk::module_abi, sdk::compiler_abi, "build", [](sdk::Registry& registry) {
                                    registry.add(std::make_unique<trial::Line>());
                                  }});
  if (!added) ADD_FAILURE() << added.error().text();
  return catalog;
}

const char* const two_speeds = R"({"version": 1, "cases": [
  {"match": "*", "side": "baseline", "samples": [100, 101, 102, 103], "first_call_us": 7},
  {"match": "*", "side": "current", "samples": [200, 201, 202, 203], "first_call_us": 8}]})";

PairResult measure(const Catalog& baseline, const Catalog& current, const std::string& script = two_speeds,
                   PlannedCase planned = planned_line("v")) {
  seen = {};
  planned.sampling.samples = 4;
  const auto device = scripted(script);
  seen.device = device.get();
  Carried carried;
  return measure_pair(*device, baseline, current, planned, 3, carried);
}

std::vector<double> samples_of(const ProcessResult& result, std::size_t placement) {
  return result.series.at(0).processes.at(0).placements.at(placement).samples;
}

TEST(MeasurePair, HasNoMetricOfABuildThatFindsWhatTheOtherLoaded) {
  PlannedCase planned = planned_line("v");
  planned.metrics = {"time", "first_call", "setup_time", "peak_memory"};
  const PairResult both = measure(build<Watched<'b'>>(), build<Watched<'c'>>(), two_speeds, planned);
  for (const ProcessResult* one : {&both.baseline, &both.current}) {
    ASSERT_EQ(one->series.size(), 2U);
    EXPECT_EQ(one->series[1].metric, "peak_memory") << "each build's second kernel finds all loaded";
    EXPECT_THAT(one->notes,
                testing::Contains(FactIs(NoteCode::metric_of_two_builds, {{"metric", "setup_time"}})));
  }
}

TEST(MeasurePair, TakesSamplesOfBothInTurns) {
  const PairResult both = measure(build<Watched<'b'>>(), build<Watched<'c'>>());
  EXPECT_EQ(both.baseline.outcome, Outcome::measured) << both.baseline.reason;
  EXPECT_EQ(both.current.outcome, Outcome::measured) << both.current.reason;
  // First calls; then each placement: three warm-up rounds, samples ABBA, in the second BAAB; the check
  // after.
  EXPECT_EQ(seen.runs,
            "bc"
            "bcbcbc"
            "bccbbccb"
            "bcbcbc"
            "cbbccbbc"
            "bc");
  // One or two audits of each in each placement, of seven calls in a row.
  constexpr std::size_t calls_of_audit = 7;
  for (const std::string letter : {"b", "c"}) {
    const auto calls =
        static_cast<std::size_t>(std::count(seen.audits.begin(), seen.audits.end(), letter[0]));
    EXPECT_THAT(calls, AllOf(Ge(2 * calls_of_audit), Le(2 * 2 * calls_of_audit)));
  }
  for (std::size_t i = 0; i < seen.audits.size(); ++i)
    EXPECT_EQ(seen.audits[i], seen.audits[i / calls_of_audit * calls_of_audit]) << i;
  for (const std::size_t placement : {0U, 1U}) {
    EXPECT_THAT(samples_of(both.baseline, placement), ElementsAre(100, 101, 102, 103));
    EXPECT_THAT(samples_of(both.current, placement), ElementsAre(200, 201, 202, 203));
  }
  for (const ProcessResult* one : {&both.baseline, &both.current}) {
    EXPECT_EQ(one->process, 3);
    EXPECT_EQ(one->series[0].processes[0].process, 3);
    ASSERT_TRUE(one->verification);
    EXPECT_LE(one->verification->after, 1e-6);
  }
}

TEST(MeasurePair, GivesBothTheSameInputsInTheSameBuffers) {
  measure(build<Watched<'b'>>(), build<Watched<'c'>>());
  EXPECT_EQ(seen.baseline_outputs, seen.current_outputs);
  ASSERT_THAT(seen.baseline_outputs, SizeIs(3));
  EXPECT_NE(seen.baseline_outputs[1], seen.baseline_outputs[2]);
  for (const float first : seen.first_inputs) EXPECT_EQ(first, seen.first_inputs[0]);
}

TEST(MeasurePair, CountsToEachBuildTheMemoryThatItNeeds) {
  PlannedCase planned = planned_line("v");
  planned.metrics = {"buffer_memory"};
  const PairResult both = measure(build<Watched<'b'>>(), build<Watched<'c'>>(), two_speeds, planned);
  const auto value = [](const ProcessResult& result) {
    return result.series.at(1).processes.at(0).placements.at(0).samples.at(0);
  };
  EXPECT_EQ(value(both.current) - value(both.baseline), 4900);
}

TEST(MeasurePair, ChecksEachResultByItself) {
  const PairResult later = measure(build<Watched<'b'>>(), build<Wrong>());
  EXPECT_EQ(later.baseline.outcome, Outcome::measured) << later.baseline.reason;
  EXPECT_EQ(later.current.outcome, Outcome::incorrect);
  EXPECT_THAT(samples_of(later.baseline, 1), SizeIs(4));  // goes on alone
  EXPECT_THAT(later.current.series, IsEmpty());
  const PairResult earlier = measure(build<Wrong>(), build<Watched<'c'>>());
  EXPECT_EQ(earlier.baseline.outcome, Outcome::incorrect);
  EXPECT_EQ(earlier.current.outcome, Outcome::measured) << earlier.current.reason;
}

TEST(MeasurePair, PassesNoneForRightByWhatTheOtherWrote) {
  const PairResult both = measure(build<Right>(), build<Idle>());
  EXPECT_EQ(both.current.outcome, Outcome::incorrect);
  EXPECT_THAT(both.current.reason, FactIs(CauseCode::not_written));
  EXPECT_EQ(both.baseline.outcome, Outcome::measured) << both.baseline.reason;
}

TEST(MeasurePair, GoesOnWithTheBuildThatCan) {
  const PairResult threw = measure(build<Thrower>(), build<Right>());
  EXPECT_EQ(threw.baseline.outcome, Outcome::failed);
  EXPECT_THAT(threw.baseline.reason, FactIs(CauseCode::threw, {{"what", "no plan"}}));
  EXPECT_EQ(threw.current.outcome, Outcome::measured) << threw.current.reason;
  const PairResult refused = measure(build<Right>(), build<Choosy>());
  EXPECT_EQ(refused.baseline.outcome, Outcome::measured) << refused.baseline.reason;
  EXPECT_EQ(refused.current.outcome, Outcome::skipped);
  const PairResult absent = measure(without_variant(), build<Right>());
  EXPECT_THAT(absent.baseline.reason, FactIs(CauseCode::no_variant));
  EXPECT_EQ(absent.current.outcome, Outcome::measured) << absent.current.reason;
}

TEST(MeasurePair, LeavesOutABaselineThatMeansAnotherProblem) {
  const PairResult both = measure(build<Right, WiderLine>(), build<Right>());
  EXPECT_EQ(both.baseline.outcome, Outcome::skipped);
  EXPECT_THAT(both.baseline.reason, FactIs(CauseCode::other_tensors));
  EXPECT_EQ(both.current.outcome, Outcome::measured) << both.current.reason;
}

TEST(MeasurePair, EndsBothWhenOneLosesTheDevice) {
  const PairResult both = measure(build<Right>(), build<Right>(), R"({"version": 1, "cases": [
    {"match": "*", "side": "current", "error": {"placement": 0, "sample": 1, "message": "illegal address"}}]})");
  EXPECT_EQ(both.current.outcome, Outcome::failed);
  EXPECT_THAT(both.current.reason,
              FactIs(CauseCode::device_error,
                     {{"problem", "illegal address"}, {"step", "sample"}, {"placement", 1}}));
  EXPECT_EQ(both.baseline.outcome, Outcome::failed);
  EXPECT_THAT(both.baseline.reason,
              FactIs(CauseCode::other_build_failed, {{"build", "current"}, {"problem", "illegal address"}}));
}

}  // namespace
}  // namespace harness
