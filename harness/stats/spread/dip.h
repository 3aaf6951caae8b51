// The dip test (Hartigan & Hartigan 1985): whether values come from a distribution with one mode.
//
// Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace harness::stats {

// The largest distance between the empirical distribution of `sorted` (ascending, finite) and the
// nearest unimodal one, which may have an atom at its mode: 0 for fewer than two different values,
// otherwise up to 1/4. Shift and scale do not matter.
double dip(std::span<const double> sorted);

// P(dip of `count` uniform values >= `dip`). Among unimodal distributions the uniform one dips most, so
// for others this p is too large rather than too small. Interpolated in a table of simulated quantiles
// (dip_table.h) for counts from 4 on; never below 1e-4, and 1 for fewer than 4 values.
double dip_p(double dip, std::size_t count);

}  // namespace harness::stats
