// The rows of an A/B run that pass or are undecided, and are measured at all places of their code.
#include "harness/cli/ab/movable_cases.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

KernelUse kernel(const std::string& name, double us, const std::string& code) {
  KernelUse one;
  one.name = name;
  one.launches = 1;
  one.us = us;
  one.code = code;
  return one;
}

// A case that two processes measured, with these kernels.
CaseRecord case_of_kernels(const std::string& id, const std::string& digest, std::vector<KernelUse> kernels,
                           const std::vector<Phase>& phases = {}) {
  CaseRecord one;
  one.id = id;
  one.device = "cuda";
  for (int process = 1; process <= 2; ++process) {
    ProcessResult result;
    result.case_id = id;
    result.process = process;
    result.series = {{"gpu_time", "us", Direction::lower_is_better, {{process, {Placement{{100}}}}}}};
    result.phases = phases;
    result.kernels = kernels;
    result.identity = Identity{digest};
    add_result(one, std::move(result));
  }
  return one;
}

class Hidden : public testing::Test {
 protected:
  Hidden() {
    for (Record* one : {&baseline_, &current_}) {
      one->suite.name = "demo";
      one->machines["cuda"] =
          Machine{"m",
                  "GPU-A",
                  {{"compute_capability", "9.0", FieldClass::block}, {"driver", "1", FieldClass::warn}},
                  {}};
    }
  }

  ComparisonRow& row(const std::string& id, Verdict verdict, double ratio = 1) {
    ComparisonRow& one = comparison_.rows.emplace_back();
    one.case_id = id;
    one.metric = "gpu_time";
    one.verdict = verdict;
    one.reason.code = verdict == Verdict::inconclusive ? ReasonCode::undecided : ReasonCode::within;
    one.margin = 0.005;
    one.alpha = 0.01;
    one.p = 0.5;
    one.ratio = ratio;
    one.interval = Interval{ratio - 0.001, ratio + 0.001};
    return one;
  }

  // A row whose only kernel has other code.
  void changed(const std::string& id, Verdict verdict = Verdict::unchanged, double ratio = 1,
               const std::vector<Phase>& phases = {}) {
    baseline_.cases.push_back(case_of_kernels(id, "old", {kernel("k" + id, 100, "1")}, phases));
    current_.cases.push_back(case_of_kernels(id, "new", {kernel("k" + id, 100, "2")}, phases));
    row(id, verdict, ratio);
  }

  HiddenCases found(Seconds budget = 1000, const Unshifted& fixed = {}) {
    return hidden_cases(comparison_, baseline_, current_, budget, [&](const MovableCases&) { return fixed; });
  }
  std::vector<std::string> ids(Seconds budget = 1000, const Unshifted& fixed = {}) {
    std::vector<std::string> all;
    for (const auto& [id, one] : found(budget, fixed).cases) all.push_back(id);
    return all;
  }

  Record baseline_, current_;
  Comparison comparison_;
};

TEST_F(Hidden, AreRowsThatPassOrAreUndecidedAndHaveOtherCode) {
  changed("a");
  changed("b", Verdict::inconclusive, 1.004);
  changed("c", Verdict::not_worse, 0.99);
  changed("d", Verdict::regressed, 1.01);
  changed("e", Verdict::improved, 0.99);
  for (const auto& [id, code] : {std::pair("same", "1"), std::pair("unknown", "")}) {
    baseline_.cases.push_back(case_of_kernels(id, "old", {kernel("k", 100, "1")}));
    current_.cases.push_back(case_of_kernels(id, "new", {kernel("k", 100, code)}));
    row(id, Verdict::unchanged);
  }
  comparison_.rows.front().reason.code = ReasonCode::within;
  EXPECT_THAT(ids(), ElementsAre("a", "b", "c"));
  const HiddenCases hidden = found();
  const MovableCase& one = hidden.cases.at("a");
  EXPECT_EQ(one.compute_capability, "9.0");
  EXPECT_THAT(one.baseline, ElementsAre("ka"));
  EXPECT_THAT(one.current, ElementsAre("ka"));
  EXPECT_EQ(one.launches[0].size(), 1U);
}

// A throttled device is no question of the place.
TEST_F(Hidden, AreNoRowsThatACheckKeepsOpen) {
  changed("a", Verdict::inconclusive);
  comparison_.rows.front().reason.code = ReasonCode::throttled;
  EXPECT_THAT(ids(), IsEmpty());
}

// A kernel that moves by 3 % and takes a tenth of the call moves the call by 0.3 %.
TEST_F(Hidden, DependOnTheShareOfTheKernelsThatChanged) {
  for (const double us : {5.0, 10.0, 20.0, 50.0}) {
    const std::string id = us < 10 ? "05" : std::to_string(static_cast<int>(us));
    baseline_.cases.push_back(
        case_of_kernels(id, "old", {kernel("hot", 100 - us, "h"), kernel("k", us, "1")}));
    current_.cases.push_back(
        case_of_kernels(id, "new", {kernel("hot", 100 - us, "h"), kernel("k", us, "2")}));
    row(id, Verdict::unchanged);
  }
  EXPECT_THAT(ids(), ElementsAre("20", "50")) << "0.4 % are to be hidden";
  const HiddenCases hidden = found();
  EXPECT_THAT(hidden.cases.at("50").current, ElementsAre("k")) << "the other one is not moved";
}

