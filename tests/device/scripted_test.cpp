#include "harness/device/scripted/scripted_device.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<ScriptedDevice> scripted(const std::string& json) {
  Result<Script> script = parse_script(json, "s.json");
  if (!script) throw std::runtime_error(script.error().text());
  return std::make_unique<ScriptedDevice>(std::move(*script));
}

const Work nothing = [](sdk::Stream) {};

std::vector<double> samples(ScriptedDevice& device, const Place& place, int count,
                            const TimingOptions& options = {}) {
  device.enter(place);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(device.time(nothing, options)->elapsed * 1e6);
  return out;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double log_sd(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const double center = mean(logs);
  std::vector<double> squares;
  for (const double value : logs) squares.push_back((value - center) * (value - center));
  return std::sqrt(mean(squares));
}

TEST(Script, TellsTheCountersThatAreAskedFor) {
  const auto device = scripted(R"({"version": 1, "default": {"counters": [
    {"name": "dram__bytes_read.sum", "value": 4096, "unit": "bytes"},
    {"name": "lts__t_sector_hit_rate.pct", "missing": "counters are for administrators here"}]}})");
  device->enter({"a", 1, -1});
  int calls = 0;
  const auto values = device->counters([&](sdk::Stream) { ++calls; }, CacheMode::cold,
                                       {"lts__t_sector_hit_rate.pct", "dram__bytes_read.sum", "x.sum"});
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), 3u);
  EXPECT_EQ(values->at(0).value, std::nullopt);
  EXPECT_EQ(values->at(0).missing,
            (CounterFact{CounterCode::refused, {{"problem", "counters are for administrators here"}}}));
  EXPECT_EQ(values->at(1).value, 4096);
  EXPECT_EQ(values->at(1).unit, "bytes");
  EXPECT_EQ(values->at(2).missing, CounterFact{CounterCode::unknown_counter});
  EXPECT_EQ(calls, 1);
}

TEST(ScriptedDevice, RunsTheWorkAndReplaysTheTime) {
  const auto device =
      scripted(R"({"version": 1, "default": {"us": 250, "overhead_us": 50, "first_call_us": 9000}})");
  device->enter({"a", 1, 0});
  int calls = 0;
  EXPECT_DOUBLE_EQ(device->time_first_call([&](sdk::Stream) { ++calls; }).value(), 9e-3);
  EXPECT_DOUBLE_EQ(device->time([&](sdk::Stream) { ++calls; }, {})->elapsed, 250e-6);
  EXPECT_EQ(calls, 2);
  EXPECT_DOUBLE_EQ(device->now(), 9e-3 + 300e-6);
  ASSERT_TRUE(device->preheat(1.5));
  EXPECT_DOUBLE_EQ(device->now(), 1.5 + 9e-3 + 300e-6);
}

