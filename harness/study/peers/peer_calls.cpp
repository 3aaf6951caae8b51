#include "harness/study/peers/peer_calls.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/estimate/random.h"
#include "harness/stats/hypothesis/t_test.h"

namespace harness::peers {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Values sorted(std::span<const double> values) {
  Values copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double normal_tail(double z) {
  return stats::students_t_tail(infinity, z);
}

// --- NVBench's robust comparison -----------------------------------------------------------------

struct Range {
  double low = 0, center = 0, high = 0;
};

Range interval_of(const Values& values) {
  const Values ordered = sorted(values);
  return {ordered.front(), stats::quantile_sorted(ordered, 0.5), stats::quantile_sorted(ordered, 0.75)};
}

constexpr double clear_gap = 0.005, close = 0.005, least_overlap = 0.5;
constexpr double sample_coverage = 0.97, support_coverage = 0.8;
constexpr double rare_fraction = 0.001, most_removed = 0.01;

Call gap_between(const Range& before, const Range& after) {
  if (after.high < before.low && (before.low - after.high) / after.high >= clear_gap) return Call::faster;
  if (after.low > before.high && (after.low - before.high) / before.high >= clear_gap) return Call::slower;
  return Call::same;
}

// Medians close to each other, and intervals that overlap in half of the narrower one.
bool agree(const Range& before, const Range& after) {
  if (std::abs(before.center - after.center) / std::min(before.center, after.center) > close) return false;
  const double overlap = std::min(before.high, after.high) - std::max(before.low, after.low);
  return overlap >= least_overlap * std::min(before.high - before.low, after.high - after.low);
}

// The distinct values with how often each occurs. A rare one is left out of the support, unless that would
// leave out too many samples.
struct Support {
  std::map<double, std::size_t> counts;
  std::size_t samples = 0;
  double least = 0;  // occurrences

  explicit Support(const Values& values) : samples(values.size()) {
    for (const double value : values) ++counts[value];
    const double wanted = std::max(2.0, std::ceil(rare_fraction * static_cast<double>(samples)));
    double removed = 0;
    bool some = false;
    for (const auto& [value, count] : counts) {
      if (static_cast<double>(count) < wanted)
        removed += static_cast<double>(count);
      else
        some = true;
    }
    if (some && removed <= most_removed * static_cast<double>(samples)) least = wanted;
  }

  [[nodiscard]] double distance(double value) const {
    const auto above = counts.lower_bound(value);
    double nearest = infinity;
    if (above != counts.end()) nearest = std::abs(std::log(above->first / value));
    if (above != counts.begin())
      nearest = std::min(nearest, std::abs(std::log(std::prev(above)->first / value)));
    return nearest;
  }

  [[nodiscard]] bool is_covered_by(const Support& other) const {
    double covered_samples = 0, covered_values = 0, kept = 0;
    for (const auto& [value, count] : counts) {
      const bool covered = other.distance(value) <= std::log1p(close);
      if (covered) covered_samples += static_cast<double>(count);
      if (static_cast<double>(count) < least) continue;
      ++kept;
      if (covered) ++covered_values;
    }
    return covered_samples >= sample_coverage * static_cast<double>(samples) &&
           covered_values >= support_coverage * kept;
  }
};

bool compatible(const Values& before, const Values& after) {
  const Support one(before), two(after);
  return one.is_covered_by(two) && two.is_covered_by(one);
}

Values cycles_of(const Timed& run) {
  Values cycles(run.times.size());
  std::transform(run.times.begin(), run.times.end(), run.clocks.begin(), cycles.begin(), std::multiplies<>());
  return cycles;
}

// --- U tests --------------------------------------------------------------------------------------

// U of `one` against `two`: pairs in which `one` is larger, ties as half.
struct Pairs {
  double larger = 0, ties = 0;
  double tie_term = 0;  // sum of t^3 - t over groups of equal values
};

Pairs pairs_of(std::span<const double> one, std::span<const double> two) {
  Pairs pairs;
  std::map<double, double> counts;
  for (const double a : one) {
    ++counts[a];
    for (const double b : two) {
      if (a > b) ++pairs.larger;
      if (a == b) ++pairs.ties;
    }
  }
  for (const double b : two) ++counts[b];
  for (const auto& [value, count] : counts) pairs.tie_term += count * count * count - count;
  return pairs;
}

// P(U <= u) of m and n values without ties: counts of orders by dynamic programming.
double exact_u(std::size_t m, std::size_t n, double u) {
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(m * n + 1, 0.0));
  for (auto& row : ways) row[0] = 1;  // with no values of the first kind
  for (std::size_t i = 1; i <= m; ++i) {
    std::vector<std::vector<double>> next(n + 1, std::vector<double>(m * n + 1, 0.0));
    for (std::size_t j = 0; j <= n; ++j)
      for (std::size_t s = 0; s <= m * n; ++s) {
        if (j > 0) next[j][s] += next[j - 1][s];
        if (s >= j) next[j][s] += ways[j][s - j];
      }
    ways = std::move(next);
  }
  double below = 0, all = 0;
  for (std::size_t s = 0; s <= m * n; ++s) {
    all += ways[n][s];
    if (static_cast<double>(s) <= u) below += ways[n][s];
  }
  return below / all;
}

constexpr std::size_t google_exact = 8;  // values on the smaller side up to which scipy's p is exact
constexpr std::size_t asv_exact = 20;    // values on the larger side

Call sign(double change, bool counts) {
  if (!counts) return Call::same;
  return change > 0 ? Call::slower : Call::faster;
}

}  // namespace

