// Gates by metric, informative metrics, and what loosened gates would have caught.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "policies.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(Gates, OfAMetricWinOverTheCasesAndThePolicyOverBoth) {
  const Gate gate{0.02, 0.03, {{"peak_memory", 0.0, {}, false}, {"time", {}, 0.05, false}}};
  EXPECT_EQ(gate_of(gate, "peak_memory", {}).margin, 0);
  EXPECT_EQ(gate_of(gate, "peak_memory", {}).alpha, 0.03);
  EXPECT_EQ(gate_of(gate, "gpu_time", {}).margin, 0.02);
  EXPECT_EQ(gate_of(gate, "gpu_time", {}).alpha, 0.05);
  EXPECT_EQ(gate_of(gate, "wall_time", {}).alpha, 0.05);
  EXPECT_EQ(gate_of(gate, "other", {}).alpha, 0.03);
  Policy policy;
  policy.margin = 0.1;
  EXPECT_EQ(gate_of(gate, "peak_memory", policy).margin, 0.1);
}

TEST(Gates, JudgeEachMetricOfACaseByItsOwn) {
  const Gate gate = gate_with({"wall_time", 0.10, {}, false});
  const Record before = with_series({series_at(about(20)), series_at(about(30), "wall_time")}, gate);
  const Record after = with_series({series_at(about(20.8)), series_at(about(31.2), "wall_time")}, gate);
  const Comparison comparison = compare(before, after, {});
  EXPECT_EQ(row_named(comparison, "gpu_time").verdict, Verdict::regressed);
  EXPECT_EQ(row_named(comparison, "wall_time").verdict, Verdict::unchanged);
  EXPECT_EQ(row_named(comparison, "wall_time").margin, 0.10);
}

TEST(Gates, OfAMetricThatNoCaseHasAreToldWithTheNearestName) {
  Record record = with_series({series_at(about(20))}, gate_with({"gpu_tme", 0.1, {}, false}));
  EXPECT_THAT(compare(record, record, {}).remarks,
              ElementsAre(fact(RemarkCode::idle_gate, {{"metric", "gpu_tme"}, {"near", "gpu_time"}})));
  Record looked = record;
  looked.cases[0].outcome = Outcome::looked_at;
  EXPECT_THAT(compare(record, looked, {}).remarks, IsEmpty()) << "a look tells few metrics";
  record.cases[0].gate.metrics[0].metric = "time";
  EXPECT_THAT(compare(record, record, {}).remarks, IsEmpty());
}

