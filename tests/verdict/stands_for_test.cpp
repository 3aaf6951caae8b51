// A change that asks less of a case than the baseline did.
#include "harness/verdict/check/stands_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "facts.h"
#include "harness/verdict/decide/looks.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

using Edit = std::function<void(CaseRecord&)>;

Record edited(const Edit& edit, double center = 20) {
  Record record = record_of(about(center));
  CaseRecord& one = record.cases.front();
  one.flops = 1000;
  one.bytes = 64;
  one.program = Program{"c", {"./bench", "1000"}, {}, {{"SIZE", "8"}}, {}, "make data", {}};
  edit(one);
  return record;
}

ComparisonRow row_of(const Edit& edit, const Policy& policy = {}) {
  return only_row(compare(edited([](CaseRecord&) {}), edited(edit), policy));
}

Verification checked(double error, double tolerance) {
  return {error, error, tolerance, 100};
}

Edit with_tolerance(double error, double tolerance) {
  return [=](CaseRecord& one) {
    ProcessResult result;
    result.process = 1;
    result.verification = checked(error, tolerance);
    one.processes = {result};
  };
}

TEST(StandsFor, LessOrOtherWorkIsAnotherCase) {
  const std::vector<std::pair<const char*, Edit>> edits{
      {"flops", [](CaseRecord& one) { one.flops = 900; }},
      {"flops", [](CaseRecord& one) { one.flops = 0; }},
      {"bytes", [](CaseRecord& one) { one.bytes = 32; }},
      {"command", [](CaseRecord& one) { one.program->command.back() = "900"; }},
      {"command", [](CaseRecord& one) { one.program->command = {"./bench 1000"}; }},
      {"env", [](CaseRecord& one) { one.program->env["SIZE"] = "4"; }},
      {"env", [](CaseRecord& one) { one.program->env.clear(); }},
      {"prepare", [](CaseRecord& one) { one.program->prepare = "make less"; }},
      {"reads", [](CaseRecord& one) { one.program->reads = "google_benchmark"; }},
      {"module", [](CaseRecord& one) { one.hides = "own.so"; }},
      {"processes", [](CaseRecord& one) { one.sampling.processes = 3; }},
      {"samples", [](CaseRecord& one) { one.sampling.samples = 10; }},
      {"max_time", [](CaseRecord& one) { one.sampling.max_time = 0.1; }},
      {"seed", [](CaseRecord& one) { one.sampling.seed = 7; }}};
  for (const auto& [name, edit] : edits) {
    const ComparisonRow row = row_of(edit);
    EXPECT_EQ(row.verdict, Verdict::not_comparable) << name;
    EXPECT_EQ(row.reason.code, ReasonCode::case_differs) << name;
    ASSERT_FALSE(row.differences.empty()) << name;
    EXPECT_EQ(row.differences.front().name, name);
    Policy accepting;
    accepting.accept_proposed = true;
    EXPECT_EQ(row_of(edit, accepting).verdict, Verdict::unchanged) << name;
  }
}

TEST(StandsFor, MoreOrTheSameIsNone) {
  for (const Edit& edit : std::vector<Edit>{
           [](CaseRecord&) {}, [](CaseRecord& one) { one.flops = 1000 * (1 + 1e-12); },
           [](CaseRecord& one) { one.flops = 2000; }, [](CaseRecord& one) { one.sampling.processes = 9; },
           [](CaseRecord& one) { one.sampling.samples = 50; },
           [](CaseRecord& one) { one.sampling.timeout = 5; }}) {
    const ComparisonRow row = row_of(edit);
    EXPECT_EQ(row.verdict, Verdict::unchanged);
    EXPECT_THAT(row.diagnostics, Not(Contains(coded(DiagnosticCode::sampling_proposed))));
  }
}

// Who gives another number on the command line asks for it by hand.
TEST(StandsFor, TheCommandLineMayAskForLess) {
  const ComparisonRow row = row_of([](CaseRecord& one) {
    one.suite_sampling = one.sampling;
    one.sampling.seed = 7;
    one.sampling.samples = 10;
  });
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_THAT(row.diagnostics, Not(Contains(coded(DiagnosticCode::sampling_proposed))));
}

// Both builds of an A/B run have one suite, and two commands where the user names two.
TEST(StandsFor, TheSidesOfAnAbRunMayDiffer) {
  Record before = edited([](CaseRecord&) {}),
         after = edited([](CaseRecord&one) { one.program->command = {"./other"}; });
  before.pairing = after.pairing = Pairing{"p", Pairing::Kind::session};
  EXPECT_EQ(only_row(compare(before, after, {})).verdict, Verdict::unchanged);
}

