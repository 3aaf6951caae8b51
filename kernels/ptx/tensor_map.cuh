// make_tensor_map(): what the copy engine wants to know of a tensor, encoded by the driver. Host code; the
// driver's function is looked up through the runtime, so nothing links against libcuda. Throws
// std::runtime_error when the driver refuses. In emulated kernels the map is made by tests/emulate/hopper.h.
#pragma once

#include "kernels/ptx/hopper.cuh"
#include "kernels/ptx/small.cuh"

#ifdef __CUDACC__

#include <stdexcept>
#include <string>

#include "kernels/ptx/driver_function.cuh"

namespace ptx {

constexpr CUtensorMapDataType tensor_map_type(F16) {
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}
constexpr CUtensorMapDataType tensor_map_type(BF16) {
  return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}
constexpr CUtensorMapDataType tensor_map_type(F32) {
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}
constexpr CUtensorMapDataType tensor_map_type(TF32) {
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}
// Bytes are moved, and nothing asks what they mean.
constexpr CUtensorMapDataType tensor_map_type(I8) {
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}
constexpr CUtensorMapDataType tensor_map_type(E4M3) {
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

template <class Element>
TensorMap make_tensor_map(const typename Element::Storage* base, const TensorLayout& layout) {
  TensorMap map;
  cuuint32_t steps[4] = {1, 1, 1, 1};
  const auto encode = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  const CUresult status = encode(&map, tensor_map_type(Element{}), static_cast<cuuint32_t>(layout.dimensions),
                                 const_cast<typename Element::Storage*>(base),
                                 reinterpret_cast<const cuuint64_t*>(layout.extents),
                                 reinterpret_cast<const cuuint64_t*>(layout.strides + 1), layout.box, steps,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 layout.swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw std::runtime_error("cuTensorMapEncodeTiled: CUresult " + std::to_string(static_cast<int>(status)) +
                             " for a tensor of " + std::to_string(layout.extents[0]) + " x " +
                             std::to_string(layout.extents[1]) + " elements");
  return map;
}

}  // namespace ptx

#endif
