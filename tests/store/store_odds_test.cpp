// A store under odd names, other versions, several writers and a kill, on each kind of database.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "../schema/place_of.h"
#include "each_database.h"
#include "harness/store/sql/schema.h"

namespace harness {
namespace {

using testing::HasSubstr;

class StoreUnderOdds : public OnEachDatabase {};

INSTANTIATE_TEST_SUITE_P(Databases, StoreUnderOdds, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

TEST_P(StoreUnderOdds, OpensWhatIsThere) {
  if (server_ == nullptr) {
    EXPECT_EQ(Store::open_existing(url_).error().kind, ErrorKind::missing);
    open();
  }
  const auto store = Store::open_existing(url_);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_TRUE(checked((*store)->list({})).empty());
}

TEST_P(StoreUnderOdds, KeepsOddNames) {
  Record record = planned_example();
  record.suite.name = "'; DROP TABLE runs; -- µ :suite $1 %s";
  record.cases[0].id = "a\"b'c\\d\n\t\x01 \xF0\x9F\x98\x80/:id";
  record.revision.branch = "feature/ü?";
  const auto store = open();
  checked(store->begin(record));
  const ProcessResult result = example_result(record.cases[0].id, 1);
  checked(store->put(record.id, {result}));
  add_result(record.cases[0], result);
  EXPECT_EQ(checked(store->load(record.id)), record);
  RunQuery query;
  query.suite = record.suite.name;
  EXPECT_EQ(checked(store->list(query)).size(), 1U);
}

TEST_P(StoreUnderOdds, RefusesNamesThatAreNotText) {
  const auto store = open();
  for (const std::string& id : {std::string("a\0b", 3), std::string("\xff"), std::string()}) {
    Record record = planned_example();
    record.cases[0].id = id;
    EXPECT_FALSE(store->begin(record));
  }
  Record record = planned_example();
  record.cases.push_back(record.cases[0]);
  EXPECT_FALSE(store->begin(record));
  EXPECT_TRUE(checked(store->list({})).empty());
}

TEST_P(StoreUnderOdds, RefusesASampleThatIsNotANumber) {
  const auto store = open();
  Record record = example_record();
  record.cases[0].series[0].processes[2].placements[1].samples[0] = std::nan("");
  const Status put = store->put_record(record);
  ASSERT_FALSE(put);
  EXPECT_THAT(place_of(put.error()), HasSubstr("placements[1].samples[0]"));
  EXPECT_TRUE(checked(store->list({})).empty()) << "all or nothing";
}

TEST_P(StoreUnderOdds, RefusesAResultThatIsNotAsItWasStored) {
  const Record record = example_record();
  checked(open()->put_record(record));
  execute("UPDATE results SET result = REPLACE(result, '1', '2') WHERE process = 2");
  const auto damaged = open()->load(record.id);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("is not as it was stored"));
}

TEST_P(StoreUnderOdds, RefusesAnotherVersionAndLeavesItAsItIs) {
  checked(open()->put_record(example_record()));
  for (const int version : {schema_version - 1, schema_version + 1}) {
    execute(fmt::format("UPDATE harness_schema SET version = {}", version));
    for (const auto& opened : {&Store::open, &Store::open_existing, &Store::open_read_only})
      for (int again = 0; again < 2; ++again) {
        const auto store = opened(url_);
        ASSERT_FALSE(store);
        EXPECT_EQ(store.error().kind, ErrorKind::usage);
        EXPECT_THAT(store.error().message, HasSubstr(fmt::format("a store of version {};", version)));
        EXPECT_THAT(store.error().advice, HasSubstr("--store"));
      }
  }
  execute(fmt::format("UPDATE harness_schema SET version = {}", schema_version));
  EXPECT_EQ(checked(open()->load(example_record().id)), example_record());
}

TEST_P(StoreUnderOdds, TakesSeveralWritersAtOnce) {
  constexpr int writers = 4;
  constexpr int results = 12;
  std::atomic<int> failures{0};
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer)
      threads.emplace_back([&, writer] {
        const auto store = Store::open(url_);  // all of them create the schema
        const Record record = planned_example("writer " + std::to_string(writer));
        if (!store || !(*store)->begin(record)) ++failures;
        for (int process = 1; store && process <= results; ++process) {
          if (!(*store)->put(record.id, {example_result(record.cases[0].id, process)})) ++failures;
          if (!(*store)->put("writer 0", {example_result(record.cases[1].id, process)}) && writer == 0)
            ++failures;
        }
        if (!store || !(*store)->finish(record.id, RunState::complete)) ++failures;
      });
  }
  EXPECT_EQ(failures, 0);
  const auto store = open();
  EXPECT_EQ(checked(store->list({})).size(), static_cast<std::size_t>(writers));
  for (int writer = 0; writer < writers; ++writer) {
    const Record record = checked(store->load("writer " + std::to_string(writer)));
    EXPECT_EQ(record.cases[0].processes.size(), static_cast<std::size_t>(results));
  }
}

// Writes results until it is killed; acknowledges each with a byte.
[[noreturn]] void write_until_killed(const std::string& url, const Record& record, int first, int pipe_end) {
  auto store = Store::open(url);
  for (int process = first; store; ++process) {
    if (!(*store)->put(record.id, {example_result(record.cases[0].id, process)})) break;
    if (write(pipe_end, ".", 1) != 1) break;
  }
  _exit(1);
}

TEST_P(StoreUnderOdds, SurvivesAKilledWriter) {
  std::mt19937 random(11);
  Record record = planned_example();
  checked(open()->begin(record));
  int acknowledged = 0;
  for (int round = 0; round < 12; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int first = 1000 * round;
    const pid_t child = fork();
    if (child == 0) write_until_killed(url_, record, first, ends[1]);
    close(ends[1]);
    char byte = 0;
    const int wanted = static_cast<int>(random() % 6);
    int got = 0;
    while (got < wanted && read(ends[0], &byte, 1) == 1) ++got;
    EXPECT_EQ(got, wanted) << "the child ended by itself";
    std::atomic<unsigned> spin = 1 + random() % 300'000;  // a random moment within a write
    while (--spin > 0) {
    }
    kill(child, SIGKILL);
    while (read(ends[0], &byte, 1) == 1) ++got;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    acknowledged += got;

    const Record loaded = checked(open()->load(record.id));
    const auto kept = static_cast<int>(loaded.cases[0].processes.size());
    EXPECT_GE(kept, acknowledged) << "a finished result was lost";
    EXPECT_LE(kept, acknowledged + round + 1) << "more than the one in flight";
    for (const ProcessResult& result : loaded.cases[0].processes) EXPECT_EQ(result.notes.size(), 2U);
    for (const ProcessSamples& samples : loaded.cases[0].series[0].processes) {
      ASSERT_EQ(samples.placements.size(), 2U);
      EXPECT_EQ(samples.placements[0].samples.size(), 3U);
    }
  }
  checked(open()->put(record.id, {example_result(record.cases[1].id, 1)}));
}

}  // namespace
}  // namespace harness
