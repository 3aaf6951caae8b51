// The baseline is chosen case by case: what was judged, what waits for a judgement, what is too small, and
// what is pooled because it does the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/store/git.h"
#include "selecting.h"
#include "tests/verdict/facts.h"

namespace harness {
namespace {

using testing::ElementsAre;

// A case of so many processes, whose calls have the digest.
CaseRecord small_case(const std::string& id, int processes, const std::string& digest = "", double us = 10) {
  CaseRecord one = example_case();
  one.id = id;
  one.sampling.processes = processes;
  one.processes.clear();
  one.series.clear();
  for (int process = 1; process <= processes; ++process) {
    ProcessResult result{id, process, Outcome::measured, {}, {}, {}, {}};
    result.series.push_back(
        {"gpu_time", "us", Direction::lower_is_better, {{process, {{{us, us, us}, 0, 0}}}}});
    if (!digest.empty()) result.identity = Identity{digest};
    add_result(one, std::move(result));
  }
  return one;
}

// A case that was proven identical, and so has no samples.
CaseRecord looked_at(const std::string& id, const std::string& digest) {
  CaseRecord one = small_case(id, 0);
  one.sampling.processes = 5;
  ProcessResult look{id, 0, Outcome::looked_at, {}, {}, {}, {}};
  look.identity = Identity{digest};
  add_result(one, std::move(look));
  return one;
}

class Cases : public Selecting {
 protected:
  std::string put(const std::string& commit, std::vector<CaseRecord> cases,
                  const std::function<void(Record&)>& change = {}) {
    return measured(commit, "GPU-1234", [&](Record& record) {
      record.cases = std::move(cases);
      if (change) change(record);
    });
  }

  std::string next() { return repository_.commit("next"); }

  // A run of the newest commit as the current side, judged by what came before.
  Selected chosen() {
    const std::string id = put(next(), {small_case("a", 5), small_case("b", 5)});
    auto found = baseline("main", *select_stored(*store_, id));
    if (!found) throw std::runtime_error(found.error().text());
    return std::move(*found);
  }

  void judge(const std::string& id, const std::vector<CaseVerdict>& cases) {
    EXPECT_TRUE(store_->set_verdicts(id, "unchanged", cases, JudgedBy::own_history));
  }

