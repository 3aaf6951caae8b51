// Why the time of a row changed.
#include "harness/verdict/cause/find_causes.h"
#include "harness/verdict/cause/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace harness {
namespace {

using enum ChangeCauseCode;
using testing::ElementsAre;

KernelUse kernel(std::string name, double us, std::string code = "c0de") {
  return {std::move(name), {4096, 1, 1}, {256, 1, 1}, 32, 0, 0, 1, us, std::move(code)};
}

// A call of one kernel of 10 us that takes 12 % longer, with equal clocks.
CauseEvidence slower() {
  CauseEvidence evidence;
  evidence.change = std::log(1.12);
  evidence.us_baseline = 10;
  evidence.us_current = 11.2;
  evidence.clock_baseline = evidence.clock_current = 1.98;
  evidence.memory_clock_baseline = evidence.memory_clock_current = 3201;
  evidence.compute_capability = "9.0";
  evidence.multiprocessors = 132;
  evidence.looked = evidence.other_launches = true;
  evidence.inputs_differ = false;
  evidence.times_known = true;
  evidence.kernels = {{kernel("k", 10), kernel("k", 11.2)}};
  return evidence;
}

std::vector<ChangeCauseCode> codes(const CauseEvidence& evidence, const std::vector<CodeSides>& code = {}) {
  std::vector<ChangeCauseCode> found;
  for (const ChangeCause& one : find_causes(evidence, code)) found.push_back(one.code);
  return found;
}

// The same change the other way round.
CauseEvidence undone(CauseEvidence evidence) {
  evidence.change = -evidence.change;
  std::swap(evidence.us_baseline, evidence.us_current);
  std::swap(evidence.clock_baseline, evidence.clock_current);
  for (KernelSides& one : evidence.kernels) std::swap(one.baseline, one.current);
  return evidence;
}

TEST(Occupancy, FollowsTheLimitsOfTheArchitecture) {
  KernelUse one = kernel("k", 1);
  EXPECT_EQ(occupancy_of(one, "9.0")->blocks, 8);
  EXPECT_EQ(occupancy_of(one, "9.0")->limit, OccupancyLimit::threads);
  one.registers = 40;
  EXPECT_EQ(occupancy_of(one, "9.0")->blocks, 6);
  EXPECT_EQ(occupancy_of(one, "9.0")->warps, 48);
  EXPECT_EQ(occupancy_of(one, "9.0")->limit, OccupancyLimit::registers);
  one.dynamic_shared_bytes = std::int64_t{100} * 1024;
  EXPECT_EQ(occupancy_of(one, "9.0")->blocks, 2);
  EXPECT_EQ(occupancy_of(one, "9.0")->limit, OccupancyLimit::shared_memory);
  EXPECT_EQ(occupancy_of(one, "8.0")->blocks, 1);
  one = kernel("k", 1);
  one.block = {16, 1, 1};
  EXPECT_EQ(occupancy_of(one, "9.0")->blocks, 32);
  EXPECT_EQ(occupancy_of(one, "9.0")->limit, OccupancyLimit::blocks);
  EXPECT_FALSE(occupancy_of(one, "99.0").has_value());
  EXPECT_FALSE(occupancy_of(one, "").has_value());
  one.block = {0, 1, 1};
  EXPECT_FALSE(occupancy_of(one, "9.0").has_value());
}

TEST(Causes, AreTheClockWhereItExplainsTheChange) {
  CauseEvidence evidence = slower();
  evidence.clock_current = 1.98 / 1.11;
  EXPECT_THAT(codes(evidence), ElementsAre(clock));
  EXPECT_THAT(codes(undone(evidence)), ElementsAre(clock));
  evidence.kernels[0].current->registers = 64;
  evidence.kernels[0].current->code = "beef";
  EXPECT_EQ(codes(evidence).front(), clock) << "it explains nearly all";
  evidence.clock_current = 1.98 / 1.07;
  EXPECT_NE(codes(evidence).front(), clock) << "other code may itself lower the clock";
  EXPECT_EQ(codes(evidence).back(), clock);
  evidence.clock_current = 1.98 * 1.1;
  EXPECT_THAT(codes(evidence), testing::Not(testing::Contains(clock))) << "a higher clock slows nothing";
}

TEST(Causes, AreNamedByTheKernelThatTookLonger) {
  CauseEvidence evidence = slower();
  evidence.kernels = {{kernel("a", 5), kernel("a", 5, "beef")}, {kernel("b", 5), kernel("b", 6.2, "f00d")}};
  const std::vector<ChangeCause> found = find_causes(evidence);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text("kernel"), "b");
  EXPECT_EQ(found[0].code, machine_code);
}

