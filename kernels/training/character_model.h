// A character model: its description and weights, training on the CPU, and its loss on the part of the text
// that is never trained on. Others use it: with another attention, or with gradients changed on their way to
// the optimizer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/training/cpu_model.h"
#include "kernels/training/optimizer.h"

namespace training {

struct CharacterModel {
  ModelShape shape;  // with `symbols` as its vocabulary
  std::vector<float> weights;
};

// How character models are trained, on every device.
inline constexpr Optimizer character_optimizer{.rate = 1e-3F, .warmup = 100, .beta2 = 0.99F};

// Where the sequences of each step begin: steps x batch, drawn from the training part of the text.
std::vector<std::int32_t> training_starts(std::int64_t sequence, std::int64_t batch, std::int64_t steps,
                                          std::uint64_t seed);
// Where those of a batch begin that spreads over the other part.
std::vector<std::int32_t> held_out_starts(std::int64_t sequence, std::int64_t batch);
// The tokens of a batch: for each start, sequence + 1 of them.
std::vector<std::int32_t> tokens_at(std::span<const std::int32_t> starts, std::int64_t sequence);

// Changes the gradient between the backward pass and the optimizer.
using GradientHook = std::function<void(std::span<float>)>;

// Trains on, a step for each `batch` of `starts`, and returns the loss of each step. Attention sees what
// `mask` does.
std::vector<float> train(CharacterModel& model, std::span<const std::int32_t> starts, std::int64_t batch,
                         Numbers numbers = Numbers::exact, const GradientHook& hook = {},
                         const AttentionMask& mask = {});

// The mean loss of a batch, in nats a character.
double loss_at(const CharacterModel& model, std::span<const std::int32_t> starts,
               const Attention<float>& attention = {}, Numbers numbers = Numbers::exact);

}  // namespace training
