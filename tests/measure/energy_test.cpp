// The energy of a call and its sustained time, on a counter that a script replays.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "harness/measure/energy/energy_fit.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Catalog line() {
  return catalog_of([](sdk::Registry& registry) {
    registry.add(std::make_unique<trial::Line>());
    registry.add(trial::variant<trial::Right>("right"));
  });
}

PlannedCase planned_for(std::vector<std::string> metrics) {
  PlannedCase planned = planned_line("right");
  planned.metrics = std::move(metrics);
  return planned;
}

// A device with this counter, and what it does in a case.
std::unique_ptr<ScriptedDevice> device_with(const std::string& counter, const std::string& of_case) {
  return scripted(fmt::format(R"({{"version": 1, "energy": {{{}}}, "default": {{{}}}}})", counter, of_case));
}

ProcessResult measured(ScriptedDevice& device, const PlannedCase& planned) {
  ProcessResult result = measure_case(device, line(), planned, 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  return result;
}

// The value of a metric; NaN where there is none.
double value_named(const ProcessResult& result, std::string_view metric) {
  for (const Series& series : result.series)
    if (series.metric == metric) return value_of(series);
  return std::nan("");
}

const Note& note_named(const ProcessResult& result, NoteCode code) {
  static const Note none;
  const auto found = std::find_if(result.notes.begin(), result.notes.end(),
                                  [&](const Note& one) { return one.code == code; });
  if (found == result.notes.end()) ADD_FAILURE() << "no such note: " << name_of(code);
  return found == result.notes.end() ? none : *found;
}

constexpr const char* exact_counter = R"("idle_watts": 90, "step_ms": [77, 100, 83], "reading_us": 1000)";

TEST(Energy, OfACallIsTheTruthWhereTheStepsAreKnown) {
  const auto device = device_with(exact_counter, R"("us": 100, "watts": 500)");
  const ProcessResult result = measured(*device, planned_for({"energy"}));
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time", "energy"));
  EXPECT_EQ(result.series[1].unit, "J");
  EXPECT_EQ(result.series[1].direction, Direction::lower_is_better);
  EXPECT_NEAR(value_named(result, "energy") / 0.05, 1, 1e-9);
  const Note& window = note_named(result, NoteCode::energy_window);
  EXPECT_NEAR(window.number("seconds"), 2, 0.005);
  EXPECT_NEAR(static_cast<double>(window.count("calls")) * 100e-6, window.number("seconds"), 1e-9);
  EXPECT_NEAR(window.number("watts"), 500, 1e-6);
  EXPECT_NEAR(window.number("idle_watts"), 90, 1e-6);
  EXPECT_NEAR(window.number("reading"), 1e-3, 1e-12);
  EXPECT_NEAR(window.number("interval"), 0.0867, 0.003);
  EXPECT_EQ(window.number("idle"), 0);
  EXPECT_GE(window.count("steps"), 21);
}

TEST(Energy, LiesWithinWhatIsToldWhereReadingTakesLong) {
  double largest = 0;
  for (const int reading : {2000, 5000, 10000, 17000})
    for (const char* steps : {"77", "100", "83, 91, 78, 100, 95", "96, 77", "33"}) {
      const auto device =
          device_with(fmt::format(R"("idle_watts": 90, "step_ms": [{}], "reading_us": {})", steps, reading),
                      R"("us": 130, "watts": 640)");
      const ProcessResult result = measured(*device, planned_for({"energy"}));
      const double error = std::abs(value_named(result, "energy") / (640 * 130e-6) - 1);
      const double open = note_named(result, NoteCode::energy_window).number("open");
      EXPECT_LE(error, open) << steps << " ms, readings of " << reading << " us";
      EXPECT_LT(open, 2e-6 * reading + 1e-3) << "in a window of two seconds";
      largest = std::max(largest, error);
    }
  EXPECT_GT(largest, 1e-4) << "such readings do err";
}

TEST(Energy, LeavesOutWhatTheDeviceDrawsInPauses) {
  for (const double pause : {50.0, 1000.0}) {
    const auto device =
        device_with(exact_counter, fmt::format(R"("us": 100, "watts": 500, "round_pause_us": {})", pause));
    const ProcessResult result = measured(*device, planned_for({"energy", "sustained_time"}));
    EXPECT_NEAR(value_named(result, "energy") / 0.05, 1, 1e-9) << pause;
    EXPECT_NEAR(value_named(result, "sustained_time"), 100, 1e-3) << pause;
    const Note& window = note_named(result, NoteCode::energy_window);
    EXPECT_NEAR(window.number("idle"), pause / (2050 + pause), 0.006) << "rounds of 20 or 21 calls";
    EXPECT_NEAR(window.number("watts"), 500, 1e-5) << "while it works";
  }
}

TEST(Energy, OfShortCallsIsOfTheirBatches) {
  PlannedCase planned = planned_for({"energy", "sustained_time"});
  planned.sampling.timing = TimingMode::batch;
  const auto device = device_with(exact_counter, R"("us": 7, "sustained_us": 8, "watts": 250)");
  const ProcessResult result = measured(*device, planned);
  EXPECT_NEAR(value_named(result, "energy") / (8e-6 * 250), 1, 1e-9);
  EXPECT_NEAR(value_named(result, "sustained_time"), 8, 1e-4);
}

TEST(Energy, TakesLongerForLongCallsAndHasAnEnd) {
  for (const double us : {100e3, 1.5e6}) {
    const auto device = device_with(exact_counter, fmt::format(R"("us": {}, "watts": 500)", us));
    PlannedCase planned = planned_for({"energy"});
    planned.sampling.samples = 2;
    const ProcessResult result = measured(*device, planned);
    EXPECT_NEAR(value_named(result, "energy") / (us * 1e-6 * 500), 1, 1e-9);
    const double seconds = note_named(result, NoteCode::energy_window).number("seconds");
    EXPECT_GT(seconds, us < 1e6 ? 4.5 : 6);
    EXPECT_LT(seconds, 14);
  }
}

TEST(Energy, MeasuresIdlePowerOnceAProcess) {
  const auto device = device_with(exact_counter, R"("us": 100, "watts": 500)");
  Carried carried;
  ProcessResult first = measure_case(*device, line(), planned_for({"energy"}), 1, carried);
  ASSERT_TRUE(carried.idle_watts);
  EXPECT_NEAR(*carried.idle_watts, 90, 1e-6);
  const auto spent = [](const ProcessResult& result) {
    for (const Phase& one : result.phases)
      if (one.name == "energy") return one.duration;
    return 0.0;
  };
  const ProcessResult second = measure_case(*device, line(), planned_for({"energy"}), 1, carried);
  EXPECT_NEAR(spent(first) - spent(second), 0.6, 0.005) << "but for a round";
  EXPECT_NEAR(spent(second), 2.5, 0.01);
}

TEST(Energy, OfTwoBuildsIsToldApart) {
  const auto device = scripted(fmt::format(
      R"({{"version": 1, "energy": {{{}}}, "cases": [{{"side": "baseline", "us": 100, "watts": 500}},
          {{"side": "current", "us": 100, "watts": 550}}]}})",
      exact_counter));
  Carried carried;
  const PairResult both = measure_pair(*device, line(), line(), planned_for({"energy"}), 1, carried);
  EXPECT_NEAR(value_named(both.baseline, "energy") / 0.05, 1, 1e-9);
  EXPECT_NEAR(value_named(both.current, "energy") / 0.055, 1, 1e-9);
}

