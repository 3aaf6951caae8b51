// The document behind a page: that it holds what was measured, and that it fits.
#include "harness/report/media/page/page_data.h"
#include "harness/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "fixture.h"
#include "h200_records.h"
#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/rounded_json.h"
#include "harness/stats/estimate/estimator.h"
#include "page_reader.h"
#include "tests/model/example_record.h"

namespace harness::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::Lt;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A record with its summaries, as a side of a report.
struct Measured {
  Record record;
  std::vector<Summary> summaries = {};
  [[nodiscard]] SideSource side() const { return {&record, &summaries}; }
};

json document_of(const Measured& current) {
  return json::parse(page_document(nullptr, {{}, current.side(), "harness report"}));
}

ProcessSamples process_with(const std::vector<double>& samples) {
  return {1, {{samples}}};
}

json put(const std::vector<double>& samples, const SampleDetail& detail) {
  Json process;
  put_samples(process, process_with(samples), detail);
  return json::parse(process.dump());
}

// --- samples ----------------------------------------------------------------------------------------

TEST(PageSamples, AreTheMeasuredOnesToTheLastBit) {
  const Measured main{fixture::h200_record("main")};
  const json details = document_of(main)["current"]["details"];
  ASSERT_EQ(details.size(), main.record.cases.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < details.size(); ++i) {
    const Series& series = main.record.cases[i].series.front();
    EXPECT_EQ(details[i]["case"], main.record.cases[i].id);
    for (std::size_t p = 0; p < series.processes.size(); ++p) {
      std::vector<double> all;
      for (const Placement& placement : series.processes[p].placements)
        all.insert(all.end(), placement.samples.begin(), placement.samples.end());
      const json& process = details[i]["series"][0]["processes"][p];
      EXPECT_EQ(process["form"], "samples");
      EXPECT_EQ(page::values_of(process), all);
      compared += all.size();
    }
  }
  EXPECT_EQ(compared, 16000U);
}

TEST(PageSamples, KeepSixDigitsOfWhatHasMore) {
  const json process = put({1.0 / 3, 2.0 / 3, 100.0 / 3}, {});
  EXPECT_THAT(page::values_of(process), ElementsAre(0.333333, 0.666667, 33.333333));
  EXPECT_THAT(page::values_of(put({1e-7, 3e-7}, {})), ElementsAre(1e-7, 3e-7));
  EXPECT_THAT(page::values_of(put({1.001, 1.002, 1.011}, {})), ElementsAre(1.001, 1.002, 1.011));
}

TEST(PageSamples, CountBytesExactly) {
  EXPECT_THAT(page::values_of(put({2345678912, 2345678913}, {})), ElementsAre(2345678912, 2345678913));
  const json huge = put({3e300, 1e300}, {});
  EXPECT_NEAR(page::values_of(huge)[0] / 3e300, 1, 1e-12);
}

TEST(PageSamples, AreNullWhereTheyAreNoNumbers) {
  const json process = put({2.5, nan, 3.5, std::numeric_limits<double>::infinity(), -1}, {});
  EXPECT_TRUE(process["deltas"][1].is_null());
  const std::vector<double> values = page::values_of(process);
  EXPECT_EQ(values[2], 3.5);
  EXPECT_TRUE(process["deltas"][3].is_null());
  EXPECT_EQ(values[4], -1);
  EXPECT_TRUE(put({}, {})["deltas"].empty());
  EXPECT_THAT(page::values_of(put({0, 0}, {})), ElementsAre(0, 0));
}

TEST(PageSamples, AsQuantilesAreTakenAtEqualStepsFromTheLeastToTheGreatest) {
  std::vector<double> samples;
  for (int i = 0; i <= 100; ++i) samples.push_back(10 + (i * 37) % 101);
  const json process = put(samples, {5, 6});
  EXPECT_EQ(process["form"], "quantiles");
  EXPECT_THAT(page::values_of(process), ElementsAre(10, 35, 60, 85, 110));
}