TEST(Causes, AreFewerWarpsOnlyWhereTheLaunchFillsTheDevice) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->registers = 64;
  evidence.kernels[0].current->code = "beef";
  EXPECT_THAT(codes(evidence), ElementsAre(occupancy));
  EXPECT_THAT(codes(undone(evidence)), ElementsAre(occupancy));
  evidence.kernels[0].baseline->grid = evidence.kernels[0].current->grid = {132, 1, 1};
  EXPECT_THAT(codes(evidence), ElementsAre(machine_code)) << "one block a multiprocessor fits anyway";
}

TEST(Causes, AreOtherLaunchesOfTheSameCode) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->block = {64, 1, 1};
  EXPECT_EQ(codes(evidence).front(), launch_shape);
  evidence = slower();
  evidence.kernels[0].current->launches = 2;
  EXPECT_THAT(codes(evidence), ElementsAre(launches));
  evidence = slower();
  evidence.kernels.push_back({std::nullopt, kernel("more", 1.2)});
  evidence.kernels[0].current->us = 10;
  EXPECT_THAT(codes(evidence), ElementsAre(kernels));
  EXPECT_EQ(find_causes(evidence)[0].text("added"), "more");
  EXPECT_EQ(find_causes(undone(evidence))[0].text("removed"), "more");
}

TEST(Causes, NameThePlaceThatLaunchesMore) {
  CauseEvidence evidence = slower();
  evidence.kernels.push_back({std::nullopt, kernel("more", 1.2)});
  evidence.kernels[0].current->us = 10;
  EXPECT_EQ(find_causes(evidence)[0].text("caller_kernel"), "") << "no place is known";
  evidence.kernels[1].current->callers = {{"step/loss", "train.py:41 in loss", "at::native::fill", 6}};
  ChangeCause first = find_causes(evidence)[0];
  EXPECT_EQ(first.text("caller_kernel"), "more");
  EXPECT_EQ(first.text("caller_range"), "step/loss");
  EXPECT_EQ(first.text("caller_python"), "train.py:41 in loss");
  EXPECT_EQ(first.text("caller_host"), "at::native::fill");
  EXPECT_EQ(find_causes(undone(evidence))[0].text("caller_python"), "train.py:41 in loss");
  evidence = slower();
  const Caller old{"", "a.py:1 in old", "", 6}, fresh{"", "a.py:9 in fresh", "", 6};
  evidence.kernels[0].current->launches = 2;
  evidence.kernels[0].baseline->callers = {old};
  evidence.kernels[0].current->callers = {old, fresh};
  first = find_causes(evidence)[0];
  EXPECT_EQ(first.code, launches);
  EXPECT_EQ(first.text("caller_python"), "a.py:9 in fresh") << "the other place launched it before";
}

TEST(Causes, TellTimeThatMovedBetweenKernels) {
  CauseEvidence evidence = slower();
  evidence.kernels = {{kernel("a", 5), kernel("a", 3, "beef")}, {kernel("b", 5), kernel("b", 8.2, "f00d")}};
  const std::vector<ChangeCause> found = find_causes(evidence);
  ASSERT_EQ(found.back().code, moved);
  EXPECT_EQ(found.back().text("from"), "a");
  EXPECT_EQ(found.back().text("to"), "b");
  EXPECT_NEAR(found.back().number("less"), 2, 1e-9);
  EXPECT_NEAR(found.back().number("more"), 3.2, 1e-9);
  evidence.kernels[0].current->us = 4.9;
  EXPECT_THAT(codes(evidence), testing::Not(testing::Contains(moved))) << "too little of it";
  evidence.kernels[0].current->us = 3;
  evidence.us_current = evidence.us_baseline + 40;
  EXPECT_THAT(codes(evidence), testing::Not(testing::Contains(moved))) << "too little of the change";
}

