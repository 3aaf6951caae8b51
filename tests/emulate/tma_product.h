// Runs a product that the copy engine feeds on the emulator, as its launch is planned for a GPU.
#pragma once

#include "kernels/gemm/tma_ring.cuh"
#include "tests/emulate/product.h"

namespace emulate {

template <class Element, class Epilogue>
void run(const Options& options, const gemm::TmaLaunch<Element, Epilogue>& planned,
         const gemm::Problem<Element>& problem, const Epilogue& epilogue) {
  launch(options, {static_cast<unsigned>(planned.blocks), 1, 1},
         {static_cast<unsigned>(planned.threads), 1, 1}, static_cast<std::size_t>(planned.shared_bytes),
         planned.kernel, ptx::make_tensor_map<Element>(problem.x, planned.x_layout(problem)),
         ptx::make_tensor_map<Element>(problem.w, planned.w_layout(problem)), problem, epilogue);
}

}  // namespace emulate
