// Epilogues of products without a bias, for the fused networks. Kernel code.
#pragma once

#include "kernels/backends/framed_pictures.cuh"
#include "kernels/block/fused_kernels.cuh"

namespace backends {

// Stores heads apart.
struct SplitEpilogue : gemm::PlainEpilogue {
  transformer_block::HeadSplit split;

  KERNEL_DEVICE std::int64_t place(int row, int column) const { return split.place(row, column); }
};
static_assert(sizeof(SplitEpilogue) == sizeof(int) + sizeof(transformer_block::HeadSplit));

// Adds a matrix of the result's shape, of `width` columns.
struct AddEpilogue : gemm::PlainEpilogue {
  int width = 0;
  const std::uint16_t* added = nullptr;

  KERNEL_DEVICE gemm::Piece add(const gemm::Piece& piece, int row, int column) const {
    return transformer_block::sum_of(piece, *reinterpret_cast<const gemm::Piece*>(
                                                added + static_cast<std::int64_t>(row) * width + column));
  }
};
static_assert(sizeof(AddEpilogue) == 2 * sizeof(int) + sizeof(void*));

}  // namespace backends
