// How a case is measured in each mode of cache and timing, on scripted devices.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using trial::Right;

// The observations of the kernels of these tests, in the order of their calls.
struct Seen {
  int made = 0;
  std::vector<float*> outputs;  // without those of audits
  std::vector<float*> audited;
  std::vector<std::string> params;
  const ScriptedDevice* device = nullptr;
};
Seen seen;

// Begins observations on this device. They last, the device need not.
class Observing {
 public:
  explicit Observing(const ScriptedDevice& device) { seen = {.device = &device}; }
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;
  ~Observing() { seen.device = nullptr; }
};

class Watched : public Right {
 public:
  Watched(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    ++seen.made;
    seen.params.push_back(params.text_id());
  }
  void run(sdk::Stream stream) override {
    (seen.device != nullptr && seen.device->auditing() ? seen.audited : seen.outputs).push_back(y_);
    Right::run(stream);
  }
};

// Right by itself and wrong in a batch, where calls follow each other at once.
class WrongAfterMany : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    if (++calls_ > 50) y_[0] += 1;
  }

 private:
  int calls_ = 0;
};

class Waits : public Right {
 public:
  using Right::Right;
  [[nodiscard]] bool synchronises() const override { return true; }
};

Catalog catalog() {
  Catalog catalog;
  const auto added = catalog.add({sdk::module_abi, sdk::compiler_abi, "modes", [](sdk::Registry& registry) {
                                    registry.add(std::make_unique<trial::Line>());
                                    registry.add(trial::variant<Watched>("watched"));
                                    registry.add(trial::variant<WrongAfterMany>("wrong_after_many"));
                                    registry.add(trial::variant<Waits>("waits"));
                                  }});
  if (!added) ADD_FAILURE() << added.error().text();
  return catalog;
}

PlannedCase planned(TimingMode timing, CacheMode cache, const std::string& variant = "watched") {
  PlannedCase planned = planned_line(variant);
  planned.sampling.timing = timing;
  planned.sampling.cache = cache;
  planned.sampling.samples = 4;
  return planned;
}

ProcessResult measure(const PlannedCase& planned,
                      const std::string& script = R"({"version": 1, "default": {"us": 5, "batch_us": 3}})") {
  const auto device = scripted(script);
  const Observing observing(*device);
  return measure_case(*device, catalog(), planned, 1);
}

std::vector<double> samples_of(const ProcessResult& result) {
  std::vector<double> all;
  for (const Placement& placement : result.series.at(0).processes.at(0).placements)
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  return all;
}

std::vector<std::string> phase_names(const ProcessResult& result) {
  std::vector<std::string> names;
  for (const Phase& phase : result.phases) names.push_back(phase.name);
  return names;
}

std::size_t different(std::vector<float*> addresses) {
  return std::set<float*>(addresses.begin(), addresses.end()).size();
}

TEST(BatchTiming, GivesTheTimeOfACallWithoutWhatABatchCosts) {
  const ProcessResult result = measure(planned(TimingMode::batch, CacheMode::hot));
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_THAT(samples_of(result), AllOf(SizeIs(8), Each(DoubleNear(3, 1e-3))));
  ASSERT_TRUE(result.batching);
  EXPECT_THAT(result.batching->calls, ElementsAre(15, 30, 60));
  EXPECT_THAT(result.batching->intercept, DoubleNear(5, 1e-6));
  EXPECT_THAT(phase_names(result), Contains("record"));
  EXPECT_EQ(result.input_sets, 1);
  EXPECT_EQ(seen.made, 1);
}

TEST(BatchTiming, HasTheNumbersOfCallsThatASuiteGives) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::hot);
  given.sampling.batch_nodes = {3, 5};
  given.sampling.placements = 1;
  given.sampling.samples = 1;
  const ProcessResult result = measure(given);
  EXPECT_THAT(result.batching->calls, ElementsAre(3, 5));
  // First call, three of warm-up, a sample of 3 and 5, and the last check's batch of 3.
  EXPECT_THAT(seen.outputs, SizeIs(1 + 3 + 8 + 3));
  // Five samples, of which two are checked, a batch with a call that is watched, and two calls with a clock.
  EXPECT_THAT(seen.audited, AnyOf(SizeIs(5 * 8 + 3 + 2), SizeIs(5 * 8 + 5 + 2)));
}