std::string no_file(const PlannedCase&, const Sampling&) {
  return {};
}

Edit timed_on(const std::string& inputs, const std::string& hash = {}) {
  return [=](CaseRecord& one) {
    one.sampling.inputs = inputs;
    one.sampling.inputs_hash = hash;
  };
}

// Proposals that are accepted still compare no zeros with values.
TEST(TimedInputs, ThatDifferAreNotComparable) {
  const std::vector<std::pair<Edit, Edit>> edits{
      {timed_on("drawn"), timed_on("zeros")},
      {timed_on("zeros"), timed_on("uniform")},
      {timed_on("drawn"), timed_on("x.safetensors", "aa")},
      {timed_on("x.safetensors", "aa"), timed_on("x.safetensors", "bb")}};
  for (const auto& [before, after] : edits)
    for (const bool accept : {false, true}) {
      Policy policy;
      policy.accept_proposed = accept;
      const ComparisonRow row = only_row(compare(edited(before), edited(after), policy));
      EXPECT_EQ(row.verdict, Verdict::not_comparable);
      EXPECT_EQ(row.reason.code, ReasonCode::sampling_differs);
      ASSERT_EQ(row.differences.size(), 1U);
      EXPECT_EQ(row.differences.front().name, "inputs");
    }
}

// A file that moved is the same, and a record of before holds no inputs.
TEST(TimedInputs, ThatAreTheSameAreComparable) {
  for (const auto& [before, after] : std::vector<std::pair<Edit, Edit>>{
           {timed_on("zeros"), timed_on("zeros")},
           {timed_on("drawn"), [](CaseRecord&) {}},
           {timed_on("x.safetensors", "aa"), timed_on("data/x.safetensors", "aa")}})
    EXPECT_EQ(only_row(compare(edited(before), edited(after), {})).verdict, Verdict::unchanged);
}

Plan plan_on(const std::string& inputs, const std::string& hash = {}) {
  Plan plan;
  PlannedCase& planned = plan.cases.emplace_back();
  planned.id = "c";
  planned.device = "cuda";
  planned.sampling = record_of(about(20)).cases.front().sampling;
  planned.sampling.inputs = inputs;
  planned.sampling.inputs_hash = hash;
  return plan;
}

// Where the baseline's file is there no more, the case is measured as the suite says, and not comparable.
TEST(TakeSettings, TheBaselinesInputsReplaceTheSuites) {
  const auto there = [](const PlannedCase&, const Sampling& baseline) {
    return "/suites/" + baseline.inputs;
  };
  Plan plan = plan_on("zeros");
  take_settings(plan, edited(timed_on("drawn")), there);
  EXPECT_EQ(plan.cases.front().sampling.inputs, "drawn");
  EXPECT_EQ(plan.cases.front().inputs_file, "");
  ASSERT_TRUE(plan.cases.front().suite_sampling);
  EXPECT_EQ(plan.cases.front().suite_sampling->inputs, "zeros");
  CaseRecord measured = edited([](CaseRecord&) {}).cases.front();
  measured.sampling = plan.cases.front().sampling;
  measured.suite_sampling = plan.cases.front().suite_sampling;
  Record current = edited([](CaseRecord&) {});
  current.cases = {measured};
  const ComparisonRow row = only_row(compare(edited(timed_on("drawn")), current, {}));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::sampling_proposed)));

  plan = plan_on("x.safetensors", "bb");
  take_settings(plan, edited(timed_on("x.safetensors", "aa")), there);
  EXPECT_EQ(plan.cases.front().sampling.inputs_hash, "aa");
  EXPECT_EQ(plan.cases.front().inputs_file, "/suites/x.safetensors");
  plan = plan_on("x.safetensors", "bb");
  take_settings(plan, edited(timed_on("x.safetensors", "aa")), no_file);
  EXPECT_EQ(plan.cases.front().sampling.inputs_hash, "bb");
  EXPECT_FALSE(plan.cases.front().suite_sampling);
  plan = plan_on("zeros");
  take_settings(plan, edited(timed_on("zeros")), no_file);
  EXPECT_FALSE(plan.cases.front().suite_sampling);
}

