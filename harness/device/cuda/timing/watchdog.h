// Watchdog: calls a function at a deadline, unless disarmed before. It opens the launch gate for a thread
// that is blocked inside a kernel's run(). The constructor starts a thread, the destructor joins it.
//
// Arming costs a lock and a clock reading. The thread is woken only when it would sleep past the new
// deadline.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/base/units.h"

namespace harness::cuda {

class Watchdog {
 public:
  // `on_deadline` runs on the watchdog's thread, under its lock: keep it short, never call back.
  explicit Watchdog(std::function<void()> on_deadline);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  // Starts the count-down, replacing one that runs. A deadline of zero or less is due at once.
  void arm(Seconds deadline);

  // Ends the count-down. True when `on_deadline` was called since arm(). It is not called again before the
  // next arm().
  bool disarm();

 private:
  using Clock = std::chrono::steady_clock;

  void watch();

  std::function<void()> on_deadline_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Clock::time_point> due_;    // set while armed
  std::optional<Clock::time_point> awake_;  // when the thread wakes by itself; unset: never
  bool fired_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace harness::cuda
