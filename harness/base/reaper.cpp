#include "harness/base/reaper.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace harness {
namespace {

// Every process that has lost its parent below this one is a child of it, so its children are all there is to
// kill. False: the kernel does not list them.
bool kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  std::array<char, 4096> text;
  pid_t child = 0;
  ssize_t count = 0;
  while ((count = read(list, text.data(), text.size())) > 0)
    for (ssize_t i = 0; i < count; ++i) {
      const char c = text[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        child = child * 10 + (c - '0');
      } else {
        if (child > 0) kill(child, SIGKILL);
        child = 0;
      }
    }
  close(list);
  return true;
}

// Until the child has ended or SIGTERM has come.
void watch(pid_t child, const sigset_t& heard, int& status) {
  do {
    int one = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &one, WNOHANG)) > 0;)
      if (ended == child) {
        status = one;
        return;
      }
  } while (sigwaitinfo(&heard, nullptr) != SIGTERM);
}

void kill_all(pid_t child, int& status) {
  while (kill_children()) {
    int one = 0;
    const pid_t ended = waitpid(-1, &one, 0);
    if (ended == child) status = one;
    if (ended < 0 && errno != EINTR) return;
  }
  kill(-child, SIGKILL);  // its group, at least
  waitpid(child, &status, 0);
}

[[noreturn]] void end_like(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  kill(getpid(), number);
  _exit(128 + number);
}

}  // namespace

void reap_child(pid_t parent, void (*become)(const void*), const void* how) {
  sigset_t all, heard;
  sigfillset(&all);
  sigemptyset(&heard);
  sigaddset(&heard, SIGCHLD);
  sigaddset(&heard, SIGTERM);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  signal(SIGCHLD, SIG_DFL);
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (parent != 0) prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (parent != 0 && getppid() != parent) _exit(127);
  const pid_t child = vfork();  // the child borrows this process until it becomes another program
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // NOLINT(clang-analyzer-unix.Vfork): of the child alone
    become(how);
  }
  if (child < 0) _exit(127);
  close_range(0, ~0U, 0);  // the pipes end with the child
  int status = 0;
  watch(child, heard, status);
  kill_all(child, status);
  end_like(status);
}

}  // namespace harness
