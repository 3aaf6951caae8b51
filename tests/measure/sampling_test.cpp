// How a case is sampled: preheated again between its placements, until its mean is known, with its clock and
// its memory.
#include <gmock/gmock.h>

#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<trial::Right>("right"));
}

const Catalog& catalog() {
  static const Catalog made = [] {
    Catalog empty;
    EXPECT_TRUE(empty.add({sdk::module_abi, sdk::compiler_abi, "test", register_all}));
    return empty;
  }();
  return made;
}

ProcessResult measure(ScriptedDevice& device, const PlannedCase& planned) {
  ProcessResult result = measure_case(device, catalog(), planned, 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  return result;
}

ProcessResult measure(const std::string& script, const PlannedCase& planned) {
  return measure(*scripted(script), planned);
}

const std::vector<Placement>& placements_of(const ProcessResult& result, std::size_t series = 0) {
  return result.series.at(series).processes.at(0).placements;
}

PlannedCase adaptive(int least, int most, double width) {
  PlannedCase planned = planned_line("right");
  planned.sampling.width_samples = least;
  planned.sampling.samples = most;
  planned.sampling.width = width;
  return planned;
}

TEST(Sampling, OfAFixedNumberSaysThatItTookThemAll) {
  const ProcessResult result = measure(R"({"version": 1})", planned_line("right"));
  EXPECT_THAT(placements_of(result), Each(Field(&Placement::stopped, Stop::count)));
}

TEST(Sampling, StopsWhenTheMeanIsKnownAndSaysSo) {
  const std::string quiet = R"({"version": 1, "default": {"us": 100, "sample_sd": 0.0001}})",
                    noisy = R"({"version": 1, "default": {"us": 100, "sample_sd": 0.01}})";
  const PlannedCase planned = adaptive(20, 2000, 0.003);
  const ProcessResult few = measure(quiet, planned), many = measure(noisy, planned);
  for (const Placement& placement : placements_of(few)) EXPECT_THAT(placement.samples, SizeIs(20));
  for (const Placement& placement : placements_of(many)) {
    // A width of 0.3 % asks for (2 x 1.96 x 1 % / 0.3 %)^2 = 171 samples of an sd of 1 %.
    EXPECT_GT(placement.samples.size(), 100U);
    EXPECT_LT(placement.samples.size(), 320U);
    EXPECT_EQ(placement.stopped, Stop::width);
  }
  EXPECT_THAT(many.notes, IsEmpty());
}

TEST(Sampling, ThatNeverKnewTheMeanSaysHowFarItCame) {
  const ProcessResult result =
      measure(R"({"version": 1, "default": {"us": 100, "sample_sd": 0.05}})", adaptive(20, 60, 0.003));
  for (const Placement& placement : placements_of(result)) {
    EXPECT_THAT(placement.samples, SizeIs(60));
    EXPECT_EQ(placement.stopped, Stop::count);
  }
  EXPECT_THAT(result.notes,
              ElementsAre(FactIs(NoteCode::wide_intervals,
                                 {{"placements", 2}, {"of", 2}, {"width", 0.003}, {"samples", 60}})));
}

TEST(Sampling, ThatRanOutOfTimeSaysSo) {
  PlannedCase planned = adaptive(20, 2000, 0.0001);
  planned.sampling.max_time = 0.01;  // 5 ms a placement, of 110 us a sample
  const ProcessResult result =
      measure(R"({"version": 1, "default": {"us": 100, "sample_sd": 0.01}})", planned);
  EXPECT_THAT(placements_of(result), Each(Field(&Placement::stopped, Stop::max_time)));
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::out_of_time, {{"max_time", 0.01}})));
}

TEST(Sampling, OfSustainedPowerPreheatsAgainWhereTheDeviceIdled) {
  PlannedCase planned = planned_line("right");
  planned.sampling.preheat = 0.3;
  planned.sampling.power = PowerMode::sustained;
  planned.sampling.placements = 3;
  const auto device = scripted(R"({"version": 1})");
  const ProcessResult result = measure(*device, planned);
  EXPECT_THAT(device->preheats(), ElementsAre(DoubleNear(0.05, 1e-9)))
      << "nothing takes the host time on this device";
  const auto phase = std::find_if(result.phases.begin(), result.phases.end(),
                                  [](const Phase& one) { return one.name == "preheat"; });
  ASSERT_NE(phase, result.phases.end());
  EXPECT_NEAR(phase->duration, 0.05, 1e-9);
  const auto cold = scripted(R"({"version": 1})");
  measure(*cold, planned_line("right"));
  EXPECT_THAT(cold->preheats(), IsEmpty()) << "a suite without preheating gets none";
  planned.sampling.power = PowerMode::boost;
  const auto rested = scripted(R"({"version": 1})");
  measure(*rested, planned);
  EXPECT_THAT(rested->preheats(), IsEmpty()) << "heat would bring it to its power limit";
}