// A record whose one case has a time and five other values, one a process.
Record with_values(const std::string& metric, const std::vector<double>& values, const Gate& gate) {
  Series one{metric, "us", Direction::lower_is_better, {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    one.processes.push_back({static_cast<int>(i) + 1, {Placement{{values[i]}, 0, 0}}});
  return with_series({series_at(about(20)), std::move(one)}, gate);
}

TEST(MetricsOfAProcess, InformUntilAGateNamesThem) {
  const Comparison calls =
      compare(with_values("first_call", about(900), {}), with_values("first_call", about(1000), {}), {});
  EXPECT_EQ(only_row(calls).metric, "gpu_time") << "every record holds first calls";
  for (const std::string metric : {"setup_time", "kernel_time"}) {
    const Comparison free =
        compare(with_values(metric, about(900), {}), with_values(metric, about(1000), {}), {});
    EXPECT_TRUE(row_named(free, metric).informative) << metric;
    EXPECT_EQ(row_named(free, metric).verdict, Verdict::regressed) << metric;
    EXPECT_EQ(exit_code(free), 0) << metric;
  }
  for (const std::string metric : {"first_call", "setup_time", "kernel_time"}) {
    const Gate gate = gate_with({metric, 0.05, {}, false});
    const Comparison gated =
        compare(with_values(metric, about(900), gate), with_values(metric, about(1000), gate), {});
    EXPECT_FALSE(row_named(gated, metric).informative) << metric;
    EXPECT_EQ(row_named(gated, metric).margin, 0.05) << metric;
    EXPECT_EQ(exit_code(gated), 1) << metric;
    const Comparison within =
        compare(with_values(metric, about(900), gate), with_values(metric, about(910), gate), {});
    EXPECT_EQ(row_named(within, metric).verdict, Verdict::unchanged) << metric;
  }
}

TEST(MetricsOfAProcess, ThatOneSideLacksFailAGateOfTheirs) {
  for (const std::string metric : {"first_call", "kernel_time", "peak_memory"}) {
    const Gate gate = gate_with({metric, 0.05, {}, false});
    const Record with = with_values(metric, about(900), gate),
                 without = with_series({series_at(about(20))}, gate);
    const Comparison gone = compare(with, without, {}), added = compare(without, with, {});
    EXPECT_EQ(row_named(gone, metric).verdict, Verdict::missing) << metric;
    EXPECT_EQ(row_named(gone, metric).reason.code, ReasonCode::removed_metric) << metric;
    EXPECT_EQ(row_named(added, metric).reason.code, ReasonCode::new_metric) << metric;
    EXPECT_EQ(exit_code(gone), 4) << metric;
    EXPECT_EQ(exit_code(added), 4) << metric;
    Record ungated = without;
    ungated.cases[0].gate = {};
    EXPECT_EQ(exit_code(compare(with, ungated, {})), 4) << "the change removes the gate of " << metric;
  }
}

TEST(MetricsOfAProcess, ThatBothSidesLackAreTold) {
  const Gate gate = gate_with({"peak_memory", 0.01, {}, false});
  Record record = with_values("peak_memory", about(900), gate);
  record.cases.push_back(case_of("d", {series_at(about(20))}));
  record.cases.back().gate = gate;
  EXPECT_THAT(compare(record, record, {}).remarks,
              ElementsAre(fact(RemarkCode::gate_without_values, {{"metric", "peak_memory"}, {"cases", 1}})));
  record.cases.back().gate.metrics[0].informative = true;
  EXPECT_THAT(compare(record, record, {}).remarks, IsEmpty());
}

TEST(MetricsOfAProcess, ThatBothSidesWereRefusedAreTold) {
  Record record = with_series({series_at(about(20))});
  ProcessResult& result = record.cases[0].processes.emplace_back();
  result.notes.push_back({NoteCode::metric_beside_others, {{"metric", "energy"}, {"processes", 1}}});
  result.notes.push_back({NoteCode::metric_beside_others, {{"metric", "sustained_time"}, {"processes", 1}}});
  const Comparison refused = compare(record, record, {});
  EXPECT_THAT(refused.remarks,
              Contains(fact(RemarkCode::gate_without_values, {{"metric", "energy"}, {"cases", 1}})));
  EXPECT_THAT(refused.remarks,
              Not(Contains(fact(RemarkCode::gate_without_values, {{"metric", "sustained_time"}}))))
      << "it informs";
  Record informs = record;
  informs.cases[0].gate = gate_with({"energy", {}, {}, true});
  EXPECT_THAT(compare(informs, informs, {}).remarks, Not(Contains(coded(RemarkCode::gate_without_values))));
  record.cases[0].series.push_back(series_at(about(2), "energy", "J"));
  EXPECT_THAT(compare(record, record, {}).remarks, Not(Contains(coded(RemarkCode::gate_without_values))))
      << "other processes have a value";
}

TEST(Informative, RowsAreComparedButDecideNothing) {
  const Gate gate = gate_with({"wall_time", {}, {}, true});
  const Record before = with_series({series_at(about(20)), series_at(about(30), "wall_time")}, gate);
  const Record after = with_series({series_at(about(20)), series_at(about(60), "wall_time")}, gate);
  const Comparison comparison = compare(before, after, {});
  const ComparisonRow& row = row_named(comparison, "wall_time");
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_TRUE(row.informative);
  EXPECT_TRUE(row.p);
  EXPECT_FALSE(row.p_adjusted);
  EXPECT_EQ(comparison.verdict, Verdict::unchanged);
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(Informative, RowsDoNotJoinTheFamilyOfTheOthers) {
  const Gate gate = gate_with({"wall_time", {}, {}, true});
  Record before = with_series({series_at(about(20))}, gate),
         after = with_series({series_at(about(20.8))}, gate);
  const double alone = *only_row(compare(before, after, {})).p_adjusted;
  for (int i = 0; i < 5; ++i) {
    for (Record* record : {&before, &after}) {
      record->cases.push_back(case_of(fmt::format("x{}", i), {series_at(about(30), "wall_time")}));
      record->cases.back().gate = gate;
    }
  }
  EXPECT_DOUBLE_EQ(*row_named(compare(before, after, {}), "gpu_time").p_adjusted, alone);
  for (Record* record : {&before, &after})
    for (CaseRecord& one : record->cases) one.gate = {};
  EXPECT_DOUBLE_EQ(*row_named(compare(before, after, {}), "gpu_time").p_adjusted, 6 * alone);
}

TEST(Informative, MetricsThatBecameSoAreTold) {
  const Record before = with_series({series_at(about(20))});
  const Record after = with_series({series_at(about(20))}, gate_with({"time", {}, {}, true}));
  const Comparison comparison = compare(before, after, accepting());
  EXPECT_THAT(comparison.rows[0].diagnostics, Contains(coded(DiagnosticCode::informative_now)));
  ASSERT_TRUE(comparison.rows[0].loosened);
  EXPECT_FALSE(hides_regression(comparison.rows[0])) << "nothing moved";
  EXPECT_THAT(policy_fact(comparison, PolicyCode::gates_loosened).value,
              fact(PolicyCode::gates_loosened, {{"results", 1}, {"hidden", 0}}));
}

TEST(Loosened, GatesNameWhatTheBaselinesWouldHaveCalledRegressed) {
  const auto loosened = [](double now, Gate gate) {
    return compare(with_series({series_at(about(20))}), with_series({series_at(about(now))}, std::move(gate)),
                   accepting());
  };
  const Comparison informative = loosened(24, gate_with({"time", {}, {}, true}));
  EXPECT_TRUE(hides_regression(only_row(informative)));
  EXPECT_THAT(policy_fact(informative, PolicyCode::gates_loosened).value,
              fact(PolicyCode::gates_loosened, {{"results", 1}, {"hidden", 1}}));
  EXPECT_TRUE(hides_regression(only_row(loosened(24, gate_with({"time", 0.5, {}, false})))));
  EXPECT_TRUE(hides_regression(only_row(loosened(20.4, gate_with({"time", {}, 1e-9, false})))));
  const Comparison still = loosened(24, gate_with({"time", 0.05, {}, false}));
  EXPECT_TRUE(only_row(still).loosened->regressed);
  EXPECT_FALSE(hides_regression(only_row(still))) << "it is called regressed all the same";
  EXPECT_FALSE(only_row(loosened(24, gate_with({"time", 0.005, {}, false}))).loosened) << "stricter";
}

TEST(Loosened, GatesOfExactMetricsAreJudgedExactly) {
  const Gate loose = gate_with({"peak_memory", 0.5, {}, false});
  EXPECT_TRUE(hides_regression(
      only_row(compare(with_series({constant(1000)}), with_series({constant(1200)}, loose), accepting()))));
  EXPECT_FALSE(hides_regression(
      only_row(compare(with_series({constant(1000)}), with_series({constant(1005)}, loose), accepting()))));
}

// The change runs 4 % slower and brings each way to let that pass.
TEST(Proposed, GatesOfTheChangeDoNotCount) {
  const Gate loose = gate_with({"time", 0.5, 1e-9, true});
  const Comparison comparison =
      compare(with_series({series_at(about(20))}), with_series({series_at(about(20.8))}, loose), {});
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_FALSE(row.informative);
  EXPECT_EQ(row.margin, Gate{}.margin);
  EXPECT_EQ(row.alpha, Gate{}.alpha);
  EXPECT_EQ(exit_code(comparison), 1);
  ASSERT_TRUE(row.proposed);
  EXPECT_EQ(row.proposed->margin, 0.5);
  EXPECT_TRUE(row.proposed->informative);
  EXPECT_FALSE(row.loosened);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::gate_proposed)));
  EXPECT_THAT(policy_fact(comparison, PolicyCode::proposed).value,
              fact(PolicyCode::proposed, {{"gates", 1}, {"waivers", 0}, {"accepted", 0}}));
}

