// Apache Otava's change points (Fleming et al. 2023): e-divisive in windows, a t-test, and a merge.
#include <algorithm>
#include <cmath>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/t_test.h"
#include "harness/study/peers/peer_calls.h"

namespace harness::peers {
namespace {

constexpr std::size_t window = 50;
constexpr double significance = 0.001, first_pass = 0.01;

// Sums of |x - y| over pairs in blocks of the matrix of distances.
class Distances {
 public:
  explicit Distances(std::span<const double> values)
      : size_(values.size()), sums_((size_ + 1) * (size_ + 1)) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        at(i + 1, j + 1) = at(i, j + 1) + at(i + 1, j) - at(i, j) + std::abs(values[i] - values[j]);
  }

  // Over [a, b) x [c, d).
  [[nodiscard]] double block(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
    return get(b, d) - get(a, d) - get(b, c) + get(a, c);
  }

  // The energy statistic of [from, split) against [split, to).
  [[nodiscard]] double statistic(std::size_t from, std::size_t split, std::size_t to) const {
    const double m = static_cast<double>(split - from), n = static_cast<double>(to - split);
    double q = 2 / (m + n) * block(from, split, split, to);
    if (m > 1) q -= n / (m + n) / (m - 1) * block(from, split, from, split);
    if (n > 1) q -= m / (m + n) / (n - 1) * block(split, to, split, to);
    return q;
  }

 private:
  double& at(std::size_t i, std::size_t j) { return sums_[i * (size_ + 1) + j]; }
  [[nodiscard]] double get(std::size_t i, std::size_t j) const { return sums_[i * (size_ + 1) + j]; }

  std::size_t size_;
  Values sums_;
};

// Student's t-test with pooled variance. The sds are divided by n, not by n - 1: README.md.
double p_of(std::span<const double> left, std::span<const double> right) {
  const double m = static_cast<double>(left.size()), n = static_cast<double>(right.size());
  if (m + n <= 2) return 1;
  const auto variance = [](std::span<const double> values, double count) {
    const double sd = values.size() > 1 ? stats::standard_deviation(values) : 0;
    return sd * sd * (count - 1) / count;
  };
  const double pooled = ((m - 1) * variance(left, m) + (n - 1) * variance(right, n)) / (m + n - 2);
  const double t = std::abs(stats::mean(left) - stats::mean(right)) / std::sqrt(pooled * (1 / m + 1 / n));
  return std::isnan(t) ? 1 : 2 * stats::students_t_tail(m + n - 2, t);
}

std::size_t end_of(const std::vector<std::size_t>& points, std::size_t i, std::size_t size) {
  return i < points.size() ? points[i] : size;
}

std::vector<std::size_t> in_window(std::span<const double> values) {
  const Distances distances(values);
  std::vector<std::size_t> points;
  for (;;) {
    double largest = -1;
    std::size_t split = 0, from = 0, to = 0;
    for (std::size_t i = 0; i <= points.size(); ++i) {
      const std::size_t begin = i == 0 ? 0 : points[i - 1], end = end_of(points, i, values.size());
      for (std::size_t at = begin + 1; at < end; ++at)
        for (std::size_t last = at + 1; last <= end; ++last) {
          const double statistic = distances.statistic(begin, at, last);
          if (statistic > largest) {
            largest = statistic;
            split = at;
            from = begin;
            to = end;
          }
        }
    }
    if (split == 0 ||
        p_of(values.subspan(from, split - from), values.subspan(split, to - split)) > first_pass)
      return points;
    points.insert(std::upper_bound(points.begin(), points.end(), split), split);
  }
}

}  // namespace

std::vector<std::size_t> otava(std::span<const double> values) {
  std::vector<std::size_t> points;
  for (std::size_t start = 0; start < values.size();) {
    std::size_t last = 0;
    for (const std::size_t point :
         in_window(values.subspan(start, std::min(window, values.size() - start)))) {
      last = start + point;
      if (std::find(points.begin(), points.end(), last) == points.end()) points.push_back(last);
    }
    start = std::max(last, start + window / 2);
  }
  std::sort(points.begin(), points.end());
  while (!points.empty()) {
    std::size_t weakest = 0;
    double largest = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t from = i == 0 ? 0 : points[i - 1], at = points[i];
      const std::size_t to = end_of(points, i + 1, values.size());
      const double p = p_of(values.subspan(from, at - from), values.subspan(at, to - at));
      if (p > largest) {
        largest = p;
        weakest = i;
      }
    }
    if (largest < significance) break;
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  return points;
}

}  // namespace harness::peers
