// Requirements of every store, on each kind of database: keep what it was given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "each_database.h"

namespace harness {
namespace {

using testing::HasSubstr;

class AnyStore : public OnEachDatabase {};

INSTANTIATE_TEST_SUITE_P(Databases, AnyStore, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

TEST_P(AnyStore, IsEmptyAtFirst) {
  EXPECT_TRUE(checked(open()->list({})).empty());
  EXPECT_TRUE(checked(open()->list({})).empty()) << "opened again";
}

TEST_P(AnyStore, LoadsWhatWasPlanned) {
  const Record planned = planned_example();
  checked(open()->begin(planned));
  EXPECT_EQ(checked(open()->load(planned.id)), planned);
}

TEST_P(AnyStore, LoadsResultsAsTheyCame) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  for (const int process : {2, 1, 3})
    for (CaseRecord& one : record.cases) {
      const ProcessResult result = example_result(one.id, process);
      checked(store->put(record.id, {result}));
      add_result(one, result);
      ASSERT_EQ(checked(open()->load(record.id)), record) << "readable after every result";
    }
  EXPECT_EQ(checked(store->list({})).front().results, 9U);
}

TEST_P(AnyStore, ReplacesARepeatedResult) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  checked(store->put(record.id, {example_result(record.cases[0].id, 1)}));
  const ProcessResult failed{record.cases[0].id, 1, Outcome::failed, told_cause("crashed"), {}, {}, {}};
  checked(store->put(record.id, {failed}));
  add_result(record.cases[0], failed);
  EXPECT_EQ(checked(store->load(record.id)), record);
  EXPECT_EQ(checked(store->list({})).front().results, 1U);
}

TEST_P(AnyStore, PutsAWholeRecord) {
  const Record record = example_record();
  checked(open()->put_record(record));
  EXPECT_EQ(checked(open()->load(record.id)), record);
  const auto runs = checked(open()->list({}));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].state, RunState::complete);
  EXPECT_EQ(runs[0].finished, record.finished);
  EXPECT_EQ(runs[0].machine_class, "nvidia-h200");
  EXPECT_EQ(runs[0].device_uuid, "GPU-1234");
  EXPECT_EQ(runs[0].revision, record.revision);
  EXPECT_EQ(runs[0].results, 4U);
}

TEST_P(AnyStore, PutsSeveralRecordsOrNone) {
  Record first = example_record(), second = example_record(), third = example_record();
  second.id = "second";
  third.id = "third";
  const auto store = open();
  checked(store->put_records(std::vector{first, second}));
  EXPECT_EQ(checked(store->load(first.id)), first);
  EXPECT_EQ(checked(store->load(second.id)), second);
  EXPECT_FALSE(store->put_records(std::vector{third, second})) << "one of them is there";
  EXPECT_FALSE(store->load(third.id)) << "so none is stored";
  EXPECT_EQ(checked(store->list({})).size(), 2U);
  checked(store->put_records({}));
}

TEST_P(AnyStore, RefusesARecordThatIsThere) {
  const Record record = example_record();
  const auto store = open();
  checked(store->put_record(record));
  EXPECT_FALSE(store->begin(planned_example(record.id)));
  EXPECT_FALSE(store->put_record(record));
  EXPECT_EQ(checked(store->load(record.id)), record) << "the first one stays as it was";
}

TEST_P(AnyStore, NamesWhatIsMissing) {
  const auto store = open();
  const Record record = planned_example();
  checked(store->begin(record));
  const auto loaded = store->load("nobody");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::missing);
  EXPECT_THAT(loaded.error().message, HasSubstr("nobody"));
  for (const Status& status :
       {store->put("nobody", {example_result(record.cases[0].id, 1)}),
        store->put(record.id, {example_result("no such case", 1)}),
        store->finish("nobody", RunState::complete), store->update_header(planned_example("x"))}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::missing) << status.error().text();
  }
}

TEST_P(AnyStore, FinishesARun) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  EXPECT_EQ(checked(store->list({})).front().state, RunState::running);
  checked(store->finish(record.id, RunState::interrupted));
  EXPECT_EQ(checked(store->list({})).front().state, RunState::interrupted);
  EXPECT_EQ(checked(store->load(record.id)).finished, "");
  checked(store->finish(record.id, RunState::complete));
  EXPECT_EQ(checked(store->list({})).front().state, RunState::complete);
  EXPECT_NE(checked(store->load(record.id)).finished, "");
}

TEST_P(AnyStore, UpdatesAHeader) {
  const auto store = open();
  Record record = planned_example();
  const std::map<std::string, Machine> machines = std::exchange(record.machines, {});
  checked(store->begin(record));
  EXPECT_EQ(checked(store->list({})).front().machine_class, "");
  record.machines = machines;
  record.estimator = "median";
  checked(store->update_header(record));
  EXPECT_EQ(checked(store->load(record.id)), record);
  EXPECT_EQ(checked(store->list({})).front().machine_class, "nvidia-h200");
}

TEST_P(AnyStore, IsOfTheMachineThatMeasured) {
  const auto store = open();
  Record record = planned_example();
  record.cases[0].device = "cpu";
  checked(store->begin(record));
  checked(store->put(record.id, {example_result(record.cases[0].id, 1)}));
  checked(store->finish(record.id, RunState::complete));
  EXPECT_EQ(checked(store->list({})).front().machine_class, "cpu-amd-epyc") << "no CUDA case was measured";
}

TEST_P(AnyStore, KeepsAVerdict) {
  const auto store = open();
  const Record record = example_record();
  checked(store->put_record(record));
  checked(store->begin(planned_example("other")));
  const auto verdict = [&] {
    RunQuery query;
    query.id_prefix = record.id;
    return checked(open()->list(query)).front().verdict;
  };
  EXPECT_EQ(verdict(), "") << "never judged";
  checked(store->set_verdict(record.id, "regressed"));
  EXPECT_EQ(verdict(), "regressed");
  checked(store->update_header(record));
  checked(store->finish(record.id, RunState::complete));
  EXPECT_EQ(verdict(), "regressed") << "nothing but a verdict changes it";
  checked(store->set_verdict(record.id, "unchanged"));
  EXPECT_EQ(verdict(), "unchanged");
  RunQuery others;
  others.id_prefix = "other";
  EXPECT_EQ(checked(store->list(others)).front().verdict, "");
  EXPECT_EQ(store->set_verdict("nobody", "regressed").error().kind, ErrorKind::missing);
  EXPECT_FALSE(store->set_verdict(record.id, "awful"));
  EXPECT_FALSE(store->set_verdict(record.id, ""));
  EXPECT_EQ(verdict(), "unchanged");
}

}  // namespace
}  // namespace harness
