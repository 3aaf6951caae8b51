#include "harness/device/observe/machine_of_programs.h"

#include <sched.h>

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// Adds from a file of lines "name : value" the first of each name.
void add_named_lines(std::map<std::string, std::string>& facts, const fs::path& file,
                     std::initializer_list<std::string_view> names) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name(trim(line.substr(0, colon)));
    for (const std::string_view wanted : names)
      if (name == wanted) facts.try_emplace(name, trim(line.substr(colon + 1)));
  }
}

}  // namespace

std::map<std::string, std::string> machine_facts(const fs::path& root) {
  std::map<std::string, std::string> facts;
  add_named_lines(facts, root / "proc/cpuinfo", {"model name", "flags", "microcode", "Features", "CPU part"});
  add_named_lines(facts, root / "proc/meminfo", {"MemTotal"});
  constexpr std::array<std::pair<const char*, const char*>, 5> files{
      {{"cpu.max", "sys/fs/cgroup/cpu.max"},
       {"memory.max", "sys/fs/cgroup/memory.max"},
       {"online CPUs", "sys/devices/system/cpu/online"},
       {"huge pages", "sys/kernel/mm/transparent_hugepage/enabled"},
       {"governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"}}};
  for (const auto& [name, file] : files) {
    std::ifstream in(root / file);
    if (std::string line; std::getline(in, line)) facts.emplace(name, std::move(line));
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    facts.emplace("allowed CPUs", std::to_string(CPU_COUNT(&allowed)));
  return facts;
}

}  // namespace harness
