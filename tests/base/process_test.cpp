#include "harness/base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "harness/base/files.h"

namespace harness {
namespace {

using testing::HasSubstr;

Command shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}};
}

TEST(RunCommand, CapturesBothStreamsAndTheStatus) {
  const Result<Output> output = run_command(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->exit.code, 3);
  EXPECT_FALSE(output->exit.ok());
  EXPECT_EQ(output->exit.text(), "exit status 3");
}

TEST(RunCommand, TakesMoreThanAPipeHolds) {
  const Result<Output> output = run_command(shell("head -c 1000000 /dev/zero; head -c 300000 /dev/zero >&2"));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.size(), 1000000U);
  EXPECT_EQ(output->err.size(), 300000U);
}

TEST(RunCommand, NamesTheSignalThatEndedIt) {
  const Result<Output> output = run_command(shell("kill -SEGV $$"));
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit.signal, SIGSEGV);
  EXPECT_THAT(output->exit.text(), HasSubstr("Segmentation fault"));
}

TEST(RunCommand, SaysWhatCouldNotBeStarted) {
  const Result<Output> output = run_command({{"/no/such/program"}});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, ErrorKind::environment);
  EXPECT_THAT(output.error().message, HasSubstr("/no/such/program"));
}

TEST(RunCommand, RunsInItsFolderWithItsEnvironment) {
  const TemporaryFolder folder;
  const Result<Output> output =
      run_command({{"/bin/sh", "-c", "pwd -P; echo \"$GREETING\""}, folder.path(), {{"GREETING", "hello"}}});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, std::filesystem::canonical(folder.path()).string() + "\nhello\n");
}

TEST(RunCommand, HandsOnNoDescriptorOfOurs) {
  const int leaked = open("/dev/null", O_RDONLY);  // as a careless caller would leave it: not close-on-exec
  ASSERT_GE(leaked, 3);
  const Result<Output> output = run_command({{"ls", "/proc/self/fd"}});
  close(leaked);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "0\n1\n2\n3\n");  // 3 is the folder that ls reads
}

TEST(Child, ThatIsNotTrustedGetsNoSecrets) {
  setenv("GITHUB_TOKEN", "of the repository", 1);
  setenv("MY_SECRET", "mine", 1);
  const std::string prints = "echo \"${GITHUB_TOKEN-none} ${MY_SECRET-none} ${PATH:+path} $given\"";
  const auto said = [&](bool trusted) {
    Command command = shell(prints);
    command.environment = {{"given", "PGPASSWORD"}};
    command.trusted = trusted;
    return run_command(command).value().out;
  };
  EXPECT_EQ(said(true), "of the repository mine path PGPASSWORD\n");
  EXPECT_EQ(said(false), "none none path PGPASSWORD\n");
  unsetenv("GITHUB_TOKEN");
  unsetenv("MY_SECRET");
}

TEST(Child, ReadsItsInputAndSendsLines) {
  Result<Child> child = Child::start(shell("while read -r line; do echo \"got $line\" >&3; done"), {});
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->send("one\n"));
  ASSERT_TRUE(child->send("two\n"));
  child->end_input();
  EXPECT_EQ(child->read_line(30).value(), "got one");
  EXPECT_EQ(child->read_line(30).value(), "got two");
  EXPECT_EQ(child->read_line(30).error(), NoLine::closed);
  EXPECT_TRUE(child->wait().ok());
}

TEST(Child, IsTimedOutWhenItSaysNothing) {
  Result<Child> child = Child::start(shell("read -r forever < /dev/tty || exec tail -f /dev/null"), {});
  ASSERT_TRUE(child);
  const auto line = child->read_line(0);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error(), NoLine::timeout);
  child->kill_group();
  EXPECT_EQ(child->wait().signal, SIGKILL);
}

TEST(Child, ThatIsGoneDoesNotReadItsInput) {
  Result<Child> child = Child::start(shell("exec 0</dev/null; echo ready >&3"), {});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->read_line(30).value(), "ready");
  EXPECT_EQ(child->read_line(30).error(), NoLine::closed);
  EXPECT_FALSE(child->send(std::string(1 << 20, 'x')));
}

TEST(Child, IsNotReadBeyondTheLongestLine) {
  Result<Child> child = Child::start(shell("echo short >&3; echo much too long >&3; tail -f /dev/null"), {});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->read_line(30, 10).value(), "short");
  EXPECT_EQ(child->read_line(30, 10).error(), NoLine::too_long);
}

// A child that dies with its parent has a reaper.
Result<Child> reaped(const std::string& script, Child::Streams streams = {}) {
  return Child::start({.argv = {"/bin/sh", "-c", script}, .dies_with_parent = true}, streams);
}

TEST(ReapedChild, EndsAsItWouldWithoutItsReaper) {
  Result<Child> child = reaped("exit 3");
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait().code, 3);
  child = reaped("kill -SEGV $$");
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait().signal, SIGSEGV);
  child = reaped("exec tail -f /dev/null");
  ASSERT_TRUE(child);
  child->kill_group();
  EXPECT_EQ(child->wait().signal, SIGKILL);
  const Result<Child> none = Child::start({.argv = {"/no/such/program"}, .dies_with_parent = true}, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("/no/such/program"));
}

TEST(ReapedChild, TakesItsChildrenAndDaemonsWithIt) {
  for (const char* script : {"tail -f /dev/null & echo $! >&3", "setsid tail -f /dev/null & echo $! >&3",
                             "(setsid sh -c 'tail -f /dev/null & echo $! >&3' &) ; read -r line"}) {
    Result<Child> child = reaped(script);
    ASSERT_TRUE(child);
    const auto daemon = child->read_line(30);
    ASSERT_TRUE(daemon) << script;
    child->end_input();
    EXPECT_EQ(child->read_line(30).error(), NoLine::closed) << script;  // all that held the pipe are gone
    EXPECT_TRUE(child->has_ended(30));
    EXPECT_NE(kill(std::stoi(*daemon), 0), 0) << script;
  }
}

TEST(ReapedChild, IsKilledWithAllThatItStarted) {
  Result<Child> child = reaped("setsid tail -f /dev/null & echo $! >&3; exec tail -f /dev/null");
  ASSERT_TRUE(child);
  const auto daemon = child->read_line(30);
  ASSERT_TRUE(daemon);
  child->kill_group();
  EXPECT_EQ(child->wait().signal, SIGKILL);
  EXPECT_NE(kill(std::stoi(*daemon), 0), 0);
}

TEST(ReapedChild, CannotStopTheProcessThatStartedIt) {
  Result<Child> child = reaped("kill -STOP $PPID; exit 3");
  ASSERT_TRUE(child);
  int tries = 0;
  while (!child->has_ended(0.01) && tries < 3000) ++tries;
  EXPECT_LT(tries, 3000);
  EXPECT_EQ(child->wait().code, 3);
}

TEST(ReapedChild, EndsWithTheProcessThatStartedIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const Result<Child> child =
        reaped("setsid tail -f /dev/null & echo begun; exec tail -f /dev/null", {.out = ends[1]});
    close(ends[1]);
    while (true) pause();
  }
  close(ends[1]);
  std::array<char, 16> text{};
  EXPECT_EQ(read(ends[0], text.data(), text.size()), 6);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_EQ(read(ends[0], text.data(), text.size()), 0);  // nobody can write any more
  close(ends[0]);
}

TEST(TemporaryFolder, IsThereWithoutTheFolderThatTheEnvironmentNames) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/dev/null/none", 1);
  const TemporaryFolder folder;
  EXPECT_TRUE(std::filesystem::is_directory(folder.path()));
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace harness