TEST(BatchTiming, ChecksTheResultOfABatch) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::hot, "wrong_after_many");
  const ProcessResult result = measure(given);
  EXPECT_EQ(result.outcome, Outcome::incorrect);
  given.sampling.timing = TimingMode::events;
  EXPECT_EQ(measure(given).outcome, Outcome::measured) << "too few calls to go wrong";
}

TEST(BatchTiming, ThatIsColdTakesTurnsWithSetsAndFlushesBefore) {
  const ProcessResult result =
      measure(planned(TimingMode::batch, CacheMode::cold),
              R"({"version": 1, "cache_bytes": 4000, "default": {"us": 9, "hot_us": 5}})");
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_THAT(samples_of(result), Each(DoubleNear(9, 1e-3))) << "the script's cold time";
  // 800 bytes a set: 2 * 4000 / 800 + 1.
  EXPECT_EQ(result.input_sets, 11);
  EXPECT_EQ(seen.made, 11) << "kernels are made once and bound again in each placement";
  EXPECT_THAT(result.notes, Not(Contains(FactIs(NoteCode::sets_fit_in_cache))));
  // The end of the last sample's batch of 32 calls (of 9 us each) goes round the sets. After it come the
  // check, of 8, and one call before the look.
  const std::vector<float*> end(seen.outputs.end() - 9 - 11, seen.outputs.end() - 9);
  EXPECT_EQ(different(end), 11U);
}

TEST(BatchTiming, SaysWhenACallFindsWhatAnotherOfItsBatchHasRead) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::cold);
  given.sampling.batch_nodes = {100, 300};
  const std::string large_cache = R"({"version": 1, "cache_bytes": 1000000})";
  EXPECT_THAT(measure(given, large_cache).notes,
              Contains(FactIs(NoteCode::sets_fit_in_cache, {{"sets", 256}, {"cache", "cold"}})));
  given.sampling.batch_nodes = {100, 200};
  EXPECT_THAT(measure(given, large_cache).notes, Not(Contains(FactIs(NoteCode::sets_fit_in_cache))));
}

TEST(BatchTiming, SaysWhenTimesAreNoLine) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::hot);
  given.sampling.batch_nodes = {1, 2, 3};
  given.sampling.placements = given.sampling.samples = 1;
  const ProcessResult result =
      measure(given, R"({"version": 1, "default": {"samples": [10, 10, 40], "batch_overhead_us": 0}})");
  EXPECT_THAT(result.notes, Contains(FactIs(NoteCode::bent_batches, {{"calls", "1, 2, 3"}})));
}

TEST(BatchTiming, TakesASampleAgainWhoseLineFalls) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::hot);
  given.sampling.batch_nodes = {1, 2};
  given.sampling.placements = given.sampling.samples = 1;
  const ProcessResult result =
      measure(given, R"({"version": 1, "default": {"samples": [500, 10, 10, 10], "batch_overhead_us": 0}})");
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_THAT(samples_of(result), ElementsAre(DoubleNear(10, 1e-9)));
  EXPECT_THAT(result.notes, Contains(FactIs(NoteCode::samples_retaken, {{"samples", 1}})));
}

TEST(BatchTiming, FailsWhereTimeDoesNotGrowWithCalls) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::hot);
  given.sampling.batch_nodes = {1, 2};
  const ProcessResult result =
      measure(given, R"({"version": 1, "default": {"samples": [500, 10], "batch_overhead_us": 0}})");
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason, FactIs(CauseCode::cannot_be_timed));
}

