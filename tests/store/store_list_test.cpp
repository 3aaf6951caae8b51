// The runs that a store lists, and their properties, on each kind of database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "each_database.h"

namespace harness {
namespace {

using testing::ElementsAre;

class StoreList : public OnEachDatabase {};

INSTANTIATE_TEST_SUITE_P(Databases, StoreList, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

TEST_P(StoreList, ListsNewestFirst) {
  const auto store = open();
  Record record = planned_example("a");
  record.started = "2026-01-02T00:00:00Z";
  checked(store->begin(record));
  record.id = "b";
  checked(store->begin(record));
  record.id = "c";
  record.started = "2026-01-01T00:00:00Z";
  checked(store->begin(record));
  std::vector<std::string> ids;
  for (const RunInfo& run : checked(store->list({}))) ids.push_back(run.id);
  EXPECT_THAT(ids, ElementsAre("c", "b", "a")) << "as they were begun, whatever a clock said";
}

TEST_P(StoreList, ListsWhatIsAskedFor) {
  const auto store = open();
  Record record = example_record();
  checked(store->put_record(record));
  Record other = planned_example("other");
  other.suite = {"attention", "a.yaml", "ffff"};
  other.revision = {"2222222222222222222222222222222222222222", "topic", true};
  other.machines["cuda"].machine_class = "nvidia-l4";
  other.machines["cuda"].device_uuid = "GPU-5";
  checked(store->begin(other));
  const auto ids = [&](const RunQuery& query) {
    std::string found;
    for (const RunInfo& run : checked(store->list(query))) found += run.id == "other" ? "o" : "e";
    return found;
  };
  EXPECT_EQ(ids({}).size(), 2U);
  const auto both = [&](auto field, auto of_example, auto of_other, auto of_none) {
    RunQuery query;
    query.*field = of_example;
    EXPECT_EQ(ids(query), "e");
    query.*field = of_other;
    EXPECT_EQ(ids(query), "o");
    query.*field = of_none;
    EXPECT_EQ(ids(query), "");
  };
  both(&RunQuery::suite, "fusion", "attention", "' OR 1=1 --");
  both(&RunQuery::suite_hash, record.suite.hash, "ffff", "");
  both(&RunQuery::commit, record.revision.commit, other.revision.commit, "3");
  both(&RunQuery::machine_class, "nvidia-h200", "nvidia-l4", "nvidia");
  both(&RunQuery::device_uuid, "GPU-1234", "GPU-5", "gpu-5");
  both(&RunQuery::state, RunState::complete, RunState::running, RunState::interrupted);
  RunQuery query;
  query.dirty = true;
  EXPECT_EQ(ids(query), "o");
  query.commit = record.revision.commit;
  EXPECT_EQ(ids(query), "") << "every condition holds";
}

TEST_P(StoreList, ListsByTheBeginningOfAnId) {
  const auto store = open();
  for (const char* id : {"abcd-1", "abcd-2", "ab%d-3"}) checked(store->begin(planned_example(id)));
  const auto count = [&](const std::string& prefix) {
    RunQuery query;
    query.id_prefix = prefix;
    return checked(store->list(query)).size();
  };
  EXPECT_EQ(count("abcd"), 2U);
  EXPECT_EQ(count("abcd-1"), 1U);
  EXPECT_EQ(count("ab%d"), 1U) << "no pattern";
  EXPECT_EQ(count("bcd"), 0U);
  EXPECT_EQ(count(""), 3U);
}

TEST_P(StoreList, CountsWhatFailed) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  const auto failures = [&] { return checked(store->list({})).front().failures; };
  int process = 0;
  for (const Outcome fine : {Outcome::measured, Outcome::skipped})
    checked(store->put(record.id, {{record.cases[0].id, ++process, fine, {}, {}, {}, {}}}));
  EXPECT_EQ(failures(), 0U);
  for (const Outcome bad : {Outcome::failed, Outcome::incorrect, Outcome::timed_out})
    checked(store->put(record.id, {{record.cases[0].id, ++process, bad, {}, {}, {}, {}}}));
  EXPECT_EQ(failures(), 3U);
  EXPECT_EQ(checked(store->list({})).front().results, 5U);
}

TEST_P(StoreList, KeepsWhatSetsARunApart) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  EXPECT_FALSE(checked(store->list({})).front().partial);
  record.partial = true;
  record.revision.dirty = true;
  record.revision.changes = "89abcdef";
  checked(store->update_header(record));
  EXPECT_EQ(checked(store->load(record.id)), record);
  EXPECT_TRUE(checked(store->list({})).front().partial);
  EXPECT_EQ(checked(store->list({})).front().revision, record.revision);
  record.id = "again";
  checked(store->begin(record));
  EXPECT_TRUE(checked(store->list({})).front().partial);
  EXPECT_EQ(checked(store->list({})).front().revision, record.revision);
}

TEST_P(StoreList, TellsTheSidesOfAnAbRunFromBaselinesAndCalibrations) {
  const auto store = open();
  for (const char* id : {"plain", "calibration", "paired"}) {
    Record record = example_record();
    record.id = id;
    record.calibration = record.id == "calibration";
    if (record.id == "paired") record.pairing = Pairing{"run", Pairing::Kind::process};
    checked(store->put_record(record));
    EXPECT_EQ(checked(store->load(id)).pairing, record.pairing);
  }
  const auto ids = [&](std::optional<bool> calibration) {
    RunQuery query;
    query.calibration = calibration;
    std::vector<std::string> found;
    const std::vector<RunInfo> runs = checked(store->list(query));
    for (const RunInfo& run : runs) {
      found.push_back(run.id);
      EXPECT_EQ(run.paired, run.id == "paired");
      EXPECT_EQ(run.calibration, run.id == "calibration");
    }
    return found;
  };
  EXPECT_THAT(ids(std::nullopt), testing::SizeIs(3));
  EXPECT_THAT(ids(false), testing::ElementsAre("plain"));
  EXPECT_THAT(ids(true), testing::ElementsAre("calibration"));
}

}  // namespace
}  // namespace harness
