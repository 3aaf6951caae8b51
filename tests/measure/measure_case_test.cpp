#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/measure/tensors/inputs.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using trial::Right;

// The observations of the kernels of these tests; reset by each test.
struct Seen {
  int runs = 0;
  std::vector<void*> addresses;
  std::vector<float> first_inputs;
  bool workspace_is_poisoned = false;
};
Seen seen;

class Watched : public Right {
 public:
  using Right::Right;
  [[nodiscard]] std::size_t workspace_bytes() const override { return 1000; }
  void bind(const sdk::Buffers& buffers) override {
    Right::bind(buffers);
    seen.addresses.push_back(y_);
    seen.first_inputs.push_back(x_[0]);
    const auto* bytes = static_cast<const unsigned char*>(buffers.workspace);
    seen.workspace_is_poisoned = bytes[0] == 0xFF && bytes[999] == 0xFF;
  }
  void run(sdk::Stream stream) override {
    ++seen.runs;
    Right::run(stream);
  }
};

class Scaled : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = 1.1F * (2 * x_[i] + 1);
  }
};

class OneNan : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    y_[n_ - 2] = std::numeric_limits<float>::quiet_NaN();
  }
};

class ForgetsTheTail : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i + 3 < n_; ++i) y_[i] = 2 * x_[i] + 1;
  }
};

class ChangesItsInput : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    x_[0] += 1;
  }
};

class WritesOnlyOnce : public Right {  // the second check must not take the first call's result for its own
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    if (calls_++ < 5) Right::run(stream);
  }

 private:
  int calls_ = 0;
};

class Synchronising : public Right {
 public:
  using Right::Right;
  [[nodiscard]] bool synchronises() const override { return true; }
};

class ThrowsOnTheTenthCall : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    if (++calls_ == 10) throw std::runtime_error("no more");
  }

 private:
  int calls_ = 0;
};

class ThrowsANumber : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream) override { throw 7; }
};

class NeedsANewerGpu : public Right {
 public:
  NeedsANewerGpu(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    throw sdk::Unsupported("needs compute capability 9.0");
  }
};

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<Right>("right"));
  registry.add(trial::variant<Watched>("watched"));
  registry.add(trial::variant<Watched>("watched_too"));
  registry.add(trial::variant<Scaled>("scaled"));
  registry.add(trial::variant<OneNan>("nan"));
  registry.add(trial::variant<ForgetsTheTail>("tail"));
  registry.add(trial::variant<ChangesItsInput>("changes_input"));
  registry.add(trial::variant<WritesOnlyOnce>("writes_once"));
  registry.add(trial::variant<Synchronising>("synchronising"));
  registry.add(trial::variant<ThrowsOnTheTenthCall>("throws"));
  registry.add(trial::variant<ThrowsANumber>("throws_number"));
  registry.add(trial::variant<NeedsANewerGpu>("unsupported"));
  registry.add(trial::variant<Right>("on_gpu", "cuda"));
  registry.add(sdk::Variant{"line", "not_built", "cpu", "", nullptr, "needs a toolkit"});
}

const Catalog& catalog() {
  static const Catalog made = [] {
    Catalog empty;
    const sdk::Module module{sdk::module_abi, sdk::compiler_abi, "test", register_all};
    EXPECT_TRUE(empty.add(module));
    return empty;
  }();
  return made;
}

constexpr const char* steady = R"({"version": 1, "default": {"us": 100, "overhead_us": 0}})";

ProcessResult measure(const PlannedCase& planned, const std::string& script = steady, int process = 1) {
  seen = {};
  return measure_case(*scripted(script), catalog(), planned, process);
}

const ProcessSamples& samples_of(const ProcessResult& result) {
  return result.series.at(0).processes.at(0);
}

