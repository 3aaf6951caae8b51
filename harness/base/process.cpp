#include "harness/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/reaper.h"

namespace harness {
namespace {

constexpr Seconds kill_patience = 5;  // for a reaper to kill what it watches
constexpr int resume_every = 50;      // milliseconds

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] bool ok() const { return ends_[0] >= 0; }
  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  int take_read_end() { return std::exchange(ends_[0], -1); }
  int take_write_end() { return std::exchange(ends_[1], -1); }
  void close_write_end() { close(std::exchange(ends_[1], -1)); }
  void close_read_end() { close(std::exchange(ends_[0], -1)); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

struct Descriptors {
  int in, out, err, message;
};

// A program that a forked process is to become.
struct Start {
  Descriptors fds;
  int failure_pipe;
  const char* folder;
  char* const* argv;
  char* const* envp;
  BeforeProgram before;
};

// Runs between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const Start& start) {
  const Descriptors& fds = start.fds;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  setpgid(0, 0);
  const bool ready = (start.folder == nullptr || chdir(start.folder) == 0) && dup2(fds.in, 0) >= 0 &&
                     dup2(fds.out, 1) >= 0 && dup2(fds.err, 2) >= 0 &&
                     (fds.message < 0 || dup2(fds.message, message_descriptor) >= 0);
  // The child must not inherit open descriptors from the parent of this process.
  const unsigned first_foreign = message_descriptor + (fds.message < 0 ? 0 : 1);
  close_range(first_foreign, ~0U, CLOSE_RANGE_CLOEXEC);
  int code = ready ? 0 : errno;
  if (code == 0 && start.before.call != nullptr) code = start.before.call(start.before.with);
  if (code == 0) {
    execvpe(start.argv[0], start.argv, start.envp);
    code = errno;
  }
  [[maybe_unused]] const ssize_t ignored = write(start.failure_pipe, &code, sizeof code);
  _exit(127);
}

void become_started(const void* start) {
  become(*static_cast<const Start*>(start));
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_of(const Command& command) {
  const std::map<std::string, std::string>& extra = command.environment;
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const bool given = command.trusted || !environment::is_withheld(name);
    if (given && !extra.contains(name)) out.push_back(text);
  }
  for (const auto& [name, value] : extra) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

// A descriptor above the numbers that become() assigns, so that dup2 never overwrites a source.
int lifted(int fd) {
  return fcntl(fd, F_DUPFD_CLOEXEC, message_descriptor + 1);
}

enum class Reaper { none, own };

Result<pid_t> spawn(const Command& command, const Descriptors& wanted, Reaper reaper) {
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> environment = environment_of(command);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const std::string folder = command.folder.string();
  Pipe failure;
  const Descriptors fds{lifted(wanted.in), lifted(wanted.out), lifted(wanted.err),
                        wanted.message < 0 ? -1 : lifted(wanted.message)};
  const int failure_end = lifted(failure.write_end());
  const Start start{fds,         failure_end, folder.empty() ? nullptr : folder.c_str(),
                    argv.data(), envp.data(), command.before};
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0 && reaper == Reaper::own)
    reap_child(command.dies_with_parent ? parent : 0, become_started, &start);
  if (pid == 0) become(start);
  for (const int fd : {fds.in, fds.out, fds.err, fds.message, failure_end})
    if (fd >= 0) close(fd);
  failure.close_write_end();
  int code = pid < 0 ? errno : 0;
  if (pid > 0) {
    setpgid(pid, pid);
    int sent = 0;
    while (true) {
      // A child can stop its reaper before that has closed its end.
      pollfd wait{failure.read_end(), POLLIN, 0};
      if (poll(&wait, 1, resume_every) == 0) {
        kill(pid, SIGCONT);
        continue;
      }
      const ssize_t count = read(failure.read_end(), &sent, sizeof sent);
      if (count < 0 && errno == EINTR) continue;
      if (count == sizeof sent) code = sent;
      break;
    }
    if (code != 0) waitpid(pid, nullptr, 0);
  }
  if (code != 0)
    return fail(ErrorKind::environment,
                fmt::format("`{}` could not be started: {}", command.argv.front(), std::strerror(code)));
  return pid;
}

Exit wait_for(pid_t pid) {
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const Usage used{seconds(usage.ru_utime), seconds(usage.ru_stime),
                   1024.0 * static_cast<double>(usage.ru_maxrss)};
  if (WIFSIGNALED(status)) return Exit{0, WTERMSIG(status), used};
  return Exit{WEXITSTATUS(status), 0, used};
}

}  // namespace

std::string Exit::text() const {
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit status {}", code);
}

