#include "harness/measure/schedule/interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace harness {
namespace {

constexpr int interrupted_status = 130;  // as cli/exit_status.h has it, whatever the signal

std::atomic<int> signals_seen{0};
std::atomic<bool> second_ends_program{true};
// The worker at hand of each device, and one that is ending. A worker that finds no room dies with its parent
// all the same.
std::array<std::atomic<pid_t>, 256> watched_reapers{};
int guards = 0;  // that live; all on one thread
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");
static_assert(std::is_same_v<pid_t, int>);

// Async-signal-safe: atomics, kill and _exit.
void on_signal(int /*number*/) {
  if (signals_seen.fetch_add(1) == 0) return;
  for (const std::atomic<pid_t>& watched : watched_reapers)
    if (const pid_t reaper = watched.load(); reaper > 0) {
      kill(reaper, SIGTERM);
      kill(reaper, SIGCONT);
    }
  if (second_ends_program.load()) _exit(interrupted_status);
}

}  // namespace

InterruptGuard::InterruptGuard(SecondSignal second) {
  if (guards++ == 0) {  // a nested guard keeps earlier signals
    signals_seen = 0;
    second_ends_program = second == SecondSignal::ends_program;
  }
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

InterruptGuard::~InterruptGuard() {
  --guards;
  if (interrupted() && !second_ends_program) return;
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  if (guards == 0) signals_seen = 0;
}

bool InterruptGuard::interrupted() {
  return signals_seen.load() > 0;
}

bool InterruptGuard::interrupted_with(int signal_of_child) {
  const bool by_another =
      signal_of_child == SIGTERM || signal_of_child == SIGINT || signal_of_child == SIGKILL;
  if (!by_another) return false;
  constexpr int looks = 100, milliseconds = 10;
  for (int look = 0; look < looks && !interrupted(); ++look) poll(nullptr, 0, milliseconds);
  return interrupted();
}

void InterruptGuard::watch(pid_t reaper) {
  for (std::atomic<pid_t>& watched : watched_reapers)
    if (pid_t nobody = 0; watched.compare_exchange_strong(nobody, reaper)) return;
}

void InterruptGuard::unwatch(pid_t reaper) {
  for (std::atomic<pid_t>& watched : watched_reapers)
    if (pid_t expected = reaper; watched.compare_exchange_strong(expected, 0)) return;
}

}  // namespace harness
