// The workload sparse_loss: parameters, inputs, metrics and the float64 oracle of a call.
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "kernels/training/sparse_loss/pattern_masks.h"
#include "kernels/training/sparse_loss/sparse_loss.h"

namespace training {
namespace {

using harness::sdk::Better;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Unsupported;
using harness::sdk::Value;
using sparse_attention::Pattern;

class SparseLoss final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "sparse_loss"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a character model whose attention sees some blocks: a call is four forward passes, the losses "
           "are of a trained model";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    const auto number = [](const char* name, const char* summary, std::int64_t fallback) {
      return ParamSpec{name, ParamKind::integer, summary, {}, {Value{fallback}}, 1};
    };
    const auto text = [](const char* name, const char* summary, std::vector<std::string> choices) {
      const Value fallback{choices.front()};
      return ParamSpec{name, ParamKind::text, summary, std::move(choices), {fallback}, 1};
    };
    return {number("d", "width of the model", 256),
            number("heads", "heads of attention; divides d", 4),
            number("layers", "layers", 4),
            number("s", "characters of a sequence", 128),
            number("batch", "sequences", 32),
            number("train_steps", "steps of a training", 10000),
            number("held_out_batches", "batches of held-out text on which losses are told", 8),
            number("block", "characters of a block", 4),
            text("pattern",
                 "which blocks are kept: fixed ones, by pooled queries and keys, or by dense attention",
                 {"banded", "strided", "threshold", "learned"}),
            text("trained", "dense: with all blocks. sparse: then again, for each sparsity, with its blocks",
                 {"dense", "sparse"})};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    std::vector<MetricSpec> specs{
        {"held_out_loss", "nats", Better::lower, "of dense attention, on text that was never trained on"},
        {"accuracy", "%", Better::higher, "of dense attention: held-out characters that it tells right"}};
    for (const std::int64_t sparsity : studied_sparsities) {
      const std::string number = std::to_string(sparsity);
      specs.push_back(
          {"loss_" + number, "nats", Better::lower, "held-out loss without " + number + " % of the blocks"});
      specs.push_back({"accuracy_kept_" + number, "%", Better::higher,
                       "accuracy without " + number + " % of the blocks, of that of dense attention"});
    }
    return specs;
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;

 private:
  // The last call, as far as it was computed: it is checked several times.
  struct Passes {
    std::vector<double> weights;
    std::vector<std::int32_t> tokens;
    std::vector<std::uint8_t> masks;
    std::map<std::int64_t, std::vector<double>> logits = {};  // of a pass of a sequence, by its number
  };
  void compute(const SparseStudy& study, const std::set<std::int64_t>& wanted) const;

  mutable Passes last_;
};

Problem SparseLoss::problem(const Params& params) const {
  const SparseStudy study = study_of(params);
  const ModelShape& shape = study.shape;
  if (shape.d % shape.heads != 0) throw Unsupported("d must be a multiple of heads");
  if (shape.sequence + 1 > std::ssize(text) - training_characters())
    throw Unsupported("a sequence must fit into the tenth of the text that is held out");
  if (study.trains_sparse && study.pattern == Pattern::threshold)
    throw Unsupported(
        "the blocks of threshold change with the weights, and a model is trained with fixed ones");
  for (const std::int64_t sparsity : studied_sparsities) (void)causal_blocks(study, sparsity);
  const std::int64_t n = Layout(shape).size(), blocks = study.blocks();
  const std::int64_t sparsities = std::ssize(studied_sparsities);
  Problem problem;
  problem.tensors = {
      {"text", Role::input, DType::i8, {std::ssize(text)}},
      {"starts", Role::input, DType::i32, {study.train_steps, study.batch}},
      {"held_out", Role::input, DType::i32, {study.held_out_batches, study.batch}},
      {"first", Role::input, DType::f32, {n}},
      {"masks", Role::input, DType::i8, {sparsities, shape.layers, shape.heads, blocks, blocks}},
      {"logits", Role::output, DType::bf16, {studied_passes, study.batch, shape.sequence, symbols}}};
  problem.work.flops = static_cast<double>(studied_passes) * step_flops(shape, study.batch) / 3;
  problem.work.items = static_cast<double>(studied_passes * study.tokens());
  problem.work.item_name = "characters";
  problem.tolerance = {4e-3};  // of logits that are rounded to BF16
  problem.checked_together = 4 * symbols;
  return problem;
}

// A call has the fixed blocks of its pattern, or blocks by lot where they depend on values, whose rounding
// would change the choice.
void SparseLoss::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const SparseStudy study = study_of(params);
  const bool fixed = study.pattern == Pattern::banded || study.pattern == Pattern::strided;
  fill_course(study.shape, study.batch, study.train_steps, study.held_out_batches * study.batch, seed,
              inputs);
  std::byte* to = inputs[masks_index].data.data();
  for (const std::int64_t sparsity : studied_sparsities) {
    const sparse_attention::CausalBlocks blocks = causal_blocks(study, sparsity);
    const HostMask mask = fixed
                              ? fixed_mask(study.shape, blocks, study.pattern == Pattern::strided)
                              : random_mask(study.shape, blocks, seed + static_cast<std::uint64_t>(sparsity));
    std::memcpy(to, mask.seen.data(), mask.seen.size());
    to += mask.seen.size();
  }
}

