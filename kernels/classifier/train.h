// Trains the network on the training pictures, and on with rounded weights (quantisation-aware training,
// QAT). The same seed gives the same network in the same build. Host code.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/classifier/classifier.h"

namespace classifier {

// The rounding of the values that a step of training sees. The gradient passes as if nothing were rounded
// (the straight-through estimator of Bengio, Leonard and Courville, 2013).
enum class Rounding {
  none,
  int8,  // weights by output, activations by a running range, as int8_calibrated does
  int4,  // weights by groups, as int4 does
};

struct Network {
  std::vector<float> values;            // laid out as Layout tells
  std::array<float, ranges> largest{};  // of pixels and hidden values on the training pictures
};

Network train(std::int64_t hidden, std::uint64_t seed);

// Trains a network on, from its values.
Network train_on(std::int64_t hidden, std::uint64_t seed, const Network& start, Rounding rounding);

// A layer's weights, rounded and scaled back. `inputs` x `outputs`, a scale for each output and `group`
// inputs.
void round_weights(const float* weights, std::int64_t inputs, std::int64_t outputs, std::int64_t group,
                   Rounding rounding, float* rounded);

}  // namespace classifier
