#include "harness/base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "harness/base/named_file.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(ReadFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "new" / "folder" / "file";
  const std::string text("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomically(path, text));
  EXPECT_EQ(read_file(path).value(), text);
}

TEST(ReadFile, GivesBackWhatTakesMoreThanOneRead) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1} << 16, std::size_t{200001}}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
    ASSERT_TRUE(write_file_atomically(folder.path() / "file", text));
    EXPECT_TRUE(read_file(folder.path() / "file").value() == text) << size;
  }
}

TEST(ReadFile, TellsItsThreeRefusalsApart) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_file(folder.path() / "none").error().kind, ErrorKind::missing);
  EXPECT_THAT(read_file(folder.path()).error().message, HasSubstr("folder"));
  ASSERT_TRUE(write_file_atomically(folder.path() / "long", "12345"));
  EXPECT_THAT(read_file(folder.path() / "long", 4).error().message, HasSubstr("5 bytes"));
  EXPECT_TRUE(read_file(folder.path() / "long", 5));
}

TEST(ReadFile, WaitsForNoPipeAndReadsNoDevice) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe", link = folder.path() / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", link);
  for (const std::filesystem::path& file : {pipe, link}) {
    const auto read = read_file(file);
    ASSERT_FALSE(read) << file;
    EXPECT_EQ(read.error().kind, ErrorKind::usage);
  }
  std::filesystem::remove(link);
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "text"));
  std::filesystem::create_symlink(folder.path() / "file", link);
  EXPECT_EQ(read_file(link), "text") << "a link to a file";
}

// Files of the system tell a size of 0.
TEST(ReadFile, KeepsToItsLimitWhateverSizeTheFileTells) {
  ASSERT_TRUE(read_file("/proc/self/status"));
  EXPECT_FALSE(read_file("/proc/self/status", 10));
}

TEST(ReadNamedFile, AdvisesTheNearestNameWithAnExtension) {
  const TemporaryFolder folder;
  for (const char* name : {"main.json", "mian.yaml", "other.json"})
    ASSERT_TRUE(write_file_atomically(folder.path() / name, name));
  EXPECT_EQ(read_named_file(folder.path() / "main.json", {".json"}).value(), "main.json");
  const Error slip = read_named_file(folder.path() / "mian.json", {".json"}).error();
  EXPECT_EQ(slip.kind, ErrorKind::usage);
  EXPECT_THAT(slip.advice, HasSubstr((folder.path() / "main.json").string()));
  EXPECT_EQ(read_named_file(folder.path() / "nothing-like-it.json", {".json"}).error().advice, "");
  EXPECT_EQ(nearest_file(folder.path() / "none" / "main.json", {".json"}), std::nullopt);
}

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  ASSERT_TRUE(write_file_atomically(path, "a long first text"));
  ASSERT_TRUE(write_file_atomically(path, "short"));
  EXPECT_EQ(read_file(path).value(), "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFile, FollowsALinkInsteadOfReplacingIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "real", "old"));
  std::filesystem::create_symlink("real", folder.path() / "link");
  ASSERT_TRUE(write_file_atomically(folder.path() / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.path() / "real").value(), "new");
}

TEST(WriteFile, WritesToAPipeAndLeavesItOne) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(write_file_atomically(pipe, "through"));
  char text[16] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(WriteFile, ThatFailsNamesTheFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "x"));
  const Status written = write_file_atomically(folder.path() / "file" / "below", "x");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text(), HasSubstr("below"));
}

// The limit ends the process in the middle of its write.
TEST(WriteFileAtomically, LeavesNothingBehindWhereItIsKilled) {
  const TemporaryFolder folder;
  const auto write_too_much = [&] {
    const rlimit most{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &most);
    signal(SIGXFSZ, SIG_DFL);
    (void)write_file_atomically(folder.path() / "file", std::string(1 << 20, 'x'));
  };
  EXPECT_EXIT(write_too_much(), testing::KilledBySignal(SIGXFSZ), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  {
    const Result<FileLock> first = FileLock::take(path);
    ASSERT_TRUE(first);
    EXPECT_FALSE(FileLock::take(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(FileLock::take(path));
}

TEST(ContentHash, DependsOnEveryByte) {
  EXPECT_EQ(content_hash("abc"), content_hash("abc"));
  EXPECT_NE(content_hash("abc"), content_hash("abd"));
  EXPECT_EQ(content_hash("").size(), 32U);
}

TEST(RandomUuid, IsNeverTheSameTwice) {
  EXPECT_NE(random_uuid(), random_uuid());
  EXPECT_EQ(random_uuid().size(), 36U);
}

TEST(UtcTimestamp, HasTheFormOfIso8601) {
  EXPECT_THAT(utc_timestamp(),
              testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
}

}  // namespace
}  // namespace harness
