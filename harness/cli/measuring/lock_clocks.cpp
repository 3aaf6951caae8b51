#include "harness/cli/measuring/lock_clocks.h"

#include <fmt/format.h>

#include <cstdio>

#include "harness/base/text.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/doctor/examine_gpu.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/examination_words.h"

namespace harness {
namespace {

MachineField clock_field(unsigned mhz) {
  return {"clock_lock", fmt::format("{} MHz", mhz), FieldClass::block};
}

// Warns about locks that an earlier run left behind, so that the user can undo them.
void note_left_locks(Prepared& prepared) {
  for (const ClockLockFound& lock : find_clock_locks()) {
    if (lock.held) continue;
    fmt::print(stderr,
               "warning: {}; times measured there do not compare with others. Undo it: "
               "harness doctor --unlock-clocks\n",
               report::words(examine_clock_lock(lock)));
    for (const UsedDevice& used : devices_used(prepared))
      if (used.uuid == lock.note.gpu) prepared.facts[used.kind] = {clock_field(lock.note.mhz)};
  }
}

}  // namespace

Result<std::vector<ClockLock>> lock_clocks(Prepared& prepared, const ClockOption& option) {
  std::vector<ClockLock> locks;
  if (!option.lock) {
    note_left_locks(prepared);
    return locks;
  }
  for (const UsedDevice& used : devices_used(prepared)) {
    if (!is_gpu_kind(used.kind) && !is_scripted_device(used.name)) continue;
    Result<ClockLock> lock = ClockLock::take(used.uuid, option.mhz);
    if (!lock) return fail(lock.error());
    prepared.facts[used.kind] = {clock_field(lock->mhz())};
    locks.push_back(std::move(*lock));
  }
  if (locks.empty())
    return fail(ErrorKind::usage, "--lock-clocks: no case is measured on a GPU here",
                "the clock of a CPU is set by its governor: see harness doctor");
  return locks;
}

}  // namespace harness
