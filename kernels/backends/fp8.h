// FP8 (E4M3) in the networks: weights as products of cuBLASLt read them, the scales of values between the
// layers of an mlp, and the error that is allowed. Host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/workload.h"
#include "kernels/backends/weights.h"
#include "kernels/quant_gemm/quant_gemm.h"
#include "kernels/quantise.h"

namespace backends {

// A weight that is rounded with one scale.
struct Fp8Weight {
  std::vector<std::uint16_t> codes;  // columns x rows, two codes each
  float scale = 1;
  double gain = 1;  // the norm of a column, a quadratic mean: a product's result by the size of its x
};

inline Fp8Weight fp8_weight(const Shape& shape, std::size_t at) {
  namespace sdk = harness::sdk;
  const std::vector<std::uint16_t> values = weight_values(shape, at);
  const auto [rows, columns] = weight_shapes(shape)[at];
  float largest = 0;
  double squares = 0;
  for (const std::uint16_t value : values) {
    const float size = std::fabs(sdk::float_from_f16(value));
    largest = std::max(largest, size);
    squares += static_cast<double>(size) * static_cast<double>(size);
  }
  Fp8Weight made;
  made.scale = kernels::scale_for(largest, sdk::DType::e4m3);
  made.gain = std::sqrt(squares / static_cast<double>(columns));
  std::vector<std::uint8_t> code_of(0x10000);  // each half
  for (std::size_t half = 0; half < code_of.size(); ++half)
    code_of[half] = sdk::e4m3_from_float(sdk::float_from_f16(static_cast<std::uint16_t>(half)) / made.scale);
  std::vector<std::uint8_t> codes(values.size());
  sdk::in_parts(columns, 64, [&, rows = rows, columns = columns](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = first; column < last; ++column)
        codes[static_cast<std::size_t>(column * rows + row)] =
            code_of[values[static_cast<std::size_t>(row * columns + column)]];
  });
  made.codes.resize((codes.size() + 1) / 2);
  std::memcpy(made.codes.data(), codes.data(), codes.size());
  return made;
}

// The scales of an mlp whose products store codes. relu(x W) grows with x, so each scale is that of x times a
// number that follows from the weights before it. FP8 keeps its precision far below its largest value: there
// is room for sums that are larger than those of independent summands.
class ChainedScales {
 public:
  // Turns sums of a layer's codes into codes of the next one's scale; those of the last, into y by the scale
  // of x.
  float factor(const Fp8Weight& weight, bool last) {
    constexpr double room = 16;
    const double before = std::exchange(scale_, room * (gain_ *= weight.gain));
    return static_cast<float>(static_cast<double>(weight.scale) * before / (last ? 1 : scale_));
  }

 private:
  double gain_ = 1;
  double scale_ = 1;  // of the layer's x, as a multiple of that of the network's
};

// E4M3 rounds by up to 2^-4, which is 2.6 % in the norm: x and the weight of each product, independently.
inline harness::sdk::Tolerance fp8_tolerance(const Shape& shape, harness::sdk::Tolerance of_workload) {
  double fast_sums = 0, rounded = 0;
  for (const WeightShape& weight : weight_shapes(shape)) {
    fast_sums += quant_gemm::loss_of_fast_sums(weight.rows);
    rounded += 2;
  }
  return {of_workload.relative + 4.5e-2 * std::sqrt(rounded) + fast_sums};
}

}  // namespace backends