TEST(PageSamples, AreAllKeptWhereThereAreNoMoreThanTheQuantiles) {
  EXPECT_EQ(put({3, 1, 2}, {3, 6})["form"], "samples");
  EXPECT_THAT(page::values_of(put({3, 1, 2}, {3, 6})), ElementsAre(3, 1, 2));
  EXPECT_EQ(put({3, 1, 2, 4}, {3, 6})["form"], "quantiles");
}

// --- the document -----------------------------------------------------------------------------------

TEST(PageData, HoldsEveryFieldOfACase) {
  Record record = example_record();
  Series calls{"first_call", "us", Direction::lower_is_better, {}};
  for (const int number : {1, 2, 3}) calls.processes.push_back({number, {Placement{{93.25 + number}, 0, 0}}});
  record.cases[0].series.push_back(std::move(calls));
  const json document = document_of({record});
  EXPECT_EQ(document["format"], "harness-page");
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(document["command"], "harness report");
  EXPECT_TRUE(document["comparison"].is_null());
  EXPECT_TRUE(document["baseline"].is_null());
  EXPECT_EQ(document["current"]["report"]["format"], "harness-run-report");
  ASSERT_EQ(document["current"]["details"].size(), 1U) << "cases without samples are left out";
  const json one = document["current"]["details"][0];
  EXPECT_EQ(one["params"]["m"], 512);
  EXPECT_EQ(one["params"]["bias"], true);
  EXPECT_EQ(one["tags"], json({"fast", "nightly"}));
  EXPECT_EQ(one["flops"], 1.1e9);
  EXPECT_EQ(one["reproduce"], "harness run suites/fusion.yaml --filter linear_gelu/cublas/dtype=f16/m=512");
  EXPECT_EQ(one["phases"], json::parse(R"({"construct": 0.25, "first_call": 9.425e-05, "sampling": 1.5})"));
  EXPECT_EQ(one["kernels"][0]["name"], "void gemm<half>(half const*)");
  EXPECT_EQ(one["kernels"][0]["grid"], json({132, 1, 1}));
  EXPECT_EQ(one["kernels"][0]["code"], "c0de");
  EXPECT_TRUE(one["kernels"][1]["code"].is_null());
  EXPECT_EQ(one["series"][1]["direction"], "higher");
  const json process = one["series"][0]["processes"][1];
  EXPECT_EQ(process["process"], 2);
  EXPECT_EQ(process["first_call"], 95.25);
  EXPECT_EQ(process["count"], 6);
  EXPECT_EQ(process["placements"], json::parse(R"({"rows": 2, "same": {"count": 3}, "each": {
      "started": [1763618400.13, null], "value": [23.655, 5.7287], "forced_gates": [3, 0],
      "clock_ghz": [1.98, null], "sm_clock_mhz": [1980, null], "memory_clock_mhz": [3201, null],
      "power_w": [413, null], "temperature_c": [51, null], "throttled": [["power_cap", "thermal"], []],
      "other_processes": [1, 0]}})"));
}

TEST(PageData, HasTheOneValueThatAProcessStandsFor) {
  const Measured main{fixture::h200_record("main")};
  const json process = document_of(main)["current"]["details"][2]["series"][0]["processes"][4];
  const ProcessSamples& measured = main.record.cases[2].series.front().processes[4];
  std::vector<std::vector<double>> placements;
  for (const Placement& placement : measured.placements) placements.push_back(placement.samples);
  const double expected = std::exp(stats::process_log_value(placements));
  EXPECT_NEAR(process["value"].get<double>() / expected, 1, 1e-6);
  const double third = std::exp(stats::process_log_value(std::span(&placements[2], 1)));
  EXPECT_NEAR(process["placements"]["each"]["value"][2].get<double>() / third, 1, 1e-4);
}

