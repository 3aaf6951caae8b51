// Facts of this machine's CPU, from /proc and /sys. A missing file (in a container, on another architecture)
// gives an empty value, not an error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/model/record.h"

namespace harness {

// Lower case; each run of other characters than letters and digits becomes one '-', with none at the ends:
// "AMD EPYC(tm) 9654" -> "amd-epyc-tm-9654". "unknown" when nothing is left.
std::string slug(std::string_view text);

// "model name" of /proc/cpuinfo; on machines without one, the architecture.
std::string cpu_model(const std::filesystem::path& root = "/");

// Bytes of last-level cache, summed over its instances; 32 MiB when the system does not say.
std::size_t last_level_cache_bytes(const std::filesystem::path& root = "/");

// Machine class, identity and fields of this host for `threads` usable hardware threads. The identity
// is a hash of the machine id and the CPU model, so the raw id leaves no trace in a record.
Machine host_machine(int threads, const std::filesystem::path& root = "/");

}  // namespace harness
