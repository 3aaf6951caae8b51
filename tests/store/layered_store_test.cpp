// A store that is only read, with another before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "each_database.h"
#include "harness/store/history.h"
#include "harness/store/layered_store.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

Record record_named(const std::string& id) {
  Record record = example_record();
  record.id = id;
  return record;
}

class LayeredStores : public OnEachDatabase {
 protected:
  void SetUp() override {
    OnEachDatabase::SetUp();
    if (IsSkipped()) return;
    checked(open()->put_record(record_named("shared")));
    checked(open()->set_name("shared", "before"));
    forbid_writing();
  }

  void TearDown() override {
    if (server_ != nullptr) server_->execute("BEGIN READ WRITE; ALTER ROLE CURRENT_USER RESET ALL; COMMIT");
    OnEachDatabase::TearDown();
  }

  // A role that may only read; of a file, this test looks at the bytes.
  void forbid_writing() {
    if (server_ != nullptr) return execute("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on");
    bytes_ = *read_file(folder_.path() / "results.db");
  }

  void expect_untouched() {
    if (server_ == nullptr) {
      EXPECT_TRUE(*read_file(folder_.path() / "results.db") == bytes_);
    }
    EXPECT_THAT(checked(checked(Store::open_existing(url_))->list({})), SizeIs(1));
  }

  std::unique_ptr<Store> both() { return checked(open_layered((folder_.path() / "own.db").string(), url_)); }

  std::string bytes_;
};

TEST_P(LayeredStores, ReadBothAndWriteToTheirOwn) {
  const auto store = both();
  checked(store->put_record(record_named("own")));
  checked(store->set_verdict("own", "regressed"));
  EXPECT_THAT(checked(store->list({})),
              ElementsAre(Field(&RunInfo::id, "own"), Field(&RunInfo::id, "shared")));
  EXPECT_EQ(checked(store->load("shared")), record_named("shared"));
  EXPECT_EQ(checked(store->load("own")), record_named("own"));
  const std::string case_id = example_record().cases[0].id;
  EXPECT_THAT(checked(store->runs_of_case(case_id)),
              ElementsAre(Field(&StoredCase::run, "own"), Field(&StoredCase::run, "shared")));
  EXPECT_EQ(checked(store->cases_of("shared")).size(), checked(store->cases_of("own")).size());
  EXPECT_EQ(checked(store->planned_case("shared", case_id)).id, case_id);
  EXPECT_THAT(checked(both()->list({})), SizeIs(2)) << "kept";
  expect_untouched();
}

TEST_P(LayeredStores, KeepCopiesOfWhatWasRead) {
  const std::string own = (folder_.path() / "own.db").string();
  const auto store = both();
  checked(store->put_record(record_named("own")));
  checked(keep_what_was_read(*store));
  EXPECT_THAT(checked(checked(Store::open_existing(own))->list({})), SizeIs(1)) << "nothing was read";
  checked(store->load("shared"));
  checked(keep_what_was_read(*store));
  checked(keep_what_was_read(*store));
  const auto alone = checked(Store::open_existing(own));
  EXPECT_THAT(checked(alone->list({})), SizeIs(2));
  EXPECT_EQ(checked(alone->load("shared")), record_named("shared"));
  expect_untouched();
}

TEST_P(LayeredStores, HaveOneHistory) {
  const auto store = both();
  checked(store->put_record(record_named("own")));
  const StoredHistory history = checked(store->history({}));
  ASSERT_THAT(history.runs, SizeIs(2));
  EXPECT_EQ(history.runs[1].info.id, "shared");
  ASSERT_FALSE(history.series.empty());
  EXPECT_EQ(history.series.front().run, 0);
  EXPECT_EQ(history.series.back().run, 1);
  const auto values = checked(store->values_of(std::vector<std::string>{"shared", "own"}, "cuda"));
  ASSERT_THAT(values, SizeIs(2));
  EXPECT_THAT(values[0], SizeIs(2));
  EXPECT_THAT(values[1], SizeIs(2));
}

TEST_P(LayeredStores, RefuseToChangeWhatIsShared) {
  const auto store = both();
  for (const Status& refused :
       {store->set_verdict("shared", "unchanged"), store->set_name("shared", "mine"),
        store->finish("shared", RunState::complete), store->remove(std::vector<std::string>{"shared"})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_THAT(refused.error().text(), HasSubstr("--keep-in"));
  }
  expect_untouched();
}

TEST_P(LayeredStores, NameTheirOwnRecordFirst) {
  const auto store = both();
  checked(store->put_record(record_named("own")));
  EXPECT_THAT(checked(store->names()), ElementsAre(Field(&RecordName::run, "shared")));
  checked(store->set_name("own", "before"));
  EXPECT_THAT(checked(store->names()), ElementsAre(Field(&RecordName::run, "own")));
}

TEST(LayeredStore, NeedsNoSharedFile) {
  const TemporaryFolder folder;
  const auto store =
      checked(open_layered((folder.path() / "own.db").string(), (folder.path() / "none.db").string()));
  checked(store->put_record(record_named("own")));
  EXPECT_THAT(checked(store->list({})), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "none.db"));
}

INSTANTIATE_TEST_SUITE_P(Databases, LayeredStores, testing::Values("sqlite", "postgresql"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace harness
