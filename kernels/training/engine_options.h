// EngineOptions: the model and the numbers of an engine; StepTensors: the tensors of a step. Host code but
// for Tokens.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/compression/compression.h"
#include "kernels/host_device.h"
#include "kernels/training/attention_mask.h"
#include "kernels/training/model.h"
#include "kernels/training/optimizer.h"

namespace training {

// How linear layers multiply. Attention and the head are BF16.
enum class Precision {
  bf16,
  fp8_current,  // E4M3, and E5M2 for gradients; scaled by the largest magnitude of the operand
  fp8_delayed,  // by that of the step before
};

// The tokens of a batch: sequences of `sequence` + 1 lie one after the other in the array, or begin at
// starts[row of the step * batch + sequence] of a text.
struct Tokens {
  const std::int32_t* array = nullptr;
  const std::int8_t* text = nullptr;
  const std::int32_t* starts = nullptr;
  const std::int32_t* step = nullptr;  // the row of starts; null: the first
  std::int32_t batch = 1;
  std::int32_t sequence = 1;

  // `ahead` is 1 for the token that follows.
  [[nodiscard]] KERNELS_BOTH int at(int token, int ahead) const {
    const int of = token / sequence, place = token % sequence + ahead;
    if (text == nullptr) return array[static_cast<std::int64_t>(of) * (sequence + 1) + place];
    const std::int64_t row = step == nullptr ? 0 : *step;
    return text[starts[row * batch + of] + place];
  }
};

struct EngineOptions {
  ModelShape shape;
  std::int64_t batch = 1;
  Precision precision = Precision::bf16;
  Optimizer optimizer = {};
  // Keeps only the input of each layer, and computes the rest of the layer again in the backward pass.
  bool recomputes = false;
  // The optimizer gets gradients in this form, with error feedback that begins at a fresh step.
  std::optional<compression::Settings> compression = {};
};

struct StepTensors {
  float* weights = nullptr;
  float* mean = nullptr;
  float* variance = nullptr;
  Tokens tokens = {};             // with a vocabulary
  const float* input = nullptr;   // without one
  const float* target = nullptr;  // likewise
  std::int32_t* step = nullptr;   // its number, which a step raises; null: always the first
  float* loss = nullptr;          // of each step; of the first one where `step` is null
  AttentionMask mask = {};
  std::uint16_t* logits = nullptr;  // tokens x vocabulary, BF16: of an evaluation; null: not wanted
};

}  // namespace training
