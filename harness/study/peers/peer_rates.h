// Peer rates: how often the rules of other tools call a case slower between random halves of one run.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/error_rates.h"

namespace harness {

// Random halves of `processes` a side, the same for all cases, as those of halves_of() (selftest.h). A rule
// that compares with a longer history gets as much of it as a half holds. Several threads; the same seed
// gives the same rates on any number of them. Only the metrics that decide, and those with times above 0.
std::vector<PeerRate> peer_rates(const Record& record, int processes, std::size_t splits, std::uint64_t seed);

}  // namespace harness