TEST(Proposed, GatesCountWhereThePolicyAcceptsThemAndThatIsTold) {
  const Gate loose = gate_with({"time", 0.5, {}, false});
  const Comparison comparison =
      compare(with_series({series_at(about(20))}), with_series({series_at(about(20.8))}, loose), accepting());
  EXPECT_EQ(only_row(comparison).verdict, Verdict::unchanged);
  EXPECT_FALSE(only_row(comparison).proposed);
  EXPECT_THAT(policy_fact(comparison, PolicyCode::proposed).value,
              fact(PolicyCode::proposed, {{"gates", 1}, {"waivers", 0}, {"accepted", 1}}));
}

TEST(Proposed, StricterGatesCountAtOnceEachValueForItself) {
  const Gate old{0.02, 0.01}, now{0.005, 0.001};
  const DecidingGate deciding = deciding_gate(&old, now, "gpu_time", {});
  EXPECT_EQ(deciding.gate.margin, 0.005);
  EXPECT_EQ(deciding.gate.alpha, 0.01) << "a lower alpha calls less";
  ASSERT_TRUE(deciding.proposed);
  EXPECT_EQ(*deciding.proposed, gate_of(now, "gpu_time", {}));
  EXPECT_FALSE(deciding_gate(&old, Gate{0.005, 0.02}, "gpu_time", {}).proposed);
  Gate patient = old;
  patient.throttled = 0.9;
  EXPECT_EQ(deciding_gate(&old, patient, "gpu_time", {}).gate.throttled, old.throttled);
  EXPECT_TRUE(deciding_gate(&old, patient, "gpu_time", {}).proposed);
}