TEST(MeasureCase, TakesWhatTheSuiteAsksFor) {
  const ProcessResult result = measure(planned_line("right"), steady, 2);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_EQ(result.case_id, "line/right/n=100");
  EXPECT_EQ(result.process, 2);
  ASSERT_THAT(result.series, SizeIs(1));
  EXPECT_EQ(result.series[0].metric, "wall_time");
  EXPECT_EQ(result.series[0].unit, "us");
  EXPECT_EQ(samples_of(result).process, 2);
  ASSERT_THAT(samples_of(result).placements, SizeIs(2));
  for (const Placement& placement : samples_of(result).placements)
    EXPECT_THAT(placement.samples, AllOf(SizeIs(10), Each(100.0)));
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(MeasureCase, KeepsTheFirstCallApart) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"time", "first_call"};
  const ProcessResult result =
      measure(planned, R"({"version": 1, "default": {"us": 100, "first_call_us": 5000}})");
  ASSERT_THAT(result.series, SizeIs(2));
  EXPECT_EQ(result.series[1].metric, "first_call");
  EXPECT_THAT(result.series[1].processes[0].placements[0].samples, ElementsAre(5000.0));
  EXPECT_THAT(samples_of(result).placements[0].samples, Each(100.0));
}

TEST(MeasureCase, KeepsTicksExactAndRecordsSmall) {
  const ProcessResult ticks = measure(planned_line("right"), R"({"version": 1, "default": {"us": 2.688}})");
  EXPECT_THAT(samples_of(ticks).placements[0].samples, Each(2.688));
  const ProcessResult digits =
      measure(planned_line("right"), R"({"version": 1, "default": {"us": 3.14159265}})");
  EXPECT_THAT(samples_of(digits).placements[0].samples, Each(3.1416));
  const ProcessResult tiny = measure(planned_line("right"), R"({"version": 1, "default": {"us": 0.00001}})");
  EXPECT_GT(samples_of(tiny).placements[0].samples[0], 0);
}

TEST(MeasureCase, StopsAPlacementWhenItsShareOfTheTimeIsUsed) {
  PlannedCase planned = planned_line("right");
  planned.sampling.samples = 50;
  planned.sampling.max_time = 0.0021;  // 1.05 ms a placement: 11 samples of 100 us, the last begun in time
  const ProcessResult result = measure(planned);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  for (const Placement& placement : samples_of(result).placements) EXPECT_THAT(placement.samples, SizeIs(11));
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::out_of_time, {{"samples", 22}, {"of", 100}})));
}

TEST(MeasureCase, TakesTheLeastNumberOfSamplesHoweverLongTheyLast) {
  PlannedCase planned = planned_line("right");
  planned.sampling.samples = 50;
  planned.sampling.min_samples = 4;
  planned.sampling.max_time = 1e-6;
  const ProcessResult result = measure(planned);
  for (const Placement& placement : samples_of(result).placements) EXPECT_THAT(placement.samples, SizeIs(4));
}

TEST(MeasureCase, NeverTakesMoreThanAskedForEvenWhenTheLeastIsMore) {
  PlannedCase planned = planned_line("right");
  planned.sampling.samples = 3;
  planned.sampling.min_samples = 5;
  EXPECT_THAT(samples_of(measure(planned)).placements[0].samples, SizeIs(3));
}

TEST(MeasureCase, WarmsUpBeforeItSamples) {
  const std::string script =
      R"({"version": 1, "default": {"us": 100, "warmup_factor": 3, "warmup_calls": 5}})";
  PlannedCase cold = planned_line("right");
  cold.sampling.warmup = 1;
  EXPECT_GT(samples_of(measure(cold, script)).placements[0].samples[0], 200);
  PlannedCase warm = planned_line("right");
  warm.sampling.warmup = 100;
  EXPECT_NEAR(samples_of(measure(warm, script)).placements[0].samples[0], 100, 1e-3);
}

TEST(MeasureCase, BoundsTheWarmUpOfSlowKernels) {
  PlannedCase planned = planned_line("watched");
  planned.sampling.placements = 1;
  planned.sampling.samples = 1;
  planned.sampling.warmup = 1000;
  planned.sampling.max_time = 1;
  const ProcessResult result =
      measure(planned, R"({"version": 1, "default": {"us": 99000, "overhead_us": 0}})");
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  // First call, 6 of 99 ms until half a second has passed and one like a sample, 1 sample, 1 to check. The
  // audit of a long call has 2.
  EXPECT_EQ(seen.runs, 1 + 7 + 1 + 1 + 2);
}

