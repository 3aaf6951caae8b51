// Files that observed programs find. The programs are small scripts; no time is taken.
#include "harness/device/observe/observer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/device/observe/own_folders.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class ObservedStart : public testing::Test {
 protected:
  // Only where the system refuses the observer itself.
  void SetUp() override {
    if (const std::string problem = why_unobservable(); !problem.empty()) GTEST_SKIP() << problem;
    fs::create_directories(top() / ".git");
  }

  [[nodiscard]] fs::path top() const { return fs::canonical(folder_.path()) / "top"; }

  Identity start(const std::vector<std::string>& words, HashLimits limits = {}) {
    fs::create_directories(top());
    SeenFiles files({top(), folder_.path() / "scratch" / "output"}, limits);
    {
      Observer observer(files);
      Command command{.argv = words, .folder = top()};
      observer.watch(command);
      Result<Child> child = Child::start(command, {.messages = false});
      EXPECT_TRUE(child) << child.error().message;
      if (child) exit_ = child->wait();
      observer.finish();
    }
    settled_ = files.is_settled();
    return files.identity(words, {});
  }
  // The words stay the same, so that nothing but the files can differ.
  Identity shell(const std::string& text) {
    write(folder_.path() / "script.sh", text);
    return start({"/bin/sh", (folder_.path() / "script.sh").string()});
  }
  Identity python(const std::string& text) {
    write(folder_.path() / "script.py",
          "import ctypes, os, socket, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n" + text);
    static const std::string interpreter =  // `python3` may be a script that finds it
        run_command({.argv = {"python3", "-c", "import sys; print(sys.executable, end='')"}}).value().out;
    return start({interpreter, "-S", "-E", (folder_.path() / "script.py").string()});
  }
  // The gap of a script, with the name in it; "": it has none.
  std::string gap_of(const Identity& found) {
    return found.gap ? found.gap->text("gap") + " " + found.gap->text("name") : "";
  }

  TemporaryFolder folder_;
  Exit exit_;
  bool settled_ = false;
};

