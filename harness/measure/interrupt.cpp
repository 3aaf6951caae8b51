#include "harness/measure/interrupt.h"

#include <unistd.h>

#include <atomic>

namespace harness {
namespace {

std::atomic<int> signals_seen{0};
std::atomic<pid_t> watched_group{0};
int guards = 0;  // that live; all on one thread
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch lock-free atomics only");
static_assert(std::is_same_v<pid_t, int>);

// Async-signal-safe: atomics, kill and _exit.
void on_signal(int number) {
  if (signals_seen.fetch_add(1) == 0) return;
  if (const pid_t group = watched_group.load(); group > 0) kill(-group, SIGKILL);
  _exit(128 + number);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ == 0) signals_seen = 0;  // what one within another begins with is still to be heeded
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  watched_group = 0;
  if (--guards == 0) signals_seen = 0;
}

bool InterruptGuard::interrupted() {
  return signals_seen.load() > 0;
}

void InterruptGuard::watch(pid_t group) {
  watched_group = group;
}

}  // namespace harness
