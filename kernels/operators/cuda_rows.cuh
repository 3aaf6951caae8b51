// CudaRows: passes over rows as launches of row_kernel and element_kernel.
#pragma once

#include <limits>
#include <string>

#include "kernels/cuda_check.cuh"
#include "kernels/operators/row_launch.cuh"

namespace operators {

class CudaRows {
 public:
  explicit CudaRows(const harness::sdk::DeviceTraits&) {}

  template <class Operation>
  void require_possible(const Rows& shape) const {
    if (shape.rows > std::numeric_limits<std::int32_t>::max())
      throw harness::sdk::Unsupported("rows must be at most 2147483647");
    const int width = 16 / static_cast<int>(harness::sdk::size_of(shape.dtype));
    if constexpr (Operation::statistics == 0) {
      if (element_blocks(shape.rows * shape.columns, width) > std::numeric_limits<std::int32_t>::max())
        throw harness::sdk::Unsupported("rows and columns need more than 2147483647 blocks");
    } else {
      if (row_plan(shape.rows, shape.columns, width).threads == 0)
        throw harness::sdk::Unsupported(std::to_string(shape.columns) +
                                        " columns are too many: a block has a row and keeps it in registers");
    }
  }

  template <class Operation, int stage>
  void run(const RowArguments& arguments, harness::sdk::DType dtype, harness::sdk::Stream stream) {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    with_row_launch<Operation, stage>(arguments, dtype,
                                      [&](auto* kernel, dim3 blocks, dim3 threads, const auto&... of_kernel) {
                                        kernel<<<blocks, threads, 0, queue>>>(of_kernel...);
                                      });
    kernels::check(cudaGetLastError(), "launch of a kernel on rows");
  }
};

template <class Operation>
using CudaFused = RowVariant<Operation, Steps::fused, CudaRows>;
template <class Operation>
using CudaSeparate = RowVariant<Operation, Steps::separate, CudaRows>;

}  // namespace operators
