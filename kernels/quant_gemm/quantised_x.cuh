// QuantisedX: X in small codes with their scales, as a CUDA variant multiplies it: stored so (`quantise` is
// outside), or rounded in the timed call by the kernels of quantise_kernels.cuh. Host code; owns nothing on
// the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/quant_gemm/quant_gemm.h"
#include "kernels/quant_gemm/quantise_kernels.cuh"

namespace quant_gemm {

// The elements of X that share a scale when it is rounded in the call.
enum class Sharing { token, tensor, group_of_k };

constexpr std::size_t up_to_256(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// Shared by the CUDA variants: extents that fit 32-bit integers and grids.
inline const Shape& require_launchable(const Shape& shape) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1024;
  if (shape.n > most || shape.k > most || shape.m > 65535)
    throw harness::sdk::Unsupported("m must be at most 65535, n and k at most " + std::to_string(most));
  return shape;
}

// `shape`, if X and W enter the product as `type`.
inline const Shape& require_product_of(const Shape& shape, harness::sdk::DType type) {
  if (shape.product_type() != type)
    throw harness::sdk::Unsupported("multiplies " + std::string(harness::sdk::name_of(type)) +
                                    " by its like; W is stored otherwise");
  return shape;
}

template <class Code>
class QuantisedX {
 public:
  using Storage = typename Code::Storage;

  QuantisedX(const Shape& shape, Sharing sharing, int multiprocessors)
      : shape_(shape), sharing_(sharing), blocks_(blocks_for(shape, multiprocessors)) {}

  [[nodiscard]] std::size_t workspace_bytes() const {
    return shape_.stored ? 0 : codes_bytes() + scales_bytes() + 256;
  }

  // `workspace` has workspace_bytes().
  void bind(const harness::sdk::Buffers& buffers, unsigned char* workspace) {
    if (!shape_.stored) return bind(buffers.as<const std::uint16_t>(x_index), workspace);
    codes_ = buffers.as<Storage>(x_index);
    scales_ = buffers.as<float>(x_scales_index);
  }
  // For an X that is not stored in codes.
  void bind(const std::uint16_t* x, unsigned char* workspace) {
    x_ = x;
    codes_ = reinterpret_cast<Storage*>(workspace);
    scales_ = reinterpret_cast<float*>(workspace + codes_bytes());
    largest_ = reinterpret_cast<std::uint32_t*>(workspace + codes_bytes() + scales_bytes());
  }

  [[nodiscard]] const Storage* codes() const { return codes_; }
  [[nodiscard]] const float* scales() const { return scales_; }
  // Between the scales of neighbouring tokens: 0 where all share one.
  [[nodiscard]] int step() const {
    return shape_.stored ? (shape_.x_rows_a_scale() == 1 ? 1 : 0) : sharing_ == Sharing::tensor ? 0 : 1;
  }

  // Enqueues the rounding; nothing where X is stored in codes. Its kernels are compiled in quantised_x.cu
  // alone: several machine codes of one name could not be told apart, and no case that launches them could be
  // proven.
  void run(cudaStream_t stream);

 private:
  // A thread takes 8 elements; on a device that is full, several times.
  static unsigned blocks_for(const Shape& shape, int multiprocessors) {
    const std::int64_t needed = (shape.m * shape.k + quantise_threads * 8 - 1) / (quantise_threads * 8);
    return static_cast<unsigned>(std::min<std::int64_t>(needed, std::int64_t{8} * multiprocessors));
  }
  [[nodiscard]] std::size_t codes_bytes() const {
    return up_to_256(static_cast<std::size_t>(shape_.m * shape_.k));
  }
  [[nodiscard]] std::size_t scales_bytes() const {
    return up_to_256(static_cast<std::size_t>(shape_.m * shape_.groups_of_k()) * sizeof(float));
  }

  Shape shape_;
  Sharing sharing_;
  unsigned blocks_;
  const std::uint16_t* x_ = nullptr;
  Storage* codes_ = nullptr;
  float* scales_ = nullptr;
  std::uint32_t* largest_ = nullptr;
};

// The contract of a product of small codes: the workload's, the error of rounding X in the call, and
// `of_sums`. A step of int8 is 1/127 of the largest element, which for uniform X is 0.4 % in the norm. E4M3
// rounds by up to 2^-4, which is 2.6 %.
inline harness::sdk::Tolerance tolerance_of_codes(const Shape& shape, harness::sdk::Tolerance of_workload,
                                                  double of_sums = 0) {
  const double few = of_workload.relative / 6e-4;
  const double of_x = shape.stored ? 0 : shape.product_type() == harness::sdk::DType::i8 ? 1e-2 : 4.5e-2;
  return {of_workload.relative + of_x * few + of_sums};
}

}  // namespace quant_gemm
