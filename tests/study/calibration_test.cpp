// What A/A records teach: spreads, false alarms, proposals; and that compare() uses it.
#include "harness/study/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/study/session_spreads.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/read/process_values.h"
#include "tests/verdict/facts.h"
#include "tests/verdict/policies.h"

namespace harness {
namespace {

struct Recipe {
  int sessions = 4;
  int processes = 10;
  int placements = 5;
  double process_sd = 0.002;
  double session_sd = 0;
  double device_sd = 0;
  int devices = 1;
  int cases = 2;
  unsigned seed = 1;
  std::string commit = "1111";
};

// A record a session.
std::vector<Record> sessions(const Recipe& recipe) {
  std::mt19937_64 random(recipe.seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Record> records;
  for (int device = 0; device < recipe.devices; ++device) {
    const double of_device = recipe.device_sd * normal(random);
    for (int session = 0; session < recipe.sessions; ++session) {
      const double of_session = of_device + recipe.session_sd * normal(random);
      std::vector<CaseRecord> cases;
      for (int i = 0; i < recipe.cases; ++i) {
        const std::string id(1, static_cast<char>('a' + i));
        Series series{"gpu_time", "us", Direction::lower_is_better, {}};
        for (int p = 1; p <= recipe.processes; ++p) {
          const double value = 100 * std::exp(of_session + recipe.process_sd * normal(random));
          ProcessSamples process{p, {}};
          for (int l = 0; l < recipe.placements; ++l)
            process.placements.push_back(Placement{{value, value, value}, 0, 0});
          series.processes.push_back(process);
        }
        cases.push_back(case_of(id, {series}));
        cases.back().sampling.processes = 5;
        cases.back().sampling.placements = recipe.placements;
      }
      records.push_back(record_of(std::move(cases)));
      records.back().revision.commit = recipe.commit;
      records.back().machines["cuda"].device_uuid = "GPU-" + std::to_string(device);
    }
  }
  return records;
}

TEST(Calibration, FindsTheSpreadBetweenProcessesAndSessions) {
  Recipe recipe;
  recipe.sessions = 40;
  recipe.session_sd = 0.004;
  const CalibrationReport report = calibrate(sessions(recipe), {});
  ASSERT_EQ(report.cases.size(), 2U);
  const CalibratedCase& one = report.cases[0];
  EXPECT_EQ(one.sessions, 40);
  EXPECT_EQ(one.processes, 400);
  EXPECT_NEAR(one.process.sd, 0.002, 0.0002);
  EXPECT_LT(one.process.interval.lo, 0.002);
  EXPECT_GT(one.process.interval.hi, 0.002);
  ASSERT_TRUE(one.session);
  EXPECT_NEAR(one.session->sd, 0.004, 0.001);
  EXPECT_NEAR(one.session_sd, one.session->sd, 0.0005) << "39 degrees of freedom outweigh what is usual";
  EXPECT_FALSE(one.of_devices);
  EXPECT_EQ(report.machine_class, "nvidia-h200");
  EXPECT_EQ(report.device_uuid, "GPU-0");
}

TEST(Calibration, KeepsToTheUsualWhereFewSessionsSayNothing) {
  Recipe recipe;
  recipe.sessions = 2;
  recipe.process_sd = 0.0001;
  const CalibrationReport report = calibrate(sessions(recipe), {});
  EXPECT_LT(report.cases[0].session_sd, Policy{}.session_sd);
  EXPECT_GT(report.cases[0].session_sd, 0.7 * Policy{}.session_sd);
}

TEST(Calibration, NeverComparesDifferentBuilds) {
  Recipe old;
  Recipe now;
  now.commit = "2222";
  now.seed = 2;
  std::vector<Record> records = sessions(old);
  for (Record& record : sessions(now)) {
    for (CaseRecord& one : record.cases)
      for (ProcessSamples& process : one.series[0].processes)
        for (Placement& placement : process.placements)
          for (double& sample : placement.samples) sample *= 1.5;
    records.push_back(record);
  }
  const CalibrationReport report = calibrate(records, {});
  ASSERT_TRUE(report.cases[0].session);
  EXPECT_LT(report.cases[0].session->sd, 0.003) << "half as slow again is another build, not another session";
  EXPECT_EQ(report.suite_alarms, 0U);
}

TEST(Calibration, FindsTheSpreadBetweenDevices) {
  Recipe recipe;
  recipe.devices = 12;
  recipe.sessions = 2;
  recipe.device_sd = 0.01;
  const CalibrationReport report = calibrate(sessions(recipe), {});
  ASSERT_TRUE(report.cases[0].of_devices);
  EXPECT_EQ(report.cases[0].devices, 12);
  EXPECT_EQ(report.cases[0].sessions, 2) << "of this device";
  EXPECT_NEAR(report.cases[0].of_devices->sd, 0.01, 0.005);
  EXPECT_GT(report.cases[0].device_sd, 0.005);
}

TEST(Calibration, CountsFalseAlarmsOfTheRule) {
  Recipe recipe;
  CalibrationOptions options;
  options.splits = 400;
  const CalibrationReport quiet = calibrate(sessions(recipe), options);
  EXPECT_EQ(quiet.splits, 400U);
  EXPECT_EQ(quiet.split_processes, 5) << "as many as the suite plans";
  EXPECT_EQ(quiet.suite_alarms, 0U);
  EXPECT_NEAR(quiet.alarm_bound, 0.0092, 0.0002) << "Clopper-Pearson: 1 - 0.025^(1/400)";
  options.policy.margin = 1e-6;  // a margin of nothing and an alpha of a third: alarms must come
  options.policy.alpha = 0.3;
  const CalibrationReport loud = calibrate(sessions(recipe), options);
  EXPECT_GT(loud.suite_alarms, 40U);
  EXPECT_GE(loud.suite_alarms, loud.cases[0].alarms);
  EXPECT_GT(loud.cases[0].alarms, 0U);
  EXPECT_EQ(calibrate(sessions(recipe), options).suite_alarms, loud.suite_alarms) << "seeded";
}

TEST(Calibration, SplitsTheOnlySessionInHalves) {
  Recipe recipe;
  recipe.sessions = 1;
  recipe.processes = 10;
  const CalibrationReport report = calibrate(sessions(recipe), {});
  EXPECT_EQ(report.split_processes, 5);
  EXPECT_THAT(report.notes,
              testing::ElementsAre(fact(CalibrationNoteCode::one_session, {{"sd", Policy{}.session_sd}})));
  recipe.processes = 9;
  const CalibrationReport few = calibrate(sessions(recipe), {});
  EXPECT_EQ(few.splits, 0U);
  EXPECT_EQ(few.alarm_bound, 1);
  EXPECT_THAT(few.notes, testing::Contains(fact(CalibrationNoteCode::not_counted, {{"needed", 5}})));
}

TEST(Calibration, SaysWhatTheSplitsCompared) {
  Recipe recipe;
  recipe.sessions = 1;
  EXPECT_FALSE(calibrate(sessions(recipe), {}).between_sessions);
  recipe.sessions = 3;
  EXPECT_TRUE(calibrate(sessions(recipe), {}).between_sessions);
  CalibrationOptions halves;
  halves.halves = true;
  EXPECT_FALSE(calibrate(sessions(recipe), halves).between_sessions);
  EXPECT_TRUE(calibrate(sessions(recipe), halves).halves_alone);
}

TEST(Calibration, ProposesMoreProcessesForWhatVariesMore) {
  Recipe calm;
  Recipe noisy;
  noisy.process_sd = 0.008;
  const auto of = [](const Recipe& recipe) { return *calibrate(sessions(recipe), {}).cases[0].proposal; };
  EXPECT_EQ(of(calm).processes, 5);
  EXPECT_TRUE(of(calm).reaches);
  EXPECT_GT(of(noisy).processes, 10);
  EXPECT_EQ(of(noisy).margin, 0.01);
  EXPECT_EQ(of(calm).placements, 2) << "placements that do not differ need not be many";
}

// Cases that vary alike tell of each other: fewer processes do.
TEST(Calibration, PlansWithModeratedVariances) {
  Recipe few;
  few.process_sd = 0.005;
  Recipe many = few;
  many.cases = 12;
  // Beyond the margin, in sds of the case; Holm divides the same alpha by more rows.
  const auto reach = [](const Recipe& recipe) {
    CalibrationOptions options;
    options.policy.alpha = 0.005 * recipe.cases;
    double sum = 0;
    for (const CalibratedCase& one : calibrate(sessions(recipe), options).cases)
      sum += (one.detectable - one.margin) / one.process.sd;
    return sum / recipe.cases;
  };
  EXPECT_LT(reach(many), 0.93 * reach(few));
}

TEST(Calibration, ProposesProcessesWithWhichAnUnchangedCasePasses) {
  Recipe recipe;
  recipe.process_sd = 0.008;
  CalibrationOptions coarse;
  coarse.detect = 0.5;  // found at once
  const CalibrationReport report = calibrate(sessions(recipe), coarse);
  ASSERT_TRUE(report.cases[0].proposal);
  EXPECT_GT(report.cases[0].proposal->processes, 8) << "2 * 0.8 % / sqrt(n) must stay well below 1 %";
  EXPECT_TRUE(report.cases[0].proposal->reaches);
}

TEST(Calibration, ProposesAMarginWhereProcessesCannotHelp) {
  Recipe recipe;
  recipe.sessions = 30;
  recipe.session_sd = 0.02;
  const CalibrationReport report = calibrate(sessions(recipe), {});
  ASSERT_TRUE(report.cases[0].proposal);
  EXPECT_FALSE(report.cases[0].proposal->reaches);
  EXPECT_GT(report.cases[0].proposal->margin, 0.05);
  EXPECT_GT(report.cases[0].detectable, 0.05);
}

TEST(Calibration, IsEmptyWithoutRecords) {
  EXPECT_TRUE(calibrate({}, {}).cases.empty());
}

TEST(LearnedSpreads, ComeFromTheDevicesOwnSessions) {
  std::vector<CalibrationSession> all;
  for (const Record& record : sessions({20, 10, 1, 0.001, 0.004, 0, 2}))
    for (const CaseRecord& one : record.cases) {
      CalibrationSession session{one.id, "gpu_time", record.machines.at("cuda").device_uuid, "1", {}};
      for (const double value : process_values(one.series[0])) session.log_values.push_back(std::log(value));
      all.push_back(session);
    }
  const auto learned = learn_spreads(all, "GPU-1");
  ASSERT_EQ(learned.size(), 2U);
  EXPECT_EQ(learned[0].sessions, 20);
  EXPECT_EQ(learned[0].devices, 2);
  EXPECT_NEAR(learned[0].session_sd, 0.004, 0.0015);
  EXPECT_TRUE(learn_spreads({}, "GPU-1").empty());
}

TEST(LearnedSpreads, WidenTheIntervalOfTheCaseTheyAreAbout) {
  const Record baseline =
      record_of({case_of("c", {series_at(about(100))}), case_of("d", {series_at(about(100))})});
  Policy policy;
  const Comparison before = compare(baseline, baseline, policy);
  policy.learned = {{"c", "gpu_time", 0.01, 0.02, 5, 1}};
  const Comparison after = compare(baseline, baseline, policy);
  const auto width = [](const Comparison& comparison, const std::string& id) {
    for (const ComparisonRow& row : comparison.rows)
      if (row.case_id == id) return row.interval->hi - row.interval->lo;
    return 0.0;
  };
  EXPECT_GT(width(after, "c"), 3 * width(before, "c"));
  EXPECT_EQ(width(after, "d"), width(before, "d"));
  const PolicyFact& told = policy_fact(after, PolicyCode::sessions);
  EXPECT_EQ(told.origin, PolicyOrigin::calibration);
  EXPECT_THAT(told.value, fact(PolicyCode::sessions, {{"results", 1}, {"least", 0.01}, {"most", 0.01}}));
}

}  // namespace
}  // namespace harness