TEST(Energy, IsRefusedForCallsThatFillTheWindow) {
  const auto device = device_with(exact_counter, R"("us": 2.5e6, "watts": 500)");
  PlannedCase planned = planned_for({"energy", "sustained_time"});
  planned.sampling.samples = 2;
  const ProcessResult result = measured(*device, planned);
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time"));
  for (const char* metric : {"energy", "sustained_time"})
    EXPECT_THAT(result.notes, Contains(FactIs(NoteCode::metric_of_long_calls, {{"metric", metric}})));
  for (const Phase& one : result.phases) EXPECT_TRUE(one.name != "energy" || one.duration == 0);
}

TEST(Energy, NeedsIdlePowerForPausesAlone) {
  // Two steps while it idles.
  const auto without = device_with(R"("idle_watts": 90, "step_ms": [220])", R"("us": 100, "watts": 500)");
  EXPECT_NEAR(value_named(measured(*without, planned_for({"energy"})), "energy") / 0.05, 1, 1e-9);
  const auto with = device_with(R"("idle_watts": 90, "step_ms": [220])",
                                R"("us": 100, "watts": 500, "round_pause_us": 50)");
  const ProcessResult result = measured(*with, planned_for({"energy", "sustained_time"}));
  EXPECT_TRUE(std::isnan(value_named(result, "energy")));
  EXPECT_NEAR(value_named(result, "sustained_time"), 100, 1e-3);
  const Note& why = note_named(result, NoteCode::idle_power_unknown);
  EXPECT_NEAR(why.number("idle"), 50 / 2050.0, 0.003);
}

