// Numbers and policies that several estimates need.
#pragma once

#include <boost/math/policies/policy.hpp>
#include <limits>

namespace harness::stats {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
// The share of a process's samples that is cut at each end.
inline constexpr double trimmed_share = 0.1;
// Boost.Math computes in long double otherwise.
inline constexpr boost::math::policies::policy<boost::math::policies::promote_double<false>> in_doubles{};

}  // namespace harness::stats