// Counts the placements that begin, tells whether memory was taken in each, and may refuse one.
class PlacementCounter final : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  Result<bool> keeps_to_stream(const Work& /*work*/) override { return keeps; }
  Result<Scope> begin_placement(StreamUse use) override {
    all_alone = all_alone && use == StreamUse::given_only;
    if (static_cast<int>(allocations.size()) == refuses)
      return fail(ErrorKind::environment, "no stream is left", "");
    allocations.push_back(0);
    return Scope([this] { ++ended; });
  }
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override {
    if (!allocations.empty()) ++allocations.back();
    return ScriptedDevice::allocate(bytes);
  }
  std::vector<int> allocations;  // after the beginning of each placement
  int ended = 0;
  int refuses = -1;
  bool keeps = true;
  bool all_alone = true;
};

TEST(DevicePlacements, BeginOnTheDeviceBeforeTheirBuffersAreTaken) {
  PlannedCase given = planned(TimingMode::events, CacheMode::hot);
  given.sampling.placements = 3;
  PlacementCounter device(*parse_script(R"({"version": 1})", "s"));
  EXPECT_EQ(measure_case(device, catalog(), given, 1).outcome, Outcome::measured);
  EXPECT_THAT(device.allocations, AllOf(SizeIs(3), Each(Gt(0))));
  EXPECT_EQ(device.ended, 3);
}

TEST(DevicePlacements, ThatTheDeviceCannotBeginFailTheCase) {
  PlannedCase given = planned(TimingMode::events, CacheMode::hot);
  given.sampling.placements = 3;
  PlacementCounter device(*parse_script(R"({"version": 1})", "s"));
  device.refuses = 1;
  const ProcessResult result = measure_case(device, catalog(), given, 1);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason, FactIs(CauseCode::device_error,
                                    {{"problem", "no stream is left"}, {"step", "change_placement"}}));
}

TEST(DevicePlacements, AreForWorkAloneThatKeepsToItsStream) {
  const PlannedCase given = planned(TimingMode::events, CacheMode::hot);
  for (const bool keeps : {true, false}) {
    PlacementCounter device(*parse_script(R"({"version": 1})", "s"));
    device.keeps = keeps;
    const ProcessResult result = measure_case(device, catalog(), given, 1);
    EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
    EXPECT_FALSE(device.allocations.empty());
    EXPECT_EQ(device.all_alone, keeps);
    EXPECT_THAT(result.notes, SizeIs(keeps ? 0 : 1));
    EXPECT_THAT(result.notes, Each(FactIs(NoteCode::plain_streams)));
  }
}

// Refuses to record, as a GPU refuses to capture a call that waits.
class Uncapturable final : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  Result<std::unique_ptr<Batch>> record(int, NumberedWork) override {
    return fail(ErrorKind::usage, "its calls cannot be captured", "set `timing: events` for this case");
  }
};

// Counts the batches that there are, and looks when it is asked for kernels.
class BatchCounter final : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  Result<std::unique_ptr<Batch>> record(int calls, NumberedWork work) override {
    Result<std::unique_ptr<Batch>> recorded = ScriptedDevice::record(calls, std::move(work));
    if (!recorded) return recorded;
    return std::make_unique<Counted>(std::move(*recorded), there);
  }
  Result<std::vector<KernelUse>> kernels(const Work& work, const CallPattern& pattern) override {
    when_looked = there;
    looked = pattern;
    for (int i = 0; i < pattern.calls; ++i) work({});
    return std::vector<KernelUse>{};
  }
  int there = 0;
  std::optional<int> when_looked;
  CallPattern looked;

 private:
  struct Counted final : Batch {
    Counted(std::unique_ptr<Batch> batch, int& count) : counted(std::move(batch)), there(count) { ++there; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() override { --there; }
    Result<Timing> time(const TimingOptions& options) override { return counted->time(options); }
    Result<Timing> watch(const TimingOptions& options, const WatchedCall& watched) override {
      return counted->watch(options, watched);
    }
    void queue(sdk::Stream stream) override { counted->queue(stream); }
    std::unique_ptr<Batch> counted;
    int& there;
  };
};

