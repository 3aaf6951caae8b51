// The order in which two builds are measured together.
//
// Pure function; any thread may call it.
#pragma once

#include <cstdint>

namespace harness::stats {

// Whether the current build's process of this number (from 1) comes before the baseline's. Two processes make
// a block: baseline current current baseline, or the reverse, as the seed says. A linear drift then moves
// both builds' means by the same amount after an even number of processes, and by half a step of it after an
// odd one. No other rhythm of the machine can follow the order.
bool current_first(int process, std::uint64_t seed);

}  // namespace harness::stats
