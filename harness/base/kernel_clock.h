// The monotonic clock, read by a system call of this function's own: code that replaces the C library's clock
// does not change it.
#pragma once

#include "harness/base/units.h"

namespace harness {

Seconds kernel_clock();

}  // namespace harness