TEST(MeasureCase, UsesTheCacheModeOfTheSuite) {
  const std::string script = R"({"version": 1, "default": {"us": 100, "hot_us": 60}})";
  PlannedCase planned = planned_line("right");
  EXPECT_THAT(samples_of(measure(planned, script)).placements[0].samples, Each(60.0));
  planned.sampling.cache = CacheMode::cold;
  EXPECT_THAT(samples_of(measure(planned, script)).placements[0].samples, Each(100.0));
}

TEST(MeasureCase, CountsForcedGatesAndSaysWhatToDo) {
  const ProcessResult result =
      measure(planned_line("right"), R"({"version": 1, "default": {"us": 100, "gate_forced_every": 5}})");
  for (const Placement& placement : samples_of(result).placements) EXPECT_EQ(placement.forced_gates, 2);
  EXPECT_THAT(result.notes,
              ElementsAre(FactIs(NoteCode::forced_gates, {{"samples", 4}, {"of", 20}, {"deadline", 0.25}})));
}

TEST(MeasureCase, TimesWithoutAGateWhatSynchronises) {
  const ProcessResult result = measure(planned_line("synchronising"),
                                       R"({"version": 1, "default": {"us": 100, "gate_forced_every": 1}})");
  ASSERT_EQ(result.outcome, Outcome::measured);
  EXPECT_EQ(samples_of(result).placements[0].forced_gates, 0);
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::ungated_by_waiting)));
}

TEST(MeasureCase, ReadsTheClockAfterEachPlacement) {
  const ProcessResult result = measure(planned_line("right"), R"({"version": 1, "clock_ghz": 1.98})");
  for (const Placement& placement : samples_of(result).placements) EXPECT_EQ(placement.clock_ghz, 1.98);
}

TEST(MeasureCase, TellsWhereTheDeviceFailed) {
  const ProcessResult result = measure(planned_line("right"), R"({"version": 1, "default": {
      "error": {"placement": 1, "sample": 3, "message": "an illegal memory access"}}})");
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason,
              FactIs(CauseCode::device_error,
                     {{"problem", "an illegal memory access"}, {"step", "sample"}, {"placement", 2}}));
  EXPECT_THAT(result.series, IsEmpty());
}

TEST(MeasureCase, PlacesTheBuffersElsewhereEachTime) {
  PlannedCase planned = planned_line("watched", 100000);
  planned.sampling.placements = 5;
  ASSERT_EQ(measure(planned).outcome, Outcome::measured);
  ASSERT_THAT(seen.addresses, SizeIs(6));  // one to check, five to time
  // From one to the next, as the old buffers go last; what is free again after that, any allocator may hand
  // out.
  EXPECT_EQ(std::adjacent_find(seen.addresses.begin(), seen.addresses.end()), seen.addresses.end());
  for (void* address : seen.addresses) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 256, 0U);
}

TEST(MeasureCase, PoisonsTheWorkspace) {
  measure(planned_line("watched"));
  EXPECT_TRUE(seen.workspace_is_poisoned);
}

TEST(MeasureCase, GivesVariantsOfOnePointTheSameInputsAndProcessesTheirOwn) {
  measure(planned_line("watched"));
  const std::vector<float> first = seen.first_inputs;
  measure(planned_line("watched_too"));
  EXPECT_EQ(seen.first_inputs, first);
  measure(planned_line("watched"), steady, 2);
  EXPECT_NE(seen.first_inputs, first);
  PlannedCase reseeded = planned_line("watched");
  reseeded.sampling.seed = 99;
  measure(reseeded);
  EXPECT_NE(seen.first_inputs, first);
}

TEST(MeasureCase, VerifiesBeforeAndAfter) {
  const ProcessResult result = measure(planned_line("right"));
  ASSERT_TRUE(result.verification);
  EXPECT_LT(result.verification->before, 1e-6);
  EXPECT_LT(result.verification->after, 1e-6);
  EXPECT_EQ(result.verification->tolerance, 1e-6);
  EXPECT_EQ(result.verification->elements, 100);
}

