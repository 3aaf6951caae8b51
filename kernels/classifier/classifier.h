// The problem classifier: the logits of a small network, relu(x W1 + b1) W2 + b2, for the test pictures. The
// networks are inputs, trained from the seed of the process. Host code; no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/classifier/digits.h"

namespace classifier {

// Indices into Problem::tensors. A network is one tensor: W1 (pixels x hidden), b1, W2 (hidden x classes),
// b2.
inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t digits_index = 1;
inline constexpr std::size_t network_index = 2;   // trained in float32
inline constexpr std::size_t int8_qat_index = 3;  // trained on with weights and activations rounded to int8
inline constexpr std::size_t int4_qat_index = 4;  // trained on with weights rounded to int4
// The largest magnitudes of pixels and of hidden values on the training pictures, for each network.
inline constexpr std::size_t ranges_index = 5;
inline constexpr std::size_t logits_index = 6;

inline constexpr std::int64_t networks = 3;
inline constexpr std::int64_t ranges = 2;

// Weights of int4 and MXFP4 have a scale for each so many inputs of an output.
inline constexpr std::int64_t group = 32;

// Where the parts of a network lie.
struct Layout {
  std::int64_t hidden = 64;

  [[nodiscard]] std::int64_t w1() const { return 0; }
  [[nodiscard]] std::int64_t b1() const { return pixels * hidden; }
  [[nodiscard]] std::int64_t w2() const { return b1() + hidden; }
  [[nodiscard]] std::int64_t b2() const { return w2() + hidden * classes; }
  [[nodiscard]] std::int64_t size() const { return b2() + classes; }
};

}  // namespace classifier
