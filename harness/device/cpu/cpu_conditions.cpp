#include "harness/device/cpu/cpu_conditions.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <sstream>
#include <string>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/conditions.h"
#include "harness/model/clock_reason.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr int most_cpus_read = 64;  // each costs the kernel some microseconds
constexpr std::array<std::string_view, 4> cpu_sensors{"coretemp", "k10temp", "zenpower", "cpu_thermal"};

std::optional<double> number_in(const fs::path& path) {
  const std::string text = system_file(path);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Mean {
 public:
  void add(std::optional<double> value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / count_;
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

std::optional<double> clock_in_cpuinfo(const fs::path& root) {
  Mean mean;
  std::istringstream lines(system_file(root / "proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = trim(std::string_view(line).substr(0, colon));
    const std::string_view value = trim(std::string_view(line).substr(colon + 1));
    if (key == "flags" && fmt::format(" {} ", value).find(" hypervisor ") != std::string::npos) return {};
    double megahertz = 0;
    if (key == "cpu MHz" &&
        std::from_chars(value.data(), value.data() + value.size(), megahertz).ec == std::errc{})
      mean.add(megahertz);
  }
  return mean.value();
}

std::optional<double> clock_mhz(const fs::path& root) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) CPU_SET(0, &mask);
  Mean kilohertz;
  for (int cpu = 0, read = 0; cpu < CPU_SETSIZE && read < most_cpus_read; ++cpu) {
    if (!CPU_ISSET(cpu, &mask)) continue;
    kilohertz.add(
        number_in(root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu)));
    ++read;
  }
  if (const auto mean = kilohertz.value()) return *mean / 1000;
  return clock_in_cpuinfo(root);
}

std::optional<double> temperature_c(const fs::path& root) {
  std::optional<double> hottest;
  std::error_code code;
  for (const fs::directory_entry& sensor : fs::directory_iterator(root / "sys/class/hwmon", code)) {
    const std::string name = system_file(sensor.path() / "name");
    if (std::find(cpu_sensors.begin(), cpu_sensors.end(), name) == cpu_sensors.end()) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(sensor.path(), code)) {
      const std::string input = file.path().filename().string();
      if (!wildcard_match("temp*_input", input)) continue;
      if (const auto millidegrees = number_in(file.path()))
        hottest = std::max(hottest.value_or(*millidegrees / 1000), *millidegrees / 1000);
    }
  }
  return hottest;
}

// Cores share a package's counter, so an event of a package counts once a core. It only matters whether the
// sum grows.
std::optional<std::uint64_t> throttles(const fs::path& root) {
  std::optional<std::uint64_t> sum;
  std::error_code code;
  for (const fs::directory_entry& cpu : fs::directory_iterator(root / "sys/devices/system/cpu", code))
    for (const char* counter : {"core_throttle_count", "package_throttle_count"})
      if (const auto count = number_in(cpu.path() / "thermal_throttle" / counter))
        sum = sum.value_or(0) + static_cast<std::uint64_t>(*count);
  return sum;
}

Seconds own_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void set_load(Conditions& conditions, const std::optional<HostLoad>& load) {
  conditions.load = load;
  if (conditions.load && conditions.load->others)
    conditions.other_processes = static_cast<int>(std::lround(std::min(*conditions.load->others, 1e6)));
}

}  // namespace

CpuReading read_cpu(const fs::path& root) {
  CpuReading now;
  now.clock_mhz = clock_mhz(root);
  now.temperature_c = temperature_c(root);
  now.throttles = throttles(root);
  now.host = read_host_load(root);
  now.host.own = own_time();
  return now;
}

Conditions conditions_between(const CpuReading& before, const CpuReading& after) {
  const auto one = [](const CpuReading& reading) {
    Conditions conditions;
    conditions.sm_clock_mhz = reading.clock_mhz;
    conditions.temperature_c = reading.temperature_c;
    return conditions;
  };
  Conditions both = combined(one(before), one(after));
  if (before.throttles && after.throttles && *after.throttles > *before.throttles)
    both.throttled.emplace_back(name_of(ClockReason::thermal));
  set_load(both, load_between(before.host, after.host));
  return both;
}

void CpuWatch::begin(const CpuReading& now) {
  load_.begin(now.host);
  begin_ = now;
}

std::optional<Conditions> CpuWatch::conditions_at(const CpuReading& now) const {
  Conditions conditions = conditions_between(begin_, now);
  set_load(conditions, load_.load_at(now.host));
  if (conditions == Conditions{}) return std::nullopt;
  return conditions;
}

}  // namespace harness
