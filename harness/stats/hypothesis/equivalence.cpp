#include "harness/stats/hypothesis/equivalence.h"

#include <algorithm>

namespace harness::stats {

Equivalence equivalence(const TTest& test, double low, double high) {
  Equivalence result;
  result.p_low = test.p_above(low);
  result.p_high = test.p_below(high);
  result.p = std::max(result.p_low, result.p_high);
  return result;
}

Standing standing(const TTest& test, double margin, double alpha) {
  if (!(alpha > 0 && alpha < 0.5) || !(margin >= 0)) return Standing::undecided;
  if (test.p_above(margin) < alpha) return Standing::above;
  if (test.p_below(-margin) < alpha) return Standing::below;
  return test.p_outside(margin) < alpha ? Standing::inside : Standing::undecided;
}

}  // namespace harness::stats
