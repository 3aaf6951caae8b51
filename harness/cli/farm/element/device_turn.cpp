#include "harness/cli/farm/element/device_turn.h"

#include <utility>

#include "harness/cli/farm/element/ask_patiently.h"

namespace harness {
namespace {

constexpr Seconds between_turns = 0.1;  // others try to lock a device every 0.05 s

}  // namespace

Status DeviceTurn::keep(int gpus, const Lock& lock) {
  const bool same = gpus_ && *gpus_ == gpus;
  if (same && std::chrono::duration<double>(Clock::now() - began_).count() <= longest_) return {};
  end();
  if (same) rest(between_turns);
  Result<std::vector<DeviceLock>> locks = lock();
  if (!locks) return fail(locks.error());
  locks_ = std::move(*locks);
  gpus_ = gpus;
  began_ = Clock::now();
  return {};
}

void DeviceTurn::end() {
  workers_.wait();
  locks_.clear();
  gpus_.reset();
}

}  // namespace harness