TEST(PageData, SaysNullForAValueThatCannotBe) {
  Measured odd{fixture::h200_record("main")};
  odd.record.cases.resize(1);
  std::vector<ProcessSamples>& processes = odd.record.cases[0].series.front().processes;
  processes[0].placements[0].samples[0] = nan;
  processes[1].placements.clear();
  const json found = document_of(odd)["current"]["details"][0]["series"][0]["processes"];
  EXPECT_TRUE(found[0]["value"].is_null());
  EXPECT_TRUE(found[1]["value"].is_null());
  EXPECT_TRUE(found[2]["value"].is_number());
}

TEST(PageData, MeasuresACaseAgainAgainstWhatItWasComparedWith) {
  const Comparison comparison = fixture::comparison();
  const Measured one{example_record()};
  const Sources sources{one.side(), one.side(), "", " --device cuda --against main"};
  const json document = json::parse(page_document(&comparison, sources));
  EXPECT_EQ(document["current"]["details"][0]["reproduce"],
            "harness run suites/fusion.yaml --filter linear_gelu/cublas/dtype=f16/m=512 --device cuda "
            "--against main");
}

TEST(PageData, OffersNoCommandForWhatHarnessDidNotMeasure) {
  EXPECT_EQ(document_of({fixture::h200_record("main")})["current"]["details"][0]["reproduce"], "");
}

TEST(PageData, TellsTheLevelOfEachInterval) {
  const Comparison comparison = fixture::comparison();
  const Measured main{fixture::h200_record("main")};
  const json cases =
      json::parse(page_document(&comparison, {main.side(), main.side(), ""}))["comparison"]["cases"];
  ASSERT_EQ(cases.size(), comparison.rows.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_DOUBLE_EQ(cases[i]["confidence"].get<double>(), 1 - 2 * alpha_to_pass(comparison.rows[i]));
}

TEST(PageData, HoldsBothSidesOfAComparisonAndItsVerdict) {
  const Comparison comparison = fixture::comparison();
  const Measured before{fixture::h200_record("main")}, after{fixture::h200_record("head")};
  const json document =
      json::parse(page_document(&comparison, {before.side(), after.side(), "harness compare"}));
  EXPECT_EQ(document["title"], "fusion: regressed");
  EXPECT_EQ(document["comparison"]["format"], "harness-comparison");
  EXPECT_EQ(document["comparison"]["cases"].size(), comparison.rows.size());
  EXPECT_THAT(document["headline"].get<std::string>(), testing::StartsWith("REGRESSED: "));
  EXPECT_EQ(document["baseline"]["report"]["suite"]["file"], "main.jsonl");
  EXPECT_EQ(document["current"]["report"]["suite"]["file"], "head.jsonl");
  EXPECT_NE(document["baseline"]["details"], document["current"]["details"]);
  const json without = json::parse(page_document(&comparison, {{}, after.side(), ""}));
  EXPECT_TRUE(without["baseline"].is_null());
}

class HostilePage : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Names, HostilePage, testing::ValuesIn(fixture::hostile_names()),
                         [](const auto& name) { return std::to_string(name.index); });

TEST_P(HostilePage, NamesComeBackAsTheyWereButForBrokenUtf8) {
  Measured hostile{fixture::hostile_record(GetParam()), fixture::hostile_summaries(GetParam())};
  hostile.record.cases[0].series[0].processes = {process_with({1, 2})};
  const json details = document_of(hostile)["current"]["details"];
  ASSERT_EQ(details.size(), 1U);
  const std::string name = details[0]["case"];
  if (printable(GetParam()).find("\\x") == std::string::npos)
    EXPECT_EQ(name, hostile.record.cases[0].id);
  else if (GetParam().find('\xff') == std::string::npos)
    EXPECT_THAT(name, testing::HasSubstr("\uFFFD"));
  else
    EXPECT_EQ(name, "\uFFFD\uFFFD not utf-8 \uFFFD0");
}

// --- fitting ----------------------------------------------------------------------------------------

