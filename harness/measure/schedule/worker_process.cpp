#include "harness/measure/schedule/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds slice = 0.2;         // between looks at the signals and the log
constexpr Seconds patience = 5;        // for a worker that has said everything to end
constexpr off_t log_limit = 16 << 20;  // then what was printed is forgotten
constexpr std::size_t quoted_bytes = 2000;
constexpr std::size_t quoted_lines = 8;

// A file without a name, which every writer appends to.
Result<int> open_log() {
  std::string path = (temporary_folder() / "harness-worker-XXXXXX").string();
  const int fd = mkostemp(path.data(), O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return fail(ErrorKind::environment, Location{path},
                fmt::format("no file for what workers print: {}", std::strerror(errno)),
                "make room in the temporary folder, or set TMPDIR");
  unlink(path.c_str());
  return fd;
}

// Without reaping it: its process group stays ours to kill.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

Seconds since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& command, const Job& job,
                                           const std::filesystem::path& folder) {
  const Result<int> log = open_log();
  if (!log) return fail(log.error());
  const std::vector<std::string> argv =
      command.empty() ? std::vector<std::string>{this_program().string(), "worker"} : command;
  Result<Child> child =
      Child::start(Command{.argv = argv, .folder = folder, .trusted = false}, {.out = *log, .err = *log});
  if (!child) {
    close(*log);
    return fail(child.error());
  }
  InterruptGuard::watch(child->pid());
  WorkerProcess worker(std::move(*child), *log);
  // A worker that died before it read its job is found out by next(), with its last words.
  [[maybe_unused]] const Status sent = worker.child_.send(encode(job) + "\n");
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : child_(std::move(other.child_)), log_(std::exchange(other.log_, -1)) {}

WorkerProcess::~WorkerProcess() {
  if (log_ < 0) return;
  kill();
  close(log_);
}

void WorkerProcess::begin() {
  child_.end_input();
}

WorkerProcess::Event WorkerProcess::next(Seconds deadline, const std::function<void()>& tick) {
  const auto begin = Clock::now();
  while (true) {
    if (InterruptGuard::interrupted()) return Interrupted{};
    const Seconds left = deadline - since(begin);
    auto line = child_.read_line(std::clamp(left, 0.0, slice));
    if (line) {
      Result<Message> message = decode_message(*line);
      if (!message) return message.error();
      return Said{std::move(*message), std::move(*line)};
    }
    if (line.error() == NoLine::closed) return Closed{};
    if (line.error() == NoLine::too_long)
      return Error{ErrorKind::environment,
                   fmt::format("a message of the worker has no end within {} MiB", longest_line >> 20),
                   {},
                   {}};
    if (line.error() == NoLine::failed)
      return Error{ErrorKind::environment, "the pipe from the worker cannot be read", {}, {}};
    if (left <= 0) return TimedOut{};
    struct stat status {};
    if (fstat(log_, &status) == 0 && status.st_size > log_limit) [[maybe_unused]]
      const int ignored = ftruncate(log_, 0);
    if (tick) tick();
  }
}

void WorkerProcess::kill() {
  child_.kill_group();
  InterruptGuard::unwatch(child_.pid());
  child_.wait();
}

void WorkerProcess::dismiss() {
  const auto begin = Clock::now();
  while (since(begin) < patience && !InterruptGuard::interrupted()) {
    const auto line = child_.read_line(slice);
    if (!line && line.error() == NoLine::closed) break;
  }
  kill();
}

WorkerEnd WorkerProcess::post_mortem() {
  // The pipe is closed before the exit status is there; a worker that lives on without it is killed.
  const auto begin = Clock::now();
  while (since(begin) < patience && !has_ended(child_.pid())) usleep(1000);
  child_.kill_group();  // what it started lives no longer than it does
  InterruptGuard::unwatch(child_.pid());
  const Exit exit = child_.wait();
  return {exit, printed()};
}

void EndingWorkers::wait() {
  for (WorkerProcess& worker : workers_) worker.dismiss();
  workers_.clear();
}

std::string WorkerProcess::printed() const {
  struct stat status {};
  if (fstat(log_, &status) != 0) return {};
  const off_t begin = std::max<off_t>(0, status.st_size - static_cast<off_t>(quoted_bytes));
  std::string tail(static_cast<std::size_t>(status.st_size - begin), '\0');
  const ssize_t count = pread(log_, tail.data(), tail.size(), begin);
  tail.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (const std::size_t mine = tail.rfind(case_separator); mine != std::string::npos) tail.erase(0, mine + 1);
  std::vector<std::string> lines;
  for (const std::string& line : split(tail, '\n'))
    if (!trim(line).empty()) lines.push_back(printable(trim(line)));
  if (lines.size() > quoted_lines) lines.erase(lines.begin(), lines.end() - quoted_lines);
  return join(lines, " | ");
}

}  // namespace harness
