// The study that each variant of sparse_loss reports: a character model is trained, and its loss and accuracy
// on held-out text are told with attention to all blocks, and to those of a pattern. Host code, header-only.
#pragma once

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/training/sparse_loss/pattern_masks.h"
#include "kernels/training/sparse_loss/sparse_loss.h"

namespace training {

enum class TextPart { trained_on, held_out };

// A character model on a device.
class StudiedModel {
 public:
  StudiedModel() = default;
  StudiedModel(const StudiedModel&) = delete;
  StudiedModel& operator=(const StudiedModel&) = delete;
  virtual ~StudiedModel() = default;

  // Trains from the first weights on, with this mask.
  virtual void train(const HostMask& mask) = 0;
  // A batch: batch x (sequence + 1) tokens.
  [[nodiscard]] virtual std::vector<std::int32_t> tokens(TextPart part, std::int64_t batch) const = 0;
  // Its logits, tokens x symbols. `before` gets f16 in host memory, and may change `mask`.
  [[nodiscard]] virtual std::vector<float> logits(TextPart part, std::int64_t batch, const HostMask& mask,
                                                  const HeadsObserver& before) = 0;
};

struct HeldOutScore {
  double loss = 0;      // nats a character
  double accuracy = 0;  // percent of characters whose largest logit is the right one
};

// `tokens` as StudiedModel tells them; logits are sequences x s x symbols. A tie counts as the first symbol.
inline HeldOutScore score_of(std::span<const float> logits, std::span<const std::int32_t> tokens,
                             std::int64_t s) {
  HeldOutScore score;
  const std::int64_t count = std::ssize(logits) / symbols;
  for (std::int64_t t = 0; t < count; ++t) {
    const auto row = logits.subspan(static_cast<std::size_t>(t * symbols), static_cast<std::size_t>(symbols));
    const auto wanted =
        static_cast<std::size_t>(tokens[static_cast<std::size_t>(t / s * (s + 1) + t % s + 1)]);
    const auto largest = std::max_element(row.begin(), row.end());
    if (largest == row.begin() + static_cast<std::ptrdiff_t>(wanted)) score.accuracy += 100;
    double sum = 0;
    for (const float logit : row) sum += std::exp(static_cast<double>(logit - *largest));
    score.loss += std::log(sum) + static_cast<double>(*largest - row[wanted]);
  }
  score.loss /= static_cast<double>(count);
  score.accuracy /= static_cast<double>(count);
  return score;
}

inline HeldOutScore held_out_score(StudiedModel& model, const SparseStudy& study, const HostMask& mask,
                                   const HeadsObserver& before) {
  HeldOutScore mean;
  for (std::int64_t batch = 0; batch < study.held_out_batches; ++batch) {
    const HeldOutScore one = score_of(model.logits(TextPart::held_out, batch, mask, before),
                                      model.tokens(TextPart::held_out, batch), study.shape.sequence);
    mean.loss += one.loss / static_cast<double>(study.held_out_batches);
    mean.accuracy += one.accuracy / static_cast<double>(study.held_out_batches);
  }
  return mean;
}

inline BlockWeights learned_weights(StudiedModel& model, const SparseStudy& study) {
  BlockWeights weights(study.shape, study.block);
  for (std::int64_t batch = 0; batch < study.learning_batches(); ++batch)
    (void)model.logits(TextPart::trained_on, batch, {},
                       [&](std::int64_t layer, const std::uint16_t* q, const std::uint16_t* k) {
                         weights.add(layer, study.batch, q, k);
                       });
  return weights;
}

// Metrics as the workload declares them.
inline void report_study(StudiedModel& model, const SparseStudy& study, harness::sdk::MetricSink& sink) {
  using sparse_attention::Pattern;
  model.train({});
  const HeldOutScore dense = held_out_score(model, study, {}, {});
  if (dense.accuracy == 0)
    throw std::runtime_error("the trained model tells no held-out character right: take more train_steps");
  sink.report("held_out_loss", dense.loss);
  sink.report("accuracy", dense.accuracy);
  std::optional<BlockWeights> weights;
  if (study.pattern == Pattern::learned) weights = learned_weights(model, study);
  for (const std::int64_t sparsity : studied_sparsities) {
    const sparse_attention::CausalBlocks blocks = causal_blocks(study, sparsity);
    HostMask mask;
    HeadsObserver before;
    if (study.pattern == Pattern::threshold) {
      mask = HostMask(study.shape, blocks, study.batch * study.shape.heads);
      before = choosing_observer(study.shape, blocks, mask);
    } else if (weights) {
      mask = weights->mask(blocks);
    } else {
      mask = fixed_mask(study.shape, blocks, study.pattern == Pattern::strided);
    }
    if (study.trains_sparse) model.train(mask);
    const HeldOutScore sparse = held_out_score(model, study, mask, before);
    sink.report("loss_" + std::to_string(sparsity), sparse.loss);
    // A share: metrics are positive, which a difference need not be.
    sink.report("accuracy_kept_" + std::to_string(sparsity), 100 * sparse.accuracy / dense.accuracy);
  }
}

}  // namespace training