Call nvbench_legacy(const Timed& before, const Timed& after) {
  const double was = stats::mean(before.times), is = stats::mean(after.times);
  const double noise =
      std::min(stats::standard_deviation(before.times) / was, stats::standard_deviation(after.times) / is);
  const double change = (is - was) / was;
  return sign(change, std::abs(change) > noise);
}

Call nvbench_robust(const Timed& before, const Timed& after) {
  const Range was = interval_of(before.times), is = interval_of(after.times);
  const Call gap = gap_between(was, is);
  if (before.clocks.empty() || after.clocks.empty()) return Call::undecided;
  const Values cycles_before = cycles_of(before), cycles_after = cycles_of(after);
  if (gap != Call::same)
    return gap_between(interval_of(cycles_before), interval_of(cycles_after)) == gap ? gap : Call::undecided;
  const bool same =
      agree(was, is) && compatible(before.times, after.times) && compatible(cycles_before, cycles_after);
  return same ? Call::same : Call::undecided;
}

UTest google_benchmark(std::span<const double> before, std::span<const double> after) {
  const double m = static_cast<double>(before.size()), n = static_cast<double>(after.size());
  const Pairs pairs = pairs_of(before, after);
  const double u = std::max(pairs.larger + pairs.ties / 2, m * n - pairs.larger - pairs.ties / 2);
  UTest test;
  if (pairs.tie_term == 0 && std::min(before.size(), after.size()) <= google_exact) {
    test.p = 2 * exact_u(before.size(), after.size(), m * n - u);
  } else {
    const double all = m + n;
    const double variance = m * n / 12 * (all + 1 - pairs.tie_term / (all * (all - 1)));
    test.p = 2 * normal_tail((u - m * n / 2 - 0.5) / std::sqrt(variance));
  }
  test.p = std::min(test.p, 1.0);
  test.call = sign(stats::mean(after) - stats::mean(before), test.p < 0.05);
  return test;
}

Call criterion(std::span<const double> before, std::span<const double> after, std::size_t resamples,
               std::uint64_t seed) {
  constexpr double significance = 0.05, noise = 0.01, confidence = 0.95;
  const double change = stats::mean(after) / stats::mean(before) - 1;
  if (std::abs(change) <= noise) return Call::same;  // its interval cannot lie beyond
  const auto t_of = [](std::span<const double> a, std::span<const double> b) {
    const double sa = stats::standard_deviation(a), sb = stats::standard_deviation(b);
    return (stats::mean(a) - stats::mean(b)) /
           std::sqrt(sa * sa / static_cast<double>(a.size()) + sb * sb / static_cast<double>(b.size()));
  };
  stats::Random random(seed);
  const auto draw = [&](std::span<const double> from, Values& to) {
    for (double& value : to) value = from[random.below(static_cast<std::uint32_t>(from.size()))];
  };
  Values all(after.begin(), after.end());
  all.insert(all.end(), before.begin(), before.end());
  Values one(after.size()), two(before.size()), changes;
  const double found = t_of(after, before);
  double above = 0, finite = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    draw(all, one);
    draw(all, two);
    const double t = t_of(one, two);
    if (std::isfinite(t)) ++finite;
    if (t > found) ++above;
    draw(after, one);
    draw(before, two);
    changes.push_back(stats::mean(one) / stats::mean(two) - 1);
  }
  const double p = 2 * std::min(above, finite - above) / finite;
  if (!(p < significance)) return Call::same;
  const Values ordered = sorted(changes);
  const double low = stats::quantile_sorted(ordered, (1 - confidence) / 2);
  const double high = stats::quantile_sorted(ordered, (1 + confidence) / 2);
  if (low > noise) return Call::slower;
  return high < -noise ? Call::faster : Call::same;
}

Call asv(std::span<const double> before, std::span<const double> after) {
  constexpr double factor = 1.1, significance = 0.002;
  const double was = stats::median(before), is = stats::median(after);
  if (!(is > was * factor) && !(was > is * factor)) return Call::same;
  const double m = static_cast<double>(before.size()), n = static_cast<double>(after.size());
  const Pairs pairs = pairs_of(before, after);
  // Each tie counts against the side that is mostly larger.
  const double low = std::min(m * n, std::min(pairs.larger, m * n - pairs.larger - pairs.ties) + pairs.ties);
  const double u = std::min(low, m * n / 2);
  const double p = std::max(before.size(), after.size()) > asv_exact
                       ? 2 * normal_tail((m * n / 2 - u) / std::sqrt(m * n * (m + n + 1) / 12))
                       : 2 * exact_u(before.size(), after.size(), u);
  return sign(is - was, p < significance);
}

Call ratio(double before, double after) {
  return after > 2 * before ? Call::slower : Call::same;
}

double bencher_limit(std::span<const double> history, double boundary) {
  const double n = static_cast<double>(history.size());
  return stats::mean(history) + stats::students_t_critical(n - 1, 1 - boundary) *
                                    stats::standard_deviation(history) * std::sqrt(1 + 1 / n);
}

Call bencher(std::span<const double> history, double after) {
  if (history.size() < 2 || !(stats::standard_deviation(history) > 0)) return Call::undecided;
  return after > bencher_limit(history, 0.99) ? Call::slower : Call::same;
}

}  // namespace harness::peers