Result<Output> run_command(const Command& command) {
  Pipe out;
  Pipe err;
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (!out.ok() || !err.ok() || null < 0)
    return fail(ErrorKind::environment, fmt::format("no pipe: {}", std::strerror(errno)));
  const Result<pid_t> pid = spawn(command, {null, out.write_end(), err.write_end(), -1}, Reaper::none);
  close(null);
  if (!pid) return fail(pid.error());
  out.close_write_end();
  err.close_write_end();
  Output output;
  std::array<pollfd, 2> waits{{{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
  std::array<std::string*, 2> sinks{&output.out, &output.err};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      std::array<char, 65536> chunk;
      const ssize_t count = read(waits[i].fd, chunk.data(), chunk.size());
      if (count > 0) sinks[i]->append(chunk.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) waits[i].fd = -1;
    }
  }
  output.exit = wait_for(*pid);
  return output;
}

Result<Child> Child::start(const Command& command, Streams streams) {
  Pipe input;
  Pipe messages;
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (!input.ok() || !messages.ok() || null < 0)
    return fail(ErrorKind::environment, fmt::format("no pipe: {}", std::strerror(errno)));
  const Result<pid_t> pid =
      spawn(command,
            {input.read_end(), streams.out >= 0 ? streams.out : null,
             streams.err >= 0 ? streams.err : STDERR_FILENO, streams.messages ? messages.write_end() : -1},
            command.outlives_parent ? Reaper::none : Reaper::own);
  close(null);
  if (!pid) return fail(pid.error());
  Child child;
  child.reaped_ = !command.outlives_parent;
  child.pid_ = *pid;
  child.input_ = input.take_write_end();
  child.messages_ = messages.take_read_end();
  return child;
}

Child::Child(Child&& other) noexcept {
  *this = std::move(other);
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(reaped_, other.reaped_);
  std::swap(input_, other.input_);
  std::swap(messages_, other.messages_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Child::~Child() {
  if (pid_ > 0) {
    kill_group();
    wait();
  }
  close_pipes();
}

void Child::close_pipes() {
  end_input();
  if (messages_ >= 0) close(std::exchange(messages_, -1));
}

Status Child::send(std::string_view text) {
  struct sigaction ignore {};
  struct sigaction saved {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &saved);
  int code = 0;
  while (!text.empty() && code == 0) {
    const ssize_t count = write(input_, text.data(), text.size());
    if (count >= 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      code = errno;
  }
  sigaction(SIGPIPE, &saved, nullptr);
  if (code != 0)
    return fail(ErrorKind::environment,
                fmt::format("process {} does not read its input: {}", pid_, std::strerror(code)));
  return {};
}

void Child::end_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

tl::expected<std::string, NoLine> Child::read_line(Seconds deadline, std::size_t longest) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(deadline);
  std::size_t looked_at = 0;
  while (true) {
    const std::size_t newline = buffer_.find('\n', looked_at);
    if (std::min(newline, buffer_.size()) > longest) return tl::unexpected(NoLine::too_long);
    if (newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      return line;
    }
    looked_at = buffer_.size();
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (left <= 0) return tl::unexpected(NoLine::timeout);
    pollfd wait{messages_, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min(left * 1e3 + 1, 1e9)));
    if (ready < 0) return tl::unexpected(errno == EINTR ? NoLine::interrupted : NoLine::failed);
    if (ready == 0) continue;
    std::array<char, 65536> chunk;
    const ssize_t count = read(messages_, chunk.data(), chunk.size());
    if (count == 0) return tl::unexpected(NoLine::closed);
    if (count > 0) buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

void Child::kill_group() {
  if (pid_ <= 0) return;
  if (reaped_) kill(pid_, SIGTERM);
  if (!reaped_ || !has_ended(kill_patience)) kill(-pid_, SIGKILL);
}

bool Child::has_ended(Seconds patience) const {
  if (pid_ > 0) kill(pid_, SIGCONT);  // the child may have stopped its reaper
  // A descriptor of the process becomes readable at its end. A system without them is asked each millisecond.
  constexpr Seconds longest = 1e6;
  const int ending = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  const Seconds wait = std::clamp(patience, 0.0, ending < 0 ? 1e-3 : longest);
  pollfd end{ending, POLLIN, 0};
  poll(&end, 1, static_cast<int>(wait * 1e3));  // a negative descriptor is ignored
  if (ending >= 0) close(ending);
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

Exit Child::wait() {
  if (pid_ <= 0) return {};
  const Exit exit = wait_for(std::exchange(pid_, -1));
  return exit;
}

void prepare_process() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) [[maybe_unused]]
      const int opened = open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  signal(SIGXFSZ, SIG_IGN);
}

std::filesystem::path this_program() {
  std::error_code code;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", code);
  return code ? std::filesystem::path("harness") : path;
}

}  // namespace harness