TEST(Energy, TellsWhereSamplesFindAnotherCache) {
  PlannedCase planned = planned_for({"energy"});
  const auto notes_for = [&](CacheMode cache, TimingMode timing) {
    planned.sampling.cache = cache;
    planned.sampling.timing = timing;
    const auto device = device_with(R"("cap_watts": 700)", R"("us": 100, "watts": 500)");
    return measured(*device, planned);
  };
  const ProcessResult cold = notes_for(CacheMode::cold, TimingMode::events);
  EXPECT_THAT(cold.notes, Contains(FactIs(NoteCode::energy_unflushed)));
  EXPECT_EQ(note_named(cold, NoteCode::power_and_cap).number("boost"), 0) << "it is of another cache";
  EXPECT_THAT(notes_for(CacheMode::hot, TimingMode::events).notes,
              Not(Contains(FactIs(NoteCode::energy_unflushed))));
  EXPECT_THAT(notes_for(CacheMode::cold, TimingMode::batch).notes,
              Not(Contains(FactIs(NoteCode::energy_unflushed))));
}

// Who ran, and when by the device's clock.
struct Ran {
  char side;
  Seconds at;
};
std::vector<Ran> ran;
ScriptedDevice* runs_on = nullptr;

template <char side>
class Watched : public trial::Right {
 public:
  using trial::Right::Right;
  void run(sdk::Stream stream) override {
    if (runs_on != nullptr) ran.push_back({side, runs_on->now()});
    trial::Right::run(stream);
  }
};

template <char side>
Catalog watched_line() {
  return catalog_of([](sdk::Registry& registry) {
    registry.add(std::make_unique<trial::Line>());
    registry.add(trial::variant<Watched<side>>("right"));
  });
}

// The sides whose calls were queued by the round, in order: at least twenty at the same time.
std::string sides_of_rounds() {
  std::string sides;
  for (std::size_t i = 0, same = 0; i < ran.size(); ++i) {
    same = i > 0 && ran[i].side == ran[i - 1].side && ran[i].at == ran[i - 1].at ? same + 1 : 1;
    if (same == 20) sides += ran[i].side;
  }
  return sides;
}

TEST(Energy, OfEachBuildIsFirstInEveryOtherProcess) {
  std::vector<std::string> orders;
  for (const int process : {1, 2}) {
    const auto device = device_with(exact_counter, R"("us": 100, "watts": 500)");
    ran.clear();
    runs_on = device.get();
    Carried carried;
    (void)measure_pair(*device, watched_line<'a'>(), watched_line<'b'>(), planned_for({"energy"}), process,
                       carried);
    runs_on = nullptr;
    orders.push_back(sides_of_rounds());
  }
  EXPECT_THAT(orders, testing::UnorderedElementsAre("ab", "ba"));
}

// A device whose energy cannot be known, and why.
struct Refused {
  const char* counter;
  const char* of_case;
  NoteCode why;
  bool tells_time;
};