TEST(ScriptedDevice, UsesTheFirstCaseThatFits) {
  const auto device =
      scripted(R"({"version": 1, "cases": [{"match": "a/*", "us": 1}, {"match": "*", "us": 2}]})");
  EXPECT_THAT(samples(*device, {"a/b", 1, 0}, 1), ElementsAre(DoubleEq(1)));
  EXPECT_THAT(samples(*device, {"b/a/", 1, 0}, 1), ElementsAre(DoubleEq(2)));
  const auto other = scripted(R"({"version": 1, "cases": [{"match": "a"}], "default": {"us": 3}})");
  EXPECT_THAT(samples(*other, {"b", 1, 0}, 1), ElementsAre(DoubleEq(3)));
}

TEST(ScriptedDevice, KnowsWarmAndColdCaches) {
  const auto device = scripted(R"({"version": 1, "default": {"us": 100, "hot_us": 60}})");
  EXPECT_THAT(samples(*device, {"a", 1, 0}, 1, {.cache = CacheMode::cold}), ElementsAre(DoubleEq(100)));
  EXPECT_THAT(samples(*device, {"a", 1, 0}, 1, {.cache = CacheMode::hot}), ElementsAre(DoubleEq(60)));
}

TEST(ScriptedDevice, ReplaysExactSamplesInEachPlacement) {
  const auto device =
      scripted(R"({"version": 1, "default": {"us": 9, "samples": [1, 2, 3], "sample_sd": 1}})");
  for (const int placement : {0, 1}) {
    const std::vector<double> got = samples(*device, {"a", 1, placement}, 4);
    for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(got[static_cast<std::size_t>(i)], 1 + i % 3);
  }
}

TEST(ScriptedDevice, GivesEachProcessItsTime) {
  const auto device = scripted(R"({"version": 1, "default": {"process_us": [10, 20]}})");
  EXPECT_DOUBLE_EQ(samples(*device, {"a", 1, 0}, 1)[0], 10);
  EXPECT_DOUBLE_EQ(samples(*device, {"a", 2, 0}, 1)[0], 20);
  EXPECT_DOUBLE_EQ(samples(*device, {"a", 3, 0}, 1)[0], 10);
}

TEST(ScriptedDevice, DrawsNoiseFromWhereItIsAndNotFromWhenItIsAsked) {
  const std::string json =
      R"({"version": 1, "default": {"sample_sd": 0.1, "placement_sd": 0.1, "process_sd": 0.1}})";
  const auto one = scripted(json);
  const auto other = scripted(json);
  const std::vector<double> first = samples(*one, {"a", 1, 0}, 5);
  samples(*other, {"b", 2, 3}, 17);
  EXPECT_EQ(samples(*other, {"a", 1, 0}, 5), first);
  EXPECT_NE(samples(*one, {"a", 1, 1}, 5), first);
  EXPECT_NE(samples(*one, {"a", 2, 0}, 5), first);
  EXPECT_NE(samples(*one, {"b", 1, 0}, 5), first);
  const auto reseeded = scripted(
      R"({"version": 1, "seed": 2, "default": {"sample_sd": 0.1, "placement_sd": 0.1, "process_sd": 0.1}})");
  EXPECT_NE(samples(*reseeded, {"a", 1, 0}, 5), first);
}

TEST(ScriptedDevice, DrawsNoiseOfTheSizeAskedForAtEachLevel) {
  const auto by_sample = scripted(R"({"version": 1, "default": {"sample_sd": 0.05}})");
  const std::vector<double> many = samples(*by_sample, {"a", 1, 0}, 20000);
  EXPECT_NEAR(log_sd(many), 0.05, 0.002);
  EXPECT_NEAR(std::log(mean(many) / 100), 0.05 * 0.05 / 2, 0.002);
  const auto by_process = scripted(R"({"version": 1, "default": {"process_sd": 0.05}})");
  const auto by_placement = scripted(R"({"version": 1, "default": {"placement_sd": 0.05}})");
  std::vector<double> processes;
  std::vector<double> placements;
  for (int i = 1; i <= 20000; ++i) {
    processes.push_back(samples(*by_process, {"a", i, 0}, 1)[0]);
    placements.push_back(samples(*by_placement, {"a", 1, i}, 1)[0]);
  }
  EXPECT_NEAR(log_sd(processes), 0.05, 0.002);
  EXPECT_NEAR(log_sd(placements), 0.05, 0.002);
  const std::vector<double> within = samples(*by_process, {"a", 1, 0}, 10);
  EXPECT_EQ(within.front(), within.back());
}

TEST(ScriptedDevice, MixesInOutliers) {
  const auto device = scripted(R"({"version": 1, "default": {"outliers": 0.1, "outlier_factor": 3}})");
  int far = 0;
  for (const double us : samples(*device, {"a", 1, 0}, 10000)) far += us > 200 ? 1 : 0;
  EXPECT_NEAR(far, 1000, 100);
}

TEST(ScriptedDevice, WarmsUpWithEachCallOfAProcess) {
  const auto device =
      scripted(R"({"version": 1, "default": {"us": 100, "warmup_factor": 2, "warmup_calls": 4}})");
  const std::vector<double> first = samples(*device, {"a", 1, -1}, 4);
  EXPECT_DOUBLE_EQ(first[0], 200);
  EXPECT_NEAR(samples(*device, {"a", 1, 0}, 1)[0], 100 * (1 + std::exp(-1)), 1e-9);
  EXPECT_DOUBLE_EQ(samples(*device, {"a", 2, -1}, 1)[0], 200);
}

TEST(ScriptedDevice, ForcesGatesThatAreUsed) {
  const auto device =
      scripted(R"({"version": 1, "default": {"us": 1, "overhead_us": 0, "gate_forced_every": 2}})");
  device->enter({"a", 1, 0});
  EXPECT_FALSE(device->time(nothing, {.gate_deadline = 0.5})->gate_forced);
  EXPECT_TRUE(device->time(nothing, {.gate_deadline = 0.5})->gate_forced);
  EXPECT_NEAR(device->now(), 0.5 + 2e-6, 1e-12);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(device->time(nothing, {.gated = false})->gate_forced);
}

TEST(ScriptedDevice, FailsWhereTheScriptSaysAndEverAfter) {
  const auto device = scripted(R"({"version": 1, "default": {
      "error": {"process": 2, "placement": 1, "sample": 1, "message": "xid 79"}}})");
  samples(*device, {"a", 1, 1}, 3);
  device->enter({"a", 2, 1});
  EXPECT_TRUE(device->time(nothing, {}));
  EXPECT_TRUE(device->synchronize());
  bool ran = false;
  const Result<Timing> failed = device->time([&](sdk::Stream) { ran = true; }, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "xid 79");
  EXPECT_EQ(failed.error().kind, ErrorKind::environment);
  EXPECT_FALSE(ran);
  EXPECT_FALSE(device->synchronize());
  EXPECT_FALSE(device->preheat(1));
  EXPECT_FALSE(device->time_first_call(nothing));
}

TEST(ScriptedDevice, IsTheMachineThatTheScriptDescribes) {
  const auto device = scripted(R"({"version": 1, "machine_class": "toy", "device_uuid": "u", "clock_ghz": 2.5,
      "fields": {"a": "plain", "b": {"value": "v", "class": "block"}}, "ceilings": {"copy_bytes_per_s": 7}})");
  const Machine machine = device->fingerprint();
  EXPECT_EQ(machine.machine_class, "toy");
  EXPECT_EQ(machine.device_uuid, "u");
  EXPECT_THAT(machine.fields, ElementsAre(MachineField{"a", "plain", FieldClass::info},
                                          MachineField{"b", "v", FieldClass::block}));
  EXPECT_TRUE(machine.ceilings.empty());
  EXPECT_EQ(device->measure_ceilings()->at("copy_bytes_per_s"), 7);
  EXPECT_EQ(device->clock_ghz(), 2.5);
  EXPECT_EQ(device->traits().kind, "cpu");
}

TEST(ScriptedDevice, TellsTheTimeOfDayOnItsVirtualClock) {
  const auto device = scripted(R"({"version": 1, "started": 1000, "process_apart_s": 30,
      "default": {"us": 250000, "overhead_us": 0}})");
  device->enter({"a", 1, 0});
  EXPECT_DOUBLE_EQ(device->unix_time(), 1000);
  ASSERT_TRUE(device->time(nothing, {}));
  EXPECT_DOUBLE_EQ(device->unix_time(), 1000.25);
  device->enter({"a", 3, 0});
  EXPECT_DOUBLE_EQ(device->unix_time(), 1060.25);
  EXPECT_DOUBLE_EQ(scripted(R"({"version": 1})")->unix_time(), 1767225600);
}

TEST(ScriptedDevice, TellsTheConditionsOfTheFirstEntryThatFits) {
  const auto device = scripted(R"({"version": 1, "default": {"conditions": [
      {"process": 2, "placement": 1, "sm_clock_mhz": 1200, "memory_clock_mhz": 2600, "power_w": 699.5,
       "temperature_c": -3, "throttled": ["power_cap", "thermal"], "other_processes": 2},
      {"process": 2, "sm_clock_mhz": 1900}]}})");
  device->enter({"a", 2, 1});
  const Since<Conditions> conditions = device->watch_conditions();
  EXPECT_EQ(conditions(), (Conditions{1200, 2600, 699.5, -3, {"power_cap", "thermal"}, 2, {}}));
  device->enter({"a", 2, 0});
  EXPECT_EQ(conditions()->sm_clock_mhz, 1900);
  EXPECT_EQ(conditions()->power_w, std::nullopt);
  device->enter({"a", 1, 1});
  EXPECT_EQ(conditions(), std::nullopt);
}

TEST(ScriptedDevice, TellsTheHostsShareOfACallWhereTheScriptDoes) {
  const auto device = scripted(R"({"version": 1, "cases": [{"match": "a", "launch_us": 3.5}]})");
  device->enter({"a", 1, 0});
  EXPECT_DOUBLE_EQ(device->time(nothing, {})->launch.value(), 3.5e-6);
  device->enter({"b", 1, 0});
  EXPECT_EQ(device->time(nothing, {})->launch, std::nullopt);
}

TEST(ScriptedDevice, LooksAtTheKernelsThatTheScriptNames) {
  const auto device = scripted(R"({"version": 1, "cases": [{"match": "a", "kernels": [
      {"name": "gemm<float>", "grid": [132, 2, 1], "block": [256, 1, 1], "registers": 168,
       "static_shared_bytes": 1024, "dynamic_shared_bytes": 65536, "launches": 2, "us": 12.5, "code": "c0de"},
      {"name": "memset"}]}]})");
  int calls = 0;
  device->enter({"a", 1, -1});
  const KernelUse gemm{"gemm<float>", {132, 2, 1}, {256, 1, 1}, 168, 1024, 65536, 2, 12.5, "c0de"};
  KernelUse memset;
  memset.name = "memset";
  memset.launches = 1;
  EXPECT_THAT(*device->kernels([&](sdk::Stream) { ++calls; }, {}), ElementsAre(gemm, memset));
  EXPECT_EQ(calls, 1);
  EXPECT_DOUBLE_EQ(device->now(), 0) << "looking is never timed";
  device->enter({"b", 1, -1});
  EXPECT_TRUE(device->kernels([&](sdk::Stream) { ++calls; }, {})->empty());
  EXPECT_EQ(calls, 1) << "nobody looked";
}

TEST(ParseScript, SaysWhatIsWrongAndWhere) {
  const auto error_of = [](const char* json) {
    const Result<Script> script = parse_script(json, "s.json");
    return script ? std::string("none") : script.error().text();
  };
  EXPECT_THAT(error_of("{"), HasSubstr("s.json: "));
  EXPECT_THAT(error_of("[]"), HasSubstr("/:"));
  EXPECT_THAT(error_of("{}"), HasSubstr("/version:"));
  EXPECT_THAT(error_of(R"({"version": 1, "cases": [{}, {"us": "1"}]})"), HasSubstr("/cases/1/us:"));
  EXPECT_THAT(error_of(R"({"version": 1, "cases": [{"us": 0}]})"), HasSubstr("/cases/0/us:"));
  EXPECT_THAT(error_of(R"({"version": 1, "cases": {}})"), HasSubstr("/cases:"));
  EXPECT_THAT(error_of(R"({"version": 1, "cases": [7]})"), HasSubstr("/cases/0:"));
  EXPECT_THAT(error_of(R"({"version": 1, "default": {"sampel_sd": 1}})"), HasSubstr("`sample_sd`"));
  EXPECT_THAT(error_of(R"({"version": 1, "default": {"samples": [1, null]}})"),
              HasSubstr("/default/samples/1"));
  EXPECT_THAT(error_of(R"({"version": 1, "default": {"match": 1}})"), HasSubstr("/default/match:"));
  EXPECT_THAT(error_of(R"({"version": 1, "default": {"error": {"sample": 0.5}}})"),
              HasSubstr("/default/error/sample"));
  EXPECT_THAT(error_of(R"({"version": 1, "fields": {"a": {"class": "soft"}}})"), HasSubstr("/class:"));
  EXPECT_THAT(error_of(R"({"version": 1, "fields": 3})"), HasSubstr("/fields:"));
  EXPECT_THAT(error_of(R"({"version": 1, "ceilings": {"x": -1}})"), HasSubstr("/ceilings/x"));
  EXPECT_THAT(error_of(R"({"version": 1, "started": "now"})"), HasSubstr("/started:"));
}

TEST(ParseScript, SaysWhatIsWrongWithConditionsAndKernels) {
  const auto error_of = [](const std::string& members) {
    const Result<Script> script = parse_script(R"({"version": 1, "default": {)" + members + "}}", "s.json");
    return script ? std::string("none") : script.error().text();
  };
  EXPECT_THAT(error_of(R"("conditions": {})"), HasSubstr("/default/conditions:"));
  EXPECT_THAT(error_of(R"("conditions": [{"power": 1}])"),
              AllOf(HasSubstr("/default/conditions/0/power"), HasSubstr("`power_w`")));
  EXPECT_THAT(error_of(R"("conditions": [{}, {"throttled": "thermal"}])"),
              HasSubstr("/default/conditions/1/throttled:"));
  EXPECT_THAT(error_of(R"("conditions": [{"throttled": ["a", 1]}])"), HasSubstr("throttled/1:"));
  EXPECT_THAT(error_of(R"("conditions": [{"other_processes": -1}])"), HasSubstr("other_processes:"));
  EXPECT_THAT(error_of(R"("identity": {})"), HasSubstr("/default/identity:"));
  EXPECT_THAT(error_of(R"("identity": {"digest": "a", "gap": "b"})"), HasSubstr("/default/identity:"));
  EXPECT_THAT(error_of(R"("kernels": 1)"), HasSubstr("/default/kernels:"));
  EXPECT_THAT(error_of(R"("kernels": [{"grid": [1, 1, 1]}])"), HasSubstr("/default/kernels/0/name:"));
  EXPECT_THAT(error_of(R"("kernels": [{"name": "k", "grid": [1, 2]}])"), HasSubstr("/grid:"));
  EXPECT_THAT(error_of(R"("kernels": [{"name": "k", "block": [1, 2, -3]}])"), HasSubstr("/block/2:"));
  EXPECT_THAT(error_of(R"("kernels": [{"name": "k", "registers": 1.5}])"), HasSubstr("/registers:"));
  EXPECT_THAT(error_of(R"("launch_us": -1)"), HasSubstr("/launch_us:"));
}

}  // namespace
}  // namespace harness
