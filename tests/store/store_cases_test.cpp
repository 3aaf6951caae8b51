// Cases as a store knows them without reading samples, on each kind of database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "each_database.h"
#include "harness/model/code/shifted_process.h"
#include "harness/store/baseline/completeness.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StoredCases : public OnEachDatabase {
 protected:
  // The example's measured case, the same but incorrect, and a skipped one.
  Record put(const std::string& id, const std::string& digest = "") {
    Record record = example_record();
    record.id = id;
    for (ProcessResult& result : record.cases[0].processes)
      if (!digest.empty()) result.identity = Identity{digest};
    record.cases[0].sampling.processes = 3;
    checked(open()->put_record(record));
    return record;
  }
};

INSTANTIATE_TEST_SUITE_P(Databases, StoredCases, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

void expect_example(const std::vector<StoredCase>& cases, const std::string& digest) {
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].needed, 3);
  EXPECT_EQ(cases[0].measured, 3);
  EXPECT_EQ(cases[0].failures, 0);
  EXPECT_EQ(cases[0].digest, digest);
  EXPECT_EQ(cases[0].device, "cuda");
  EXPECT_TRUE(cases[0].complete());
  EXPECT_EQ(cases[1].measured, 0);
  EXPECT_EQ(cases[1].failures, 1);
  EXPECT_FALSE(cases[1].complete());
  EXPECT_EQ(cases[2].measured + cases[2].failures, 0);
  EXPECT_FALSE(cases[2].complete());
}

TEST_P(StoredCases, CountTheirResults) {
  const Record record = put("one", "d");
  const auto store = open();
  expect_example(checked(store->cases_of("one")), "d");
  ProcessResult again = example_result(record.cases[0].id, 2);
  again.outcome = Outcome::failed;
  checked(store->put("one", {again}));
  const StoredCase one = checked(store->cases_of("one"))[0];
  EXPECT_EQ(one.measured, 2);
  EXPECT_EQ(one.failures, 1);
  EXPECT_EQ(one.digest, "d") << "a result that nobody looked at says nothing of it";
}

// Processes that measured a case again, alone or at other places make no case complete.
TEST_P(StoredCases, CountPlainProcessesAlone) {
  const Record record = put("one");
  const auto store = open();
  for (const int process : {last_plain_process + 1, last_confirming_process + 1, shifted_process(3, 2)}) {
    checked(store->put("one", {example_result(record.cases[0].id, process)}));
    EXPECT_EQ(checked(store->cases_of("one"))[0].measured, 3) << process;
    EXPECT_EQ(count_measured(checked(store->load("one")).cases[0]), 3) << process;
  }
  checked(store->put("one", {example_result(record.cases[0].id, last_plain_process)}));
  EXPECT_EQ(checked(store->cases_of("one"))[0].measured, 4) << "of an import";
  EXPECT_EQ(count_measured(checked(store->load("one")).cases[0]), 4);
}

TEST_P(StoredCases, HaveNoDigestWhereLooksDisagreeOrHaveAGap) {
  const Record record = put("one", "d");
  const auto store = open();
  const auto digest_after = [&](const Identity& identity) {
    ProcessResult result = example_result(record.cases[0].id, 2);
    result.identity = identity;
    checked(store->put("one", {result}));
    return checked(store->cases_of("one"))[0].digest;
  };
  EXPECT_EQ(digest_after({"d"}), "d");
  EXPECT_EQ(digest_after({"other"}), "");
  EXPECT_EQ(digest_after({"d"}), "") << "once in doubt, always in doubt";
  put("two", "d");
  ProcessResult gap = example_result(record.cases[0].id, 2);
  gap.identity = Identity{"", told_cause("a library is unknown")};
  checked(store->put("two", {gap}));
  EXPECT_EQ(checked(store->cases_of("two"))[0].digest, "");
}

TEST_P(StoredCases, KeepTheirVerdicts) {
  const Record record = put("one");
  const auto store = open();
  const std::string id = record.cases[0].id;
  checked(store->set_verdicts("one", "regressed", std::vector<CaseVerdict>{{id, Verdict::regressed, true}},
                              JudgedBy::own_history));
  const auto found = checked(store->cases_of("one"));
  EXPECT_EQ(found[0].verdict, "regressed");
  EXPECT_TRUE(found[0].waived);
  EXPECT_EQ(found[1].verdict, "");
  checked(store->set_verdict("one", "unchanged"));
  for (const StoredCase& one : checked(store->cases_of("one"))) {
    EXPECT_EQ(one.verdict, "unchanged");
    EXPECT_FALSE(one.waived);
  }
  checked(store->set_verdict("one", "inconclusive"));
  EXPECT_EQ(checked(store->cases_of("one"))[0].verdict, "") << "it says nothing of a case";
  EXPECT_EQ(store->set_verdicts("none", "unchanged", {}, JudgedBy::own_history).error().kind,
            ErrorKind::missing);
}

