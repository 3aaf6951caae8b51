#include "harness/device/code/kernel_launches.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace harness {
namespace {

constexpr double microseconds_per_nanosecond = 1e-3;

// Launches that are one kernel in the record: alike except for their time.
struct Group {
  const KernelLaunch* like = nullptr;
  std::vector<std::uint64_t> durations;  // ns
};

bool alike(const KernelLaunch& one, const KernelLaunch& other) {
  return one.name == other.name && one.grid == other.grid && one.block == other.block &&
         one.registers == other.registers && one.static_shared_bytes == other.static_shared_bytes &&
         one.dynamic_shared_bytes == other.dynamic_shared_bytes && one.local_bytes == other.local_bytes;
}

bool has_time(const KernelLaunch& launch) {
  return launch.started > 0 && launch.ended >= launch.started;
}

double median_us(std::vector<std::uint64_t>& durations) {
  std::sort(durations.begin(), durations.end());
  const std::size_t middle = durations.size() / 2;
  const double upper = static_cast<double>(durations[middle]);
  const double lower = durations.size() % 2 == 1 ? upper : static_cast<double>(durations[middle - 1]);
  return (lower + upper) / 2 * microseconds_per_nanosecond;
}

std::vector<Group> group(const std::vector<const KernelLaunch*>& launches) {
  std::vector<Group> groups;
  for (const KernelLaunch* launch : launches) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const Group& one) { return alike(*one.like, *launch); });
    Group& one = found != groups.end() ? *found : groups.emplace_back(Group{launch, {}});
    one.durations.push_back(launch->ended - launch->started);
  }
  return groups;
}

KernelUse use_of(Group& one, std::size_t calls, const CodeOf& code) {
  const KernelLaunch& like = *one.like;
  KernelUse use;
  use.name = demangled(like.name);
  use.grid = like.grid;
  use.block = like.block;
  use.registers = like.registers;
  use.static_shared_bytes = like.static_shared_bytes;
  use.dynamic_shared_bytes = like.dynamic_shared_bytes;
  use.local_bytes = like.local_bytes;
  use.launches = static_cast<int>(one.durations.size() / calls);
  use.us = median_us(one.durations);
  if (code) use.code = code(like.name);
  return use;
}

}  // namespace

Result<std::vector<KernelUse>> kernel_uses(const std::vector<KernelLaunch>& launches,
                                           const std::vector<CallWindow>& windows, std::size_t calls,
                                           const CodeOf& code) {
  const auto untimed = std::count_if(launches.begin(), launches.end(),
                                     [](const KernelLaunch& launch) { return !has_time(launch); });
  if (untimed > 0)
    return fail(ErrorKind::environment,
                fmt::format("the profiler took no time of {} of {} launches", untimed, launches.size()));
  std::vector<const KernelLaunch*> within;
  for (const KernelLaunch& launch : launches)
    if (std::any_of(windows.begin(), windows.end(), [&](const CallWindow& window) {
          return launch.started >= window.begin && launch.started <= window.end;
        }))
      within.push_back(&launch);
  std::stable_sort(within.begin(), within.end(), [](const KernelLaunch* one, const KernelLaunch* other) {
    return one->started < other->started;
  });
  const std::size_t all = windows.size() * calls;
  std::vector<KernelUse> uses;
  for (Group& one : group(within)) {
    if (one.durations.size() % all != 0)
      return fail(ErrorKind::environment,
                  fmt::format("{} calls launched `{}` {} times, so they are not alike", all,
                              demangled(one.like->name), one.durations.size()),
                  "choose algorithm and launch shape when the kernel is constructed, not in run()");
    uses.push_back(use_of(one, all, code));
  }
  return uses;
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace harness
