// What the guard of a clock lock and those that find its file share. See clock_lock.h.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "harness/base/result.h"

namespace harness {

class NvmlLibrary;

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

// nvmlDeviceResetGpuLockedClocks; the error says in words what the driver answered.
Status free_clocks(const NvmlLibrary& nvml, const std::string& gpu);

}  // namespace harness