// Without phases each takes 10 s.
TEST_F(Hidden, AreTakenByDoubtAsLongAsTheBudgetLasts) {
  changed("a", Verdict::unchanged, 0.995);
  changed("b", Verdict::unchanged, 1.002);
  changed("c", Verdict::unchanged, 1);
  changed("d", Verdict::inconclusive, 0.999);
  const std::vector<std::vector<std::string>> by_budget{
      {}, {"d"}, {"b", "d"}, {"b", "c", "d"}, {"a", "b", "c", "d"}};
  for (std::size_t i = 0; i < by_budget.size(); ++i) {
    const Seconds budget = 10.0 * static_cast<double>(i);
    EXPECT_EQ(ids(budget), by_budget[i]) << budget;
    EXPECT_EQ(found(budget).left_out, 4 - static_cast<int>(i));
  }
}

TEST_F(Hidden, TakeTheTimeOfTheirProcessesAndNoMoreSamplingThanTheLimit) {
  changed("a", Verdict::unchanged, 1, {{"process_start", 8}, {"inputs", 1}, {"sampling", 0.1}});
  EXPECT_THAT(ids(145), IsEmpty());
  EXPECT_THAT(ids(146), ElementsAre("a")) << "17.6 s, and 16 starts of 8 s";
  for (Record* record : {&baseline_, &current_}) {  // a process that held one build is no estimate
    ProcessResult& alone = record->cases.front().processes.back();
    alone.process = last_confirming_process + 1;
    alone.phases = {{"process_start", 1000}, {"inputs", 1000}, {"sampling", 1000}};
  }
  EXPECT_THAT(ids(146), ElementsAre("a"));
  baseline_.cases.clear();
  current_.cases.clear();
  comparison_.rows.clear();
  changed("b", Verdict::unchanged, 1, {{"inputs", 1}, {"sampling", 100}});
  EXPECT_THAT(ids(25), IsEmpty());
  EXPECT_THAT(ids(27), ElementsAre("b"));
}

TEST_F(Hidden, ThatCannotBeMovedTakeNoTime) {
  changed("a", Verdict::inconclusive);
  changed("b");
  EXPECT_THAT(ids(10), ElementsAre("a"));
  EXPECT_THAT(ids(10, {{"a", "it runs on a device of another kind"}}), ElementsAre("b"));
  EXPECT_EQ(found(10, {{"a", "it runs on a device of another kind"}}).left_out, 0);
}

TEST_F(Hidden, ShareTheStartsOfTheirProcesses) {
  for (const char* id : {"a", "b"})
    changed(id, Verdict::unchanged, 1, {{"process_start", 2}, {"inputs", 1}, {"sampling", 0.1}});
  EXPECT_THAT(ids(67), ElementsAre("a")) << "32 s of starts, and 17.6 s each";
  EXPECT_THAT(ids(68), ElementsAre("a", "b"));
}

// A place that still may hide a slowdown is told, by count.
TEST_F(Hidden, TellWhatTheirPlaceMayHide) {
  const auto places_open = [&](const HiddenCases& hidden, const Unshifted& unshifted = {}) {
    comparison_.remarks.clear();
    tell_places(comparison_, unshifted, hidden);
    for (const Remark& one : comparison_.remarks)
      if (one.code == RemarkCode::places_open)
        return std::vector<std::int64_t>{one.count("worse"), one.count("unweighed"), one.count("fixed"),
                                         one.count("apart")};
    return std::vector<std::int64_t>{};
  };
  for (const char* id : {"a", "b", "c"}) changed(id);
  HiddenCases hidden = found(1000, {{"c", "no module of the current build"}});
  EXPECT_EQ(hidden.fixed, 1);
  EXPECT_THAT(places_open(hidden), ElementsAre(0, 2, 1, 0)) << "two without a mean over their places";
  EXPECT_THAT(places_open(hidden, {{"a", "interrupted"}}), ElementsAre(0, 1, 1, 0)) << "one is told by name";
  for (std::size_t i = 0; i < 2; ++i) {
    comparison_.rows[i].over_places = OverPlaces{};
    comparison_.rows[i].over_places->p = i == 0 ? 0.04 : 0.06;
  }
  EXPECT_THAT(places_open(hidden), ElementsAre(1, 0, 1, 0));
  hidden.fixed = 0;
  hidden.apart = 3;
  EXPECT_THAT(places_open(hidden), ElementsAre(1, 0, 0, 3));
  comparison_.rows[0].verdict = Verdict::regressed;
  hidden.apart = 0;
  EXPECT_THAT(places_open(hidden), IsEmpty()) << "all are judged";
}

// A CPU has no places of code.
TEST_F(Hidden, AreOfAGpu) {
  changed("a");
  for (Record* one : {&baseline_, &current_}) one->machines.at("cuda").fields.clear();
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_EQ(found(0).left_out, 0);
}

// A place gives 3 % at most. The change as compiled counts at its worse bound.
TEST_F(Hidden, AreNoRowsWhoseMarginIsFurtherAwayThanAPlaceReaches) {
  changed("a");
  ComparisonRow& first = comparison_.rows.front();
  first.margin = 0.05;
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_EQ(found(0).left_out, 0);
  first.interval = Interval{0.98, 1.021};
  EXPECT_THAT(ids(), ElementsAre("a"));
}

}  // namespace
}  // namespace harness
