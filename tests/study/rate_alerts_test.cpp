// Alerts of a branch, how often they were right, and what they missed.
#include "harness/study/rate_alerts.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

std::string day(int number) {
  return "2026-11-" + std::string(number < 10 ? "0" : "") + std::to_string(number) + "T02:17:00Z";
}

// Night `number` measured commit "c<number>"; these cases regressed.
JudgedRun night(int number, std::set<std::string> red, std::optional<AlertMark> mark = {}) {
  JudgedRun run;
  run.record = "r" + std::to_string(number);
  run.commit = "c" + std::to_string(number);
  run.started = day(number);
  run.machine_class = "h200";
  run.device_uuid = "GPU-A";
  run.passed = red.empty();
  run.red = std::move(red);
  run.mark = mark;
  return run;
}

// A series with a point each night from 1 to 9, and changes for the worse at these nights.
Trend series(const std::string& id, const std::vector<std::size_t>& nights) {
  Trend trend;
  trend.case_id = id;
  trend.machine_class = "h200";
  trend.device_uuid = "GPU-A";
  for (int i = 1; i < 10; ++i) {
    TrendPoint point;
    point.commit = "c" + std::to_string(i);
    point.date = day(i);
    trend.points.push_back(point);
  }
  for (const std::size_t one : nights) {
    TrendChange change;
    change.index = one - 1;
    change.first = trend.points[change.index].commit;
    change.worse = change.matters = true;
    trend.changes.push_back(change);
  }
  return trend;
}