TEST(Sampling, OfACaseKnowsHowLongTheDeviceIdledSinceTheOneBefore) {
  PlannedCase planned = planned_line("right");
  planned.sampling.preheat = 0.3;
  planned.sampling.power = PowerMode::sustained;
  planned.sampling.placements = 1;
  const auto device = scripted(R"({"version": 1, "default": {"us": 100, "first_call_us": 20000}})");
  Carried carried;
  EXPECT_EQ(measure_case(*device, catalog(), planned, 1, carried).outcome, Outcome::measured);
  EXPECT_EQ(measure_case(*device, catalog(), planned, 1, carried).outcome, Outcome::measured);
  // The first call of the second took 20 ms.
  EXPECT_THAT(device->preheats(), ElementsAre(DoubleNear(0.05, 1e-9), DoubleNear(0.002, 1e-4)));
}

TEST(Sampling, OutputsOfTheNextCaseTakeTheMemoryOfTheLast) {
  const auto device = scripted(R"({"version": 1})");
  Carried carried;
  measure_case(*device, catalog(), planned_line("right", 1000), 1, carried);
  ASSERT_THAT(carried.outputs.tensors(), SizeIs(1));
  const std::byte* const memory = carried.outputs.tensors()[0].data.data();
  EXPECT_EQ(measure_case(*device, catalog(), planned_line("right", 100), 1, carried).outcome,
            Outcome::measured);
  EXPECT_EQ(carried.outputs.tensors()[0].data.data(), memory);
  EXPECT_EQ(carried.outputs.tensors()[0].spec.shape, std::vector<std::int64_t>{100});
  EXPECT_THAT(carried.outputs.tensors()[0].data, SizeIs(400));
  EXPECT_EQ(measure_case(*device, catalog(), planned_line("right", 5000), 1, carried).outcome,
            Outcome::measured);
  EXPECT_THAT(carried.outputs.tensors()[0].data, SizeIs(20'000));
}

TEST(Sampling, ReadsTheClockOnBothSidesOfEachPlacement) {
  const ProcessResult result =
      measure(R"({"version": 1, "clock_ghz": [1.9, 1.7, 1.5, 1.3]})", planned_line("right"));
  ASSERT_THAT(placements_of(result), SizeIs(2));
  EXPECT_NEAR(placements_of(result)[0].clock_ghz, 1.8, 1e-12);
  EXPECT_NEAR(placements_of(result)[1].clock_ghz, 1.4, 1e-12);
}

TEST(Cycles, AreTheTimesByEachPlacementsOwnClock) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"time", "cycles"};
  const ProcessResult result =
      measure(R"({"version": 1, "clock_ghz": [2, 2, 1, 1], "default": {"us": 100}})", planned);
  ASSERT_THAT(result.series, SizeIs(2));
  EXPECT_EQ(result.series[0].metric, "wall_time");
  EXPECT_EQ(result.series[1].metric, "cycles");
  EXPECT_EQ(result.series[1].unit, "cycles");
  EXPECT_THAT(placements_of(result, 1)[0].samples, AllOf(SizeIs(10), Each(200'000)));
  EXPECT_THAT(placements_of(result, 1)[1].samples, AllOf(SizeIs(10), Each(100'000)));
  EXPECT_EQ(placements_of(result, 1)[0].clock_ghz, 0) << "else a comparison would count the clock twice";
}

TEST(Cycles, AreMissingWithAReasonWhereTheDeviceHasNoClock) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"cycles"};
  const ProcessResult result = measure(R"({"version": 1})", planned);
  EXPECT_THAT(result.series, SizeIs(1));
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::metric_without_clock, {{"metric", "cycles"}})));
}

TEST(PeakMemory, IsOfTheBuffersAndOfWhatTheVariantTakes) {
  PlannedCase planned = planned_line("right", 1000);
  planned.metrics = {"peak_memory"};
  planned.sampling.placements = 5;
  const ProcessResult result = measure(R"({"version": 1, "default": {"takes_bytes": 5000}})", planned);
  ASSERT_THAT(result.series, SizeIs(2));
  EXPECT_EQ(result.series[1].metric, "peak_memory");
  EXPECT_EQ(result.series[1].unit, "bytes");
  EXPECT_EQ(result.series[1].direction, Direction::lower_is_better);
  EXPECT_THAT(placements_of(result, 1).at(0).samples, ElementsAre(4000 + 4000 + 5000))
      << "two tensors, not the placements' copies and padding";
}

TEST(PeakMemory, OfTheNextCaseStartsAnew) {
  const auto device = scripted(R"({"version": 1, "cases": [{"match": "*n=1000", "takes_bytes": 5000}]})");
  PlannedCase large = planned_line("right", 1000), small = planned_line("right", 100);
  large.metrics = small.metrics = {"peak_memory"};
  measure(*device, large);
  EXPECT_THAT(placements_of(measure(*device, small), 1).at(0).samples, ElementsAre(800));
}

TEST(Sampling, OnAFullDeviceSaysThatPlacementsVariedLess) {
  PlannedCase planned = planned_line("right", 1000);
  const ProcessResult result = measure(R"({"version": 1, "memory_bytes": 8100})", planned);
  EXPECT_THAT(result.notes,
              ElementsAre(FactIs(NoteCode::cramped_placements, {{"placements", 2}, {"of", 2}})));
}

}  // namespace
}  // namespace harness
