// The order in which two builds are measured together.
//
// Pure function; any thread may call it.
#pragma once

#include <cstdint>

namespace harness::stats {

// Whether the current build's process of this number (from 1) comes before the baseline's. Two processes make
// a block: baseline current current baseline, or the reverse, by the seed. A linear drift then moves both
// means alike after an even number of processes, and by half a step after an odd one. The random order keeps
// other rhythms of the machine out.
bool current_first(int process, std::uint64_t seed);

}  // namespace harness::stats
