#include "harness/measure/program/start_program.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "harness/base/environment.h"
#include "harness/device/host/host_load.h"
#include "harness/device/observe/observer.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/output_log.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_output = 256UL << 20;  // of which the end is read

// The load of the host beside the starts of a thread.
struct StartWatch {
  std::filesystem::path root = environment::system_root();
  Seconds own = 0;  // CPU time of all starts
  LoadWatch load{read()};

  [[nodiscard]] HostReading read() const {
    HostReading now = read_host_load(root);
    now.own = own;
    return now;
  }
  std::optional<HostLoad> load_after(const Usage& used) {
    own += used.user + used.system;
    HostReading now = read();
    if (const Seconds early = load.too_early_by(now); early > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(early));
      now = read();
    }
    return load.load_at(now);
  }
};

Seconds unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Where the system allows it.
void observe(Command& command, SeenFiles& seen, std::optional<Observer>& observer) {
  static const std::string problem = why_unobservable();
  if (!problem.empty()) return seen.refuse(problem);
  observer.emplace(seen);
  observer->watch(command);
}

}  // namespace

Result<ProgramEnd> start_program(const ProgramStart& start, const std::function<void()>& tick) {
  Result<OutputLog> log = OutputLog::open();
  if (!log) return fail(log.error());
  std::optional<OutputLog> output;
  if (start.keep_output) {
    Result<OutputLog> own = OutputLog::open();
    if (!own) return fail(own.error());
    output.emplace(std::move(*own));
  }
  Command command = start.command;
  command.trusted = false;
  command.dies_with_parent = true;
  ProgramEnd end;
  end.began = unix_time();
  thread_local StartWatch watch;
  watch.load.begin(watch.read());
  const auto begin = Clock::now();
  const Child::Streams streams{
      .out = output ? output->descriptor() : log->descriptor(), .err = log->descriptor(), .messages = false};
  std::optional<Observer> observer;
  if (start.seen != nullptr) observe(command, *start.seen, observer);
  Result<Child> child = Child::start(command, streams);
  if (!child && observer) {  // it may be the observer that cannot begin
    observer.reset();
    start.seen->refuse(child.error().message);
    command.before = {};
    child = Child::start(command, streams);
  }
  if (!child) return fail(child.error());
  child->end_input();
  InterruptGuard::watch(child->pid());
  while (
      !child->has_ended(std::clamp(start.timeout - seconds_since(begin), 0.0, InterruptGuard::look_every))) {
    end.interrupted = InterruptGuard::interrupted();
    end.timed_out = !end.interrupted && seconds_since(begin) >= start.timeout;
    if (end.interrupted || end.timed_out) break;
    log->limit();
    if (tick) tick();
  }
  end.wall = seconds_since(begin);
  child->kill_group();
  InterruptGuard::unwatch(child->pid());
  end.exit = child->wait();
  if (observer) observer->finish();
  end.load = watch.load_after(end.exit.used);
  if (!end.interrupted && !end.timed_out) end.interrupted = InterruptGuard::interrupted_with(end.exit.signal);
  end.printed = log->last_lines();
  if (!output) return end;
  end.output = output->tail(longest_output);
  if (end.printed.empty()) end.printed = output->last_lines();
  return end;
}

}  // namespace harness
