// sparse_loss/f32: the model on one thread, in float32.
#include <algorithm>

#include "kernels/training/sparse_loss/study.h"

namespace training {
namespace {

class StudiedOnCpu final : public StudiedModel {
 public:
  StudiedOnCpu(const SparseStudy& study, std::span<const float> first, std::span<const std::int32_t> starts,
               std::span<const std::int32_t> held_out)
      : study_(study), first_(first), starts_(starts), held_out_(held_out), model_{study.shape, {}} {}

  void train(const HostMask& mask) override {
    model_.weights.assign(first_.begin(), first_.end());
    (void)training::train(model_, starts_, study_.batch, Numbers::exact, {}, mask.view());
  }
  [[nodiscard]] std::vector<std::int32_t> tokens(TextPart part, std::int64_t batch) const override {
    const auto all = part == TextPart::held_out ? held_out_ : starts_;
    const auto count = static_cast<std::size_t>(study_.batch);
    return tokens_at(all.subspan(static_cast<std::size_t>(batch) * count, count), study_.shape.sequence);
  }
  [[nodiscard]] std::vector<float> logits(TextPart part, std::int64_t batch, const HostMask& mask,
                                          const HeadsObserver& before) override {
    CpuModel<float> layers(study_.shape, study_.batch);
    layers.restrict_attention(mask.view(), before);
    const std::vector<std::int32_t> of_batch = tokens(part, batch);
    const std::span<const float> logits =
        layers.logits(model_.weights, {.size = study_.batch, .tokens = of_batch});
    return {logits.begin(), logits.end()};
  }

 private:
  SparseStudy study_;
  std::span<const float> first_;
  std::span<const std::int32_t> starts_, held_out_;
  CharacterModel model_;
};

class SparseLossOnCpu final : public harness::sdk::Kernel {
 public:
  SparseLossOnCpu(const harness::sdk::Params& params, const harness::sdk::Problem&,
                  const harness::sdk::DeviceTraits&)
      : study_(study_of(params)), layers_(study_.shape, study_.batch) {
    constexpr double most = 1e11;
    if (static_cast<double>(study_.train_steps) * step_flops(study_.shape, study_.batch) > most)
      throw harness::sdk::Unsupported("more than 10^11 operations take too long on one thread");
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    const auto batch = static_cast<std::size_t>(study_.batch);
    starts_ = {buffers.as<const std::int32_t>(starts_index),
               static_cast<std::size_t>(study_.train_steps) * batch};
    held_out_ = {buffers.as<const std::int32_t>(held_out_index),
                 static_cast<std::size_t>(study_.held_out_batches) * batch};
    first_ = {buffers.as<const float>(first_index), static_cast<std::size_t>(Layout(study_.shape).size())};
    masks_ = buffers.as<const std::uint8_t>(masks_index);
    logits_ = buffers.as<std::uint16_t>(logits_index);
  }

  void run(harness::sdk::Stream) override {
    const std::vector<std::int32_t> tokens =
        tokens_at(held_out_.first(static_cast<std::size_t>(study_.batch)), study_.shape.sequence);
    const Batch<float> batch{.size = study_.batch, .tokens = tokens};
    for (std::int64_t pass = 0; pass < studied_passes; ++pass) {
      layers_.restrict_attention(mask_of_call(study_, masks_, pass));
      const std::span<const float> logits = layers_.logits(first_, batch);
      std::transform(logits.begin(), logits.end(), logits_ + pass * study_.tokens() * symbols,
                     harness::sdk::bf16_from_float);
    }
  }

  void report(harness::sdk::MetricSink& sink) const override {
    StudiedOnCpu model(study_, first_, starts_, held_out_);
    report_study(model, study_, sink);
  }

 private:
  SparseStudy study_;
  CpuModel<float> layers_;
  std::span<const std::int32_t> starts_, held_out_;
  std::span<const float> first_;
  const std::uint8_t* masks_ = nullptr;
  std::uint16_t* logits_ = nullptr;
};

}  // namespace
}  // namespace training

HARNESS_VARIANT(sparse_loss, f32, cpu, "one thread, float32", training::SparseLossOnCpu)