// Figures of no meaning and as many digits as real ones have.
std::vector<Summary> summaries_of(const Record& record, std::mt19937& random) {
  std::uniform_real_distribution<double> any(10, 100);
  std::vector<Summary> summaries;
  for (const CaseRecord& one : record.cases) {
    Summary summary = fixture::summaries()[0];
    summary.case_id = one.id;
    for (double* figure :
         {&summary.median, &summary.mean, &summary.sd, &summary.min, &summary.max, &summary.p95, &summary.p99,
          &summary.cv, &summary.center, &summary.process_sd, &summary.flops_per_s, &summary.bytes_per_s})
      *figure = any(random);
    summary.interval = Interval{any(random), any(random)};
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

// The pair that a page is measured by: 500 cases on two sides, 1.25 million samples.
struct LargePair {
  Measured before, after;
  Comparison comparison = fixture::comparison();
  LargePair() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(0.9, 1.1);
    before.record = fixture::many_cases(fixture::h200_record("main"), 500, 1);
    after.record = fixture::many_cases(fixture::h200_record("head"), 500, 2);
    before.summaries = summaries_of(before.record, random);
    after.summaries = summaries_of(after.record, random);
    comparison.rows.assign(500, comparison.rows[0]);
    for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
      ComparisonRow& row = comparison.rows[i];
      row.case_id = after.record.cases[i].id;
      row.ratio = any(random);
      row.interval = Interval{any(random), any(random)};
      for (std::optional<double>* p : {&row.p, &row.p_adjusted, &row.minimum_detectable}) *p = any(random);
      for (Side* side : {&row.baseline, &row.current})
        for (double& value : side->process_values) value = any(random);
    }
  }
  [[nodiscard]] LargePair cut_to(std::size_t cases) const {
    LargePair cut = *this;
    cut.comparison.rows.resize(cases);
    for (Measured* side : {&cut.before, &cut.after}) {
      side->record.cases.resize(cases);
      side->summaries.resize(cases);
    }
    return cut;
  }
  [[nodiscard]] Sources sources() const { return {before.side(), after.side(), "harness compare"}; }
};

const LargePair& large_pair() {
  static const LargePair pair;
  return pair;
}

std::size_t processes_of_form(const json& side, std::string_view form) {
  std::size_t count = 0;
  for (const json& one : side["details"])
    for (const json& process : one["series"][0]["processes"]) count += process["form"] == form ? 1 : 0;
  return count;
}

// The size of the page's own code is not known here; it may not be more than a megabyte.
constexpr std::size_t room = 950'000;

TEST(PageFit, FiveHundredCasesFitAndTheRoomIsUsed) {
  const LargePair& pair = large_pair();
  const std::string data = page_data(&pair.comparison, pair.sources(), room);
  EXPECT_LE(data.size(), room);
  EXPECT_GT(data.size(), room / 2);
  const json document = page::document_of_data(data);
  ASSERT_EQ(document["current"]["details"].size(), 500U);
  ASSERT_EQ(document["baseline"]["details"].size(), 500U);
  EXPECT_GT(processes_of_form(document["current"], "quantiles"), 2000U);
  const json& process = document["current"]["details"][499]["series"][0]["processes"][0];
  EXPECT_EQ(process["count"], 250);
  EXPECT_GE(process["deltas"].size(), 17U) << "too few to tell shapes apart";
  EXPECT_EQ(process["placements"]["rows"], 5);
}

