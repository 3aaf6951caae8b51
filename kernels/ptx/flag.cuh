// Flags in global memory, by which GPUs of one host, and copies between them, tell a running kernel that
// something is there. One function an instruction or a loop of it, after the PTX ISA, "Memory Consistency
// Model". The emulator's counterparts are in tests/emulate/flag.h.
#pragma once

#include "kernels/ptx/device.cuh"

#ifndef __CUDACC__
#include <emulate/flag.h>
#else

namespace ptx {

// Sets the flag to 1. A thread of any GPU that sees this sees what this thread wrote or saw before.
KERNEL_DEVICE void raise_flag(unsigned* flag) {
  asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}

// Until the flag is not 0. Later reads of this thread see what was written before that.
KERNEL_DEVICE void wait_for_flag(const unsigned* flag) {
  unsigned value = 0;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  } while (value == 0);
}

// Orders what this thread has seen in global memory before its later bulk copies (TMA) of it.
KERNEL_DEVICE void fence_proxy_async_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

}  // namespace ptx

#endif
