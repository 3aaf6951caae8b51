// How much slower this file was made on purpose, in percent: HARNESS_SLOWER of the build in the files that
// kernels/CMakeLists.txt names, 0 in all others.
#pragma once

#ifdef HARNESS_SLOWER
#define HARNESS_IS_SLOWER 1
#else
#define HARNESS_IS_SLOWER 0
#define HARNESS_SLOWER 0
#endif

namespace kernels {

inline constexpr double slower_percent = HARNESS_SLOWER;

}  // namespace kernels
