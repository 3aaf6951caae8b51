// What every store must do, on each kind of database.
#include "harness/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <random>
#include <thread>

#include "each_database.h"
#include "harness/base/files.h"
#include "tests/model/example_record.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AnyStore : public OnEachDatabase {};

INSTANTIATE_TEST_SUITE_P(Databases, AnyStore, testing::Values("sqlite", "postgresql"),
                         [](const auto& kind) { return kind.param; });

// The example as it is when a run starts: nothing measured.
Record planned_example(const std::string& id = "6a1f0c3e-0000-4000-8000-000000000001") {
  Record record = example_record();
  record.id = id;
  record.finished.clear();
  for (CaseRecord& one : record.cases) {
    one.processes.clear();
    one.series.clear();
    one.outcome = Outcome::skipped;
    if (one.reason.empty()) one.reason = "not measured yet";
  }
  return record;
}

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}
void checked(const Status& status) {
  if (!status) throw std::runtime_error(status.error().text());
}

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
      checked(store->put(record.id, result));
      add_result(one, result);
      ASSERT_EQ(checked(open()->load(record.id)), record) << "readable after every result";
    }
  EXPECT_EQ(checked(store->list({})).front().results, 9U);
}

TEST_P(AnyStore, ReplacesARepeatedResult) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  checked(store->put(record.id, example_result(record.cases[0].id, 1)));
  const ProcessResult failed{record.cases[0].id, 1, Outcome::failed, "crashed", {}, {}, {}};
  checked(store->put(record.id, failed));
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
  EXPECT_THAT(loaded.error().message, HasSubstr("no record nobody"));
  for (const Status& status :
       {store->put("nobody", example_result(record.cases[0].id, 1)),
        store->put(record.id, example_result("no such case", 1)), store->finish("nobody", RunState::complete),
        store->update_header(planned_example("x"))}) {
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
  checked(store->put(record.id, example_result(record.cases[0].id, 1)));
  checked(store->finish(record.id, RunState::complete));
  EXPECT_EQ(checked(store->list({})).front().machine_class, "cpu-amd-epyc") << "no CUDA case was measured";
}

TEST_P(AnyStore, ListsNewestFirst) {
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
  EXPECT_THAT(ids, ElementsAre("b", "a", "c"));
}

TEST_P(AnyStore, ListsWhatIsAskedFor) {
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

TEST_P(AnyStore, ListsByTheBeginningOfAnId) {
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

TEST_P(AnyStore, CountsWhatFailed) {
  const auto store = open();
  Record record = planned_example();
  checked(store->begin(record));
  const auto failures = [&] { return checked(store->list({})).front().failures; };
  int process = 0;
  for (const Outcome fine : {Outcome::measured, Outcome::skipped})
    checked(store->put(record.id, {record.cases[0].id, ++process, fine, "", {}, {}, {}}));
  EXPECT_EQ(failures(), 0U);
  for (const Outcome bad : {Outcome::failed, Outcome::incorrect, Outcome::timed_out})
    checked(store->put(record.id, {record.cases[0].id, ++process, bad, "", {}, {}, {}}));
  EXPECT_EQ(failures(), 3U);
  EXPECT_EQ(checked(store->list({})).front().results, 5U);
}

TEST_P(AnyStore, KeepsWhatSetsARunApart) {
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

TEST_P(AnyStore, TellsTheSidesOfAnAbRunFromBaselinesAndCalibrations) {
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

TEST_P(AnyStore, OpensWhatIsThere) {
  if (server_ == nullptr) {
    EXPECT_EQ(Store::open_existing(url_).error().kind, ErrorKind::missing);
    open();
  }
  const auto store = Store::open_existing(url_);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_TRUE(checked((*store)->list({})).empty());
}

TEST_P(AnyStore, KeepsOddNames) {
  Record record = planned_example();
  record.suite.name = "'; DROP TABLE runs; -- µ :suite $1 %s";
  record.cases[0].id = "a\"b'c\\d\n\t\x01 \xF0\x9F\x98\x80/:id";
  record.revision.branch = "feature/ü?";
  const auto store = open();
  checked(store->begin(record));
  const ProcessResult result = example_result(record.cases[0].id, 1);
  checked(store->put(record.id, result));
  add_result(record.cases[0], result);
  EXPECT_EQ(checked(store->load(record.id)), record);
  RunQuery query;
  query.suite = record.suite.name;
  EXPECT_EQ(checked(store->list(query)).size(), 1U);
}

TEST_P(AnyStore, RefusesNamesThatAreNotText) {
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

TEST_P(AnyStore, RefusesASampleThatIsNotANumber) {
  const auto store = open();
  Record record = example_record();
  record.cases[0].series[0].processes[2].placements[1].samples[0] = std::nan("");
  const Status put = store->put_record(record);
  ASSERT_FALSE(put);
  EXPECT_THAT(put.error().text(), HasSubstr("samples[0]: is null; expected a number"));
  EXPECT_TRUE(checked(store->list({})).empty()) << "all or nothing";
}

TEST_P(AnyStore, RefusesANewerVersion) {
  open();
  execute("UPDATE harness_schema SET version = 99");
  const auto store = Store::open(url_);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("version 99; this harness knows versions up to 2"));
  EXPECT_THAT(store.error().advice, HasSubstr("newer harness"));
}

TEST_P(AnyStore, ResumesAMigration) {
  const Record record = example_record();
  open();
  for (const char* table : {"process_values", "results", "cases", "runs"})
    execute(std::string("DROP TABLE ") + table);
  execute("UPDATE harness_schema SET version = 0");
  checked(open()->put_record(record));
  EXPECT_EQ(checked(open()->load(record.id)), record);
}

TEST_P(AnyStore, TakesSeveralWritersAtOnce) {
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
          if (!(*store)->put(record.id, example_result(record.cases[0].id, process))) ++failures;
          if (!(*store)->put("writer 0", example_result(record.cases[1].id, process)) && writer == 0)
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
    if (!(*store)->put(record.id, example_result(record.cases[0].id, process))) break;
    if (write(pipe_end, ".", 1) != 1) break;
  }
  _exit(1);
}

TEST_P(AnyStore, SurvivesAKilledWriter) {
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
    for (const ProcessResult& result : loaded.cases[0].processes) EXPECT_EQ(result.notes.size(), 1U);
    for (const ProcessSamples& samples : loaded.cases[0].series[0].processes) {
      ASSERT_EQ(samples.placements.size(), 2U);
      EXPECT_EQ(samples.placements[0].samples.size(), 3U);
    }
  }
  checked(open()->put(record.id, example_result(record.cases[1].id, 1)));
}

}  // namespace
}  // namespace harness
