// Facts of the machine by which one program takes other paths: libraries choose code by the flags of the CPU,
// and programs their sizes by memory and CPUs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace harness {

// By name: flags and microcode of the first CPU, the CPUs and the memory that there are, limits of this
// control group, huge pages, and the governor. A fact that nobody tells is absent. `root`: where /proc and
// /sys are.
std::map<std::string, std::string> machine_facts(const std::filesystem::path& root);

}  // namespace harness
