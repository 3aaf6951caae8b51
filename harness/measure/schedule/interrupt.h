// Ctrl-C and SIGTERM while a run goes on: the first asks it to stop, the second ends the program at
// once. One guard at a time, from the thread that runs the plan; the old handlers come back with its
// destructor.
#pragma once

#include <sys/types.h>
#include <csignal>

namespace harness {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();

  // The process groups that a second signal kills before the program ends. From any thread. Forget a group
  // before its leader is reaped, because its number may then be reused.
  static void watch(pid_t group);
  static void unwatch(pid_t group);

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace harness
