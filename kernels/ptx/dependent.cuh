// Launches that begin before the launch before them has ended (compute capability 9.0, where the host allows
// it by programmatic stream serialization). Nothing elsewhere and in the emulator, where launches follow one
// another. PTX ISA, "griddepcontrol".
#pragma once

#include "kernels/ptx/device.cuh"

namespace ptx {

// The next launch may begin as soon as every block has called this or ended.
KERNEL_DEVICE void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until the launch before has ended and its results can be seen. Nothing that it writes may be read
// before, and nothing that it reads may be written.
KERNEL_DEVICE void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace ptx
