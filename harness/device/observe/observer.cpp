#include "harness/device/observe/observer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <utility>

#include "harness/device/observe/file_calls.h"
#include "harness/device/observe/take_call.h"

// Newer than some headers.
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

namespace harness {
namespace {

constexpr int least_descriptor = 64;  // above those that become standard streams of a process

// A process tells this of itself before it becomes the program.
struct Hello {
  pid_t process;
  int listener;  // its descriptor; below 0: there is none
};

void close_pipe(std::array<int, 2>& pipe) {
  for (int& one : pipe)
    if (one >= 0) close(std::exchange(one, -1));
}

bool open_pipe(std::array<int, 2>& pipe) {
  std::array<int, 2> low{-1, -1};
  if (pipe2(low.data(), O_CLOEXEC) != 0) return false;
  for (std::size_t i = 0; i < 2; ++i) pipe[i] = fcntl(low[i], F_DUPFD_CLOEXEC, least_descriptor);
  close_pipe(low);
  return pipe[0] >= 0 && pipe[1] >= 0;
}

// From here on the calls of this thread and of all that it starts go through the filter. The listener, or -1
// with errno. Safe between fork and exec.
int listen_to_calls(const sock_filter* filter, std::size_t size) {
  const sock_fprog program{static_cast<unsigned short>(size), const_cast<sock_filter*>(filter)};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  // A signal must not end a call that the observer looks at, where the kernel can wait.
  const auto listen = [&](unsigned long more) {
    return static_cast<int>(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | more, &program));
  };
  const int listener = listen(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  return listener >= 0 || errno != EINVAL ? listener : listen(0);
}

// The same descriptor of another process, in this one; -1 with errno.
int descriptor_of(pid_t process, int number) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return -1;
  const int found = static_cast<int>(syscall(SYS_pidfd_getfd, handle, number, 0));
  const int code = errno;
  close(handle);
  errno = code;
  return found;
}

// The errno that keeps this process from observing its child; 0: it can. `where`: the call that was refused.
int try_on(pid_t child, int told, const char*& where) {
  std::array<int, 2> heard{};  // the listener, or what refused it
  where = "seccomp";
  if (read(told, heard.data(), sizeof heard) != static_cast<ssize_t>(sizeof heard)) return EPIPE;
  if (heard[0] < 0) return heard[1];
  where = "pidfd_getfd";
  const int listener = descriptor_of(child, heard[0]);
  if (listener < 0) return errno;
  close(listener);
  where = "process_vm_readv";
  int value = 0;
  const iovec here{&value, sizeof value}, there{heard.data(), sizeof value};  // it has the same addresses
  return process_vm_readv(child, &here, 1, &there, 1, 0) < 0 && errno != EFAULT ? errno : 0;
}

}  // namespace

std::string why_unobservable() {
  if (watching_filter().empty()) return "this processor is not known";
  std::array<int, 2> told{-1, -1}, stay{-1, -1};
  if (!open_pipe(told) || !open_pipe(stay)) return fmt::format("pipe: {}", std::strerror(errno));
  const sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const pid_t child = fork();
  if (child == 0) {
    close(stay[1]);
    const int listener = listen_to_calls(&nothing, 1);
    const std::array<int, 2> heard{listener, errno};
    if (write(told[1], heard.data(), sizeof heard) < 0) _exit(1);
    char end = 0;
    const ssize_t ended = read(stay[0], &end, 1);
    _exit(ended < 0 ? 1 : 0);
  }
  const char* where = "fork";
  int code = child < 0 ? errno : 0;
  close(std::exchange(told[1], -1));
  if (child > 0) code = try_on(child, told[0], where);
  close_pipe(told);
  close_pipe(stay);
  if (child > 0) waitpid(child, nullptr, 0);
  return code == 0 ? "" : fmt::format("{}: {}", where, std::strerror(code));
}

Observer::Observer(SeenFiles& files) : files_(files), filter_(watching_filter()) {}

Observer::~Observer() {
  finish();
}

void Observer::watch(Command& command) {
  if (!open_pipe(told_) || !open_pipe(answer_) || !open_pipe(end_)) {
    files_.refuse(fmt::format("pipe: {}", std::strerror(errno)));
    return;
  }
  command.before = {[](void* with) { return static_cast<Observer*>(with)->begin_watched(); }, this};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the thread that waits for the command
  thread_ = std::thread([this] { serve(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Observer::finish() {
  if (thread_.joinable()) {
    close(std::exchange(end_[1], -1));
    thread_.join();
  }
  for (std::array<int, 2>* one : {&told_, &answer_, &end_}) close_pipe(*one);
}

// Where nobody takes the listener, the first call would wait for ever: then the start fails.
int Observer::begin_watched() {
  const int listener = listen_to_calls(filter_.data(), filter_.size());
  const int code = errno;
  const Hello hello{getpid(), listener};
  char answer = 0;
  if (write(told_[1], &hello, sizeof hello) != static_cast<ssize_t>(sizeof hello)) return EPIPE;
  if (listener < 0) return code;
  if (read(answer_[0], &answer, 1) != 1 || answer != 'y') return EPERM;
  close(listener);
  return 0;
}

int Observer::take_listener() {
  std::array<pollfd, 2> waits{{{told_[0], POLLIN, 0}, {end_[0], POLLIN, 0}}};
  while (poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
  }
  Hello hello{};
  if ((waits[0].revents & POLLIN) == 0 ||
      read(told_[0], &hello, sizeof hello) != static_cast<ssize_t>(sizeof hello) || hello.listener < 0)
    return -1;
  const int listener = descriptor_of(hello.process, hello.listener);
  const char answer = listener >= 0 ? 'y' : 'n';
  if (write(answer_[1], &answer, 1) != 1 && listener >= 0) {
    close(listener);
    return -1;
  }
  return listener;
}

void Observer::serve() {
  const int listener = take_listener();
  if (listener < 0) return files_.refuse("seccomp or pidfd_getfd was refused");
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
        SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);  // faster, where it is known
  look_at_calls(listener);
  close(listener);
}

void Observer::look_at_calls(int listener) {
  seccomp_notif_sizes sizes{};
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
    return files_.refuse("seccomp has no sizes");
  std::vector<std::byte> asked(std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)));
  std::vector<std::byte> told(std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
  while (true) {
    std::array<pollfd, 2> waits{{{listener, POLLIN, 0}, {end_[0], POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) continue;
    if ((waits[0].revents & POLLIN) == 0) return;  // all processes have ended
    std::fill(asked.begin(), asked.end(), std::byte{0});
    auto* const call = reinterpret_cast<seccomp_notif*>(asked.data());
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call) != 0) {
      if (errno == EINTR || errno == ENOENT) continue;  // a signal ended the process or its call
      files_.add_gap(FileGap::unread, "");
      continue;  // without a listener all later calls would fail
    }
    const std::uint64_t id = call->id;
    take_call(call->data, static_cast<pid_t>(call->pid), files_);
    std::fill(told.begin(), told.end(), std::byte{0});
    auto* const go_on = reinterpret_cast<seccomp_notif_resp*>(told.data());
    go_on->id = id;
    go_on->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, go_on);  // it fails only where the process is gone
  }
}

}  // namespace harness