TEST(Proposed, NothingWhereTheBaselineHasNoSuchCaseOrTheCommandLineDecides) {
  const Gate old{0.01, 0.01}, now{0.5, 0.01};
  EXPECT_EQ(deciding_gate(nullptr, now, "gpu_time", {}).gate.margin, 0.5);
  Policy policy;
  policy.margin = 0.1;
  EXPECT_EQ(deciding_gate(&old, now, "gpu_time", policy).gate.margin, 0.1);
  EXPECT_FALSE(deciding_gate(&old, now, "gpu_time", policy).proposed);
}

TEST(ProcessesNeeded, AreSetWhereProcessesHelp) {
  const auto needed = [](const std::vector<double>& before, const std::vector<double>& after,
                         double session_sd) {
    Policy policy;
    policy.session_sd = session_sd;
    return only_row(compare(record_of(before), record_of(after), policy)).processes_needed;
  };
  EXPECT_FALSE(needed(about(20), about(20), 0.02));
  EXPECT_TRUE(needed({20, 20.1}, about(20), 0.001));
  EXPECT_TRUE(needed({20}, about(20), 0.001));
}

TEST(Informative, NeverExcusesACaseThatFailedOrIsMissing) {
  const Gate gate = gate_with({"gpu_time", {}, {}, true});
  const Record before = with_series({series_at(about(20))}, gate);
  Record wrong = before;
  wrong.cases[0].outcome = Outcome::incorrect;
  EXPECT_EQ(exit_code(compare(before, wrong, {})), 5);
  EXPECT_EQ(exit_code(compare(before, record_of(std::vector<CaseRecord>{}), {})), 4);
  EXPECT_EQ(exit_code(compare(record_of(std::vector<CaseRecord>{}), before, {})), 4);
}

}  // namespace
}  // namespace harness
