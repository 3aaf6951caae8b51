#include "harness/store/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/model/codec.h"
#include "harness/model/pin/figures.h"
#include "harness/store/adapters/import_named.h"
#include "tests/model/example_record.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The example without its incorrect case: fit to be pinned.
Record right_record() {
  Record record = example_record();
  record.cases.erase(record.cases.begin() + 1);
  record.cases[0].sampling.processes = 3;  // as many as there are
  return record;
}

Error refusal(const Record& record, const std::string& author = "Ann", const std::string& reason = "why") {
  const TemporaryFolder folder;
  const auto path = promote(folder.path(), record, author, reason);
  EXPECT_FALSE(path);
  EXPECT_TRUE(fs::is_empty(folder.path())) << "a refused baseline left something";
  return path ? Error{} : path.error();
}

TEST(Promote, WritesAReviewableFile) {
  const TemporaryFolder folder;
  const auto path = promote(folder.path(), right_record(), " Ann ", "the first pin");
  ASSERT_TRUE(path) << path.error().text();
  EXPECT_EQ(*path, folder.path() / "nvidia-h200/fusion.json");
  EXPECT_FALSE(names_tool_files(path->string())) << "a pin is compared as it is";
  const auto record = decode_record(*read_file(*path), "pinned");
  ASSERT_TRUE(record) << record.error().text();
  ASSERT_TRUE(record->promotion);
  EXPECT_EQ(record->promotion->author, "Ann");
  EXPECT_EQ(record->promotion->reason, "the first pin");
  EXPECT_FALSE(record->promotion->date.empty());
  Record rest = *record;
  rest.promotion.reset();
  EXPECT_EQ(rest, without_samples(right_record())) << "nothing else changed";
}

TEST(Promote, ReplacesAnOlderBaseline) {
  const TemporaryFolder folder;
  ASSERT_TRUE(promote(folder.path(), right_record(), "Ann", "one"));
  ASSERT_TRUE(promote(folder.path(), right_record(), "Bob", "two"));
  const auto all = list_baselines(folder.path());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().record.promotion->author, "Bob");
  EXPECT_EQ(all->front().machine_class, "nvidia-h200");
  EXPECT_EQ(all->front().suite, "fusion");
}

TEST(Promote, RefusesWhatShouldNotBeHeld) {
  Record record = right_record();
  EXPECT_THAT(refusal(record, " ", "why").text(), HasSubstr("--author"));
  EXPECT_THAT(refusal(record, "Ann", "\n").text(), HasSubstr("--reason"));
  EXPECT_THAT(refusal(example_record()).text(), HasSubstr(name_of(Outcome::incorrect)));
  for (const Outcome outcome : {Outcome::failed, Outcome::timed_out}) {
    record = right_record();
    record.cases[0].outcome = outcome;
    EXPECT_THAT(refusal(record).text(), HasSubstr(name_of(outcome)));
  }
  record = right_record();
  record.finished.clear();
  EXPECT_EQ(refusal(record).kind, ErrorKind::usage) << "incomplete";
  record = right_record();
  record.calibration = true;
  EXPECT_EQ(refusal(record).kind, ErrorKind::usage) << "a calibration";
  record = right_record();
  record.cases.erase(record.cases.begin());
  EXPECT_EQ(refusal(record).kind, ErrorKind::usage) << "no measured case";
  record = right_record();
  record.revision.dirty = true;
  EXPECT_THAT(refusal(record).text(), HasSubstr("--allow-dirty"));
  const TemporaryFolder folder;
  EXPECT_TRUE(promote(folder.path(), record, "Ann", "why", true));
}

TEST(Promote, RefusesNamesThatAreNoFileNames) {
  for (const std::string& name : {std::string("../evil"), std::string("a/b"), std::string(".."),
                                  std::string("."), std::string(), std::string("a\\b"), std::string("a\nb"),
                                  std::string("a\0b", 3), std::string(".git"), std::string(300, 'x')}) {
    Record record = right_record();
    record.suite.name = name;
    EXPECT_EQ(refusal(record).kind, ErrorKind::usage) << name;
    record = right_record();
    record.machines["cuda"].machine_class = name;
    EXPECT_EQ(refusal(record).kind, ErrorKind::usage) << name;
  }
}

TEST(ListBaselines, SortsAndNamesABrokenFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(list_baselines(folder.path() / "absent")->empty());
  for (const char* suite : {"b", "a"})
    for (const char* machine : {"z", "y"}) {
      Record record = right_record();
      record.suite.name = suite;
      record.machines["cuda"].machine_class = machine;
      ASSERT_TRUE(promote(folder.path(), record, "Ann", "why"));
    }
  ASSERT_TRUE(write_file_atomically(folder.path() / "README.md", "text"));
  std::string found;
  const auto listed = list_baselines(folder.path());
  ASSERT_TRUE(listed);
  for (const Baseline& one : *listed) found += one.machine_class + "/" + one.suite + " ";
  EXPECT_EQ(found, "y/a y/b z/a z/b ");
  ASSERT_TRUE(write_file_atomically(folder.path() / "y/broken.json", "{"));
  const auto broken = list_baselines(folder.path());
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().where.file, HasSubstr("y/broken.json"));
}

TEST(PrimaryMachine, IsTheOneThatMeasured) {
  Record record = example_record();
  EXPECT_EQ(primary_machine_class(record), "nvidia-h200");
  for (CaseRecord& one : record.cases) one.device = "cpu";
  EXPECT_EQ(primary_machine_class(record), "cpu-amd-epyc");
  record.cases[2].device = "cuda";
  EXPECT_EQ(primary_machine_class(record), "cpu-amd-epyc") << "a skipped case was not measured there";
  record.cases[0].device = "cuda";
  EXPECT_EQ(primary_machine_class(record), "nvidia-h200");
  record.cases.clear();
  EXPECT_EQ(primary_machine_class(record), "nvidia-h200") << "as far as is known";
  record.machines = {{"import", {"other-tool", "", {}, {}}}};
  EXPECT_EQ(primary_machine_class(record), "other-tool");
  record.machines.clear();
  EXPECT_EQ(primary_machine_class(record), "");
}

}  // namespace
}  // namespace harness
