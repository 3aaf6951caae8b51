// Names of records, and records that are removed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "each_database.h"
#include "harness/store/select.h"
#include "selecting.h"
#include "tests/verdict/facts.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoredNames : public OnEachDatabase {};

TEST_P(StoredNames, BelongToOneRecordOfASuiteAndMachine) {
  const auto store = open();
  Record record = example_record();
  record.id = "one";
  checked(store->put_record(record));
  record.id = "two";
  checked(store->put_record(record));
  record.id = "other";
  record.suite.name = "other";
  checked(store->put_record(record));
  for (const char* id : {"one", "two", "other"}) checked(store->set_name(id, "before"));
  const std::vector<RecordName> names = checked(store->names());
  ASSERT_THAT(names, SizeIs(2));
  EXPECT_EQ(names[0].run, "two");
  EXPECT_EQ(names[1].run, "other");
  EXPECT_EQ(store->set_name("none", "before").error().kind, ErrorKind::missing);
}

TEST_P(StoredNames, AreGoneWithTheirRecord) {
  const auto store = open();
  Record record = example_record();
  checked(store->put_record(record));
  checked(store->set_name(record.id, "before"));
  const std::vector<std::string> with_unknown{record.id, "unknown"};
  EXPECT_FALSE(store->remove(with_unknown)) << "all or nothing";
  EXPECT_EQ(checked(store->load(record.id)), record);
  const std::vector<std::string> ids{record.id};
  checked(store->remove(ids));
  EXPECT_THAT(checked(store->names()), IsEmpty());
  EXPECT_THAT(checked(store->list({})), IsEmpty());
  EXPECT_THAT(checked(store->runs_of_case(record.cases[0].id)), IsEmpty());
  checked(store->put_record(record));
  EXPECT_EQ(checked(store->load(record.id)), record) << "no row of the old one is left";
}

INSTANTIATE_TEST_SUITE_P(Databases, StoredNames, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

TEST_F(Selecting, FindsARecordByItsName) {
  const std::string commit = repository_.commit("one");
  const std::string before = measured(commit);
  ASSERT_TRUE(store_->set_name(before, "before"));
  const Selected now = current(commit);
  const auto found = baseline("@before", now);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->source.id, before);
  EXPECT_THAT(found->source.found, fact(SourceCode::record, {{"name", "@before"}}));
  EXPECT_EQ(baseline("@befroe", now).error().kind, ErrorKind::usage);
  EXPECT_THAT(baseline("@befroe", now).error().advice, HasSubstr("@before"));
}

TEST_F(Selecting, FindsANameOnTheSameMachine) {
  const std::string commit = repository_.commit("one");
  const std::string here = measured(commit), there = measured(commit, "GPU-9", [](Record&record) {
                                               record.machines["cuda"].machine_class = "another";
                                             });
  for (const std::string& id : {here, there}) ASSERT_TRUE(store_->set_name(id, "before"));
  EXPECT_EQ(baseline("@before", current(commit))->source.id, here);
}

TEST_F(Selecting, FindsEachSuiteOfAName) {
  const std::string commit = repository_.commit("one");
  const auto of_suite = [&](const std::string& suite) {
    return measured(commit, "GPU-1234", [&](Record& record) { record.suite.name = suite; });
  };
  const auto suites = [&](const std::string& name, const std::string& baseline) {
    std::vector<std::string> found;
    const auto sides = select_current_of_suites(*store_, name, baseline, options_);
    EXPECT_TRUE(sides) << sides.error().text();
    for (const Selected& side : *sides) found.push_back(side.record.suite.name);
    return found;
  };
  for (const char* suite : {"alpha", "beta", "gamma"})
    ASSERT_TRUE(store_->set_name(of_suite(suite), "after"));
  for (const char* suite : {"alpha", "gamma"}) ASSERT_TRUE(store_->set_name(of_suite(suite), "before"));
  EXPECT_THAT(suites("@after", "main"), ElementsAre("alpha", "beta", "gamma"));
  EXPECT_THAT(suites("@after", "@before"), ElementsAre("alpha", "gamma"));
  EXPECT_THAT(suites(commit, "@before"), ElementsAre("alpha", "gamma"));
  options_.suite = "beta";
  EXPECT_THAT(suites("@after", "@before"), ElementsAre("beta"));
  options_.suite = "";
  const auto slip = select_current_of_suites(*store_, "@aftre", "main", options_);
  EXPECT_THAT(slip.error().advice, HasSubstr("@after"));
}

TEST_F(Selecting, KnowsWhatCanBeASide) {
  const std::string commit = repository_.commit("one");
  measured(commit, "GPU-1234", [](Record& record) { record.id = "0a1f0c3e-0000-4000-8000-000000000009"; });
  const auto check = [&](const std::string& name) {
    return check_side_name(*store_, name, options_.folder).has_value();
  };
  EXPECT_TRUE(check("HEAD"));
  EXPECT_TRUE(check("main"));
  EXPECT_TRUE(check("0a1f0c3e"));
  EXPECT_TRUE(check("@~0"));
  for (const char* slip : {"mian", "nothing.json", "@nobody", "0a1f0c3f"}) EXPECT_FALSE(check(slip)) << slip;
}

}  // namespace
}  // namespace harness
