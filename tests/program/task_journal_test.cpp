// Tasks that a store could not take: on a full disk they stay in memory, and damaged files are set aside.
#include "harness/cli/farm/element/task_journal.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "harness/base/files.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/store/store.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class Journal : public testing::Test {
 protected:
  Journal() : store_(*Store::open(url_)), farm_(*FarmStore::open(url_)) {
    Record record;
    record.id = "r-1";
    record.suite.name = "demo";
    PlannedCase planned;
    planned.id = "a";
    planned.device = "cuda";
    record.cases = {planned_record(planned)};
    EXPECT_TRUE(store_->begin(record));
    EXPECT_TRUE(store_->finish("r-1", RunState::farmed));
    EXPECT_TRUE(farm_->plan({"c-1", "now", "{}"}, std::vector<FarmTask>{{1, 0, 0, 1, 1}}));
  }

  [[nodiscard]] static MeasuredTask measured() {
    ProcessResult result;
    result.case_id = "a";
    result.process = 1;
    result.outcome = Outcome::measured;
    return {"c-1", 1, "one", {{"r-1", {}, {{result}}}}, "GPU-A"};
  }
  [[nodiscard]] std::size_t results() const { return store_->list({})->front().results; }

  TemporaryFolder folder_;
  std::string url_ = (folder_.path() / "farm.db").string();
  std::unique_ptr<Store> store_;
  std::unique_ptr<FarmStore> farm_;
};

TEST_F(Journal, KeepsATaskInAFileAndSendsIt) {
  TaskJournal journal(folder_.path() / "journal", "c-1");
  EXPECT_TRUE(journal.check());
  EXPECT_TRUE(fs::is_empty(folder_.path() / "journal"));
  EXPECT_TRUE(journal.keep(measured()));
  TaskJournal next(folder_.path() / "journal", "c-1");
  EXPECT_EQ(next.send(*farm_).value(), 1);
  EXPECT_EQ(results(), 1U);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "journal"));
}

// Nothing can be written below a file, whoever asks.
TEST_F(Journal, KeepsATaskInMemoryWhereItCannotBeWritten) {
  std::ofstream(folder_.path() / "file") << "no folder";
  TaskJournal journal(folder_.path() / "file" / "journal", "c-1");
  EXPECT_FALSE(journal.check());
  EXPECT_FALSE(journal.keep(measured()));
  EXPECT_EQ(journal.send(*farm_).value(), 1);
  EXPECT_EQ(results(), 1U);
  EXPECT_EQ(journal.send(*farm_).value(), 0);
}

TEST_F(Journal, SetsDamagedFilesAside) {
  const fs::path where = folder_.path() / "journal";
  TaskJournal journal(where, "c-1");
  ASSERT_TRUE(journal.keep(measured()));
  const fs::path file = fs::directory_iterator(where)->path();
  const std::string whole = read_file(file).value();
  for (const std::string& text :
       {std::string("no task\n"), whole.substr(0, whole.find('\n') + 1), whole.substr(0, whole.size() - 1)}) {
    fs::remove(file.string() + ".damaged");
    std::ofstream(file) << text;
    EXPECT_EQ(journal.send(*farm_).value(), 0) << text;
    EXPECT_FALSE(fs::exists(file)) << text;
    EXPECT_TRUE(fs::exists(file.string() + ".damaged")) << text;
    EXPECT_EQ(results(), 0U);
  }
  std::ofstream(file) << whole;
  EXPECT_EQ(journal.send(*farm_).value(), 1);
  EXPECT_EQ(results(), 1U);
}

}  // namespace
}  // namespace harness
