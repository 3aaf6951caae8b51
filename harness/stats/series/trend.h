// Whether values rise or fall steadily in the order they were taken: within a process or across processes.
//
// Pure functions; any thread may call them.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// Least squares of value on position 0, 1, ...: `difference` is the slope per step, with n - 2 degrees
// of freedom. p_differs() is the p of "no drift" for independent normal values; multiply by n - 1 for
// the drift over the whole series. std::nullopt below three values or when a value is not finite.
std::optional<TTest> drift(std::span<const double> values);

}  // namespace harness::stats
