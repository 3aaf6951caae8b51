#include "harness/device/cuda/timing/watchdog.h"

#include <algorithm>
#include <utility>

namespace harness::cuda {

Watchdog::Watchdog(std::function<void()> on_deadline) : on_deadline_(std::move(on_deadline)) {
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::arm(Seconds deadline) {
  // A day is longer than any deadline, and keeps absurd values inside the clock's range.
  const std::chrono::duration<double> wait(std::clamp(deadline, 0.0, 86400.0));
  const auto due = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
  bool sleeps_past_it = false;
  {
    const std::lock_guard lock(mutex_);
    due_ = due;
    fired_ = false;
    sleeps_past_it = !awake_ || *awake_ > due;
  }
  if (sleeps_past_it) changed_.notify_one();
}

bool Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  due_.reset();
  return std::exchange(fired_, false);
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    awake_ = due_;
    if (!due_) {
      changed_.wait(lock);
    } else if (Clock::now() >= *due_) {
      due_.reset();
      fired_ = true;
      on_deadline_();
    } else {
      // A copy: the wait must not read members that arm() changes meanwhile.
      const Clock::time_point until = *due_;
      changed_.wait_until(lock, until);
    }
  }
}

}  // namespace harness::cuda