TEST(BatchTiming, HasNoBatchesLeftWhenAProfilerLooks) {
  BatchCounter device(*parse_script(R"({"version": 1})", "s"));
  const ProcessResult result = measure_case(device, catalog(), planned(TimingMode::batch, CacheMode::hot), 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_EQ(device.when_looked, 0);
}

TEST(BatchTiming, LooksAtCallsAsTheyFollowEachOtherInABatch) {
  for (const CacheMode cache : {CacheMode::cold, CacheMode::hot, CacheMode::rotate}) {
    seen = {};
    BatchCounter device(*parse_script(R"({"version": 1, "cache_bytes": 1000})", "s"));
    const ProcessResult result = measure_case(device, catalog(), planned(TimingMode::batch, cache), 1);
    EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
    EXPECT_EQ(device.looked.cache, cache);
    ASSERT_EQ(device.looked.calls, 8);
    const auto sets = static_cast<std::size_t>(result.input_sets);
    EXPECT_EQ(different({seen.outputs.end() - 8, seen.outputs.end()}), std::max<std::size_t>(1, sets));
  }
}

TEST(EventTiming, LooksAtCallsOneAtATime) {
  BatchCounter device(*parse_script(R"({"version": 1})", "s"));
  const ProcessResult result =
      measure_case(device, catalog(), planned(TimingMode::events, CacheMode::cold), 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_EQ(device.looked.cache, CacheMode::cold);
  EXPECT_EQ(device.looked.calls, 1);
}

TEST(BatchTiming, IsNeverReplacedSilently) {
  Uncapturable device(*parse_script(R"({"version": 1})", "s"));
  const ProcessResult result = measure_case(device, catalog(), planned(TimingMode::batch, CacheMode::hot), 1);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason,
              FactIs(CauseCode::cannot_be_timed, {{"problem", "its calls cannot be captured"},
                                                  {"advice", "set `timing: events` for this case"}}));
  EXPECT_THAT(result.series, IsEmpty());
  EXPECT_TRUE(device.synchronize()) << "the device is as good as before";
}

TEST(BatchTiming, SaysWhyThereIsNoLaunchTime) {
  PlannedCase given = planned(TimingMode::batch, CacheMode::hot);
  given.metrics = {"time", "launch_time"};
  const ProcessResult result = measure(given, R"({"version": 1, "default": {"launch_us": 2}})");
  EXPECT_THAT(result.series, SizeIs(1));
  EXPECT_THAT(result.notes, Contains(FactIs(NoteCode::metric_of_single_calls, {{"metric", "launch_time"}})));
}

TEST(Rotation, TakesAnotherSetForEachCall) {
  PlannedCase given = planned(TimingMode::events, CacheMode::rotate);
  given.sampling.placements = 1;
  const ProcessResult result = measure(given, R"({"version": 1, "cache_bytes": 1000, "default": {"us": 5}})");
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_EQ(result.input_sets, 3);
  // The four samples stand before the last check.
  const std::vector<float*> sampled(seen.outputs.end() - 5, seen.outputs.end() - 1);
  // Audits take their turns between them.
  std::vector<float*> all = sampled;
  all.insert(all.end(), seen.audited.begin(), seen.audited.end());
  EXPECT_EQ(different(all), 3U);
  EXPECT_GE(different(sampled), 2U);
}

TEST(Rotation, CallsEachKernelOnceBeforeItIsTimed) {
  PlannedCase given = planned(TimingMode::events, CacheMode::rotate);
  given.sampling.placements = given.sampling.samples = given.sampling.warmup = 1;
  measure(given, R"({"version": 1, "cache_bytes": 1000})");
  // First call; two further sets bound and called; warm-up; sample; check.
  EXPECT_THAT(seen.outputs, SizeIs(1 + 2 + 1 + 1 + 1));
}

TEST(Rotation, SaysWhenItsSetsFitInTheCache) {
  const ProcessResult result =
      measure(planned(TimingMode::events, CacheMode::rotate), R"({"version": 1, "cache_bytes": 1000000})");
  EXPECT_EQ(result.input_sets, 256);
  EXPECT_THAT(result.notes,
              Contains(FactIs(NoteCode::sets_fit_in_cache, {{"sets", 256}, {"cache", "rotate"}})));
}

TEST(Rotation, OfTwoBuildsLetsNeitherFindTheOthersData) {
  PlannedCase given = planned(TimingMode::events, CacheMode::rotate);
  given.sampling.placements = 1;
  Carried carried;
  const auto device = scripted(R"({"version": 1, "cache_bytes": 1000})");
  const Observing observing(*device);
  const PairResult both = measure_pair(*device, catalog(), catalog(), given, 1, carried);
  EXPECT_EQ(both.baseline.outcome, Outcome::measured) << both.baseline.reason;
  // Four samples of each, then a check of each.
  const std::vector<float*> sampled(seen.outputs.end() - 10, seen.outputs.end() - 2);
  for (std::size_t i = 1; i < sampled.size(); ++i) EXPECT_NE(sampled[i - 1], sampled[i]) << i;
}

TEST(ModeAxes, AreNothingThatTheWorkloadSees) {
  PlannedCase given = planned(TimingMode::events, CacheMode::hot);
  given.params.set("cache", std::string("hot"));
  given.id += "/cache=hot";
  const ProcessResult result = measure(given);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_EQ(result.case_id, "line/watched/n=100/cache=hot");
  EXPECT_THAT(seen.params, ElementsAre("n=100"));
}

TEST(Control, StandsBesideShortCasesAndBatches) {
  const std::string with_us =
      R"({"version": 1, "control": {"call": 2.7, "batched": 0.5}, "default": {"us": )";
  EXPECT_EQ(measure(planned(TimingMode::events, CacheMode::hot), with_us + "6}}").control,
            (Control{2.7, 0.5}));
  EXPECT_FALSE(measure(planned(TimingMode::events, CacheMode::hot), with_us + "50}}").control);
  EXPECT_TRUE(measure(planned(TimingMode::batch, CacheMode::hot), with_us + "50}}").control);
}

TEST(Control, UnmasksWorkThatIsQueuedElsewhere) {
  const std::string with_us =
      R"({"version": 1, "control": {"call": 2.7, "batched": 0.5, "pair": 1.3}, "default": {"us": )";
  const ProcessResult astray = measure(planned(TimingMode::events, CacheMode::hot), with_us + "1.4}}");
  EXPECT_EQ(astray.outcome, Outcome::failed);
  EXPECT_THAT(astray.reason, FactIs(CauseCode::queues_nothing,
                                    {{"call", 1.4e-6}, {"nothing", 1.3e-6}, {"empty_kernel", 2.7e-6}}));
  EXPECT_TRUE(astray.series.empty()) << "what was timed is no time of the case";
  EXPECT_EQ(measure(planned(TimingMode::events, CacheMode::hot), with_us + "2.2}}").outcome,
            Outcome::measured);
  const std::string calls_cost_nothing =
      R"({"version": 1, "control": {"call": 0.03, "batched": 0.01, "pair": 0.029}, "default": {"us": 0.029}})";
  EXPECT_EQ(measure(planned(TimingMode::events, CacheMode::hot), calls_cost_nothing).outcome,
            Outcome::measured)
      << "where a call costs hardly more than none, nothing can be told";
}

TEST(GateObstacle, IsSaidAndNothingIsGated) {
  const std::string script = R"({"version": 1, "gate_obstacle": "ungated_by_debugger",
                                 "default": {"gate_forced_every": 1}})";
  const ProcessResult result = measure(planned(TimingMode::events, CacheMode::hot), script);
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::ungated_by_debugger)));
  for (const Placement& placement : result.series.at(0).processes.at(0).placements)
    EXPECT_EQ(placement.forced_gates, 0);
  EXPECT_THAT(measure(planned(TimingMode::events, CacheMode::hot, "waits"), script).notes, SizeIs(1));
}

}  // namespace
}  // namespace harness
