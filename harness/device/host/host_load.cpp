#include "harness/device/host/host_load.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/host/control_groups.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr double of_microsecond = 1e-6, of_nanosecond = 1e-9;

// The first line of /proc/stat: user nice system idle iowait irq softirq steal, in ticks. One line follows
// for each CPU. A later one tells how many threads run or wait to.
void read_stat(const fs::path& root, HostReading& now) {
  const std::string text = system_file(root / "proc/stat");
  std::istringstream first(text);
  std::string label;
  std::array<double, 8> ticks{};
  if (!(first >> label) || label != "cpu") return;
  for (double& field : ticks)
    if (!(first >> field)) return;
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  now.stolen = ticks[7] / per_second;
  now.busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / per_second + *now.stolen;
  constexpr std::string_view of_one = "\ncpu";
  int cpus = 0;
  for (std::size_t at = text.find(of_one); at != std::string::npos; at = text.find(of_one, at + 1)) ++cpus;
  if (cpus > 0) now.cpus = cpus;
  constexpr std::string_view running = "\nprocs_running ";
  const std::size_t found = text.find(running);
  if (found == std::string::npos) return;
  const double all = std::strtod(text.c_str() + found + running.size(), nullptr);
  now.queue = std::max(all - 1, 0.0);
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=18200361", in microseconds.
std::optional<Seconds> stalled_time(const fs::path& root) {
  const std::string text = system_file(root / "proc/pressure/cpu");
  constexpr std::string_view total = "total=";
  const std::size_t found = text.find(total);
  if (!text.starts_with("some ") || found == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + found + total.size(), nullptr) * of_microsecond;
}

// cpu.stat of version 2 counts microseconds, that of version 1 nanoseconds.
std::optional<Seconds> held_in(const fs::path& folder) {
  for (const std::string& line : split(system_file(folder / "cpu.stat"), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() != 2) continue;
    if (words[0] == "throttled_usec") return std::strtod(words[1].c_str(), nullptr) * of_microsecond;
    if (words[0] == "throttled_time") return std::strtod(words[1].c_str(), nullptr) * of_nanosecond;
  }
  return std::nullopt;
}

std::optional<Seconds> held_time(const fs::path& root) {
  std::optional<Seconds> sum;
  for (const fs::path& folder : control_groups(root, "cpu"))
    if (const auto held = held_in(folder)) sum = sum.value_or(0) + *held;
  return sum;
}

// A share or a number of CPUs; three digits behind the point are more than such figures hold.
double three_digits(double value) {
  return std::round(std::max(value, 0.0) * 1000) / 1000;
}

std::optional<double> rate_of(const std::optional<Seconds>& before, const std::optional<Seconds>& after,
                              Seconds elapsed) {
  if (!before || !after) return std::nullopt;
  return three_digits((*after - *before) / elapsed);
}

}  // namespace

HostReading read_host_load(const fs::path& root) {
  HostReading now;
  read_stat(root, now);
  now.stalled = stalled_time(root);
  now.held = held_time(root);
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  now.at = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * of_nanosecond;
  return now;
}

std::optional<HostLoad> load_between(const HostReading& before, const HostReading& after) {
  const Seconds elapsed = after.at - before.at;
  if (elapsed < shortest_load) return std::nullopt;
  HostLoad load;
  if (before.busy && after.busy)
    load.others = three_digits((*after.busy - *before.busy - (after.own - before.own)) / elapsed);
  load.stolen = rate_of(before.stolen, after.stolen, elapsed);
  if (before.queue && after.queue) load.queue = (*before.queue + *after.queue) / 2;
  load.stalled = rate_of(before.stalled, after.stalled, elapsed);
  load.held = rate_of(before.held, after.held, elapsed);
  if (load == HostLoad{}) return std::nullopt;
  load.cpus = after.cpus;
  return load;
}

void LoadWatch::begin(const HostReading& now) {
  if (now.at - earlier_[1].at >= shortest_load) {
    earlier_[0] = earlier_[1];
    earlier_[1] = now;
  }
  begin_ = now;
}

std::optional<HostLoad> LoadWatch::load_at(const HostReading& now) const {
  std::optional<HostLoad> load = load_between(begin_, now);
  for (const HostReading* one : {&earlier_[1], &earlier_[0]})
    if (!load) load = load_between(*one, now);
  return load;
}

Seconds LoadWatch::too_early_by(const HostReading& now) const {
  return std::max(shortest_load - (now.at - earlier_[0].at), 0.0);
}

}  // namespace harness
