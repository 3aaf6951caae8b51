// ClockLock: the SM clock of a GPU held at one frequency while a run measures. Opt-in: it needs rights (root,
// as a rule) and concerns everybody on the GPU. The lock outlives the process that asked the driver for it,
// so somebody has to undo it however that process ends. That is a guard: a process of its own, started by
// take(), that locks, waits for the end of its standard input and undoes. A run that ends, throws, is
// interrupted or is killed with SIGKILL closes that pipe, and the guard heeds no signal that it can ignore.
// Should the guard be killed as well, a file tells later runs and `harness doctor`:
//
//   /tmp/harness-<UUID>.clocks     HARNESS_LOCK_DIR names another folder
//
// It is written before the clock is locked and removed after it is free again; the guard holds a flock on it,
// so a file that nobody holds was left behind. Files of other users, root apart, are not believed.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

class Child;

// What stands in such a file.
struct ClockLockNote {
  std::string gpu;  // UUID
  unsigned mhz = 0;
  int process = 0;    // that wanted the lock
  std::string since;  // UTC
  std::string boot;   // of the kernel at that time: a reboot undoes every lock
};
std::string encode(const ClockLockNote& note);
Result<ClockLockNote> decode_clock_lock(std::string_view text, const std::string& source);  // version 1

struct ClockLockFound {
  ClockLockNote note;
  bool held = false;  // by a living guard
};

// Every lock of harness's on this host, by the UUID; files of an earlier boot are removed and not told.
std::vector<ClockLockFound> find_clock_locks();
std::optional<ClockLockFound> find_clock_lock(const std::string& gpu);
std::filesystem::path clock_lock_path(const std::string& gpu);

// Frees the clock of a GPU whose lock was left behind, and removes the file. The error says who holds the
// lock, or why the driver refuses.
Status undo_clock_lock(const std::string& gpu);

// "process 4711 (since 2026-11-20T05:40:00Z) locked the SM clock of GPU-A at 1485 MHz": for messages.
std::string described(const ClockLockNote& note);

class ClockLock {
 public:
  // Locks the SM clock of `gpu` at `mhz`; 0: at three quarters of its highest, which leaves most work below
  // the power limit. Takes over what was left behind, and waits some seconds for a guard that is about to
  // undo. `guard`: the command that runs run_clock_guard(); default: this program, "clock-guard".
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
