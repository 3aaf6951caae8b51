// A problem on the rows of a matrix, as every variant sees it. All tensors are row-major and dense; each has
// the case's element type. Header-only, host code; no state.
#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/sdk/params.h"

namespace operators {

struct Rows {
  harness::sdk::DType dtype = harness::sdk::DType::f32;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of these
// workloads.
inline Rows rows_of(const harness::sdk::Params& params) {
  return {params.dtype(), params.integer("rows"), params.integer("columns")};
}

// The tensors of one pass, for host and device. Strides are in elements; `y` is dense.
struct RowArguments {
  const void* x = nullptr;
  const void* second = nullptr;  // of a pass that takes two matrices
  const void* weight = nullptr;  // `columns` elements, or null
  const void* bias = nullptr;    // likewise
  void* y = nullptr;
  float* statistics = nullptr;  // of passes of their own: [statistic][row]
  std::int64_t rows = 0;
  std::int64_t x_stride = 0;
  std::int64_t second_stride = 0;
  std::int64_t columns = 0;
};
static_assert(std::has_unique_object_representations_v<RowArguments>);

}  // namespace operators
