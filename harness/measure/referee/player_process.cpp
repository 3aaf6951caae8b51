#include "harness/measure/referee/player_process.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <utility>

#include "harness/base/text.h"
#include "harness/measure/referee/messages.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness::referee {
namespace {

constexpr Seconds patience = 2;  // for a player that has closed its pipe to end
constexpr std::size_t longest_answer = 1U << 20;

// Sends a signal to all that descend from a process, but not to itself.
void signal_descendants(pid_t process, int signal) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
  for (pid_t child = 0; children >> child;) {
    kill(child, signal);
    signal_descendants(child, signal);
  }
}

}  // namespace

Result<PlayerProcess> PlayerProcess::start(const std::vector<std::string>& command) {
  Result<OutputLog> log = OutputLog::open();
  if (!log) return fail(log.error());
  const std::vector<std::string> argv =
      command.empty() ? std::vector<std::string>{this_program().string(), "worker", "--player"} : command;
  Result<Child> child = Child::start(Command{.argv = argv, .trusted = false, .dies_with_parent = true},
                                     {.out = log->descriptor(), .err = log->descriptor()});
  if (!child) return fail(child.error());
  InterruptGuard::watch(child->pid());
  return PlayerProcess(std::move(*child), std::move(*log));
}

PlayerProcess::~PlayerProcess() {
  if (child_.pid() <= 0) return;
  wake();
  child_.kill_group();
  InterruptGuard::unwatch(child_.pid());
  child_.wait();
}

void PlayerProcess::rest() {
  signal_descendants(child_.pid(), SIGSTOP);
}

void PlayerProcess::wake() {
  signal_descendants(child_.pid(), SIGCONT);
}

Figures PlayerProcess::with_printed(Figures figures) const {
  if (std::string printed = log_.last_lines(); !printed.empty()) figures.emplace_back("printed", printed);
  return figures;
}

Cause PlayerProcess::ended() {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < patience &&
         !child_.has_ended(InterruptGuard::look_every)) {
  }
  child_.kill_group();
  InterruptGuard::unwatch(child_.pid());
  const Exit exit = child_.wait();
  return {CauseCode::crashed,
          with_printed(exit.signal != 0 ? Figures{{"signal", exit.signal}} : Figures{{"status", exit.code}})};
}

tl::expected<std::string, Cause> PlayerProcess::ask(const std::string& line, std::string_view wanted,
                                                    Seconds deadline) {
  const auto fails = [](Cause cause) { return tl::unexpected<Cause>(std::move(cause)); };
  [[maybe_unused]] const Status sent = child_.send(line + "\n");  // one that has ended is found out below
  auto answer = child_.read_line(deadline, longest_answer);
  while (!answer && answer.error() == NoLine::interrupted && !InterruptGuard::interrupted())
    answer = child_.read_line(deadline, longest_answer);
  log_.limit();
  if (!answer) {
    if (answer.error() == NoLine::closed) return fails(ended());
    if (answer.error() == NoLine::timeout)
      return fails({CauseCode::timed_out, with_printed({{"limit", deadline}})});
    return fails({CauseCode::worker_unintelligible, {{"problem", "its answer cannot be read"}}});
  }
  if (*answer == wanted) return std::string();
  if (answer->starts_with(std::string(wanted) + " ")) return answer->substr(wanted.size() + 1);
  constexpr std::string_view cannot = "cannot ";
  if (answer->starts_with(cannot))
    if (Result<Cause> cause = decode_trouble(std::string_view(*answer).substr(cannot.size())))
      return fails(std::move(*cause));
  return fails(
      {CauseCode::worker_out_of_protocol, {{"message", printable(answer->substr(0, answer->find(' ')))}}});
}

}  // namespace harness::referee