TEST(Energy, IsRefusedWhereItCannotBeKnown) {
  const Refused refusals[] = {
      {R"("step_ms": [])", "", NoteCode::energy_stands, true},
      {R"("step_ms": [700])", "", NoteCode::energy_stands, true},
      {R"("back_after_ms": 1500)", "", NoteCode::energy_went_back, true},
      {"", R"(, "conditions": [{"other_processes": 2}])", NoteCode::metric_beside_others, false},
      {"", R"(, "conditions": [{"other_processes": null}])", NoteCode::metric_beside_unknown, false},
      {R"("step_ms": [100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 5000])", "",
       NoteCode::energy_unseen, true},
  };
  for (const Refused& one : refusals) {
    SCOPED_TRACE(name_of(one.why));
    const auto device = device_with(one.counter, std::string(R"("us": 100, "watts": 500)") + one.of_case);
    const ProcessResult result = measured(*device, planned_for({"energy", "sustained_time"}));
    EXPECT_TRUE(std::isnan(value_named(result, "energy")));
    EXPECT_EQ(std::isnan(value_named(result, "sustained_time")), !one.tells_time);
    EXPECT_THAT(result.notes, Contains(FactIs(one.why, {{"metric", "energy"}})));
    EXPECT_LT(device->now(), 4) << "it does not wait for ever";
    EXPECT_THAT(names_of(result.series), Contains("wall_time"));
  }
}

TEST(Energy, IsRefusedWithoutACounterAtOnce) {
  const auto device = scripted(R"({"version": 1, "default": {"us": 100}})");
  const ProcessResult result = measured(*device, planned_for({"energy"}));
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time"));
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::metric_without_counter, {{"metric", "energy"}})));
  EXPECT_LT(device->now(), 0.5);
}

TEST(Energy, IsRefusedForSeveralGpus) {
  const auto device = device_with("", R"("us": 100, "watts": 500)");
  PlannedCase planned = planned_for({"energy"});
  planned.gpus = 2;
  EXPECT_THAT(measured(*device, planned).notes,
              Contains(FactIs(NoteCode::metric_of_one_gpu, {{"metric", "energy"}})));
}

TEST(Energy, IsNotMeasuredUnlessItIsAskedFor) {
  const auto device = device_with("", R"("us": 100, "watts": 500)");
  const ProcessResult result = measured(*device, planned_for({"time"}));
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time"));
  EXPECT_LT(device->now(), 0.5);
}

