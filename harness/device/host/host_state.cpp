#include "harness/device/host/host_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/cpu/cpu_facts.h"
#include "harness/device/cpu/cpu_threads.h"
#include "harness/device/host/control_groups.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr int cap_sys_admin = 21, cap_perfmon = 38;         // linux/capability.h
constexpr std::uint64_t no_limit = std::uint64_t{1} << 60;  // control groups say so with a huge number

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text = trim(text);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

// The value behind "Key:" in the lines of a file.
std::string value_of(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ':')
      return std::string(trim(std::string_view(line).substr(key.size() + 1)));
  return {};
}

std::string kernel_of(const fs::path& root) {
  const std::string release = system_file(root / "proc/sys/kernel/osrelease");
  return release.empty() ? "" : "Linux " + release;
}

bool is_cpu_folder(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void read_cpus(const fs::path& root, HostState& host) {
  std::error_code code;
  const fs::path folder = root / "sys/devices/system/cpu";
  for (const fs::directory_entry& cpu : fs::directory_iterator(folder, code)) {
    if (!is_cpu_folder(cpu.path().filename().string())) continue;
    if (system_file(cpu.path() / "online") != "0") ++host.online_cpus;
    const std::string governor = system_file(cpu.path() / "cpufreq/scaling_governor");
    if (!governor.empty() &&
        std::find(host.governors.begin(), host.governors.end(), governor) == host.governors.end())
      host.governors.push_back(governor);
  }
  std::sort(host.governors.begin(), host.governors.end());
  if (const std::string text = system_file(folder / "intel_pstate/no_turbo"); !text.empty())
    host.turbo = text == "0";
  else if (const std::string boost = system_file(folder / "cpufreq/boost"); !boost.empty())
    host.turbo = boost == "1";
  if (const std::string text = system_file(folder / "smt/active"); !text.empty()) host.smt = text == "1";
  host.isolated_cpus = system_file(folder / "isolated");
}

std::optional<double> cpus_in(const fs::path& folder) {
  if (const std::vector<std::string> words = split(system_file(folder / "cpu.max"), ' '); words.size() == 2) {
    const auto quota = number_in<double>(words[0]), period = number_in<double>(words[1]);
    if (quota && period && *period > 0) return *quota / *period;
    return std::nullopt;  // "max"
  }
  const auto quota = number_in<double>(system_file(folder / "cpu.cfs_quota_us"));
  const auto period = number_in<double>(system_file(folder / "cpu.cfs_period_us"));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<std::uint64_t> memory_in(const fs::path& folder) {
  for (const char* file : {"memory.max", "memory.limit_in_bytes"})
    if (const auto limit = number_in<std::uint64_t>(system_file(folder / file)); limit && *limit < no_limit)
      return limit;
  return std::nullopt;
}

// A limit of any group counts.
template <class Limit>
auto least_limit(const fs::path& root, std::string_view controller, Limit&& limit_in) {
  decltype(limit_in(root)) least;
  for (const fs::path& folder : control_groups(root, controller))
    if (const auto limit = limit_in(folder); limit && (!least || *limit < *least)) least = limit;
  return least;
}

}  // namespace

HostState read_host(const fs::path& root) {
  HostState host;
  host.cpu = cpu_model(root);
  host.kernel = kernel_of(root);
  host.usable_cpus = usable_threads();
  for (const MachineField& field : host_machine(host.usable_cpus, root).fields) {
    if (field.name == "container") host.container = field.value;
    if (field.name == "virtualisation") host.virtual_machine = field.value == "virtual machine";
  }
  read_cpus(root, host);
  host.cpu_limit = least_limit(root, "cpu", cpus_in);
  host.memory_limit = least_limit(root, "memory", memory_in);
  host.load = number_in<double>(system_file(root / "proc/loadavg")).value_or(0);
  if (const auto kib = number_in<std::uint64_t>(value_of(system_file(root / "proc/meminfo"), "MemAvailable")))
    host.memory_available = *kib << 10;
  const std::string tracer = value_of(system_file(root / "proc/self/status"), "TracerPid");
  if (!tracer.empty() && tracer != "0") {
    const std::string name = system_file(root / "proc" / tracer / "comm");
    host.traced_by = fmt::format("{} (process {})", name.empty() ? "another process" : name, tracer);
  }
  return host;
}

std::string boot_identity(const fs::path& root) {
  return system_file(root / "proc/sys/kernel/random/boot_id");
}

DriverParameters read_driver_parameters(const fs::path& root) {
  const fs::path folder = root / "proc/driver/nvidia";
  DriverParameters driver;
  const std::string version = system_file(folder / "version");
  const std::string parameters = system_file(folder / "params");
  driver.loaded = !version.empty() || !parameters.empty();
  const std::string first = version.substr(0, version.find('\n'));
  driver.open_module = first.find("Open Kernel Module") != std::string::npos;
  for (const std::string& word : split(first, ' '))
    if (driver.version.empty() && !word.empty() && word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      driver.version = word;
  // Older modules print the name of the option, later ones what the driver calls it inside.
  for (const char* key : {"RmProfilingAdminOnly", "RestrictProfilingToAdminUsers"})
    if (const std::string value = value_of(parameters, key); !value.empty())
      driver.counters_for_admins_only = value != "0";
  return driver;
}

bool may_read_counters(const fs::path& root) {
  const std::string text = value_of(system_file(root / "proc/self/status"), "CapEff");
  std::uint64_t capabilities = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), capabilities, 16);
  if (error != std::errc{}) return false;
  return ((capabilities >> cap_sys_admin) & 1U) != 0 || ((capabilities >> cap_perfmon) & 1U) != 0;
}

std::vector<MachineField> host_fields(const fs::path& root) {
  const HostState host = read_host(root);
  const DriverParameters driver = read_driver_parameters(root);
  std::vector<MachineField> fields;
  const auto add = [&](const char* name, std::string value, FieldClass kind) {
    if (!value.empty()) fields.push_back({name, std::move(value), kind});
  };
  add("cpu", host.cpu, FieldClass::warn);
  add("kernel", host.kernel, FieldClass::warn);
  add("container", host.container, FieldClass::info);
  if (driver.counters_for_admins_only)
    add("counters", *driver.counters_for_admins_only ? "administrators only" : "everybody", FieldClass::info);
  if (driver.loaded) add("kernel_module", driver.open_module ? "open" : "proprietary", FieldClass::info);
  return fields;
}

}  // namespace harness