TEST(Causes, AreNotHiddenByTimeThatMovedBetweenKernels) {
  CauseEvidence evidence = slower();
  evidence.other_launches = false;
  evidence.kernels = {{kernel("a", 5), kernel("a", 3)}, {kernel("b", 5), kernel("b", 8.2)}};
  EXPECT_THAT(codes(evidence), ElementsAre(none_found, moved));
  evidence.fields = {{"governors", "performance", "powersave"}};
  EXPECT_THAT(codes(evidence), ElementsAre(settings, moved));
}

TEST(Causes, TellTheCountersThatMovedMostBehindAllOthers) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  evidence.counters_baseline = {
      {"a", "bytes", 100}, {"b", "", 100}, {"c", "%", 100}, {"d", "", 100}, {"e", "", 0}};
  EXPECT_THAT(codes(evidence), ElementsAre(machine_code)) << "one side alone tells nothing";
  evidence.counters_current = {
      {"a", "bytes", 111}, {"b", "", 50}, {"c", "%", 101}, {"d", "", 130}, {"e", "", 7}};
  const std::vector<ChangeCause> found = find_causes(evidence);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].code, counters);
  EXPECT_EQ(found[1].text("name1"), "b");
  EXPECT_EQ(found[1].text("name2"), "d");
  EXPECT_EQ(found[1].text("name3"), "a");
  EXPECT_EQ(found[1].number("current3"), 111);
}

TEST(Causes, TellEventsThatOneSideHasNoneOf) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  evidence.counters_baseline = {
      {"conflicts.sum", "", 0}, {"few.sum", "", 999}, {"stall.ratio", "", 0}, {"reads.sum", "bytes", 100}};
  evidence.counters_current = {
      {"conflicts.sum", "", 5e5}, {"few.sum", "", 0}, {"stall.ratio", "", 5000}, {"reads.sum", "bytes", 900}};
  const std::vector<ChangeCause> found = find_causes(evidence);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].text("name1"), "conflicts.sum");
  EXPECT_EQ(found[1].text("name2"), "reads.sum");
  EXPECT_EQ(found[1].text("name3"), "");
}

TEST(Causes, AreFoundAgainWithCountersThatComeLater) {
  ComparisonRow row;
  add_counters(row, {{"a.sum", "", 1}}, {{"a.sum", "", 2}});
  EXPECT_EQ(row.causes, nullptr) << "a row that did not change has no causes";
  ChangeCauses causes;
  causes.evidence = slower();
  causes.evidence.kernels[0].current->code = "beef";
  causes.found = find_causes(causes.evidence);
  row.causes = std::make_shared<const ChangeCauses>(causes);
  add_counters(row, {{"a.sum", "", 1}}, {{"a.sum", "", 2}});
  ASSERT_EQ(row.causes->found.size(), 2U);
  EXPECT_EQ(row.causes->found[0].code, machine_code);
  EXPECT_EQ(row.causes->found[1].code, counters);
}

TEST(Causes, LieOutsideOfKernelsThatTakeAsLongAsBefore) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->us = 10.1;
  EXPECT_THAT(codes(evidence), ElementsAre(outside_kernels));
  evidence.times_known = false;
  EXPECT_THAT(codes(evidence), ElementsAre(arguments)) << "launches differ, and nothing that is written does";
}

TEST(Causes, AreOtherInputsUnlessTheCodeDiffers) {
  CauseEvidence evidence = slower();
  evidence.inputs_differ = true;
  evidence.input_bytes = 4096;
  EXPECT_THAT(codes(evidence), ElementsAre(inputs));
  evidence.kernels[0].current->code = "beef";
  EXPECT_THAT(codes(evidence), ElementsAre(machine_code, inputs));
}

