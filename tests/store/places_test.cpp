// Where a store can be: URLs, files that are no stores, servers that are not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <soci/backend-loader.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/store/store.h"
#include "postgres_server.h"
#include "tests/model/example_record.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

Error error_of(const std::string& url) {
  const auto store = Store::open(url);
  EXPECT_FALSE(store) << url << " was opened";
  return store ? Error{} : store.error();
}

std::string text_of(const fs::path& path) {
  return read_file(path).value();
}
void write_text(const fs::path& path, std::string_view text) {
  ASSERT_TRUE(write_file_atomically(path, text));
}

TEST(StoreUrl, HidesPasswords) {
  EXPECT_EQ(without_password("postgresql://ann:secret@host:5432/db?sslmode=require"),
            "postgresql://ann:***@host:5432/db?sslmode=require");
  EXPECT_EQ(without_password("postgresql://ann:a:b@c@host/db"), "postgresql://ann:***@host/db");
  EXPECT_EQ(without_password("postgres://host/db?user=ann&password=se=cret&x=1"),
            "postgres://host/db?user=ann&password=***&x=1");
  EXPECT_EQ(without_password("postgresql://ann:one@h/db?password=two"),
            "postgresql://ann:***@h/db?password=***");
  EXPECT_EQ(without_password("postgresql://ann@host:5432/db"), "postgresql://ann@host:5432/db");
  EXPECT_EQ(without_password("postgresql://host:5432/db?user=a@b"), "postgresql://host:5432/db?user=a@b");
  EXPECT_EQ(without_password(".harness/results.db"), ".harness/results.db");
}

TEST(StoreUrl, RefusesOtherKinds) {
  EXPECT_THAT(error_of("mysql://u:pw@host/db").text(), AllOf(HasSubstr("`mysql`"), Not(HasSubstr("pw"))));
  EXPECT_THAT(error_of("postgresq://host/db").text(), HasSubstr("`postgresql`"));
  EXPECT_THAT(error_of("postgresql:/host/db").text(), HasSubstr("postgresql://"));
  for (const char* url :
       {"mysql://u:pw@host/db", "postgresq://host/db", "postgresql:/host/db", "postgres:db", "sqlite:", ""})
    EXPECT_EQ(error_of(url).kind, ErrorKind::usage) << url;
}

TEST(SqliteFile, IsMadeWithItsFolder) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "with space/.harness/results.db";
  ASSERT_TRUE(Store::open(path.string()));
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(text_of(path.parent_path() / ".gitignore"), "*\n");
  ASSERT_TRUE(Store::open("sqlite:" + path.string()));
  EXPECT_TRUE(Store::open((folder.path() / "postgresql:db").string()));
}

TEST(SqliteFile, IsNotMadeByThoseWhoOnlyRead) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / ".harness/results.db";
  for (const std::string& url : {path.string(), "sqlite:" + path.string()}) {
    const auto store = Store::open_existing(url);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().kind, ErrorKind::missing);
    EXPECT_THAT(store.error().where.file, EndsWith("results.db"));
    EXPECT_THAT(store.error().advice, AllOf(HasSubstr("`harness run`"), HasSubstr("--store")));
  }
  EXPECT_TRUE(fs::is_empty(folder.path())) << "not even the folder";
}

TEST(SqliteFile, AnswersQueriesByHand) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "results.db").string();
  const Record record = example_record();
  const auto store = Store::open(path);
  ASSERT_TRUE((*store)->put_record(record));
  ProcessResult failed = example_result(record.cases[0].id, 2);
  failed.outcome = Outcome::failed;
  ASSERT_TRUE((*store)->put(record.id, {failed}));
  soci::session session(soci::sqlite3, "dbname=" + path);
  std::string outcome;
  std::string result;
  session << "SELECT outcome, result FROM results WHERE position = 0 AND process = 2", soci::into(outcome),
      soci::into(result);
  EXPECT_EQ(outcome, "failed");
  EXPECT_THAT(result, HasSubstr("\"outcome\": \"failed\""));
}

TEST(SqliteFile, KeepsAGitignoreThatIsThere) {
  const TemporaryFolder folder;
  write_text(folder.path() / ".harness/.gitignore", "mine\n");
  ASSERT_TRUE(Store::open((folder.path() / ".harness/results.db").string()));
  EXPECT_EQ(text_of(folder.path() / ".harness/.gitignore"), "mine\n");
}

TEST(SqliteFile, ThatIsNoDatabaseIsRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "notes.db";
  const std::string notes =
      "not a database at all, but long enough to have a header\n" + std::string(4096, 'x');
  write_text(path, notes);
  const Error error = error_of(path.string());
  EXPECT_EQ(error.kind, ErrorKind::environment);
  EXPECT_EQ(error.where.file, path.string());
  EXPECT_NE(error.advice, "");
  EXPECT_EQ(text_of(path), notes) << "left alone";
}

TEST(SqliteFile, OfAnotherProgramIsRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "contacts.db";
  {
    soci::session session(soci::sqlite3, "dbname=" + path.string());
    session << "CREATE TABLE contacts (name TEXT)";
  }
  EXPECT_EQ(error_of(path.string()).where.file, path.string());
}

TEST(SqliteFile, ThatIsDamagedIsAnErrorWithAdvice) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "results.db";
  Record record = example_record();
  for (int i = 0; i < 12; ++i) {
    record.id = "record " + std::to_string(i);
    ASSERT_TRUE((*Store::open(path.string()))->put_record(record));
  }
  fs::remove(path.string() + "-wal");
  fs::remove(path.string() + "-shm");
  std::string bytes = text_of(path);
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  write_text(path, bytes);
  const auto store = Store::open(path.string());
  const Error error = store ? (*store)->load("record 5").error() : store.error();
  EXPECT_EQ(error.kind, ErrorKind::environment);
  EXPECT_THAT(error.advice, HasSubstr(".recover"));
}

