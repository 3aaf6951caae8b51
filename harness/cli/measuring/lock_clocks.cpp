#include "harness/cli/measuring/lock_clocks.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>

#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/doctor/examine_gpu.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/examination_words.h"

namespace harness {
namespace {

constexpr unsigned highest_mhz = 100'000;

// 0: the usual one.
Result<unsigned> frequency_in(const std::string& text) {
  if (text == "true") return 0U;
  unsigned mhz = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), mhz);
  if (code == std::errc{} && end == text.data() + text.size() && mhz > 0 && mhz <= highest_mhz) return mhz;
  return fail(ErrorKind::usage, fmt::format("--lock-clocks: `{}` is no frequency in MHz", printable(text)),
              "write --lock-clocks=1485, or --lock-clocks for three quarters of the highest");
}

MachineField clock_field(unsigned mhz) {
  return {"clock_lock", fmt::format("{} MHz", mhz), FieldClass::block};
}

// Tells of locks that an earlier run left behind: only somebody who knows of them undoes them.
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

void add_clock_option(CLI::App& command, std::string& text) {
  command
      .add_flag("--lock-clocks", text,
                "lock the GPU's SM clock meanwhile, at =MHZ or three quarters of its highest; needs rights, "
                "concerns everybody on the GPU, is undone at the end")
      ->type_name("[=MHZ]");
}

Result<std::vector<ClockLock>> lock_clocks(Prepared& prepared, const std::string& text) {
  std::vector<ClockLock> locks;
  if (text.empty()) {
    note_left_locks(prepared);
    return locks;
  }
  const Result<unsigned> mhz = frequency_in(text);
  if (!mhz) return fail(mhz.error());
  for (const UsedDevice& used : devices_used(prepared)) {
    if (used.name == cpu_kind.name) continue;
    Result<ClockLock> lock = ClockLock::take(used.uuid, *mhz);
    if (!lock) return fail(lock.error());
    prepared.facts[used.kind] = {clock_field(lock->mhz())};
    locks.push_back(std::move(*lock));
  }
  if (locks.empty())
    return fail(ErrorKind::usage, "--lock-clocks: no case is measured on a GPU here",
                "the clock of a CPU is set by its governor: see harness doctor");
  return locks;
}

void add_clock_guard(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("clock-guard", "Hold a clock lock until the run that wants it ends");
  command->group("");  // not in --help: nobody types it
  struct Arguments {
    std::string gpu;
    unsigned mhz = 0;
    int holder = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("gpu", arguments->gpu)->required();
  command->add_option("mhz", arguments->mhz)->required();
  command->add_option("holder", arguments->holder)->required();
  command->callback([&chosen, arguments] {
    chosen = [arguments] { return run_clock_guard(arguments->gpu, arguments->mhz, arguments->holder); };
  });
}

}  // namespace harness