TEST(Causes, AreALibraryOnlyWhereItsKernelsDiffer) {
  CauseEvidence evidence = slower();
  evidence.fields = {{"cublas", "13.1", "13.2"}};
  EXPECT_THAT(codes(evidence), testing::Not(testing::Contains(library))) << "the kernel is the same";
  evidence.kernels[0].current->code = "beef";
  EXPECT_THAT(codes(evidence), ElementsAre(machine_code)) << "`k` is no library's";
  evidence.kernels = {{kernel("nvjet_hsh_64x64", 10), kernel("nvjet_hsh_64x64", 11.2, "beef")}};
  EXPECT_THAT(codes(evidence), ElementsAre(library, machine_code));
}

TEST(Causes, AreADriverOrSettingWhereNothingElseDiffers) {
  CauseEvidence evidence = slower();
  evidence.other_launches = false;
  evidence.fields = {{"power_limit", "700 W", "500 W"}};
  EXPECT_THAT(codes(evidence), ElementsAre(settings));
  evidence.fields.push_back({"driver", "580", "590"});
  EXPECT_THAT(codes(evidence), ElementsAre(driver));
}

TEST(Causes, AreAnotherModelOfDeviceFirst) {
  CauseEvidence evidence = slower();
  evidence.clock_current = 1.98 / 1.11;
  evidence.fields = {{"compute_capability", "8.0", "9.0"}, {"device", "NVIDIA A100", "NVIDIA H200"}};
  const ChangeCause first = find_causes(evidence).front();
  EXPECT_EQ(first.code, settings);
  EXPECT_EQ(first.text("field"), "device");
}

TEST(Causes, ThatAreNotFoundSayWhatIsEqualAndWhatIsNotKnown) {
  CauseEvidence evidence = slower();
  evidence.other_launches = false;
  std::vector<ChangeCause> found = find_causes(evidence);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, none_found);
  EXPECT_EQ(found[0].text("equal"), "code, launches, inputs, clocks");
  EXPECT_EQ(found[0].text("unknown"), "");
  evidence.clock_baseline = 0;
  evidence.inputs_differ.reset();
  found = find_causes(evidence);
  EXPECT_EQ(found[0].text("equal"), "code, launches");
  EXPECT_EQ(found[0].text("unknown"), "inputs, clocks");
  evidence.kernels.clear();
  evidence.looked = false;
  found = find_causes(evidence);
  EXPECT_EQ(found[0].code, not_known);
  EXPECT_EQ(found[0].text("unknown"), "code, launches, inputs, clocks");
  evidence.kernels = {{kernel("k", 10, ""), kernel("k", 11.2, "")}};
  EXPECT_EQ(codes(evidence), std::vector{not_known}) << "nobody compared the code";
}

TEST(Causes, ThatAreNotFoundCallNothingEqualThatDiffers) {
  CauseEvidence evidence = slower();
  evidence.other_launches = false;
  evidence.clock_current = 1.96;  // a tenth of the change
  std::vector<ChangeCause> found = find_causes(evidence);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, none_found);
  EXPECT_EQ(found[0].text("equal"), "code, launches, inputs");
  EXPECT_EQ(found[0].text("other"), "clocks");
  // A kernel of another grid, whose time has not grown.
  evidence = slower();
  evidence.kernels.push_back({kernel("small", 1), kernel("small", 1)});
  evidence.kernels.back().current->grid = {7, 1, 1};
  found = find_causes(evidence);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, none_found);
  EXPECT_EQ(found[0].text("other"), "launches");
}

CodeSides code_of(const std::string& name) {
  CodeSides sides{name, name, "sm_90"};
  for (CodeProfile* one : {&sides.baseline, &sides.current}) {
    one->figures.instructions = 40;
    one->figures.by_class[static_cast<std::size_t>(InstructionClass::global)] = 8;
    one->figures.by_class[static_cast<std::size_t>(InstructionClass::fp32)] = 20;
    one->global_by_width = {0, 0, 0, 0, 8};
  }
  return sides;
}

