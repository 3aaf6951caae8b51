// The kernels of a traced program: counterparts of kernels with another name or grid, and what they decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/model/results/kernel_label.h"
#include "harness/verdict/read/align_kernels.h"
#include "tests/verdict/facts.h"
#include "tests/verdict/policies.h"
#include "tests/verdict/records.h"

namespace harness {
namespace {

struct Kernel {
  std::string name;
  std::int64_t grid = 1;
  std::vector<double> us;
  int launches = 1;
};

CaseRecord traced(CaseRecord one) {
  one.program.emplace();
  one.program->name = "train";
  one.program->reads = trace_format;
  one.gate.margin = 0.005;
  one.gate.metrics = {{"kernel_time", {}, {}, false}};
  return one;
}

Record step_of(const std::vector<Kernel>& kernels, const std::vector<double>& sums) {
  std::vector<CaseRecord> cases{traced(case_of("train", {series_at(sums, "kernel_time")}))};
  for (const Kernel& one : kernels) {
    KernelUse use;
    use.name = one.name;
    use.grid = {one.grid, 1, 1};
    use.block = {256, 1, 1};
    use.launches = one.launches;
    use.us = one.us[one.us.size() / 2] / one.launches;
    CaseRecord& row = cases.emplace_back(
        traced(case_of("train/" + one.name + launch_label(use), {series_at(one.us, "kernel_time")})));
    ProcessResult& process = row.processes.emplace_back();
    process.process = 1;
    process.kernels = {use};
  }
  return record_of(std::move(cases));
}

const ComparisonRow& row_of(const Comparison& comparison, const std::string& part) {
  const auto found = std::find_if(
      comparison.rows.begin(), comparison.rows.end(),
      [&](const ComparisonRow& row) { return row.case_id.find("train/" + part) != std::string::npos; });
  if (found == comparison.rows.end()) throw std::runtime_error("no row of " + part);
  return *found;
}

// Processes that differ by some 0.01 %.
std::vector<double> steady(double center) {
  return {center * 0.9998, center * 0.9999, center, center * 1.0001, center * 1.0002};
}

const std::vector<Kernel> base{{"gemm", 96, steady(400), 4},
                               {"gelu", 512, steady(90)},
                               {"gemm", 24, steady(300)},
                               {"norm", 64, steady(10)}};

TEST(TracedKernels, PairByNameWhereTheGridDiffers) {
  std::vector<Kernel> wider = base;
  wider[0] = {"gemm", 98, steady(408), 4};
  const Record before = step_of(base, steady(800)), after = step_of(wider, steady(808));
  const auto pairs = aligned_kernels(before, after);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs.begin()->first->id, "train/gemm/grid=98/block=256");
  EXPECT_EQ(pairs.begin()->second->id, "train/gemm/grid=96/block=256");
  const Comparison comparison = compare(before, after, Policy{});
  EXPECT_EQ(row_of(comparison, "gemm/grid=98").verdict, Verdict::regressed);
  EXPECT_EQ(comparison.verdict, Verdict::regressed);
}

TEST(TracedKernels, PairWithAnotherKernelInTheirPlace) {
  std::vector<Kernel> renamed = base;
  renamed[1] = {"fused_gelu", 512, steady(90)};
  const Comparison comparison = compare(step_of(base, steady(800)), step_of(renamed, steady(800)), Policy{});
  EXPECT_THAT(row_of(comparison, "fused_gelu").verdict,
              testing::AnyOf(Verdict::unchanged, Verdict::not_worse));
  EXPECT_EQ(comparison.rows.size(), 5U);
}

// The time of a kernel without a counterpart is in that of the step.
TEST(TracedKernels, WithoutACounterpartInformBesideTheStep) {
  std::vector<Kernel> more = base;
  more.insert(more.begin() + 2, {"extra", 7, steady(1), 9});
  const Comparison added = compare(step_of(base, steady(800)), step_of(more, steady(820)), Policy{});
  EXPECT_EQ(row_of(added, "extra").verdict, Verdict::missing);
  EXPECT_TRUE(row_of(added, "extra").informative);
  EXPECT_EQ(exit_code(added), 1) << "the step takes longer";
  const Comparison little = compare(step_of(base, steady(800)), step_of(more, steady(800)), Policy{});
  EXPECT_EQ(exit_code(little), 0);
  const Comparison vanished = compare(step_of(more, steady(800)), step_of(base, steady(800)), Policy{});
  EXPECT_EQ(row_of(vanished, "extra").verdict, Verdict::missing);
  EXPECT_TRUE(row_of(vanished, "extra").informative);
  Record unmeasured = step_of(more, steady(800));
  for (CaseRecord& one : unmeasured.cases)
    if (one.id == one.program->name) one.series.clear();
  const Comparison alone = compare(step_of(base, steady(800)), unmeasured, Policy{});
  EXPECT_FALSE(row_of(alone, "extra").informative) << "nothing else has its time";
}

TEST(TracedKernels, ThatAreUndecidedHoldNothingUp) {
  const std::vector<double> noisy{9, 9.5, 10, 10.5, 11};
  std::vector<Kernel> loud = base;
  loud[3].us = noisy;
  const Record record = step_of(loud, steady(800));
  const Comparison comparison = compare(record, record, Policy{});
  EXPECT_EQ(row_of(comparison, "norm").verdict, Verdict::inconclusive);
  EXPECT_TRUE(row_of(comparison, "norm").informative);
  EXPECT_FALSE(row_of(comparison, "gelu").informative);
  EXPECT_NE(comparison.verdict, Verdict::inconclusive);
}

// How each process of a side found the steps.
Record found_by(Record record, const std::string& source, int launches, int processes = 1) {
  ProcessResult& process = record.cases[0].processes.emplace_back();
  process.process = 1;
  process.notes = {
      {NoteCode::steps_found, {{"source", source}, {"launches", launches}, {"processes", processes}}}};
  return record;
}

// Ten iterations between two prints of the loss are one period of the launches, or five.
const std::vector<Kernel> ten{{"gemm", 96, steady(4000), 10},
                              {"gelu", 512, steady(900), 10},
                              {"norm", 64, steady(100), 10},
                              {"loss_log", 1, steady(5)}};
const std::vector<Kernel> five{{"gemm", 96, steady(3000), 5},
                               {"gelu", 512, steady(675), 5},
                               {"norm", 64, steady(75), 5},
                               {"loss_log", 1, steady(5)}};

TEST(TracedSteps, OfAnotherLengthAreNoImprovement) {
  const Comparison comparison = compare(found_by(step_of(ten, steady(5005)), "period", 31),
                                        found_by(step_of(five, steady(3755)), "period", 16), Policy{});
  ASSERT_EQ(comparison.rows.size(), 5U);
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict, Verdict::not_comparable) << row.case_id;
    EXPECT_EQ(row.reason.code, ReasonCode::steps_differ);
    ASSERT_EQ(row.differences.size(), 1U);
    EXPECT_EQ(row.differences[0].baseline, "31");
    EXPECT_EQ(row.differences[0].current, "16");
  }
  EXPECT_EQ(comparison.verdict, Verdict::not_comparable);
}

