// ClockLock: holds the SM clock of a GPU at one frequency while a run measures. Opt-in: it needs rights
// (usually root) and affects everybody on the GPU.
//
// The lock outlives the process that asked the driver for it. So take() starts a guard, a process that locks,
// waits for the end of its standard input, and undoes the lock. A run that ends in any way, even by SIGKILL,
// closes that pipe. The guard ignores every signal that it can. If it is killed, too, a file tells of the
// lock: clock_lock_file.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/host/clock_lock_file.h"

namespace harness {

class Child;

// Frees the clock of a GPU whose lock was left behind, and removes the file. The error says who holds the
// lock, or why the driver refuses.
Status undo_clock_lock(const std::string& gpu);

class ClockLock {
 public:
  // Locks the SM clock of `gpu` at `mhz`; 0: at three quarters of its highest, which leaves most work below
  // the power limit. Takes over an abandoned lock, and waits some seconds for a guard that is about to undo.
  // `guard`: the command that runs run_clock_guard(); default: this program, "clock-guard".
  static Result<ClockLock> take(const std::string& gpu, unsigned mhz, std::vector<std::string> guard = {});

  ClockLock(ClockLock&&) noexcept;
  ClockLock& operator=(ClockLock&&) = delete;
  ClockLock(const ClockLock&) = delete;
  ClockLock& operator=(const ClockLock&) = delete;
  ~ClockLock();  // undoes, and says on standard error when it could not

  [[nodiscard]] unsigned mhz() const { return mhz_; }
  [[nodiscard]] const std::string& gpu() const { return gpu_; }
  Status undo();

 private:
  ClockLock(std::string gpu, unsigned mhz, std::unique_ptr<Child> guard);

  std::string gpu_;
  unsigned mhz_;
  std::unique_ptr<Child> guard_;  // null: undone
};

// The guard itself, for the process `holder`: reads its end from standard input and answers on descriptor 3.
// Returns its exit status.
int run_clock_guard(const std::string& gpu, unsigned mhz, int holder);

}  // namespace harness