TEST(Causes, OfBothBuildsTellBarriersAndDoublePrecisionFirst) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "another";
  const auto at = [](InstructionClass kind) { return static_cast<std::size_t>(kind); };
  const auto first_class = [&](const CodeSides& sides) {
    const ChangeCause first = find_causes(evidence, {sides}).front();
    return first.code == instructions ? first.text("class") : "";
  };
  CodeSides sides = code_of("k");
  sides.current.figures.by_class[at(InstructionClass::fp64)] = 30;
  sides.current.figures.by_class[at(InstructionClass::local)] = 2;
  sides.current.figures.stack_bytes = 8;
  EXPECT_EQ(first_class(sides), "fp64");
  sides.current.figures.by_class[at(InstructionClass::local)] = 40;
  EXPECT_EQ(find_causes(evidence, {sides}).front().code, local_memory);
  sides = code_of("k");
  sides.current.figures.by_class[at(InstructionClass::fp32)] = 5;
  sides.current.loops = 1;
  EXPECT_EQ(find_causes(evidence, {sides}).front().code, unrolling);
  sides.current.figures.by_class[at(InstructionClass::barrier)] = 2;
  sides.current.loop_by_class[at(InstructionClass::barrier)] = 2;
  EXPECT_EQ(first_class(sides), "barrier");
  sides.current.figures.by_class[at(InstructionClass::exchange)] = 2;
  EXPECT_EQ(find_causes(evidence, {sides}).front().code, unrolling) << "they guard the exchange";
}

TEST(Causes, OfBothBuildsNameWhatTheCodeDoes) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  CodeSides sides = code_of("k");
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(machine_code));
  sides.current.global_by_width = {0, 0, 8, 0, 0};
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(memory_access));
  sides = code_of("k");
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::fp64)] = 4;
  EXPECT_EQ(find_causes(evidence, {sides})[0].text("class"), "fp64");
  sides = code_of("k");
  sides.current.figures.stack_bytes = 48;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(machine_code)) << "nothing uses the stack";
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::local)] = 6;
  EXPECT_EQ(codes(evidence, {sides}).front(), local_memory);
  sides = code_of("k");
  sides.current.loops = 1;
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::global)] = 2;
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::fp32)] = 5;
  EXPECT_EQ(codes(evidence, {sides}).front(), unrolling);
}

// A loop of 60 instructions on both sides: 4 accesses of 16 bytes, 40 of arithmetic, 16 of integers.
CodeSides loop_of(const std::string& name) {
  CodeSides sides = code_of(name);
  for (CodeProfile* one : {&sides.baseline, &sides.current}) {
    one->loops = 1;
    one->loop_instructions = 60;
    one->global_by_width = {0, 0, 0, 0, 4};
    const auto put = [&](InstructionClass kind, std::int64_t count) {
      one->figures.by_class[static_cast<std::size_t>(kind)] = count;
      one->loop_by_class[static_cast<std::size_t>(kind)] = count;
    };
    put(InstructionClass::global, 4);
    put(InstructionClass::fp32, 40);
    put(InstructionClass::integer, 16);
  }
  return sides;
}

void set_in_loop(CodeProfile& code, InstructionClass kind, std::int64_t count) {
  code.figures.by_class[static_cast<std::size_t>(kind)] = count;
  code.loop_by_class[static_cast<std::size_t>(kind)] = count;
}

// The same loop with a quarter of the rounds in a body.
CodeSides unrolled_less() {
  CodeSides sides = loop_of("k");
  set_in_loop(sides.current, InstructionClass::fp32, 10);
  set_in_loop(sides.current, InstructionClass::global, 1);
  set_in_loop(sides.current, InstructionClass::integer, 6);
  sides.current.loop_instructions = 17;
  return sides;
}

