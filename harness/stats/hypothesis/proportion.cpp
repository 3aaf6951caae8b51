#include "harness/stats/hypothesis/proportion.h"

#include <boost/math/special_functions/beta.hpp>

namespace harness::stats {

Bounds clopper_pearson(std::size_t successes, std::size_t trials, double confidence) {
  if (trials == 0) return {0, 1};
  const double tail = (1 - confidence) / 2;
  const double yes = static_cast<double>(successes), no = static_cast<double>(trials - successes);
  Bounds bounds{0, 1};
  if (successes > 0) bounds.lo = boost::math::ibeta_inv(yes, no + 1, tail);
  if (successes < trials) bounds.hi = boost::math::ibetac_inv(yes + 1, no, tail);
  return bounds;
}

}  // namespace harness::stats
