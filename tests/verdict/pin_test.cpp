// A pin in place of the record that it was made of: the same rows to the last bit, whatever decides them.
#include "harness/model/pin/pin_codec.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/base/files.h"
#include "harness/model/codec.h"
#include "harness/model/pin/figures.h"
#include "harness/model/program_metrics.h"
#include "harness/model/results/comparison_fields.h"
#include "harness/model/results/summary_fields.h"
#include "harness/stats/estimate/random.h"
#include "harness/verdict/explain.h"
#include "harness/verdict/read/summarize.h"
#include "records.h"

namespace harness {
namespace {

using testing::HasSubstr;

constexpr int processes = 9;

// Draws the samples of one side.
class SideMaker {
 public:
  explicit SideMaker(bool baseline) : random_(baseline ? 1 : 2), baseline_(baseline) {}

  double draw(double center, double spread = 0.002) { return center * (1 + spread * random_.normal()); }
  [[nodiscard]] bool is_baseline() const { return baseline_; }

  Series series(const std::string& metric, const std::string& unit, Direction direction,
                const std::function<double()>& sample, int placements, int samples) {
    Series all{metric, unit, direction, {}};
    for (int process = 1; process <= processes; ++process) {
      ProcessSamples& one = all.processes.emplace_back(ProcessSamples{process, {}});
      for (int i = 0; i < placements; ++i) {
        Placement& placement = one.placements.emplace_back();
        for (int k = 0; k < samples; ++k) placement.samples.push_back(sample());
      }
    }
    return all;
  }

  Series times(double center, int placements = 3, int samples = 24, const std::string& metric = "gpu_time") {
    return series(
        metric, "us", Direction::lower_is_better, [=, this] { return draw(center); }, placements, samples);
  }