TEST_F(ObservedStart, FindsTheProgramItsLibrariesAndWhatItReads) {
  write(top() / "data.txt", "1");
  write(top() / "tool", "#!/bin/sh\ncat data.txt\n");
  fs::permissions(top() / "tool", fs::perms::owner_all);
  const Identity found = start({"./tool"});
  ASSERT_FALSE(found.gap) << gap_of(found);
  EXPECT_TRUE(exit_.ok());
  EXPECT_TRUE(settled_);
  EXPECT_TRUE(found.digest.starts_with("4."));
  for (const char* key : {"word:0000", "file:./tool", "file:./data.txt"})
    EXPECT_THAT(found.files, Contains(Key(key)));
  for (const char* part : {"libc.so", "ld-linux", "cat", "sh"})
    EXPECT_TRUE(std::any_of(found.files.begin(), found.files.end(), [&](const auto& one) {
      return one.first.starts_with("file:/") && one.first.find(part) != std::string::npos;
    })) << part;
  EXPECT_EQ(start({"./tool"}), found);
  fs::last_write_time(top() / "data.txt", fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(start({"./tool"}), found);
  write(top() / "data.txt", "2");
  EXPECT_NE(start({"./tool"}).files.at("file:./data.txt"), found.files.at("file:./data.txt"));
}

TEST_F(ObservedStart, TakesTheWordsOfTheCommandOneByOne) {
  const auto digest = [&](std::vector<std::string> words) { return start(std::move(words)).digest; };
  EXPECT_NE(digest({"true", "a b"}), digest({"true", "a", "b"}));
  EXPECT_NE(digest({"true", "[a]"}), digest({"true", "a"}));
  EXPECT_NE(digest({"true"}), digest({"true", ""}));
}

TEST_F(ObservedStart, DoesNotCountWhatItWroteItself) {
  write(top() / "old.txt", "1");
  const Identity found = shell(
      "echo 1 >new.txt; cat new.txt; echo 2 >old.txt; cat old.txt; mkdir d; echo 3 >d/x; mv d/x y; cat y; ln "
      "y z; cat z");
  ASSERT_FALSE(found.gap) << gap_of(found);
  for (const char* name : {"new.txt", "old.txt", "d/x", "y", "z"})
    EXPECT_THAT(found.files, Not(Contains(Key(std::string("file:./") + name)))) << name;
}

TEST_F(ObservedStart, CountsWhatItOnlyOpensToWrite) {
  for (const char* script : {"echo 1 >>log.txt", "exec 3<>log.txt", "ln log.txt other", "mv log.txt other",
                             "truncate -s 1 log.txt"}) {
    write(top() / "log.txt", "before");
    fs::remove(top() / "other");
    const Identity found = shell(script);
    ASSERT_FALSE(found.gap) << gap_of(found);
    EXPECT_THAT(found.files, Contains(Key("file:./log.txt"))) << script;
    write(top() / "log.txt", "beyond");
    fs::remove(top() / "other");
    EXPECT_NE(shell(script).digest, found.digest) << script;
  }
}

TEST_F(ObservedStart, CountsAFileThatCouldNotBeReplaced) {
  write(top() / "in.txt", "1");
  // Its last call reads what the one before did not move.
  const std::string script =
      "mkdir -p d/in.txt/x; mv -T in.txt d/in.txt 2>/dev/null; rmdir d 2>/dev/null; ls d; cat in.txt";
  const Identity found = shell(script);
  ASSERT_FALSE(found.gap) << gap_of(found);
  EXPECT_THAT(found.files, Contains(Key("file:./in.txt")));
}

TEST_F(ObservedStart, CountsThatNothingIsThere) {
  const std::string script = "[ -e maybe ] && cat maybe; true";
  const Identity absent = shell(script);
  EXPECT_TRUE(settled_);
  write(top() / "maybe", "");
  const Identity there = shell(script);
  EXPECT_NE(absent.digest, there.digest);
  EXPECT_NE(absent.files.at("look:."), there.files.at("look:."));
}

TEST_F(ObservedStart, CountsTheNamesInAFolder) {
  fs::create_directories(top() / "cases");
  write(top() / "cases" / "b", "");
  const Identity found = shell("ls cases");
  ASSERT_FALSE(found.gap) << gap_of(found);
  write(top() / "cases" / "b", "more");
  EXPECT_EQ(shell("ls cases"), found) << "the content of a file that nobody opens";
  fs::remove(top() / "cases" / "b");
  fs::create_directories(top() / "cases" / "b");
  EXPECT_NE(shell("ls cases").files.at("list:./cases"), found.files.at("list:./cases"))
      << "a folder of that name";
  fs::remove(top() / "cases" / "b");
  write(top() / "cases" / "b", "");
  write(top() / "cases" / "a", "");
  EXPECT_NE(shell("ls cases").files.at("list:./cases"), found.files.at("list:./cases"));
}

TEST_F(ObservedStart, FollowsLinksAndCountsWhereTheyLead) {
  write(top() / "one", "1");
  write(top() / "two", "1");
  fs::create_symlink("one", top() / "link");
  const Identity found = shell("cat link");
  EXPECT_THAT(found.files, Contains(Key("file:./one")));
  fs::remove(top() / "link");
  fs::create_symlink("two", top() / "link");
  EXPECT_NE(shell("cat link").digest, found.digest);
}

TEST_F(ObservedStart, LeavesOutItsOwnGitFolderAlone) {
  write(top() / ".git" / "HEAD", "1");
  write(top() / "other" / ".git" / "HEAD", "1");
  write(top() / "cache" / "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55");
  write(top() / "cache" / "x", "1");
  const Identity found = shell("cat .git/HEAD other/.git/HEAD cache/x");
  EXPECT_THAT(found.files, Not(Contains(Key("file:./.git/HEAD"))));
  EXPECT_THAT(found.files, Contains(Key("file:./other/.git/HEAD")));
  EXPECT_THAT(found.files, Contains(Key("file:./cache/x")));
  EXPECT_EQ(repository_of(top() / "other" / "deeper"), top() / "other");
}

TEST_F(ObservedStart, CallsTheOutputOfEachStartTheSame) {
  const fs::path scratch = folder_.path() / "scratch";
  fs::create_directories(scratch);
  const Identity found =
      shell(fmt::format("[ -e {0}/output ] || echo 1 >{0}/output; cat {0}/output", scratch.string()));
  ASSERT_FALSE(found.gap) << gap_of(found);
  for (const auto& [name, hash] : found.files)
    EXPECT_EQ(name.find(scratch.string()), std::string::npos) << name;
}

TEST_F(ObservedStart, TakesPythonsCachesForTheirSources) {
  write(top() / "module.py", "value = 1\n");
  write(top() / "more.name.py", "value = 1\n");
  const std::string script =
      "sys.path.insert(0, os.getcwd())\nimport module\n"
      "import importlib.util as i\ns = i.spec_from_file_location('m', os.getcwd() + '/more.name.py')\n"
      "s.loader.exec_module(i.module_from_spec(s))\n";
  const Identity compiled = python(script);
  ASSERT_FALSE(compiled.gap) << gap_of(compiled);
  EXPECT_FALSE(settled_) << "the next start finds caches";
  const Identity cached = python(script);
  EXPECT_TRUE(settled_);
  for (const char* key : {"file:./module.py", "file:./more.name.py"})
    EXPECT_THAT(cached.files, Contains(Key(key)));
  EXPECT_NE(cached.digest, compiled.digest) << "to compile takes time";
  EXPECT_EQ(python(script), cached);
  fs::last_write_time(top() / "module.py", fs::file_time_type::clock::now() - std::chrono::hours(9));
  python(script);
  EXPECT_FALSE(settled_) << "the cache is out of date";
  EXPECT_EQ(python(script), cached) << "another checkout of the same source";
  write(top() / "module.py", "value = 2\n");
  python(script);
  EXPECT_NE(python(script).files.at("file:./module.py"), cached.files.at("file:./module.py"));
}

TEST_F(ObservedStart, CountsFilesOfAWorktreeInsideABareRepository) {
  const fs::path bare = top() / "p.git";
  write(bare / "worktrees" / "main" / "commondir", "../..\n");
  write(bare / "main" / ".git", "gitdir: " + (bare / "worktrees" / "main").string() + "\n");
  write(bare / "main" / "data", "1");
  EXPECT_EQ(repository_of(bare / "main"), bare / "main");
  for (const std::string& one : own_folders(bare / "main"))
    EXPECT_FALSE((bare / "main" / "data").string().starts_with(one + "/")) << one;
  SeenFiles files({bare / "main", folder_.path() / "scratch" / "output"});
  files.open((bare / "main" / "data").string(), O_RDONLY, getpid());
  EXPECT_THAT(files.identity({}, {}).files, Contains(Key("file:./data")));
}

TEST_F(ObservedStart, HasAGapWhereGitsFolderHoldsData) {
  write(top() / ".git" / "annex" / "in.nc", "1");
  fs::create_symlink(".git/annex/in.nc", top() / "in.nc");
  EXPECT_EQ(gap_of(shell("cat in.nc")), "own_folder " + (top() / ".git" / "annex" / "in.nc").string());
  write(top() / ".harness" / "x", "1");
  EXPECT_EQ(gap_of(shell("cat .harness/x")), "own_folder " + (top() / ".harness" / "x").string());
}

TEST_F(ObservedStart, CountsAllOfAnElfFileThatIsData) {
  fs::copy_file(this_program(), top() / "image");
  const Identity whole = shell("cat image >/dev/null");
  ASSERT_EQ(run_command(
                {.argv = {"sh", "-c", "strip -s image 2>/dev/null || truncate -s -1 image"}, .folder = top()})
                ->exit.code,
            0);
  EXPECT_NE(shell("cat image >/dev/null").files.at("file:./image"), whole.files.at("file:./image"));
}

TEST_F(ObservedStart, HasAGapWhereTheKernelNeedsAHelper) {
  write(top() / "plain", "true\n");
  fs::permissions(top() / "plain", fs::perms::owner_all);
  EXPECT_EQ(gap_of(shell("./plain")), "format " + (top() / "plain").string());
}

TEST_F(ObservedStart, DoesNotHideWhatItFailedToMake) {
  SeenFiles files({top(), folder_.path() / "scratch" / "output"});
  files.make((top() / "x").string(), getpid());  // the call fails
  files.probe((top() / "x").string(), LastLink::followed, getpid());
  EXPECT_THAT(files.identity({}, {}).files, Contains(Key("look:.")));
  write(top() / "x", "1");
  SeenFiles moved({top(), folder_.path() / "scratch" / "output"});
  write(top() / "from", "1");
  moved.rename((top() / "from").string(), (top() / "x").string(), 0, getpid());  // it fails, too
  moved.open((top() / "x").string(), O_RDONLY, getpid());
  EXPECT_THAT(moved.identity({}, {}).files, Contains(Key("file:./x")));
}

TEST_F(ObservedStart, IsNotSettledWhereTheNextOneFindsACache) {
  const std::string script = "[ -e cache ] && cat cache || echo 1 >cache";
  const Identity first = shell(script);
  EXPECT_FALSE(settled_);
  const Identity second = shell(script);
  EXPECT_TRUE(settled_);
  EXPECT_NE(first.digest, second.digest);
  EXPECT_EQ(shell(script), second);
}

TEST_F(ObservedStart, MayUseNamesThatAreOtherInEachStart) {
  const std::string script =
      "import multiprocessing, tempfile\nmultiprocessing.Lock()\ntempfile.mkdtemp(dir='.')\n";
  const Identity found = python(script);
  ASSERT_FALSE(found.gap) << gap_of(found);
  EXPECT_EQ(python(script), found);
}

TEST_F(ObservedStart, HashesNoMoreThanItMay) {
  EXPECT_EQ(gap_of(start({"true"}, {.bytes = 10})).substr(0, 8), "too_much");
  EXPECT_EQ(gap_of(start({"true"}, {.seconds = 0})).substr(0, 8), "too_much");
}

TEST_F(ObservedStart, KnowsMachineAndOwnProcess) {
  for (const char* harmless :
       {"open('/proc/cpuinfo').read()", "open('/proc/self/maps').read()",
        "open('/dev/urandom', 'rb').read(9)", "os.listdir('/proc/self/fd')",
        "os.listdir('/sys/devices/system/cpu')", "open('/dev/null').read()", "libc.memfd_create(b'x', 0)",
        "libc.prctl(15, b'name', 0, 0, 0)", "os.open('/proc', os.O_RDONLY)",
        "try: open('/proc/nothing')\nexcept OSError: pass", "socket.socketpair()",
        "os.mkfifo('own')\nopen(os.open('own', os.O_RDWR), 'rb')", "libc.shmget(0, 4096, 0o600)",
        "os.symlink('/proc/self/mounts', 'mounts')\nopen('mounts').read()",
        "try: socket.socket(socket.AF_UNIX).connect('/nowhere/socket')\nexcept OSError: pass"}) {
    fs::remove_all(top());
    const Identity found = python(harmless);
    EXPECT_EQ(gap_of(found), "") << harmless;
    EXPECT_TRUE(exit_.ok()) << harmless;
  }
}

TEST_F(ObservedStart, HasAGapWhereMoreThanFilesDecides) {
  fs::create_directories(top() / "folder");
  ASSERT_EQ(mkfifo((top() / "pipe").c_str(), 0600), 0);
  fs::copy_file("/bin/true", top() / "raised");
  ASSERT_EQ(chmod((top() / "raised").c_str(), 04755), 0);
  const auto call = [](const std::string& words) { return fmt::format("libc.syscall({})", words); };
  const std::string inet = "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n";
  const std::vector<std::pair<std::string, std::string>> scripts = {
      {"network connect", inet + "s.connect(('127.0.0.1', 9))"},
      {"network connect", "try: socket.socket(socket.AF_UNIX).connect('\\0abstract')\nexcept OSError: pass"},
      {"network bind", inet + "s.bind(('127.0.0.1', 0))"},
      {"network sendto", inet + "s.sendto(b'x', ('127.0.0.1', 9))"},
      {"network sendmsg", inet + "s.sendmsg([b'x'], [], 0, ('127.0.0.1', 9))"},
      {"shared shmget", "libc.shmget(4711, 4096, 0o600)"},
      {"shared mq_open", call(std::to_string(SYS_mq_open) + ", b'none', 0")},
      {"elsewhere chroot", "libc.chroot(b'/nowhere')"},
      {"elsewhere unshare", "libc.unshare(0x20000)"},
      {"elsewhere setns", "libc.setns(0, 0)"},
      {"elsewhere mount", "libc.mount(b'none', b'/nowhere', b'tmpfs', 0, None)"},
      {"elsewhere clone", call(std::to_string(SYS_clone) + ", 0x20000000 | 0x10000, 0, 0, 0, 0")},
      {"processes ptrace", "libc.ptrace(16, 1, 0, 0)"},
      {"device " + (top() / "pipe").string(), "os.open('pipe', os.O_RDONLY | os.O_NONBLOCK)"},
      {"kernel /proc/1/status", "open('/proc/1/status')"},
      {"kernel /proc", "os.listdir('/proc')"},
      {"kernel /sys/kernel/notes", "open('/sys/kernel/notes', 'rb')"},
      {"rights setuid", call(std::to_string(SYS_setuid) + fmt::format(", {}", getuid()))},
      {"rights " + (top() / "raised").string(), "os.spawnv(os.P_WAIT, './raised', ['raised'])"},
      {"filter seccomp", call(std::to_string(SYS_seccomp) + ", 1, 0, 0")},
      {"filter prctl", "libc.prctl(22, 2, 0, 0, 0)"},
      {"network bind", "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind('own')"},
      {"call io_uring_setup", call("425, 1, 0")},
      {"call openat2", call("437, -100, b'x', (ctypes.c_uint64 * 3)(0, 0, 0x10), 24")},
      {"call openat2", call("437, -100, b'x', (ctypes.c_uint64 * 3)(0, 0, 0x08), 24")},
      {"call open_by_handle_at", call(std::to_string(SYS_open_by_handle_at) + ", -1, 0, 0")},
      {"call renameat2", call(std::to_string(SYS_renameat2) + ", -100, b'a', -100, b'b', 2")},
      {"attributes getxattr", "libc.getxattr(b'x', b'user.x', None, 0)"},
      {"moved_folder " + (top() / "folder").string(), "os.rename('folder', 'moved')"},
  };
  for (const auto& [gap, script] : scripts) {
    const Identity found =
        python("try:\n  " + script.substr(0, script.find('\n')) +
               (script.find('\n') == std::string::npos ? "" : "\n  " + script.substr(script.find('\n') + 1)) +
               "\nexcept OSError: pass\n");
    EXPECT_EQ(gap_of(found), gap) << script;
    EXPECT_THAT(found.digest, IsEmpty());
    EXPECT_THAT(found.files, IsEmpty());
  }
}

TEST_F(ObservedStart, SeesAllProcessesOfAProgram) {
  write(top() / "deep.txt", "1");
  const Identity found = shell("(sh -c 'sh -c \"cat deep.txt\"' & wait)");
  EXPECT_THAT(found.files, Contains(Key("file:./deep.txt")));
}

// A filter of this process refuses the observer what containers and old kernels refuse.
std::string refused_at(long number) {
  const sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(filter), const_cast<sock_filter*>(filter)};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return "no filter";
  return why_unobservable();
}

TEST(WhyUnobservable, NamesTheCallThatIsRefused) {
  const auto tell = [](long number) {
    std::fprintf(stderr, "%s", refused_at(number).c_str());
    _exit(0);
  };
  EXPECT_EXIT(tell(SYS_seccomp), testing::ExitedWithCode(0), "^seccomp: Operation not permitted$");
  if (why_unobservable().empty()) {
    EXPECT_EXIT(tell(SYS_pidfd_getfd), testing::ExitedWithCode(0), "^pidfd_getfd: Operation not permitted$");
    EXPECT_EXIT(tell(SYS_process_vm_readv), testing::ExitedWithCode(0),
                "^process_vm_readv: Operation not permitted$");
  }
}

}  // namespace
}  // namespace harness
