// Shared by the rungs of the ladder that run on CUDA cores: which thread takes which element is theirs, the
// problem and the shape of a launch are here. A rung is a struct with plan<Element>(problem,
// multiprocessors), and with refusal(problem) where it does not multiply every shape. Tests run its plans in
// the emulator, run_rung.cuh on a GPU.
#pragma once

#include "kernels/gemm/tiles.cuh"

namespace matmul {

using gemm::Problem;
using gemm::tiles_of;

template <class Element>
struct Launch {
  void (*kernel)(Problem<Element>) = nullptr;
  dim3 grid;
  dim3 threads;
  int shared_bytes = 0;
};

// Tiles along m go to the first dimension of the grid, which alone may have more than 65,535 blocks.
constexpr unsigned blocks_along(int extent, int tile) {
  return static_cast<unsigned>(tiles_of(extent, tile));
}

}  // namespace matmul
