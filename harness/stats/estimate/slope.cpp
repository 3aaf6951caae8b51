#include "harness/stats/estimate/slope.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace harness::stats {
namespace {

double share_off(double residual, double fitted) {
  if (residual == 0) return 0;
  return fitted > 0 ? std::fabs(residual) / fitted : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<Line> least_squares(std::span<const double> x, std::span<const double> y) {
  const Moments across = moments(x), up = moments(y);
  if (across.count != up.count || !usable(across) || !usable(up) || !(across.variance > 0))
    return std::nullopt;
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += (x[i] - across.mean) * (x[i] - across.mean);
    products += (x[i] - across.mean) * (y[i] - up.mean);
  }
  Line line;
  line.slope = products / squares;
  line.intercept = up.mean - line.slope * across.mean;
  if (x.size() == 2) return line;
  double residuals = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // From the means, so that large offsets of both do not cancel.
    const double residual = (y[i] - up.mean) - line.slope * (x[i] - across.mean);
    residuals += residual * residual;
    line.off_line = std::max(line.off_line, share_off(residual, y[i] - residual));
  }
  const double freedom = static_cast<double>(x.size()) - 2;
  line.residual_sd = std::sqrt(residuals / freedom);
  line.test = TTest{line.slope, line.residual_sd / std::sqrt(squares), freedom};
  return line;
}

}  // namespace harness::stats
