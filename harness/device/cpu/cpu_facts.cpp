#include "harness/device/cpu/cpu_facts.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t assumed_cache_bytes = std::size_t{32} << 20;

std::string cpuinfo_value(const std::string& cpuinfo, std::string_view key) {
  for (const std::string& line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == key)
      return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

// "32768K" -> bytes.
std::size_t cache_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return unit == "K" ? value << 10 : unit == "M" ? value << 20 : value;
}

std::string container(const fs::path& root) {
  std::error_code code;
  if (fs::exists(root / ".dockerenv", code)) return "docker";
  if (fs::exists(root / "run/.containerenv", code)) return "podman";
  const std::string groups = system_file(root / "proc/1/cgroup");
  for (const char* kind : {"docker", "kubepods", "lxc", "containerd"})
    if (groups.find(kind) != std::string::npos) return kind;
  return "none seen";
}

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? fmt::format("{} {}", names.sysname, names.release) : "";
}

std::string build_type() {
#ifdef __OPTIMIZE__
  return "optimised";
#else
  return "not optimised";
#endif
}

std::string or_unknown(std::string text) {
  return text.empty() ? "unknown" : std::move(text);
}

}  // namespace

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : to_lower(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  if (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "unknown" : out;
}

std::string cpu_model(const fs::path& root) {
  const std::string cpuinfo = system_file(root / "proc/cpuinfo");
  for (const char* key : {"model name", "Processor", "cpu model"})
    if (std::string value = cpuinfo_value(cpuinfo, key); !value.empty()) return value;
  utsname names{};
  return uname(&names) == 0 ? std::string(names.machine) : "unknown";
}

std::size_t last_level_cache_bytes(const fs::path& root) {
  // The deepest level of each CPU; instances are told apart by the CPUs that share them.
  std::map<std::pair<int, std::string>, std::size_t> instances;
  int deepest = 0;
  std::error_code code;
  for (const fs::directory_entry& cpu : fs::directory_iterator(root / "sys/devices/system/cpu", code)) {
    const fs::path caches = cpu.path() / "cache";
    for (const fs::directory_entry& cache : fs::directory_iterator(caches, code)) {
      const std::string level_text = system_file(cache.path() / "level");
      int level = 0;
      std::from_chars(level_text.data(), level_text.data() + level_text.size(), level);
      const std::size_t bytes = cache_size(system_file(cache.path() / "size"));
      if (level == 0 || bytes == 0) continue;
      deepest = std::max(deepest, level);
      instances[{level, system_file(cache.path() / "shared_cpu_list")}] = bytes;
    }
  }
  std::size_t total = 0;
  for (const auto& [key, bytes] : instances)
    if (key.first == deepest) total += bytes;
  return total > 0 ? total : assumed_cache_bytes;
}

Machine host_machine(int threads, const fs::path& root) {
  const std::string model = cpu_model(root);
  const std::string cpuinfo = system_file(root / "proc/cpuinfo");
  const bool hypervisor =
      (" " + cpuinfo_value(cpuinfo, "flags") + " ").find(" hypervisor ") != std::string::npos;
  Machine machine;
  machine.machine_class = "cpu-" + slug(model);
  machine.device_uuid = content_hash(system_file(root / "etc/machine-id") + "\n" + model);
  const auto add = [&](std::string name, std::string value, FieldClass kind) {
    machine.fields.push_back({std::move(name), or_unknown(std::move(value)), kind});
  };
  add("cpu", model, FieldClass::block);
  add("threads", std::to_string(threads), FieldClass::block);
  add("governor", system_file(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
      FieldClass::warn);
  add("kernel", kernel_release(), FieldClass::warn);
  add("compiler", __VERSION__, FieldClass::warn);
  add("build", build_type(), FieldClass::warn);
  add("last_level_cache", fmt::format("{} MiB", last_level_cache_bytes(root) >> 20), FieldClass::info);
  add("virtualisation", hypervisor ? "virtual machine" : "none seen", FieldClass::info);
  add("container", container(root), FieldClass::info);
  return machine;
}

}  // namespace harness