TEST(TakeSettings, TheBaselinesReplaceWeakerOnesOfTheSuite) {
  Record baseline = record_of(about(20));
  Plan plan;
  PlannedCase& planned = plan.cases.emplace_back();
  planned.id = "c";
  planned.device = "cuda";
  planned.sampling.processes = 3;
  planned.sampling.samples = 10;
  planned.sampling.min_samples = 8;
  planned.sampling.seed = 7;
  planned.gate.looks = default_looks(3);
  const Sampling own = planned.sampling;
  take_settings(plan, baseline, no_file);
  EXPECT_EQ(planned.sampling.processes, 5);
  EXPECT_EQ(planned.sampling.samples, 20);
  EXPECT_EQ(planned.sampling.min_samples, 8) << "more than the baseline's";
  EXPECT_EQ(planned.sampling.seed, 1U);
  EXPECT_EQ(planned.suite_sampling, own);
  EXPECT_EQ(planned.gate.looks, default_looks(5));

  CaseRecord measured = baseline.cases.front();
  measured.sampling = planned.sampling;
  measured.suite_sampling = own;
  Record current = baseline;
  current.cases = {measured};
  const ComparisonRow row = only_row(compare(baseline, current, {}));
  EXPECT_EQ(row.verdict, Verdict::unchanged);
  EXPECT_THAT(row.diagnostics, Contains(coded(DiagnosticCode::sampling_proposed)));
}

TEST(TakeSettings, LeavesMoreAndTheCommandLineAlone) {
  Record baseline = record_of(about(20));
  Plan plan;
  PlannedCase& more = plan.cases.emplace_back();
  more.id = "c";
  more.device = "cuda";
  more.sampling.samples = 40;
  Plan asked = plan;
  asked.cases.front().sampling = {};
  asked.cases.front().suite_sampling = Sampling{};
  asked.cases.front().sampling.processes = 2;  // --processes 2
  const Plan plan_before = plan, asked_before = asked;
  take_settings(plan, baseline, no_file);
  take_settings(asked, baseline, no_file);
  EXPECT_EQ(plan.cases.front().sampling, plan_before.cases.front().sampling);
  EXPECT_EQ(asked.cases.front().sampling, asked_before.cases.front().sampling);
}

TEST(Tolerance, AWiderOneCountsOnlyWhereItIsNotNeeded) {
  const auto compared = [](const Edit& now, const Policy& policy = {}) {
    return only_row(compare(edited(with_tolerance(1e-4, 1e-3)), edited(now), policy));
  };
  const ComparisonRow beyond = compared(with_tolerance(5e-3, 1e-2));
  EXPECT_EQ(beyond.verdict, Verdict::failed);
  EXPECT_EQ(beyond.reason.code, ReasonCode::wider_tolerance);
  Policy accepting;
  accepting.accept_proposed = true;
  EXPECT_EQ(compared(with_tolerance(5e-3, 1e-2), accepting).verdict, Verdict::unchanged);
  const ComparisonRow within = compared(with_tolerance(5e-4, 1e-2));
  EXPECT_EQ(within.verdict, Verdict::unchanged);
  EXPECT_THAT(within.diagnostics, Contains(coded(DiagnosticCode::tolerance_proposed)));
  for (const Edit& honest : {with_tolerance(9e-4, 1e-3), with_tolerance(1e-5, 1e-4)}) {
    EXPECT_EQ(compared(honest).verdict, Verdict::unchanged);
    EXPECT_THAT(compared(honest).diagnostics, Not(Contains(coded(DiagnosticCode::tolerance_proposed))));
  }
}

TEST(Tolerance, ThatOfANewVariantIsNamedWhereItIsItsOwn) {
  const auto variant = [](const char* id, double tolerance) {
    CaseRecord one = case_of(id, {series_at(about(20))});
    one.workload = "gemm";
    with_tolerance(1e-5, tolerance)(one);
    return one;
  };
  const auto added = [&](double tolerance) {
    const Record before = record_of({variant("a", 1e-3)});
    const Comparison comparison =
        compare(before, record_of({variant("a", 1e-3), variant("b", tolerance)}), {});
    for (const ComparisonRow& row : comparison.rows)
      if (row.case_id == "b") return row;
    throw std::runtime_error("no row");
  };
  EXPECT_EQ(added(1e-1).reason.code, ReasonCode::new_case);
  EXPECT_THAT(added(1e-1).diagnostics, Contains(coded(DiagnosticCode::own_tolerance)));
  EXPECT_THAT(added(1e-3).diagnostics, Not(Contains(coded(DiagnosticCode::own_tolerance))));
}

}  // namespace
}  // namespace harness