void SparseLoss::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                           std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("sparse_loss has one output, number 0");
  const SparseStudy study = study_of(params);
  const std::int64_t s = study.shape.sequence;
  Passes next;
  for (std::int64_t i = 0; i < Layout(study.shape).size(); ++i)
    next.weights.push_back(inputs[first_index].at(i));
  for (std::int64_t i = 0; i < study.batch; ++i)
    for (std::int64_t c = 0; c <= s; ++c)
      next.tokens.push_back(static_cast<std::int32_t>(
          inputs[text_index].at(static_cast<std::int64_t>(inputs[held_out_index].at(i)) + c)));
  for (std::int64_t i = 0; i < inputs[masks_index].spec.elements(); ++i)
    next.masks.push_back(static_cast<std::uint8_t>(inputs[masks_index].at(i)));
  if (next.weights != last_.weights || next.tokens != last_.tokens || next.masks != last_.masks)
    last_ = std::move(next);
  const std::int64_t values = s * symbols;  // of a pass of a sequence
  std::set<std::int64_t> numbers;
  for (const std::int64_t index : wanted) numbers.insert(index / values);
  compute(study, numbers);
  for (std::size_t e = 0; e < wanted.size(); ++e)
    expected[e] = last_.logits.at(wanted[e] / values)[static_cast<std::size_t>(wanted[e] % values)];
}

// The passes of sequences with these numbers, in the order of the output.
void SparseLoss::compute(const SparseStudy& study, const std::set<std::int64_t>& wanted) const {
  const std::int64_t length = study.shape.sequence + 1;
  for (std::int64_t pass = 0; pass < studied_passes; ++pass) {
    std::vector<std::int64_t> numbers;
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < study.batch; ++i) {
      const std::int64_t number = pass * study.batch + i;
      if (!wanted.contains(number) || last_.logits.contains(number)) continue;
      numbers.push_back(number);
      tokens.insert(tokens.end(), last_.tokens.begin() + i * length, last_.tokens.begin() + (i + 1) * length);
    }
    if (numbers.empty()) continue;
    CpuModel<double> model(study.shape, std::ssize(numbers), Numbers::exact,
                           harness::sdk::preparing_threads());
    model.restrict_attention(mask_of_call(study, last_.masks.data(), pass));
    const std::span<const double> logits =
        model.logits(last_.weights, {.size = std::ssize(numbers), .tokens = tokens});
    const std::size_t values = logits.size() / numbers.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::span<const double> own = logits.subspan(i * values, values);
      last_.logits[numbers[i]].assign(own.begin(), own.end());
    }
  }
}

}  // namespace
}  // namespace training

HARNESS_WORKLOAD(sparse_loss, training::SparseLoss)
