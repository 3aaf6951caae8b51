// The emulator's counterparts of kernels/ptx/flag.cuh. Launches run one after the other, so a flag that is 0
// when a thread waits for it stays so: an error of the program.
#pragma once

#include "tests/emulate/block.h"

namespace ptx {

inline void raise_flag(unsigned* flag) {
  *flag = 1;
}

inline void wait_for_flag(const unsigned* flag) {
  if (*flag == 0) throw emulate::Failure("a thread waits for a flag that no launch before raised");
}

inline void fence_proxy_async_global() {}

}  // namespace ptx
