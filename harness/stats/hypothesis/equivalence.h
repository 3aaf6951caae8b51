// Equivalence: whether a difference is shown to lie within given limits, and where it lies otherwise.
// Works on the result of any t-test (welch.h, paired.h). Pure functions.
#pragma once

#include "harness/stats/hypothesis/t_test.h"

namespace harness::stats {

// Two one-sided tests (Schuirmann 1987) with the limits `low` <= `high`, each on the scale of the
// values; symmetric limits on a log scale are log1p(margin) and its negative.
struct Equivalence {
  double p_low = 1;   // for H0 "difference <= low"
  double p_high = 1;  // for H0 "difference >= high"
  double p = 1;       // the larger of the two: for H0 "the difference lies at a limit or beyond"
};
Equivalence equivalence(const TTest& test, double low, double high);

// The result of one test at level alpha about a margin >= 0, before any correction for other tests.
enum class Standing {
  above,      // difference > margin: p_above(margin) < alpha
  below,      // difference < -margin: p_below(-margin) < alpha
  inside,     // |difference| < margin: p_outside(margin) < alpha
  undecided,  // none of these
};
// At most one of the first three can hold for alpha < 0.5; `undecided` for other alphas.
Standing standing(const TTest& test, double margin, double alpha);

}  // namespace harness::stats