  static double time_of(const Selected& side, const std::string& id) {
    for (const CaseRecord& one : side.record.cases)
      if (one.id == id) return one.series.at(0).processes.at(0).placements.at(0).samples.at(0);
    return 0;
  }
};

TEST_F(Cases, ComeFromTheNearestRecordWhereTheyDidNotRegress) {
  judge(put(next(), {small_case("a", 5, "", 1), small_case("b", 5, "", 1)}),
        {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  const std::string near = put(next(), {small_case("a", 5, "", 2), small_case("b", 5, "", 2)});
  judge(near, {{"a", Verdict::regressed}, {"b", Verdict::improved}});
  const Selected found = chosen();
  EXPECT_EQ(time_of(found, "a"), 1);
  EXPECT_EQ(time_of(found, "b"), 2);
  EXPECT_EQ(found.source.id, near);
  EXPECT_EQ(found.source.records.size(), 2U);
  EXPECT_EQ(found.source.found.count("passed_over"), 1);
  EXPECT_EQ(found.source.found.count("regressed"), 1);
}

TEST_F(Cases, MayBeWaivedButNotUndecided) {
  judge(put(next(), {small_case("a", 5, "", 1), small_case("b", 5, "", 1)}),
        {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  judge(put(next(), {small_case("a", 5, "", 2), small_case("b", 5, "", 2)}),
        {{"a", Verdict::regressed, true}, {"b", Verdict::inconclusive}});
  const Selected found = chosen();
  EXPECT_EQ(time_of(found, "a"), 2);
  EXPECT_EQ(time_of(found, "b"), 1);
  EXPECT_EQ(found.source.found.count("undecided"), 1);
}

TEST_F(Cases, OfTheFirstRecordServeUnjudged) {
  put(next(), {small_case("a", 5, "", 1)});
  put(next(), {small_case("a", 5, "", 2), small_case("b", 5, "", 2)});
  options_.passes = {};
  const Selected found = chosen();
  EXPECT_EQ(time_of(found, "a"), 1) << "the second was never judged";
  EXPECT_EQ(time_of(found, "b"), 2) << "the first that has it";
}

TEST_F(Cases, ThatWaitAreJudgedByTheBaselineBeforeThem) {
  const std::vector<CaseRecord> first{small_case("a", 5, "", 1), small_case("b", 5, "", 1),
                                      small_case("c", 5, "", 1)};
  put(next(), first);
  const std::string second =
      put(next(), {small_case("a", 5, "", 2), small_case("b", 5, "", 2), small_case("c", 5, "", 2)});
  std::vector<double> judged;
  std::vector<std::string> ids;
  std::vector<CaseVerdict> verdicts{
      {"a", Verdict::regressed}, {"b", Verdict::unchanged}, {"c", Verdict::inconclusive}};
  options_.passes = [&](const Record& before, const Record& after) {
    for (const CaseRecord& one : before.cases)
      judged.push_back(one.series.at(0).processes.at(0).placements.at(0).samples.at(0));
    EXPECT_EQ(before.cases.size(), after.cases.size());
    ids.push_back(after.id);
    return verdicts;
  };
  const Selected found = chosen();
  EXPECT_THAT(judged, ElementsAre(1, 1, 1));
  EXPECT_THAT(ids, ElementsAre(second));
  EXPECT_EQ(time_of(found, "a"), 1);
  EXPECT_EQ(time_of(found, "b"), 2);
  EXPECT_EQ(time_of(found, "c"), 1);
  EXPECT_EQ(found.source.found.count("regressed"), 1);
  EXPECT_EQ(found.source.found.count("undecided"), 1);
  verdicts[0].verdict = Verdict::improved;
  EXPECT_EQ(chosen().source.found.count("regressed"), 0) << "an undecided case did not regress";
}

TEST_F(Cases, AreNotJudgedWithoutNeed) {
  judge(put(next(), {small_case("a", 5, "d", 1), small_case("b", 5, "", 1)}),
        {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  put(next(), {small_case("a", 5, "d", 2)});
  options_.passes = [](const Record&, const Record&) {
    ADD_FAILURE() << "the same code was judged";
    return std::vector<CaseVerdict>{};
  };
  const Selected found = chosen();
  EXPECT_EQ(found.record.cases.at(0).processes.size(), 10U) << "pooled instead";
}

TEST_F(Cases, NeedWhatTheSuiteAsksFor) {
  judge(put(next(), {small_case("a", 5, "", 1), small_case("b", 5, "", 1)}),
        {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  CaseRecord few = small_case("a", 3, "", 2);
  few.suite_sampling = few.sampling;
  few.suite_sampling->processes = 5;
  CaseRecord short_one = small_case("b", 5, "", 2);
  short_one.suite_sampling = short_one.sampling;
  short_one.suite_sampling->samples += 1;
  judge(put(next(), {few, short_one}), {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  CaseRecord lost = small_case("a", 4, "", 3);
  lost.sampling.processes = 5;
  judge(put(next(), {lost}, [](Record& record) { record.partial = true; }), {{"a", Verdict::unchanged}});
  const Selected found = chosen();
  EXPECT_EQ(time_of(found, "a"), 1);
  EXPECT_EQ(time_of(found, "b"), 1);
  EXPECT_EQ(found.source.found.count("passed_over"), 2);
  EXPECT_EQ(found.source.found.count("incomplete"), 1);
}

TEST_F(Cases, LeftOutOfAPartialRecordComeFromBefore) {
  put(next(), {small_case("a", 5, "", 1), small_case("b", 5, "", 1), small_case("c", 5, "", 1)});
  put(next(), {small_case("a", 5, "", 2), small_case("b", 5, "", 2)});  // c was deleted
  put(next(), {small_case("b", 5, "", 3)}, [](Record& record) { record.partial = true; });
  const Selected found = chosen();
  EXPECT_EQ(time_of(found, "a"), 2);
  EXPECT_EQ(time_of(found, "b"), 3);
  EXPECT_EQ(time_of(found, "c"), 0) << "a deleted case stays deleted";
  EXPECT_FALSE(found.record.partial);
}

TEST_F(Cases, OfOneDigestArePooled) {
  for (const double us : {1, 2, 3}) {
    const std::string digest = us == 2 ? "other" : "same";
    judge(put(next(), {small_case("a", 5, digest, us), small_case("b", 5, "", us)}),
          {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  }
  const Selected found = chosen();
  ASSERT_EQ(found.record.cases.size(), 2U);
  const CaseRecord& pooled = found.record.cases[0];
  const std::vector<ProcessSamples>& samples = pooled.series.at(0).processes;
  ASSERT_EQ(samples.size(), 10U);
  EXPECT_EQ(pooled.processes.size(), 10U);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(samples[i].process, i + 1);
    EXPECT_EQ(pooled.processes[i].process, i + 1);
    EXPECT_EQ(samples[i].session, i < 5 ? 1 : 2);
    EXPECT_EQ(samples[i].placements[0].samples[0], i < 5 ? 3 : 1) << "the nearest record first";
  }
  EXPECT_EQ(found.record.cases[1].series[0].processes.size(), 5U) << "nobody looked: the nearest alone";
  EXPECT_EQ(found.record.cases[1].series[0].processes[0].session, 0);
  EXPECT_THAT(found.source.records, ElementsAre("record 3", "record 1"));
  EXPECT_EQ(found.source.found.count("pooled"), 2);
  EXPECT_EQ(found.source.found.count("least"), 5);
  EXPECT_EQ(found.source.found.count("most"), 10);
  const auto readable = decode_record(encode(found.record), "pooled");
  ASSERT_TRUE(readable) << readable.error().text();
  EXPECT_EQ(*readable, found.record);
}

// The digest says nothing of the host's time: what was accepted meanwhile counts.
TEST_F(Cases, ArePooledInMetricsThatTheDigestCoversAlone) {
  for (const double us : {100, 120}) {
    CaseRecord one = small_case("a", 5, "same", 1);
    Series setup{"setup_time", "us", Direction::lower_is_better, {}};
    for (int process = 1; process <= 5; ++process) setup.processes.push_back({process, {{{us}, 0, 0}}});
    one.series.push_back(setup);
    judge(put(next(), {one}), {{"a", Verdict::unchanged}});
  }
  const CaseRecord pooled = chosen().record.cases[0];
  EXPECT_EQ(pooled.series.at(0).processes.size(), 10U);
  ASSERT_EQ(pooled.series.at(1).processes.size(), 5U);
  EXPECT_EQ(pooled.series[1].processes[0].placements[0].samples[0], 120);
}

TEST_F(Cases, OfOtherMachinesOrSamplingAreNotPooled) {
  put(next(), {small_case("a", 5, "same", 1)},
      [](Record& record) { record.machines["cuda"].fields[1].value = "another driver"; });
  CaseRecord warmer = small_case("a", 5, "same", 2);
  warmer.sampling.warmup += 1;
  put(next(), {warmer});
  put(next(), {small_case("a", 5, "same", 3)});
  EXPECT_EQ(chosen().record.cases[0].processes.size(), 5U);
}

TEST_F(Cases, ArePooledUpToFiftyProcesses) {
  for (int i = 0; i < 13; ++i) put(next(), {small_case("a", 5, "same", 1)});
  Selected found = chosen();
  EXPECT_EQ(found.record.cases[0].processes.size(), 50U);
  EXPECT_EQ(found.source.records.size(), 10U);
  for (int i = 0; i < 2; ++i) put(next(), {small_case("a", 20, "same", 1)});
  EXPECT_EQ(chosen().source.records.size(), 4U) << "5 + 20 + 20 + 5: the current run before is the first";
}

TEST_F(Cases, ThatWereOnlyLookedAtHaveTheSamplesOfTheSameCode) {
  put(next(), {small_case("a", 5, "same", 1)});
  judge(put(next(), {small_case("a", 5, "other", 2)}), {{"a", Verdict::improved}});
  CaseRecord look = looked_at("a", "same");
  look.gate.margin = 0.123;
  const std::string near = put(next(), {look});
  judge(near, {{"a", Verdict::identical}});
  const Selected found = chosen();
  EXPECT_EQ(time_of(found, "a"), 1);
  EXPECT_EQ(found.record.cases[0].outcome, Outcome::measured);
  EXPECT_EQ(found.record.cases[0].gate.margin, 0.123) << "the gate is the nearest one";
  EXPECT_EQ(found.source.id, near);
}

TEST_F(Cases, OfABranchThatFilledTheStoreDoNotHideTheOwnOnes) {
  const std::string first = next();
  put(first, {small_case("a", 5, "same", 1)});
  judge(put(next(), {looked_at("a", "same")}), {{"a", Verdict::identical}});
  repository_.git({"checkout", "--quiet", "-b", "other", first});
  const std::string other = next();
  for (int i = 0; i < 70; ++i) put(other, {small_case("a", 5, "same", 2)});
  repository_.git({"checkout", "--quiet", "main"});
  EXPECT_EQ(time_of(chosen(), "a"), 1);
}

TEST_F(Cases, OfTheSameCommitServeWhereNoAncestorDoes) {
  const std::string commit = next();
  const std::string first = put(commit, {small_case("a", 5, "", 1)});
  const std::string second = put(commit, {small_case("a", 5, "", 2)});
  const auto found = baseline("main", *select_stored(*store_, second));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, first);
  EXPECT_FALSE(baseline("main", *select_stored(*store_, first))) << "nothing was before it";
  const std::string later = next();
  put(later, {small_case("a", 5, "", 3)});
  const std::string again = put(later, {small_case("a", 5, "", 4)});
  EXPECT_EQ(baseline("main", *select_stored(*store_, again))->source.distance, 1) << "an ancestor first";
}

TEST_F(Cases, CanBeNarrowedToNamedRecords) {
  for (const double us : {1, 2, 3}) put(next(), {small_case("a", 5, "same", us)});
  options_.among = {"record 3", "record 1"};
  const Selected found = chosen();
  EXPECT_THAT(found.source.records, ElementsAre("record 3", "record 1"));
}

TEST_F(Cases, DoNotFollowTheClock) {
  const std::string commit = next();
  put(commit, {small_case("a", 5, "", 1)}, [](Record& record) { record.started = "2099-01-01T00:00:00Z"; });
  const std::string newest = put(commit, {small_case("a", 5, "", 2)});
  EXPECT_EQ(select_current(*store_, commit, options_)->source.id, newest);
}

// A pool tells the build of each case: its header is of the nearest record alone.
TEST_F(Cases, TellTheBuildOfTheRecordsThatTheyComeFrom) {
  const BuildParts old{{"environment", "image 1"}}, now{{"environment", "image 2"}};
  const auto of = [](const BuildParts& build) { return [build](Record& record) { record.build = build; }; };
  judge(put(next(), {small_case("a", 5), small_case("b", 5)}, of(old)),
        {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  judge(put(next(), {small_case("a", 5), small_case("b", 5)}, of(now)),
        {{"a", Verdict::regressed}, {"b", Verdict::unchanged}});
  const Record found = chosen().record;
  EXPECT_TRUE(found.build.empty());
  ASSERT_EQ(found.cases.size(), 2U);
  EXPECT_EQ(build_of(found, found.cases[0]), old);
  EXPECT_EQ(build_of(found, found.cases[1]), now);
}

TEST_F(Cases, OfAnotherStateOfTheMachineTellNoBuild) {
  const BuildParts build{{"environment", "image 1"}};
  const auto with_driver = [&](const std::string& driver) {
    return [&build, driver](Record& record) {
      record.build = build;
      record.machines.at("cuda").fields.push_back({"driver", driver, FieldClass::warn});
    };
  };
  judge(put(next(), {small_case("a", 5), small_case("b", 5)}, with_driver("1")),
        {{"a", Verdict::unchanged}, {"b", Verdict::unchanged}});
  judge(put(next(), {small_case("a", 5), small_case("b", 5)}, with_driver("2")),
        {{"a", Verdict::regressed}, {"b", Verdict::unchanged}});
  const Record found = chosen().record;
  EXPECT_TRUE(build_of(found, found.cases[0]).empty()) << "the pool names the nearest record's machine";
  EXPECT_EQ(build_of(found, found.cases[1]), build);
}

TEST_F(Cases, PooledFromTwoBuildsTellNone) {
  const auto of = [](const std::string& image) {
    return [image](Record& record) { record.build = {{"environment", image}}; };
  };
  judge(put(next(), {small_case("a", 5, "d")}, of("1")), {{"a", Verdict::unchanged}});
  judge(put(next(), {small_case("a", 5, "d")}, of("2")), {{"a", Verdict::identical}});
  const Selected found = chosen();
  EXPECT_EQ(found.source.records.size(), 2U);
  EXPECT_TRUE(build_of(found.record, found.record.cases.at(0)).empty());
}

}  // namespace
}  // namespace harness