 private:
  stats::Random random_;
  bool baseline_;
};

using Make = std::function<void(SideMaker&, CaseRecord&)>;

CaseRecord with_results(CaseRecord one) {
  for (int process = 1; process <= processes; ++process) {
    ProcessResult& result = one.processes.emplace_back();
    result.case_id = one.id;
    result.process = process;
    result.control = Control{2.8 + 0.01 * process, 0.6, 1.3};
    result.verification = Verification{1e-4 * process, 2e-4, 1e-3, 4096};
    result.phases = {{"sampling", 0.1 * process}};
    result.batching = Batching{{8, 16}, 3.5, 0.01};
    if (process < 3)
      result.kernels = {
          {"gemm", {1, 1, 1}, {32, 1, 1}, 16, 0, 0, 1, process == 2 ? 4.5 : 0.0, process == 1 ? "c0de" : ""}};
  }
  return one;
}

void surround(SideMaker& side, Series& series) {
  for (ProcessSamples& process : series.processes)
    for (std::size_t i = 0; i < process.placements.size(); ++i) {
      Placement& placement = process.placements[i];
      placement.clock_ghz = side.draw(side.is_baseline() ? 1.98 : 1.9);
      placement.started = 1.7e9 + (process.process * 7 % processes) + 0.01234567 * static_cast<double>(i);
      placement.duty = 0.5312;
      placement.slow_samples = process.process % 4 == 0 ? 9 : 1;
      placement.forced_gates = process.process == 5 ? 2 : 0;
      placement.conditions = Conditions{side.draw(1980), 3201.0, side.draw(412.5), side.draw(51), {}, 0, {}};
      if (process.process % 3 == 0) placement.conditions->throttled = {"power_cap", "clock_setting"};
      if (process.process % 4 == 1) placement.conditions->throttled = {"thermal"};
      placement.conditions->other_processes = process.process % 5 == 0 ? 2 : 0;
    }
}

void load(SideMaker& side, Series& series) {
  for (ProcessSamples& process : series.processes)
    for (Placement& placement : process.placements)
      placement.conditions.emplace().load = HostLoad{.cpus = 4,
                                                     .others = std::abs(side.draw(0.4, 0.5)),
                                                     .stolen = side.draw(0.01),
                                                     .queue = side.draw(1, 0.3),
                                                     .stalled = side.draw(0.1),
                                                     .held = 0.0};
}

// Each kind of result that a gate may judge by has a case of its own.
const std::vector<std::pair<std::string, Make>>& kinds() {
  static const std::vector<std::pair<std::string, Make>> all{
      {"medians", [](SideMaker& side, CaseRecord& one) { one.series = {side.times(20)}; }},
      {"worse",
       [](SideMaker& side, CaseRecord& one) {
         one.series = {side.times(side.is_baseline() ? 40 : 42), side.times(90, 1, 1, "first_call")};
       }},
      {"tails",
       [](SideMaker& side, CaseRecord& one) {
         int call = 0;
         const int every = side.is_baseline() ? 50 : 12;
         one.series = {side.series(
             "gpu_time", "us", Direction::lower_is_better,
             [&, every] { return side.draw(++call % every == 0 ? 70 : 30); }, 2, 30)};
       }},
      {"conditions",
       [](SideMaker& side, CaseRecord& one) {
         one.series = {side.times(side.is_baseline() ? 50 : 52)};
         surround(side, one.series[0]);
       }},
      {"steps",
       [](SideMaker& side, CaseRecord& one) {
         int call = 0;
         one.series = {side.series(
             "gpu_time", "us", Direction::lower_is_better, [&] { return 1.024 + 0.032 * (++call % 3); }, 3,
             25)};
       }},
      {"few",
       [](SideMaker& side, CaseRecord& one) {
         int call = 0;
         one.series = {side.series(
             "gpu_time", "us", Direction::lower_is_better, [&] { return 0.512 + 0.032 * (++call % 2); }, 2,
             3)};
       }},
      {"slowing",
       [](SideMaker& side, CaseRecord& one) {
         int call = 0;
         one.series = {side.series(
             "gpu_time", "us", Direction::lower_is_better,
             [&] { return side.draw(30) * (1 + 0.003 * (++call % 40)); }, 2, 40)};
       }},
      {"quality",
       [](SideMaker& side, CaseRecord& one) {
         one.gate.metrics = {{"accuracy", 0.5, {}, false, "points"}};
         one.series = {side.series(
             "accuracy", "%", Direction::higher_is_better, [&] { return side.draw(96.5); }, 2, 3)};
       }},
      {"zeros",
       [](SideMaker& side, CaseRecord& one) {
         int call = 0;
         one.series = {side.series(
             "retries", "1", Direction::lower_is_better,
             [&] { return static_cast<double>(++call % 5 == 0 ? 3 : 1); }, 2, 4)};
         if (!side.is_baseline()) one.series[0].processes[3].placements[0].samples[1] = 0;
       }},
      {"counts",
       [](SideMaker& side, CaseRecord& one) {
         one.series = {side.times(25),
                       side.series(
                           "buffer_memory", "bytes", Direction::lower_is_better,
                           [&] { return side.is_baseline() ? 4096.0 : 4112.0; }, 1, 1),
                       side.series(
                           "cycles", "cycles", Direction::lower_is_better, [] { return 5120.0; }, 2, 8)};
       }},
      {"rate",
       [](SideMaker& side, CaseRecord& one) {
         one.series = {side.series(
             "tokens", "1/s", Direction::higher_is_better,
             [&] { return side.draw(side.is_baseline() ? 900 : 890); }, 2, 7)};
       }},
      {"kernel_time",
       [](SideMaker& side, CaseRecord& one) {
         one.series = {side.times(12), side.times(4.5, 1, 1, "kernel_time")};
         one = with_results(std::move(one));
       }},
      {"program",
       [](SideMaker& side, CaseRecord& one) {
         one.device = "cpu";
         one.series = {side.times(side.is_baseline() ? 100 : 130, 2, 5, "wall_time"),
                       side.times(60, 2, 5, std::string(user_time)),
                       side.times(6, 2, 5, std::string(system_time))};
         for (Series& series : one.series) load(side, series);
       }},
      {"odd", [](SideMaker& side, CaseRecord& one) {
         one.series = {side.times(25)};
         auto& held = one.series[0].processes;
         if (side.is_baseline()) held[1].placements[0].samples[0] = -1;
         held[2].placements.clear();
       }}};
  return all;
}

Record record_of_side(bool baseline) {
  SideMaker side(baseline);
  std::vector<CaseRecord> cases;
  for (const auto& [name, make] : kinds()) {
    CaseRecord one = case_of(name, {});
    make(side, one);
    cases.push_back(std::move(one));
  }
  Record record = record_of(std::move(cases));
  record.machines["cpu"] = record.machines["cuda"];
  record.id = baseline ? "b" : "c";
  return record;
}

// As a reader of the file has it.
Record pin_of(const Record& record) {
  return decode_pin(encode_pin(without_samples(record)), "pin").value();
}

std::string text_of(const ComparisonRow& row) {
  std::string text = to_json(Described<ComparisonRow>::fields, row, JsonLayout::lines);
  for (const KernelChange& kernel : row.kernels)
    text += to_json(Described<KernelChange>::fields, kernel, JsonLayout::line);
  return text;
}

// The comparison of pins says the same as that of the records.
void expect_same_rows(const Record& baseline, const Record& current) {
  const Policy policy;
  const Comparison whole = compare(baseline, current, policy);
  for (const auto& [old, now] : {std::pair(pin_of(baseline), current), std::pair(baseline, pin_of(current)),
                                 std::pair(pin_of(baseline), pin_of(current))}) {
    const Comparison lean = compare(old, now, policy);
    EXPECT_EQ(lean.verdict, whole.verdict);
    ASSERT_EQ(lean.rows.size(), whole.rows.size());
    for (std::size_t i = 0; i < whole.rows.size(); ++i)
      EXPECT_EQ(text_of(lean.rows[i]), text_of(whole.rows[i])) << whole.rows[i].case_id;
  }
}

TEST(Pin, IsJudgedAsItsRecordByEveryKindOfGate) {
  const Record baseline = record_of_side(true), current = record_of_side(false);
  expect_same_rows(baseline, current);
  expect_same_rows(current, baseline);
  expect_same_rows(baseline, baseline);
}

TEST(Pin, IsJudgedAsTheRecordOfASuiteOnAnH200) {
  const std::string path = std::string(HARNESS_SOURCE_DIR) + "/tests/data/h200/fusion.json";
  const Record baseline = decode_record(read_file(path).value(), path).value();
  Record current = baseline;
  current.id = "another";
  double factor = 0.97;
  for (CaseRecord& one : current.cases) {
    factor = factor > 1.04 ? 0.97 : factor + 0.003;
    for (Series& series : one.series)
      for (ProcessSamples& process : series.processes)
        for (Placement& placement : process.placements)
          for (double& sample : placement.samples) sample *= factor;
    for (ProcessResult& result : one.processes) result.identity.reset();
  }
  expect_same_rows(baseline, current);
  expect_same_rows(baseline, baseline);
}

TEST(Pin, TellsTheSameOfARun) {
  const Record record = record_of_side(true);
  const std::vector<Summary> whole = summarize(record), lean = summarize(pin_of(record));
  ASSERT_EQ(lean.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_EQ(to_json(Described<Summary>::fields, lean[i], JsonLayout::lines),
              to_json(Described<Summary>::fields, whole[i], JsonLayout::lines));
}

TEST(Pin, IsExplainedWithoutPlacements) {
  const Record baseline = record_of_side(true);
  const Retelling told = explain(pin_of(baseline), record_of_side(false), {}, "medians", "");
  ASSERT_EQ(told.rows.size(), 1U);
  ASSERT_EQ(told.rows[0].baseline.size(), static_cast<std::size_t>(processes));
  const ProcessEvidence& held = told.rows[0].baseline[0];
  EXPECT_TRUE(held.placements.empty());
  ASSERT_TRUE(held.pinned);
  EXPECT_EQ(held.pinned->samples, 72U);
  EXPECT_EQ(held.value, told.rows[0].row.baseline.process_values[0]);
  EXPECT_FALSE(told.rows[0].current[0].pinned);
}

TEST(Pin, HoldsNoSamplesWhereFiguresDo) {
  const Record pin = pin_of(record_of_side(true));
  EXPECT_TRUE(lacks_samples(pin));
  for (const CaseRecord& one : pin.cases)
    for (const Series& series : one.series)
      for (const ProcessSamples& process : series.processes)
        EXPECT_TRUE(!process.figures || process.placements.empty());
  EXPECT_EQ(without_samples(pin), pin);
  EXPECT_EQ(decode_record(encode(pin), "r").value(), pin) << "a record can hold figures, too";
  EXPECT_EQ(decode_record(encode_pin(pin), "r").value(), pin) << "a pin is read wherever a record is";
}

// The pin of one case whose text is changed.
std::string refused(std::string_view from, std::string_view to) {
  std::string text = encode_pin(without_samples(record_of({with_results(
      case_of("c", {SideMaker(true).times(20), SideMaker(true).times(90, 1, 1, "first_call")}))})));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  const auto read = decode_pin(text, "pin.json");
  EXPECT_FALSE(read) << to;
  return read ? "" : read.error().text();
}

TEST(Pin, RefusesWhatDoesNotFitTogether) {
  EXPECT_THAT(refused("\"version\": 1", "\"version\": 2"), HasSubstr("version 1"));
  EXPECT_THAT(refused("[\"process\", \"value\"", "[\"process\", \"value\", \"more\""),
              HasSubstr("cases[0].metrics[0].rows[0]"));
  EXPECT_THAT(refused("\"value\", \"log\"", "\"log\", \"value\""), HasSubstr("harness baseline promote"));
  EXPECT_THAT(refused("[\"process\"", "[\"number\""), HasSubstr("process"));
  EXPECT_THAT(refused("\"samples\": 72, \"placements\": 3", "\"samples\": 72"), HasSubstr("placements"));
  EXPECT_THAT(refused("\"placements\": 3", "\"placements\": 0"), HasSubstr("placements"));
  EXPECT_THAT(refused("[2, ", "[1, "), HasSubstr("repeats process 1"));
  EXPECT_THAT(refused("\"values\": [", "\"values\": [1, "), HasSubstr("10 values; expected 9"));
  EXPECT_THAT(refused("\"processes\": [1, 2", "\"processes\": [1, 1"), HasSubstr("repeats process 1"));
  EXPECT_THAT(refused("{\"process\": 2, ", "{\"process\": 200, "), HasSubstr("none of the case's processes"));
  EXPECT_THAT(refused("\"kernel_us\": [4.5]", "\"kernel_us\": [4.5, 1]"), HasSubstr("2 times; expected 1"));
  EXPECT_THAT(refused("\"metric\": \"first_call\"", "\"metric\": \"gpu_time\""), HasSubstr("gpu_time"));
}

}  // namespace
}  // namespace harness