TEST(SqliteFile, ThatCannotBeWrittenIsAnError) {
  const TemporaryFolder folder;
  write_text(folder.path() / "file", "");
  EXPECT_EQ(error_of(folder.path().string()).where.file, folder.path().string());
  EXPECT_EQ(error_of((folder.path() / "file/results.db").string()).where.file, folder.path() / "file");
  error_of("a\"b.db");
}

TEST(SqliteFile, InAReadOnlyFolderIsAnError) {
  const TemporaryFolder folder;
  const fs::path inner = folder.path() / "readonly";
  fs::create_directory(inner);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(inner.c_str(), 0555), 0);
  const bool root = geteuid() == 0;
  ASSERT_EQ(seteuid(root ? 65534 : geteuid()), 0) << "root may write anywhere";
  const Error error = error_of((inner / "results.db").string());
  ASSERT_EQ(seteuid(root ? 0 : geteuid()), 0);
  EXPECT_EQ(error.kind, ErrorKind::environment);
  EXPECT_EQ(error.where.file, (inner / "results.db").string());
}

TEST(Program, LinksNoPostgresqlLibrary) {
  const auto output = run_command({{"ldd", this_program().string()}});
  ASSERT_TRUE(output && output->exit.ok());
  EXPECT_THAT(output->out, AllOf(HasSubstr("libsoci_sqlite3"), Not(HasSubstr("libpq")),
                                 Not(HasSubstr("soci_postgresql"))));
}

// Run by the next test in a process where the library cannot be loaded.
TEST(Postgresql, DISABLED_SaysWhyItCannotOpen) {
  std::puts(error_of("postgresql://ann:secret@/db?host=/nonexistent").text().c_str());
}

TEST(Postgresql, WithoutItsLibraryIsExplained) {
  const TemporaryFolder folder;
  for (const char* name : {"libsoci_postgresql.so", "libsoci_postgresql.so.4.0"})
    write_text(folder.path() / name, "");
  const auto output = run_command(
      {{this_program().string(), "--gtest_also_run_disabled_tests",
        "--gtest_filter=Postgresql.DISABLED_SaysWhyItCannotOpen"},
       {},
       {{"LD_LIBRARY_PATH", folder.path().string()}, {"SOCI_BACKENDS_PATH", folder.path().string()}}});
  ASSERT_TRUE(output);
  EXPECT_THAT(output->out, AllOf(HasSubstr("libsoci-postgresql"), Not(HasSubstr("secret"))));
}

TEST(Postgresql, LoadsNoLibraryFromTheCurrentFolder) {
  std::vector<std::string>& paths = soci::dynamic_backends::search_paths();
  paths.insert(paths.begin(), ".");
  error_of("postgresql://ann@/db?host=/nonexistent");
  for (const std::string& path : paths) EXPECT_EQ(path.front(), '/') << path;
}

TEST(Postgresql, ServerThatIsNotThereIsAnError) {
  const TemporaryFolder folder;
  const std::string url = "postgresql://ann:secret@/db?host=" + folder.path().string();
  EXPECT_THAT(error_of(url).text(), AllOf(HasSubstr("postgresql://ann:***@/db"), Not(HasSubstr("secret"))));
  EXPECT_THAT(error_of("postgresql://ann:sec%zzret@host/db").text(),  // libpq quotes what it cannot decode
              Not(HasSubstr("sec%zz")));
  EXPECT_THAT(error_of("postgresql://ann:secret:x@host:port/db").text(), Not(HasSubstr("secret")));
  EXPECT_THAT(error_of("postgresql://ann:sec%72et@[host/db").text(),
              AllOf(Not(HasSubstr("sec%72et")), Not(HasSubstr("secret"))));
}

class RealServer : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr && std::getenv("HARNESS_REQUIRE_POSTGRES") != nullptr)
      FAIL() << "HARNESS_REQUIRE_POSTGRES is set, but /usr/lib/postgresql holds no server";
    if (server_ == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed (package postgresql)";
    server_->clear();
  }
  PostgresServer* server_ = nullptr;
};

TEST_F(RealServer, RefusesAWrongPasswordWithoutShowingIt) {
  EXPECT_THAT(error_of(server_->url_with("hunter2")).text(), Not(HasSubstr("hunter2")));
}

TEST_F(RealServer, MayRestartDuringARun) {
  auto store = Store::open(server_->url());
  ASSERT_TRUE(store) << store.error().text();
  const Record record = example_record();
  ASSERT_TRUE((*store)->put_record(record));
  server_->restart();
  const ProcessResult result = example_result(record.cases[2].id, 7);
  const Status put = (*store)->put(record.id, {result});
  ASSERT_TRUE(put) << put.error().text();
  EXPECT_EQ((*store)->load(record.id)->cases[2].processes.front().process, 7);
}

TEST_F(RealServer, KeepsToItsOwnSchema) {
  server_->execute("CREATE TABLE IF NOT EXISTS public.runs (mine INTEGER)");
  ASSERT_TRUE(Store::open(server_->url()));
  server_->execute("SELECT mine FROM public.runs");
  server_->execute("SELECT header FROM harness.runs");
  server_->execute("DROP TABLE public.runs");
}

}  // namespace
}  // namespace harness
