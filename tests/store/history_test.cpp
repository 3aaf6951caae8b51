// The values beside the samples: written with results, read without the samples. On each kind of database.
#include "harness/store/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "each_database.h"
#include "harness/base/files.h"
#include "harness/stats/estimate/estimator.h"
#include "tests/model/example_record.h"

namespace harness {
namespace {

using testing::ElementsAre;

class StoredValues : public OnEachDatabase {
 protected:
  StoredHistory history(const RunQuery& query = {}) {
    auto read = open()->history(query);
    if (!read) throw std::runtime_error(read.error().text());
    return std::move(*read);
  }
};

INSTANTIATE_TEST_SUITE_P(Databases, StoredValues, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

// The value of the example's processes.
double expected(const Record& record, std::size_t one, std::size_t series, std::size_t process) {
  std::vector<std::vector<double>> placements;
  for (const Placement& placement : record.cases[one].series[series].processes[process].placements)
    placements.push_back(placement.samples);
  return stats::process_log_value(placements);
}

void expect_values_of_the_example(const StoredHistory& history) {
  const Record record = example_record();
  ASSERT_EQ(history.runs.size(), 1U);
  EXPECT_EQ(history.runs[0].info.id, record.id);
  EXPECT_EQ(history.runs[0].machines, record.machines);
  EXPECT_EQ(history.runs[0].estimator, record.estimator);
  ASSERT_EQ(history.series.size(), 2U) << "two metrics of the one case that was measured";
  for (std::size_t i = 0; i < 2; ++i) {
    const bool clock = history.series[i].metric == "clock";
    const std::size_t one = clock ? 1 : 0;
    EXPECT_EQ(history.series[i].case_id, record.cases[0].id);
    EXPECT_EQ(history.series[i].device, "cuda");
    EXPECT_EQ(history.series[i].unit, clock ? "GHz" : "us");
    EXPECT_EQ(history.series[i].direction, record.cases[0].series[one].direction);
    EXPECT_EQ(history.series[i].estimator, "trimmed_log_mean");
    EXPECT_EQ(history.series[i].unusable, 0U);
    EXPECT_THAT(
        history.series[i].log_values,
        ElementsAre(expected(record, 0, one, 0), expected(record, 0, one, 1), expected(record, 0, one, 2)))
        << "to the last digit";
  }
}

TEST_P(StoredValues, AreWrittenWithEachResult) {
  ASSERT_TRUE(open()->put_record(example_record()));
  expect_values_of_the_example(history());
}

TEST_P(StoredValues, FollowAResultThatIsReplaced) {
  const Record record = example_record();
  const auto store = open();
  ASSERT_TRUE(store->put_record(record));
  ProcessResult again = example_result(record.cases[0].id, 2);
  again.series.pop_back();
  again.series[0].processes[0].placements = {{{10.0, 10.0, 10.0}, 0, 0}};
  ASSERT_TRUE(store->put(record.id, {again}));
  const StoredHistory read = history();
  for (const StoredSeries& series : read.series) {
    if (series.metric == "clock") {
      EXPECT_EQ(series.log_values.size(), 2U) << "the new result has no clock";
    }
    if (series.metric == "gpu_time") {
      EXPECT_THAT(series.log_values, ElementsAre(expected(record, 0, 0, 0), testing::DoubleEq(std::log(10.0)),
                                                 expected(record, 0, 0, 2)));
    }
  }
}

TEST_P(StoredValues, CountSamplesWithoutALogarithm) {
  Record record = example_record();
  record.cases[0].series[0].processes[1].placements[0].samples[0] = 0;
  ASSERT_TRUE(open()->put_record(record));
  const StoredHistory read = history();
  for (const StoredSeries& series : read.series)
    EXPECT_EQ(series.unusable, series.metric == "gpu_time" ? 1U : 0U) << series.metric;
}

TEST_P(StoredValues, AreReadAloneRunByRun) {
  Record record = example_record();
  const std::string id = record.cases[0].id;
  const std::vector<std::string> runs{"none", "second", record.id};
  const auto store = open();
  checked(store->put_record(record));
  record.id = "second";
  record.cases[0].series[0].processes[1].placements[0].samples[0] = 0;  // without a logarithm
  for (ProcessResult& result : record.cases[0].processes) result.identity = Identity{"d"};
  checked(store->put_record(record));
  const auto values = checked(store->values_of(runs, "cuda"));
  ASSERT_EQ(values.size(), 3U);
  EXPECT_TRUE(values[0].empty());
  ASSERT_EQ(values[1].size(), 2U) << "two metrics of the one case that was measured";
  ASSERT_EQ(values[2].size(), 2U);
  for (const std::vector<CaseValues>& run : values)
    for (const CaseValues& one : run) {
      EXPECT_EQ(one.case_id, id);
      const bool second = &run == &values[1];
      EXPECT_EQ(one.digest, second ? "d" : "");
      EXPECT_EQ(one.log_values.size(), second && one.metric == "gpu_time" ? 2U : 3U);
      if (!second && one.metric == "gpu_time") {
        EXPECT_THAT(one.log_values,
                    ElementsAre(expected(record, 0, 0, 0), testing::_, expected(record, 0, 0, 2)))
            << "by process, to the last digit";
      }
    }
  for (const auto& run : checked(store->values_of(runs, "cpu"))) EXPECT_TRUE(run.empty());
}

TEST_P(StoredValues, AreReadOfTheRunsAskedForNewestFirst) {
  const auto store = open();
  for (int i = 0; i < 12; ++i) {
    Record record = example_record();
    record.id = "run " + std::to_string(i);
    record.started = "2026-11-20T05:40:" + std::to_string(10 + i) + "Z";
    record.suite.name = i % 2 == 0 ? "even" : "odd";
    record.calibration = i == 4;
    ASSERT_TRUE(store->put_record(record));
  }
  RunQuery query;
  const StoredHistory all = history(query);
  EXPECT_EQ(all.runs.size(), 12U);
  EXPECT_EQ(all.series.size(), 24U);
  for (std::size_t i = 0; i < all.series.size(); ++i) EXPECT_EQ(all.series[i].run, i / 2);
  query.suite = "even";
  query.calibration = false;
  const StoredHistory some = history(query);
  ASSERT_EQ(some.runs.size(), 5U);
  EXPECT_EQ(some.runs[0].info.id, "run 10");
  EXPECT_EQ(some.series.size(), 10U);
  query.calibration = true;
  ASSERT_EQ(history(query).runs.size(), 1U);
  EXPECT_TRUE(history(query).runs[0].info.calibration);
}

TEST_P(StoredValues, ComeWithThePlannedCase) {
  const Record record = example_record();
  const auto store = open();
  ASSERT_TRUE(store->put_record(record));
  const auto planned = store->planned_case(record.id, record.cases[0].id);
  ASSERT_TRUE(planned) << planned.error().text();
  EXPECT_EQ(planned->gate, record.cases[0].gate);
  EXPECT_TRUE(planned->series.empty());
  const auto absent = store->planned_case(record.id, "no such case");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::missing);
}

}  // namespace
}  // namespace harness
