// DeviceLock: two runs on one host never measure on the same device. The parent of a run holds the lock of
// each device while its workers measure, in a file that every user of the host can open:
//
//   /tmp/harness-<device>.lock     <device>: its UUID, or "cpu"; HARNESS_LOCK_DIR names another folder
//
// The lock is flock()'s, so the kernel gives it back however its holder ends; the file stays. It names the
// holder, for the message to others that wait. Containers exclude each other when they share the folder.
// A run that waits is in a queue, a second file (.queue). So one that wants the device alone comes before
// those that would share it later. A run that was stopped while it waits holds up nobody for longer than two
// seconds.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/base/units.h"

namespace harness {

struct LockRequest {
  std::string device;               // identity of the device
  std::string purpose;              // what it is wanted for, shown to others: "suite fusion"
  std::optional<Seconds> patience;  // how long to wait; std::nullopt: as long as it takes; 0: not at all
  std::function<void(const std::string& message)> on_wait;  // called once when it has to wait
  bool shared = false;              // with others that share it: each uses a part of the device
  std::function<void()> tick = {};  // called several times a second while it waits
};

class DeviceLock {
 public:
  // The error names the holder (its process, purpose and since when). A signal that an InterruptGuard sees
  // ends the wait with an error, too.
  static Result<DeviceLock> take(const LockRequest& request);

  DeviceLock(DeviceLock&& other) noexcept;
  DeviceLock& operator=(DeviceLock&& other) noexcept;
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  ~DeviceLock();

  static std::filesystem::path path_of(const std::string& device);

 private:
  explicit DeviceLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace harness
