// Whether values that should be independent depend on those before them: within a process (warm-up,
// throttling, steps of a clock) or across processes in the order they ran. For a steady rise or fall,
// see trend.h.
//
// Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace harness::stats {

// r_k = sum (x_t - m)(x_{t+k} - m) / sum (x_t - m)^2 (Box & Jenkins 1970). std::nullopt without
// variance, with lag >= n, or when a value is not finite.
std::optional<double> autocorrelation(std::span<const double> values, std::size_t lag = 1);

// Wald & Wolfowitz (1940): how often the values cross their median. Values equal to the median are left
// out. Few runs: clumps or drift; many: alternation. p by the exact distribution of the number of runs
// up to 1000 values, beyond by its normal limit with continuity correction.
struct RunsTest {
  std::size_t runs = 0;
  std::size_t above = 0, below = 0;  // values on each side of the median
  double expected = 0;               // 1 + 2 above below / (above + below)
  double p_few = 1;                  // P(as few runs or fewer)
  double p_many = 1;                 // P(as many runs or more)
  double p = 1;                      // two-sided: twice the smaller, at most 1
};
// std::nullopt when all values equal the median or a value is NaN.
std::optional<RunsTest> runs_test(std::span<const double> values);

}  // namespace harness::stats
