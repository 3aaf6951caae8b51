// DeviceToken: several workers of a run share a device, and the one that holds the token uses it. The others
// make inputs and compare results meanwhile, which takes as long as the device's own work.
//
//   DeviceToken token = ...;               // alone: all of it does nothing
//   token.take();                          // before the device is opened; held until the process ends
//   {
//     const WithoutDevice apart(parts...); // host work, in which nothing touches the device
//   }
//
// The locks are byte ranges of a file that the parent makes for the run. They are fcntl's of an open file, so
// the kernel gives them back however a worker ends:
//
//   byte 0       the token
//   byte 1       quiet: shared by host work; alone for a case whose samples read the host's clock
//   byte 2...    one for each worker that has opened the device
//
// No deadlock: who waits for the token holds nothing; who waits for quiet alone holds the token, which host
// work does not need to end. One thread of a worker uses it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "harness/base/result.h"
#include "harness/device/device.h"
#include "harness/measure/worker/phases.h"

namespace harness {

class DeviceToken {
 public:
  // Called before and after it waits for a lock.
  using OnWait = std::function<void(bool waits)>;

  // For a worker that is alone.
  DeviceToken() = default;
  // `file`: the run's; "": the worker is alone.
  static Result<DeviceToken> open(const std::filesystem::path& file, OnWait on_wait = {});

  DeviceToken(DeviceToken&& other) noexcept;
  DeviceToken& operator=(DeviceToken&& other) noexcept;
  DeviceToken(const DeviceToken&) = delete;
  DeviceToken& operator=(const DeviceToken&) = delete;
  ~DeviceToken();

  [[nodiscard]] bool shared() const { return descriptor_ >= 0; }

  // Waits for the token. A lock that fails ends the process, because the device must not be used without it.
  void take();
  // False: another worker holds it.
  bool try_take();
  // The device is idle. From here to take() this worker's host work is shared.
  void give();

  // From here on nobody does host work while this worker holds the token; false: until here.
  void keep_quiet(bool quiet);

  // Tells the other workers that this one is about to open the device.
  void enter();
  // How many other workers have it open.
  [[nodiscard]] int others() const;

 private:
  explicit DeviceToken(int descriptor, OnWait on_wait)
      : descriptor_(descriptor), on_wait_(std::move(on_wait)) {}

  void lock(short how, int byte) const;
  void unlock(int byte) const;

  int descriptor_ = -1;
  OnWait on_wait_;
  bool quiet_ = false;
};

// Gives the token away around host work that is worth it. `token` may be null. Its waiting is the phase
// `wait`.
class [[nodiscard]] WithoutDevice {
 public:
  // `bytes` and `operations`: of the host work, roughly. With little of it the token stays, because a worker
  // waits for the other's samples when it wants the token back.
  WithoutDevice(Device& device, DeviceToken* token, Phases& phases, std::size_t bytes, double operations = 0);
  WithoutDevice(const WithoutDevice&) = delete;
  WithoutDevice& operator=(const WithoutDevice&) = delete;
  ~WithoutDevice();

 private:
  Device& device_;
  DeviceToken* token_;  // null: it was not given away
  Phases& phases_;
  Scope lent_;
};

// Nobody does host work from ask() to its end. `token` may be null.
class QuietHost {
 public:
  QuietHost(DeviceToken* token, Phases& phases) : token_(token), phases_(phases) {}
  QuietHost(const QuietHost&) = delete;
  QuietHost& operator=(const QuietHost&) = delete;
  ~QuietHost();

  void ask();

 private:
  DeviceToken* token_;
  Phases& phases_;
};

}  // namespace harness