TEST(Causes, AreUnrollingOnlyWhereABodyHasLittleElseForAsMuchWork) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  CodeSides sides = unrolled_less();
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(unrolling));
  set_in_loop(sides.current, InstructionClass::integer, 80);
  sides.current.loop_instructions = 91;
  const std::vector<ChangeCause> found = find_causes(evidence, {sides});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, instructions);
  EXPECT_EQ(found[0].text("class"), "integer");
  EXPECT_EQ(found[0].count("baseline"), 4) << "a quarter of 16, as a body has a quarter of the work";
  EXPECT_EQ(found[0].count("current"), 80);
}

TEST(Causes, AreMoreAccessesForAsMuchArithmetic) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  CodeSides sides = unrolled_less();
  set_in_loop(sides.current, InstructionClass::global, 2);
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::barrier)] = 1;
  sides.current.loop_by_class[static_cast<std::size_t>(InstructionClass::barrier)] = 1;
  const ChangeCause first = find_causes(evidence, {sides}).front();
  EXPECT_EQ(first.code, memory_access);
  EXPECT_EQ(first.text("how"), "share");
}

TEST(Causes, AreNoInstructionsOutsideOfLoops) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  CodeSides sides = loop_of("k");
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::integer)] = 2000;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(machine_code)) << "nobody knows how often the loop runs";
  for (CodeProfile* one : {&sides.baseline, &sides.current}) one->loops = 0;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(instructions));
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::integer)] = 18;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(machine_code)) << "two of sixty explain nothing";
}

TEST(Causes, NameNoClassWhereSeveralGrewAlike) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  CodeSides sides = loop_of("k");
  set_in_loop(sides.current, InstructionClass::integer, 40);
  EXPECT_EQ(find_causes(evidence, {sides}).front().text("class"), "integer");
  set_in_loop(sides.current, InstructionClass::fp32, 62);
  const ChangeCause first = find_causes(evidence, {sides}).front();
  EXPECT_EQ(first.code, instructions);
  EXPECT_EQ(first.text("class"), "");
  EXPECT_EQ(first.text("classes"), "integer, fp32");
}

TEST(Causes, AreLocalMemoryThatPlainLoadsReach) {
  CauseEvidence evidence = slower();
  evidence.kernels[0].current->code = "beef";
  CodeSides sides = loop_of("k");
  sides.current.figures.stack_bytes = 32;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(machine_code)) << "nothing uses the stack";
  sides.current.figures.by_class[static_cast<std::size_t>(InstructionClass::global)] = 21;
  EXPECT_EQ(codes(evidence, {sides}).front(), local_memory);
}

TEST(Causes, OfBothBuildsTellCodeThatNoRecordKnows) {
  CauseEvidence evidence = slower();
  evidence.other_launches = false;
  for (KernelSides& one : evidence.kernels) one.baseline->code = one.current->code = "";
  CodeSides sides = code_of("k");
  sides.same = true;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(none_found));
  sides.same = false;
  EXPECT_THAT(codes(evidence, {sides}), ElementsAre(machine_code));
}

TEST(Causes, AreOfRowsThatChangedAlone) {
  const auto row_of = [](double ratio) {
    CaseRecord before = case_of("c", {series_at(about(10))}),
               after = case_of("c", {series_at(about(10 * ratio))});
    for (CaseRecord* one : {&before, &after}) {
      ProcessResult result;
      result.process = 1;
      result.kernels = {kernel("k", one == &before ? 10 : 10 * ratio, one == &before ? "c0de" : "beef")};
      one->processes.push_back(std::move(result));
    }
    Policy policy;
    policy.margin = 0.02;
    return only_row(compare(record_of({before}), record_of({after}), policy));
  };
  const ComparisonRow worse = row_of(1.1), better = row_of(0.9), same = row_of(1.0);
  ASSERT_EQ(worse.verdict, Verdict::regressed);
  ASSERT_NE(worse.causes, nullptr);
  EXPECT_EQ(worse.causes->found[0].code, machine_code);
  ASSERT_EQ(better.verdict, Verdict::improved);
  ASSERT_NE(better.causes, nullptr);
  EXPECT_EQ(same.causes, nullptr);
}

}  // namespace
}  // namespace harness
