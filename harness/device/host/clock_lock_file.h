// ClockLockFile: the file that tells of a clock lock (clock_lock.h), so that later runs and `harness doctor`
// know it:
//
//   /tmp/harness-<UUID>.clocks     HARNESS_LOCK_DIR names another folder
//
// It is written before the clock is locked and removed after it is free again. The guard holds a flock on it,
// so a file that nobody holds was left behind. Files of other users, except root, are not believed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// The contents of such a file.
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

// Every clock lock of harness on this host, by the UUID. Files of an earlier boot are removed, and not told.
std::vector<ClockLockFound> find_clock_locks();
std::optional<ClockLockFound> find_clock_lock(const std::string& gpu);
std::filesystem::path clock_lock_path(const std::string& gpu);

// An open file that tells of a clock lock: a plain file of ours or root's, no link.
class ClockLockFile {
 public:
  ClockLockFile(const std::filesystem::path& path, int flags);  // of open(2)
  ClockLockFile(const ClockLockFile&) = delete;
  ClockLockFile& operator=(const ClockLockFile&) = delete;
  ~ClockLockFile();
  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }  // else errno says why
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  void close_now();
  int descriptor_ = -1;
};

}  // namespace harness