TEST(MeasureCase, DoesNotTimeAWrongResult) {
  const ProcessResult result = measure(planned_line("scaled"));
  EXPECT_EQ(result.outcome, Outcome::incorrect);
  EXPECT_THAT(result.reason,
              FactIs(CauseCode::wrong_values, {{"output", "y"}, {"tolerance", 1e-6}, {"elements", 100}}));
  EXPECT_NEAR(result.reason->number("error"), 0.1, 1e-6);
  EXPECT_THAT(result.series, IsEmpty());
  ASSERT_TRUE(result.verification);
  EXPECT_NEAR(result.verification->before, 0.1, 1e-6);
}

TEST(MeasureCase, NeverAcceptsNan) {
  const ProcessResult result = measure(planned_line("nan"));
  EXPECT_EQ(result.outcome, Outcome::incorrect);
  EXPECT_THAT(result.reason,
              FactIs(CauseCode::not_finite, {{"output", "y"}, {"at", "[98]"}, {"got", "nan"}}));
  ASSERT_TRUE(result.verification);
  EXPECT_TRUE(std::isnan(result.verification->before));
}

TEST(MeasureCase, FindsNanWhereItDoesNotCheckElements) {
  PlannedCase planned = planned_line("nan", 50'000);
  planned.params.set("flops", 1e12);  // too much work to check everything
  const ProcessResult result = measure(planned);
  EXPECT_EQ(result.outcome, Outcome::incorrect);
  EXPECT_THAT(result.reason, FactIs(CauseCode::not_finite, {{"at", "[49998]"}}));
  planned.variant = "right";
  EXPECT_EQ(measure(planned).verification->elements, sampled_elements);
}

TEST(MeasureCase, RecognisesWhatWasNeverWritten) {
  const ProcessResult result = measure(planned_line("tail"));
  EXPECT_EQ(result.outcome, Outcome::incorrect);
  EXPECT_THAT(result.reason, FactIs(CauseCode::not_written,
                                    {{"output", "y"}, {"elements", 3}, {"of", 100}, {"at", "[97]"}}));
}

TEST(MeasureCase, ChecksAgainAfterTiming) {
  const ProcessResult changed = measure(planned_line("changes_input"));
  EXPECT_EQ(changed.outcome, Outcome::incorrect);
  EXPECT_THAT(changed.reason, FactIs(CauseCode::input_changed, {{"audited", 1}, {"placement", 1}}));
  EXPECT_THAT(changed.series, IsEmpty());
  const ProcessResult stale = measure(planned_line("writes_once"));
  EXPECT_EQ(stale.outcome, Outcome::incorrect);
  EXPECT_THAT(stale.reason, FactIs(CauseCode::wrong_values, {{"audited", 1}, {"placement", 1}}));
}

TEST(MeasureCase, FailsWithTheWordsOfAnException) {
  const ProcessResult result = measure(planned_line("throws"));
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason,
              FactIs(CauseCode::threw, {{"what", "no more"}, {"step", "audit"}, {"placement", 1}}));
  EXPECT_EQ(measure(planned_line("throws_number")).outcome, Outcome::failed);
}

TEST(MeasureCase, SkipsWhatCannotRunHereWithTheReason) {
  const ProcessResult unsupported = measure(planned_line("unsupported"));
  EXPECT_EQ(unsupported.outcome, Outcome::skipped);
  EXPECT_THAT(unsupported.reason, FactIs(CauseCode::unsupported, {{"why", "needs compute capability 9.0"}}));
  EXPECT_THAT(measure(planned_line("not_built")).reason,
              FactIs(CauseCode::not_built, {{"why", "needs a toolkit"}}));
  const ProcessResult other_device = measure(planned_line("on_gpu"));
  EXPECT_EQ(other_device.outcome, Outcome::skipped);
  EXPECT_THAT(other_device.reason, FactIs(CauseCode::other_device, {{"needs", "cuda"}, {"device", "cpu"}}));
}

TEST(MeasureCase, FailsOnNamesThatItDoesNotKnow) {
  PlannedCase planned = planned_line("nobody");
  EXPECT_THAT(measure(planned).reason, FactIs(CauseCode::no_variant, {{"variant", "nobody"}}));
  planned.workload = "nothing";
  EXPECT_THAT(measure(planned).reason, FactIs(CauseCode::no_workload, {{"workload", "nothing"}}));
  EXPECT_EQ(measure(planned).outcome, Outcome::failed);
}

}  // namespace
}  // namespace harness