// The verdict by another build is told to readers of the views. It chooses no baseline.
TEST_P(StoredCases, TellEveryVerdictAndAreChosenByTheirOwnHistory) {
  const Record record = put("one");
  const auto store = open();
  const std::string id = record.cases[0].id;
  execute("CREATE TABLE told (cases INTEGER CHECK (cases = 1))");
  const auto told = [&](const std::string& verdict) {
    execute("INSERT INTO told SELECT COUNT(*) FROM case_states WHERE run = 'one' AND verdict = '" + verdict +
            "'");
  };
  checked(store->set_verdicts("one", "regressed", std::vector<CaseVerdict>{{id, Verdict::regressed, false}},
                              JudgedBy::another));
  EXPECT_EQ(checked(store->cases_of("one"))[0].verdict, "");
  EXPECT_NO_THROW(told("regressed"));
  checked(store->set_verdicts("one", "unchanged", std::vector<CaseVerdict>{{id, Verdict::unchanged, false}},
                              JudgedBy::own_history));
  EXPECT_EQ(checked(store->cases_of("one"))[0].verdict, "unchanged");
  EXPECT_NO_THROW(told("unchanged"));
}

TEST_P(StoredCases, AreFoundByDigestNewestFirst) {
  for (const char* id : {"one", "two", "three"}) put(id, id == std::string("two") ? "other" : "same");
  const auto store = open();
  const std::string id = example_case().id;
  const auto runs = [](const std::vector<StoredCase>& cases) {
    std::vector<std::string> ids;
    for (const StoredCase& one : cases) ids.push_back(one.run);
    return ids;
  };
  const std::vector<CaseDigest> same{{id, "same"}, {id, ""}};
  EXPECT_THAT(runs(checked(store->cases_alike(same, 10))), ElementsAre("three", "one"));
  EXPECT_THAT(runs(checked(store->cases_alike(same, 1))), ElementsAre("three"));
  EXPECT_THAT(runs(checked(store->runs_of_case(id))), ElementsAre("three", "two", "one"));
  EXPECT_THAT(runs(checked(store->runs_of_case("linear_gelu/wgmma/dtype=f16/m=512"))), IsEmpty());
}

TEST_P(StoredCases, AreLoadedAlone) {
  const Record record = put("one");
  const auto store = open();
  const Record whole = checked(store->load("one"));
  const Record part = checked(store->load_cases("one", {record.cases[1].id, "no such case"}));
  ASSERT_EQ(part.cases.size(), 1U);
  EXPECT_EQ(part.cases[0], whole.cases[1]);
  EXPECT_EQ(part.machines, whole.machines);
  EXPECT_EQ(part.finished, whole.finished);
  EXPECT_TRUE(checked(store->load_cases("one", {})).cases.empty());
  Record large = record;
  large.id = "large";
  large.cases.clear();
  std::set<std::string> wanted;
  for (int i = 0; i < 300; ++i) {
    large.cases.push_back(example_case());
    CaseRecord& one = large.cases.back();
    one.id = "case " + std::to_string(i);
    for (ProcessResult& result : one.processes) result.case_id = one.id;
    if (i % 2 == 0) wanted.insert(large.cases.back().id);
  }
  checked(store->put_record(large));
  const Record half = checked(store->load_cases("large", wanted));
  ASSERT_EQ(half.cases.size(), 150U);
  EXPECT_EQ(half.cases[1].id, "case 2");
  EXPECT_EQ(half.cases[1].processes.size(), 3U);
}

// A file that is deleted while it is open takes every later result with it.
TEST(StoreFile, IsMissedWhenItIsDeletedOrReplaced) {
  for (const bool replaced : {false, true}) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "results.db").string();
    const auto store = checked(Store::open(path));
    checked(store->begin(planned_example("one")));
    std::filesystem::remove(path);
    if (replaced) checked(Store::open(path));
    const Status put = store->put("one", {example_result(example_case().id, 1)});
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().kind, ErrorKind::environment);
    EXPECT_EQ(put.error().where.file, path);
  }
}

}  // namespace
}  // namespace harness