TEST(SustainedTime, NeedsNoCounter) {
  const auto device = scripted(R"({"version": 1, "default": {"us": 100, "sustained_us": 123.4}})");
  const ProcessResult result = measured(*device, planned_for({"sustained_time"}));
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time", "sustained_time"));
  EXPECT_EQ(result.series[1].unit, "us");
  EXPECT_NEAR(value_named(result, "sustained_time"), 123.4, 1e-3);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(SustainedTime, IsToldBesideThePowerThatTheDeviceMayDraw) {
  const auto device =
      device_with(R"("idle_watts": 90, "cap_watts": 700)", R"("us": 100, "sustained_us": 125, "watts": 690)");
  const ProcessResult result = measured(*device, planned_for({"energy"}));
  const Note& power = note_named(result, NoteCode::power_and_cap);
  EXPECT_NEAR(power.number("watts"), 690, 1e-6);
  EXPECT_EQ(power.number("cap"), 700);
  EXPECT_NEAR(power.number("sustained"), 125e-6, 1e-12);
  EXPECT_NEAR(power.number("boost"), 100e-6, 1e-12);
  EXPECT_THAT(names_of(result.series), Not(Contains("sustained_time"))) << "nobody asked for it";
}

TEST(SustainedTime, IsNotComparedWithoutATimeAtTheBoostClock) {
  const auto device = device_with(R"("cap_watts": 700)", R"("us": 100, "watts": 350)");
  PlannedCase planned = planned_for({"energy"});
  planned.sampling.power = PowerMode::sustained;
  const ProcessResult result = measured(*device, planned);
  const Note& power = note_named(result, NoteCode::power_and_cap);
  EXPECT_NEAR(power.number("watts"), 350, 1e-6);
  EXPECT_EQ(power.number("boost"), 0);
}

std::vector<EndedCalls> rounds(int count, Seconds each, int calls) {
  std::vector<EndedCalls> progress{{0, 0, 0}};
  for (int i = 1; i <= count; ++i) progress.push_back({std::int64_t{i} * calls, i * each, 0});
  return progress;
}

TEST(EnergyFit, NeedsEnoughStepsWithinTheRounds) {
  const std::vector<EndedCalls> progress = rounds(1000, 2e-3, 20);
  EnergyLog log;
  for (int i = 1; i <= 30; ++i) log.steps.push_back({i * 50.0, i * 0.1, i * 0.1});
  const auto all = energy_of_calls(log, progress, 0.5, 0);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->steps, 16) << "from 0.5 to 2 s";
  EXPECT_NEAR(all->joules, 500 * 100e-6, 1e-12);
  EXPECT_NEAR(all->interval, 0.1, 1e-12);
  EXPECT_TRUE(energy_of_calls(log, progress, 1.45, 0));
  EXPECT_FALSE(energy_of_calls(log, progress, 1.55, 0)) << "five steps";
  EXPECT_FALSE(energy_of_calls(log, progress, 3, 0));
  for (EnergyStep& one : log.steps) one.joules = 5;
  EXPECT_FALSE(energy_of_calls(log, progress, 0.5, 0)) << "no energy";
}

TEST(EnergyFit, NeedsOneSlopeInBothHalves) {
  const std::vector<EndedCalls> progress = rounds(1000, 2e-3, 20);
  const auto fit = [&](double more) {
    EnergyLog log;
    for (int i = 1; i <= 20; ++i)
      log.steps.push_back({i * 50.0 + std::max(0, i - 12) * 50.0 * more, i * 0.1, i * 0.1});
    return energy_of_calls(log, progress, 0.5, 0);
  };
  EXPECT_TRUE(fit(0.01));
  const auto bent = fit(0.05);
  ASSERT_FALSE(bent);
  EXPECT_EQ(bent.error().code, NoteCode::energy_bent);
  EXPECT_NEAR(bent.error().number("first"), 0.05, 1e-9);
  EXPECT_NEAR(bent.error().number("second"), 0.0525, 1e-4);
}

TEST(EnergyFit, NeedsStepsOverTheWholeTime) {
  const std::vector<EndedCalls> progress = rounds(1000, 2e-3, 20);
  EnergyLog log;
  for (int i = 1; i <= 15; ++i) log.steps.push_back({i * 50.0, i * 0.1, i * 0.1});
  const auto seen = energy_of_calls(log, progress, 0.5, 0);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, NoteCode::energy_unseen);
  EXPECT_NEAR(seen.error().number("seconds"), 1, 1e-9);
}

TEST(EnergyFit, CountsAPauseBeforeTheRoundThatItIsInFrontOf) {
  const std::vector<EndedCalls> progress{{0, 0, 0}, {10, 1, 0}, {20, 3, 1}};
  const auto steady = steady_calls(progress, 0);
  ASSERT_TRUE(steady);
  EXPECT_EQ(steady->calls, 20);
  EXPECT_EQ(steady->idle, 1);
  EXPECT_DOUBLE_EQ(steady->call(), 0.1);
  EXPECT_FALSE(steady_calls(progress, 3)) << "nothing follows";
}

TEST(EnergyFit, IdlingTellsItsPower) {
  EnergyLog log;
  log.steps = {{10, 0.9, 1.1}, {19.5, 1.9, 2.1}, {28, 2.9, 3.1}};
  EXPECT_NEAR(*power_of_idling(log), 9, 1e-12);
  log.steps.pop_back();
  EXPECT_FALSE(power_of_idling(log)) << "two steps";
}

}  // namespace
}  // namespace harness
