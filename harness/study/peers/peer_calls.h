// Peer calls: how other tools call a benchmark slower, each written from its documentation, at its default
// settings. tests/scoreboard/peers.json has the answers of the real programs on ten inputs; its README.md
// tells where a guess missed.
//
// Pure functions; any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace harness::peers {

using Values = std::vector<double>;

enum class Call { slower, faster, same, undecided };

// One run of a benchmark: the samples of a process, and the clock at each.
struct Timed {
  Values times;   // any unit
  Values clocks;  // as many as times; empty: unknown
};

// NVBench, nvbench-compare-legacy: a change of the means beyond the smaller of both relative sds.
Call nvbench_legacy(const Timed& before, const Timed& after);

// NVBench, nvbench-compare-robust with its preset "default" and samples (--jsonbin).
Call nvbench_robust(const Timed& before, const Timed& after);

// Google Benchmark, compare.py: Mann-Whitney's U test of the repetitions at 5 %, and the sign of the change
// of the means.
struct UTest {
  double p = 1;
  Call call = Call::same;
};
UTest google_benchmark(std::span<const double> before, std::span<const double> after);

// criterion.rs: a bootstrapped t-test at 5 %, and the bootstrapped 95 % interval of the change of the mean
// beyond 1 %. The real one draws 100,000 resamples, for the change from only 317 of the new run.
Call criterion(std::span<const double> before, std::span<const double> after, std::size_t resamples,
               std::uint64_t seed);

// asv continuous: medians apart by a factor of 1.1, and a U test at 0.2 % that takes ties as the least
// significant order.
Call asv(std::span<const double> before, std::span<const double> after);

// github-action-benchmark: more than 200 % of the value before.
Call ratio(double before, double after);

// Bencher, t_test with an upper boundary of 0.99: above the prediction interval of the values before.
// undecided: fewer than two, or all the same.
Call bencher(std::span<const double> history, double after);
double bencher_limit(std::span<const double> history, double boundary);

// Apache Otava's change points of a series, by index of the first value after the change.
std::vector<std::size_t> otava(std::span<const double> values);

}  // namespace harness::peers
