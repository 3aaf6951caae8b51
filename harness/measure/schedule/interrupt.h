// Ctrl-C and SIGTERM while a run goes on: the first asks it to stop, the second ends the program at
// once with status 130. Guards are of the thread that runs the plan; the old handlers come back with the
// destructor of the last.
#pragma once

#include <sys/types.h>
#include <csignal>

namespace harness {

// For a program that has something to give back before it ends: more signals end its children and never the
// program. After a signal its handlers stay, because the program is about to end.
enum class SecondSignal { ends_program, ends_children };

class InterruptGuard {
 public:
  // Within another guard, that one's `second` holds.
  explicit InterruptGuard(SecondSignal second = SecondSignal::ends_program);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Seconds between two looks of a program that waits.
  static constexpr double look_every = 0.2;

  [[nodiscard]] static bool interrupted();

  // A child was killed by this signal (0: by none). A scheduler that ends a job sends SIGTERM to each process
  // in turn, and the child or its reaper can be the first. True: a signal came to this program, too, within a
  // second.
  [[nodiscard]] static bool interrupted_with(int signal_of_child);

  // The reapers of children that a second signal ends before the program ends. From any thread. Forget a
  // child before it is waited for, because its number may then be reused.
  static void watch(pid_t reaper);
  static void unwatch(pid_t reaper);

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace harness
