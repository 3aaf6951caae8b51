#include "harness/measure/schedule/worker_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/stack_padding.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/worker/python_worker.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Seconds patience = 5;  // for a worker that has said everything to end

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::vector<std::string>& command, const Job& job,
                                           const std::filesystem::path& folder) {
  Result<OutputLog> log = OutputLog::open();
  if (!log) return fail(log.error());
  std::vector<std::string> argv =
      command.empty() ? std::vector<std::string>{this_program().string(), "worker"} : command;
  if (needs_python(job)) argv.emplace_back("--python");
  Command start{.argv = argv, .folder = folder, .trusted = false, .dies_with_parent = true};
  if (!is_gpu_device(job.device))
    start.environment.emplace(stack_padding_variable, stack_padding(job.process));
  Result<Child> child = Child::start(start, {.out = log->descriptor(), .err = log->descriptor()});
  if (!child) return fail(child.error());
  InterruptGuard::watch(child->pid());
  Job sealed = job;
  sealed.key = random_uuid();
  WorkerProcess worker(std::move(*child), std::move(*log), sealed.key);
  // A worker that died before it read its job is found out by next(), with its last words.
  [[maybe_unused]] const Status sent = worker.child_.send(encode(sealed) + "\n");
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (child_.pid() > 0) kill();
}

void WorkerProcess::begin() {
  child_.end_input();
}

WorkerProcess::Event WorkerProcess::next(Seconds deadline, const std::function<void()>& tick) {
  const auto begin = Clock::now();
  while (true) {
    if (InterruptGuard::interrupted()) return Interrupted{};
    const Seconds left = deadline - seconds_since(begin);
    auto line = child_.read_line(std::clamp(left, 0.0, InterruptGuard::look_every));
    if (line && (sealed_ || is_sealed(*line))) {
      std::optional<std::string> opened = seal_.open(*line);
      if (!opened || (!sealed_ && *opened != seal_begins)) return Forged{};
      if (!std::exchange(sealed_, true)) continue;
      line = std::move(*opened);
    }
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
    [[maybe_unused]] const bool resumed = child_.has_ended(0);
    log_.limit();
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
  while (seconds_since(begin) < patience && !child_.has_ended(0) && !InterruptGuard::interrupted()) {
    const auto line = child_.read_line(InterruptGuard::look_every);
    if (!line && line.error() == NoLine::closed) break;
  }
  kill();
}

WorkerEnd WorkerProcess::post_mortem() {
  // The pipe is closed before the exit status is there; a worker that lives on without it is killed.
  const auto begin = Clock::now();
  while (seconds_since(begin) < patience && !child_.has_ended(InterruptGuard::look_every)) {
  }
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
  return log_.last_lines(case_separator);
}

}  // namespace harness