TEST(TracedSteps, ThatARangeMarksMayLaunchMore) {
  const Comparison comparison = compare(found_by(step_of(five, steady(3755)), "nvtx", 16),
                                        found_by(step_of(ten, steady(5005)), "nvtx", 31), Policy{});
  EXPECT_EQ(comparison.verdict, Verdict::regressed);
}

TEST(TracedSteps, OfTheWholeRunMayLaunchMore) {
  const Comparison comparison = compare(found_by(step_of(five, steady(3755)), "whole", 16),
                                        found_by(step_of(ten, steady(5005)), "whole", 31), Policy{});
  EXPECT_EQ(comparison.verdict, Verdict::regressed);
}

TEST(TracedSteps, ThatLackAFusedKernelStayComparable) {
  const std::vector<Kernel> fused{{"gemm", 96, steady(3900), 10}, {"norm", 64, steady(100), 10}};
  const std::vector<Kernel> apart{{"gemm", 96, steady(4000), 10},
                                  {"gelu", 512, steady(900), 10},
                                  {"norm", 64, steady(100), 12}};  // a small part is launched less often
  const Comparison comparison = compare(found_by(step_of(apart, steady(5000)), "period", 32),
                                        found_by(step_of(fused, steady(4000)), "period", 20), Policy{});
  EXPECT_EQ(row_of(comparison, "gemm").verdict, Verdict::improved);
  EXPECT_EQ(row_of(comparison, "gelu").reason.code, ReasonCode::removed_case);
}

// The sum of kernel times and the time in which any of them runs.
Record overlapping(const std::vector<Kernel>& kernels, double sum, double busy) {
  Record record = step_of(kernels, steady(sum));
  record.cases[0].series.push_back(series_at(steady(busy), "busy_time"));
  for (CaseRecord& one : record.cases) one.gate.metrics.push_back({"busy_time", {}, {}, true});
  return record;
}

const ComparisonRow& metric_of(const Comparison& comparison, const std::string& metric) {
  const auto found =
      std::find_if(comparison.rows.begin(), comparison.rows.end(),
                   [&](const ComparisonRow& row) { return row.case_id == "train" && row.metric == metric; });
  if (found == comparison.rows.end()) throw std::runtime_error("no row of " + metric);
  return *found;
}

// The same kernels on two streams: each takes longer, and the step less time.
const std::vector<Kernel> slower{{"gemm", 96, steady(500), 4},
                                 {"gelu", 512, steady(110)},
                                 {"gemm", 24, steady(380)},
                                 {"norm", 64, steady(12)}};

