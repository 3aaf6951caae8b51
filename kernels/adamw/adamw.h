// AdamW as every variant sees it: the order of the tensors, and the step on one element, whole or in five
// parts. All tensors are float32. Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019),
// algorithm 2, with the rate, decay and coefficients of PyTorch's defaults at the tenth step.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/host_device.h"

namespace adamw {

// Indices into Problem::tensors and Buffers::tensors. All but the gradient are changed in place.
inline constexpr std::size_t weights_index = 0;
inline constexpr std::size_t mean_index = 1;      // of gradients
inline constexpr std::size_t variance_index = 2;  // likewise, uncentered
inline constexpr std::size_t gradient_index = 3;

inline constexpr double rate = 1e-3;
inline constexpr double weight_decay = 1e-2;
inline constexpr double beta1 = 0.9;
inline constexpr double beta2 = 0.999;
inline constexpr double epsilon = 1e-8;
inline constexpr double correction1 = 1 - 0.3486784401;            // 1 - beta1^10
inline constexpr double correction2 = 1 - 0.99004488020974823033;  // 1 - beta2^10

// One element of each tensor; `denominator` is scratch between parts of the step.
struct Element {
  float weight = 0;
  float mean = 0;
  float variance = 0;
  float gradient = 0;
  float denominator = 0;
};

// The parts of a step that library calls one after another do. `whole` does all of them.
enum class Part { mean, variance, denominator, decay, update, whole };

// Tensors that a part reads and writes, as bits.
enum Tensors : unsigned { weights = 1, means = 2, variances = 4, gradients = 8, denominators = 16 };
template <Part part>
inline constexpr unsigned read_by = part == Part::mean          ? means | gradients
                                    : part == Part::variance    ? variances | gradients
                                    : part == Part::denominator ? variances
                                    : part == Part::decay       ? weights
                                    : part == Part::update      ? weights | means | denominators
                                                                : weights | means | variances | gradients;
template <Part part>
inline constexpr unsigned written_by = part == Part::mean          ? means
                                       : part == Part::variance    ? variances
                                       : part == Part::denominator ? denominators
                                       : part == Part::whole       ? weights | means | variances
                                                                   : weights;

template <Part part>
KERNELS_BOTH void step(Element& of) {
  constexpr auto old1 = static_cast<float>(beta1), new1 = static_cast<float>(1 - beta1);
  constexpr auto old2 = static_cast<float>(beta2), new2 = static_cast<float>(1 - beta2);
  constexpr auto scale = static_cast<float>(1 / correction2), least = static_cast<float>(epsilon);
  constexpr auto kept = static_cast<float>(1 - rate * weight_decay),
                 size = static_cast<float>(rate / correction1);
  constexpr bool whole = part == Part::whole;
  if constexpr (whole || part == Part::mean) of.mean = old1 * of.mean + new1 * of.gradient;
  if constexpr (whole || part == Part::variance)
    of.variance = old2 * of.variance + new2 * of.gradient * of.gradient;
  if constexpr (whole || part == Part::denominator) of.denominator = sqrtf(of.variance * scale) + least;
  if constexpr (whole || part == Part::decay) of.weight *= kept;
  if constexpr (whole || part == Part::update) of.weight -= size * of.mean / of.denominator;
}

// The tensors, for host and device.
struct Arguments {
  float* weights = nullptr;
  float* means = nullptr;
  float* variances = nullptr;
  const float* gradients = nullptr;
  float* denominators = nullptr;
  std::int64_t elements = 0;
};

// The same for element `i` in memory.
template <Part part>
KERNELS_BOTH void step_element(const Arguments& all, std::int64_t i) {
  constexpr unsigned reads = read_by<part>, writes = written_by<part>;
  Element one;
  if constexpr ((reads & weights) != 0) one.weight = all.weights[i];
  if constexpr ((reads & means) != 0) one.mean = all.means[i];
  if constexpr ((reads & variances) != 0) one.variance = all.variances[i];
  if constexpr ((reads & gradients) != 0) one.gradient = all.gradients[i];
  if constexpr ((reads & denominators) != 0) one.denominator = all.denominators[i];
  step<part>(one);
  if constexpr ((writes & weights) != 0) all.weights[i] = one.weight;
  if constexpr ((writes & means) != 0) all.means[i] = one.mean;
  if constexpr ((writes & variances) != 0) all.variances[i] = one.variance;
  if constexpr ((writes & denominators) != 0) all.denominators[i] = one.denominator;
}

}  // namespace adamw