TEST(AlertRates, AnAlertLastsUntilAWholeRecordPassed) {
  JudgedRun part = night(3, {});
  part.whole = false;
  JudgedRun undecided = night(4, {});
  undecided.passed = false;
  const std::vector<JudgedRun> runs{night(1, {}),         night(2, {"a"}), part,           undecided,
                                    night(5, {"a", "b"}), night(6, {}),    night(7, {"a"})};
  const AlertRates rates = rate_alerts(runs, {}, "2026-10-01");
  ASSERT_EQ(rates.alerts.size(), 2U);
  EXPECT_EQ(rates.alerts[0].records, (std::vector<std::string>{"r2", "r5"}));
  EXPECT_EQ(rates.alerts[0].cases, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(rates.alerts[0].commit, "c2");
  EXPECT_EQ(rates.alerts[1].records, std::vector<std::string>{"r7"});
  EXPECT_EQ(rates.unmarked, 2U);
  EXPECT_FALSE(rates.precision);
  EXPECT_FALSE(rates.recall);
}

TEST(AlertRates, DevicesHaveAlertsOfTheirOwn) {
  JudgedRun other = night(3, {});
  other.device_uuid = "GPU-B";
  const std::vector<JudgedRun> runs{night(2, {"a"}), other, night(4, {"a"})};
  EXPECT_EQ(rate_alerts(runs, {}, "2026-10-01").alerts.size(), 1U);
}

TEST(AlertRates, OneSlowdownOnTwoDevicesIsOneAlert) {
  const auto on_other = [](JudgedRun run) {
    run.device_uuid = "GPU-B";
    run.record += "b";
    return run;
  };
  std::vector<JudgedRun> runs{night(2, {"a"}), on_other(night(2, {"b"})), on_other(night(3, {"a"})),
                              night(4, {}),    on_other(night(4, {"a"})), on_other(night(5, {}))};
  runs[1].mark = AlertMark::true_alert;
  AlertRates rates = rate_alerts(runs, {}, "2026-10-01");
  ASSERT_EQ(rates.alerts.size(), 1U) << "it ends where both devices passed";
  EXPECT_EQ(rates.alerts[0].records, (std::vector<std::string>{"r2", "r2b", "r3b", "r4b"}));
  ASSERT_TRUE(rates.precision);
  EXPECT_EQ(rates.precision->trials, 1U);
  EXPECT_EQ(rates.recall->trials, 1U);
  // Another case at another commit is another slowdown.
  runs = {night(2, {"a"}), on_other(night(3, {"b"}))};
  EXPECT_EQ(rate_alerts(runs, {}, "2026-10-01").alerts.size(), 2U);
  // So is one that begins after the first has ended.
  runs = {night(2, {"a"}), night(3, {}), on_other(night(4, {"a"}))};
  EXPECT_EQ(rate_alerts(runs, {}, "2026-10-01").alerts.size(), 2U);
  // A device that is away keeps its alert open; a slowdown of another, which passed meanwhile, is its own.
  runs = {night(2, {"a"}), on_other(night(3, {})), on_other(night(5, {"a"}))};
  EXPECT_EQ(rate_alerts(runs, {}, "2026-10-01").alerts.size(), 2U);
}

TEST(AlertRates, PrecisionIsOfMarkedAlertsAndTheNewestMarkCounts) {
  const std::vector<JudgedRun> runs{night(1, {"a"}, AlertMark::true_alert),
                                    night(2, {}),
                                    night(3, {"a"}, AlertMark::true_alert),
                                    night(4, {"a"}, AlertMark::false_alert),
                                    night(5, {"a"}),
                                    night(6, {}),
                                    night(7, {"a"})};
  const AlertRates rates = rate_alerts(runs, {}, "2026-10-01");
  ASSERT_TRUE(rates.precision);
  EXPECT_EQ(rates.precision->hits, 1U);
  EXPECT_EQ(rates.precision->trials, 2U);
  EXPECT_EQ(rates.unmarked, 1U);
  EXPECT_LT(rates.precision->interval.lo, 0.06) << "two alerts tell little";
  EXPECT_GT(rates.precision->interval.hi, 0.94);
}

TEST(AlertRates, AChangePointWithoutAnAlertIsMissedOnceForAllItsSeries) {
  const std::vector<JudgedRun> runs{night(2, {"a"}, AlertMark::true_alert), night(3, {})};
  const std::vector<Trend> trends{series("a", {2, 7}), series("b", {7})};
  const AlertRates rates = rate_alerts(runs, trends, "2026-10-01");
  ASSERT_EQ(rates.missed.size(), 1U);
  EXPECT_EQ(rates.missed[0].source, MissedSlowdown::Source::change_point);
  EXPECT_EQ(rates.missed[0].commit, "c7");
  EXPECT_EQ(rates.missed[0].cases, (std::set<std::string>{"a", "b"}));
  ASSERT_TRUE(rates.recall);
  EXPECT_EQ(rates.recall->hits, 1U);
  EXPECT_EQ(rates.recall->trials, 2U);
}

TEST(AlertRates, AChangePointIsToldByARecordAroundIt) {
  for (const int told : {4, 5, 8}) {  // the change is at 5, the next one at 9
    const std::vector<JudgedRun> runs{night(told, {"a"})};
    EXPECT_TRUE(rate_alerts(runs, std::vector{series("a", {5})}, "2026-10-01").missed.empty()) << told;
  }
  JudgedRun waived = night(5, {});
  waived.waived = {"a"};
  EXPECT_TRUE(rate_alerts(std::vector{waived}, std::vector{series("a", {5})}, "2026-10-01").missed.empty());
  for (const int late : {3, 9})
    EXPECT_EQ(rate_alerts(std::vector{night(late, {"a"})}, std::vector{series("a", {5, 9})}, "2026-10-01")
                  .missed.size(),
              late == 9 ? 1U : 2U)
        << late;
  EXPECT_EQ(
      rate_alerts(std::vector{night(5, {"b"})}, std::vector{series("a", {5})}, "2026-10-01").missed.size(),
      1U)
      << "another case";
}

TEST(AlertRates, WhatDoesNotMatterOrDecideIsNotMissed) {
  Trend small = series("a", {5});
  small.changes[0].matters = false;
  Trend better = series("b", {5});
  better.changes[0].worse = false;
  Trend informative = series("c", {5});
  informative.informative = true;
  EXPECT_TRUE(rate_alerts({}, std::vector{small, better, informative}, "2026-10-01").missed.empty());
}

TEST(AlertRates, AMissedMarkBesideAChangePointIsTheSameSlowdown) {
  const std::vector<JudgedRun> runs{night(3, {}, AlertMark::missed), night(7, {}, AlertMark::missed)};
  const AlertRates rates = rate_alerts(runs, std::vector{series("a", {7})}, "2026-10-01");
  ASSERT_EQ(rates.missed.size(), 2U);
  EXPECT_EQ(rates.missed[0].source, MissedSlowdown::Source::mark);
  EXPECT_EQ(rates.missed[0].commit, "c3");
  EXPECT_EQ(rates.missed[1].source, MissedSlowdown::Source::change_point);
}

TEST(AlertRates, WhatIsOlderDoesNotCount) {
  const std::vector<JudgedRun> runs{night(1, {"a"}, AlertMark::true_alert), night(2, {}, AlertMark::missed),
                                    night(6, {"a"}, AlertMark::false_alert)};
  const AlertRates rates = rate_alerts(runs, std::vector{series("b", {3})}, "2026-11-05");
  EXPECT_EQ(rates.alerts.size(), 1U);
  EXPECT_TRUE(rates.missed.empty());
  EXPECT_EQ(rates.precision->hits, 0U);
  EXPECT_FALSE(rates.recall);
}

}  // namespace
}  // namespace harness
