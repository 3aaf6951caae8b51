// CudaRows: passes over rows as launches of row_kernel.
#pragma once

#include <limits>
#include <string>

#include "kernels/cuda_check.cuh"
#include "kernels/operators/row_kernel.cuh"

namespace operators {

class CudaRows {
 public:
  explicit CudaRows(const harness::sdk::DeviceTraits&) {}

  static void require_possible(const Rows& shape) {
    const auto width = std::int64_t{16} / static_cast<std::int64_t>(harness::sdk::size_of(shape.dtype));
    const std::int64_t most = width * most_chunks * most_row_threads;
    if (shape.columns > most)
      throw harness::sdk::Unsupported("columns must be at most " + std::to_string(most) +
                                      ", because a block has a row");
    if (shape.rows > std::numeric_limits<std::int32_t>::max())
      throw harness::sdk::Unsupported("rows must be at most 2147483647");
  }

  template <class Operation, int stage>
  void run(const RowArguments& arguments, harness::sdk::DType dtype, harness::sdk::Stream stream) {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    with_row_kernel<Operation, stage>(arguments, dtype, [&](auto* kernel, dim3 blocks, dim3 threads) {
      kernel<<<blocks, threads, 0, queue>>>(arguments);
    });
    kernels::check(cudaGetLastError(), "launch of row_kernel");
  }
};

template <class Operation>
using CudaFused = RowVariant<Operation, Steps::fused, CudaRows>;
template <class Operation>
using CudaSeparate = RowVariant<Operation, Steps::separate, CudaRows>;

}  // namespace operators
