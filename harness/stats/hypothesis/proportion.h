// How well a rate is known from counts. Pure functions.
#pragma once

#include <cstddef>

#include "harness/stats/hypothesis/welch.h"

namespace harness::stats {

// Clopper & Pearson's (1934) exact interval of a proportion: `successes` of `trials`, `confidence`
// in (0, 1). [0, 1] without trials.
Bounds clopper_pearson(std::size_t successes, std::size_t trials, double confidence);

}  // namespace harness::stats
