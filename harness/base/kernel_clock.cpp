#include "harness/base/kernel_clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace harness {

Seconds kernel_clock() {
  timespec now{};
#if defined(__x86_64__)
  long result = SYS_clock_gettime;
  asm volatile("syscall" : "+a"(result) : "D"(long{CLOCK_MONOTONIC}), "S"(&now) : "rcx", "r11", "memory");
#else
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
#endif
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace harness