TEST(OverlappingKernels, LetTheTimeInWhichAnyOfThemRunsDecide) {
  const Comparison sooner = compare(overlapping(base, 800, 800), overlapping(slower, 1002, 700), Policy{});
  EXPECT_EQ(exit_code(sooner), 0);
  EXPECT_TRUE(metric_of(sooner, "kernel_time").informative);
  EXPECT_FALSE(metric_of(sooner, "busy_time").informative);
  EXPECT_EQ(metric_of(sooner, "busy_time").verdict, Verdict::improved);
  EXPECT_THAT(metric_of(sooner, "busy_time").diagnostics,
              testing::Contains(fact(DiagnosticCode::overlapping, {{"times", 1002 / 700.0}})));
  EXPECT_TRUE(row_of(sooner, "gelu").informative);
  const Comparison later = compare(overlapping(base, 1002, 700), overlapping(base, 1002, 721), Policy{});
  EXPECT_EQ(exit_code(later), 1) << "the sums are equal";
  EXPECT_EQ(metric_of(later, "busy_time").verdict, Verdict::regressed);
}

TEST(OverlappingKernels, AreThoseWhoseSumIsLarger) {
  const Comparison apart = compare(overlapping(base, 800, 800), overlapping(slower, 824, 821), Policy{});
  EXPECT_FALSE(metric_of(apart, "kernel_time").informative);
  EXPECT_TRUE(metric_of(apart, "busy_time").informative);
  EXPECT_FALSE(row_of(apart, "gelu").informative);
  EXPECT_EQ(exit_code(apart), 1);
}

TEST(OverlappingKernels, NeedBothTimesOfBothSides) {
  const Comparison older = compare(step_of(base, steady(800)), overlapping(slower, 1002, 700), Policy{});
  EXPECT_FALSE(metric_of(older, "kernel_time").informative);
  EXPECT_EQ(exit_code(older), 1);
}

TEST(OverlappingKernels, LeaveAGateOfTheSuiteAsItIs) {
  Record before = overlapping(base, 800, 800), after = overlapping(slower, 1002, 700);
  for (Record* const side : {&before, &after}) side->cases[0].gate.metrics[0].margin = 0.02;
  const Comparison comparison = compare(before, after, Policy{});
  EXPECT_FALSE(metric_of(comparison, "kernel_time").informative);
  EXPECT_EQ(metric_of(comparison, "kernel_time").verdict, Verdict::regressed);
  EXPECT_FALSE(metric_of(comparison, "busy_time").informative);
}

TEST(TracedSteps, FoundInAnotherWayAreNotCompared) {
  const Record record = step_of(base, steady(800));
  const auto verdict = [&](const Record& before, const Record& after) {
    return compare(before, after, Policy{}).verdict;
  };
  const Record period = found_by(record, "period", 7);
  EXPECT_NE(verdict(period, period), Verdict::not_comparable);
  EXPECT_EQ(verdict(period, found_by(record, "whole", 7)), Verdict::not_comparable);
  EXPECT_EQ(verdict(period, found_by(record, "period", 7, 2)), Verdict::not_comparable);
  EXPECT_EQ(verdict(period, found_by(period, "whole", 7)), Verdict::not_comparable)
      << "of one side, too, where its processes differ";
}

// Vanished kernels do not look like a change of the program where the steps differ.
TEST(TracedSteps, ThatDifferLeaveNoKernelMissing) {
  std::vector<Kernel> fewer = five;
  fewer.pop_back();
  const Comparison comparison = compare(found_by(step_of(ten, steady(5005)), "period", 31),
                                        found_by(step_of(fewer, steady(3755)), "whole", 15), Policy{});
  EXPECT_EQ(row_of(comparison, "loss_log").reason.code, ReasonCode::steps_differ);
}

TEST(KernelLabel, IsShortAndTellsKernelsApart) {
  EXPECT_EQ(kernel_label("ampere_bf16_s16816gemm_128x128"), "ampere_bf16_s16816gemm_128x128");
  EXPECT_EQ(kernel_label("scale(float*, int)"), "scale");
  const std::string one = kernel_label("void at::native::elementwise_kernel<4, float>(int, float)");
  const std::string other = kernel_label("void at::native::elementwise_kernel<8, float>(int, float)");
  EXPECT_THAT(one, testing::StartsWith("elementwise_kernel~"));
  EXPECT_NE(one, other);
  EXPECT_THAT(kernel_label("void cutlass::Kernel2<cutlass_80_gemm_128x64>(cutlass_80_gemm_128x64::Params)"),
              testing::StartsWith("cutlass_80_gemm_128x64~"));
  EXPECT_THAT(kernel_label("void (anonymous namespace)::softmax<float>(float*)"),
              testing::StartsWith("softmax~"));
  EXPECT_THAT(
      kernel_label(
          "void at::native::vectorized_elementwise_kernel<4, at::native::cos_kernel_cuda(at::Iterator&)::"
          "{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int)"),
      testing::StartsWith("vectorized_elementwise_kernel:cos_kernel_cuda~"));
  EXPECT_THAT(
      kernel_label("void reduce<512, std::array<char*, 2ul>, at::native::ReduceOp<float, at::sum> >(at::T)"),
      testing::StartsWith("reduce:ReduceOp~"));
  EXPECT_THAT(kernel_label("void copy<std::array<char*, 2ul>, {lambda()#1}::operator()>(int)"),
              testing::StartsWith("copy~"));
}

}  // namespace
}  // namespace harness