TEST(PageFit, KeepsTheWorstCasesWholeWhereThereIsRoom) {
  LargePair pair = large_pair().cut_to(100);
  std::swap(pair.comparison.rows[0], pair.comparison.rows[99]);  // the worst is the record's last
  const std::string data = page_data(&pair.comparison, pair.sources(), 400'000);
  ASSERT_LE(data.size(), 400'000U);
  const json document = page::document_of_data(data);
  const std::size_t whole = processes_of_form(document["current"], "samples");
  EXPECT_GT(whole, 0U);
  EXPECT_LT(whole, 500U);
  std::set<std::string> worst;
  for (std::size_t i = 0; i < whole / 5; ++i) worst.insert(pair.comparison.rows[i].case_id);
  EXPECT_TRUE(worst.contains(pair.after.record.cases[99].id));
  for (const char* side : {"baseline", "current"})
    for (const json& one : document[side]["details"])
      EXPECT_EQ(one["series"][0]["processes"][0]["form"] == "samples", worst.contains(one["case"]))
          << one["case"];
}

TEST(PageFit, TakesFewerQuantilesWhereThereIsLessRoom) {
  const LargePair pair = large_pair().cut_to(50);
  std::size_t before = 251;
  for (const std::size_t limit : {400'000, 130'000, 110'000, 98'000}) {
    const std::string data = page_data(&pair.comparison, pair.sources(), limit);
    EXPECT_LE(data.size(), limit);
    const json document = page::document_of_data(data);
    const std::size_t now = document["current"]["details"][49]["series"][0]["processes"][0]["deltas"].size();
    EXPECT_THAT(now, Lt(before)) << limit;
    before = now;
  }
}

// A part of many cases tells which details cannot fit; they are not tried. One case in three is asked here,
// and these have nearly all samples.
TEST(PageFit, TakesTheFinestThatFitsOfManyCasesToo) {
  LargePair pair = large_pair().cut_to(200);
  for (Measured* side : {&pair.before, &pair.after})
    for (std::size_t i = 0; i < side->record.cases.size(); ++i)
      for (Series& series : side->record.cases[i].series)
        for (ProcessSamples& process : series.processes)
          if (i % 3 != 0) {
            process.placements.resize(1);
            process.placements[0].samples.resize(1);
          }
  const std::vector<SampleDetail> finest_first{{0, 6}, {101, 5}, {65, 5}, {51, 4}, {33, 4}, {17, 4}, {9, 4}};
  for (const std::size_t i : {1U, 4U}) {
    const std::string document = page_document(&pair.comparison, pair.sources(), {finest_first[i], 0});
    const std::size_t limit = base64_size(deflated(document).size()) + 100;
    const json found = page::document_of_data(page_data(&pair.comparison, pair.sources(), limit));
    EXPECT_EQ(found["current"]["details"][198]["series"][0]["processes"][0]["deltas"].size(),
              finest_first[i].quantiles);
  }
}

TEST(RoundedJson, IsTheDocumentWithShorterFigures) {
  const std::string text =
      "{\n \"a\": [1.23456789, -2, 18446744073709551615, null, true, \"q\\\"\\u00e9\"], \"cases\": "
      "[{\"x\": 1e300}, {}], \"b\": {\"cases\": [{}]}}";
  json expected = json::parse(text);
  expected["a"][0] = 1.235;
  EXPECT_EQ(json::parse(rounded_json(text, 4)), expected);
  expected["cases"][0]["at"] = 0;
  expected["cases"][1]["at"] = 1;
  const std::string with_places =
      rounded_json(text, 4, [](std::size_t row) { return "\"at\":" + std::to_string(row); });
  EXPECT_EQ(json::parse(with_places), expected);
  EXPECT_EQ(with_places.find('\n'), std::string::npos);
}

TEST(PageFit, KeepsTheSmallestWhereNothingFits) {
  const Measured main{fixture::h200_record("main")};
  const json document = page::document_of_data(page_data(nullptr, {{}, main.side(), ""}, 10));
  EXPECT_EQ(document["current"]["details"][0]["series"][0]["processes"][0]["deltas"].size(), 9U);
}

// --- packing ----------------------------------------------------------------------------------------

TEST(Packed, ComesBackWhateverTheBytes) {
  std::mt19937 random(3);
  for (const std::size_t size : {0U, 1U, 2U, 3U, 4U, 1000U, 300'000U}) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    EXPECT_EQ(page::inflated(deflated(text)), text);
    EXPECT_EQ(page::from_base64(base64(text)), text);
    EXPECT_EQ(base64(text).size(), base64_size(size));
  }
  EXPECT_EQ(base64("any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");  // RFC 4648's padding
}

}  // namespace
}  // namespace harness::report
