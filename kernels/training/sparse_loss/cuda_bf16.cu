// sparse_loss/bf16: the engine on CUDA. `threshold` chooses blocks on the host, between the kernels of a
// layer: a call does not, and the study is not timed.
#include "kernels/training/cuda_training.cuh"
#include "kernels/training/sparse_loss/study.h"

namespace training {
namespace {

// Where a study has its arrays on the device.
struct StudyArrays {
  const std::int8_t* text = nullptr;
  const std::int32_t* starts = nullptr;
  const std::int32_t* held_out = nullptr;
  std::uint8_t* mask = nullptr;     // with a list for each sequence and head
  std::uint16_t* logits = nullptr;  // of a batch
};

class StudiedOnCuda final : public StudiedModel {
 public:
  StudiedOnCuda(const SparseStudy& study, const CudaTraining& training, const StudyArrays& arrays,
                std::size_t characters)
      : study_(study),
        training_(training),
        arrays_(arrays),
        stream_(kernels::make_stream()),
        text_(downloaded(arrays.text, characters, stream_.get())),
        starts_(downloaded(arrays.starts, starts_of(study.learning_batches()), stream_.get())),
        held_out_(downloaded(arrays.held_out, starts_of(study.held_out_batches), stream_.get())) {}

  void train(const HostMask& mask) override { training_.train(uploaded(mask), stream_.get()); }

  [[nodiscard]] std::vector<std::int32_t> tokens(TextPart part, std::int64_t batch) const override {
    const std::vector<std::int32_t>& starts = part == TextPart::held_out ? held_out_ : starts_;
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < study_.batch; ++i)
      for (std::int64_t c = 0; c <= study_.shape.sequence; ++c)
        all.push_back(
            text_[static_cast<std::size_t>(starts[static_cast<std::size_t>(batch * study_.batch + i)] + c)]);
    return all;
  }

  [[nodiscard]] std::vector<float> logits(TextPart part, std::int64_t batch, const HostMask& mask,
                                          const HeadsObserver& before) override {
    const std::int32_t* const starts = part == TextPart::held_out ? arrays_.held_out : arrays_.starts;
    StepTensors on = training_.evaluation(starts + batch * study_.batch);
    on.mask = uploaded(mask);
    on.logits = arrays_.logits;
    HeadsObserver observer;
    if (before)
      observer = [&](std::int64_t layer, const std::uint16_t* q, const std::uint16_t* k) {
        before(layer, as_f16(q).data(), as_f16(k).data());
        if (mask.seen.empty()) return;
        const std::int64_t bytes = mask.layer_bytes();
        upload(arrays_.mask + layer * bytes, mask.seen.data() + layer * bytes, bytes);
      };
    training_.engine().evaluate({stream_.get()}, on, observer);
    const auto count = static_cast<std::size_t>(study_.tokens() * symbols);
    const std::vector<std::uint16_t> halves = downloaded(arrays_.logits, count, stream_.get());
    std::vector<float> logits(count);
    std::transform(halves.begin(), halves.end(), logits.begin(), harness::sdk::float_from_bf16);
    return logits;
  }

 private:
  [[nodiscard]] std::size_t starts_of(std::int64_t batches) const {
    return static_cast<std::size_t>(batches * study_.batch);
  }
  void upload(std::uint8_t* to, const std::uint8_t* from, std::int64_t bytes) const {
    kernels::check(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_.get()),
        "cudaMemcpyAsync");
  }
  [[nodiscard]] AttentionMask uploaded(const HostMask& mask) const {
    if (!mask.seen.empty()) upload(arrays_.mask, mask.seen.data(), std::ssize(mask.seen));
    return mask.at(arrays_.mask);
  }
  // Queries or keys of a layer.
  [[nodiscard]] std::vector<std::uint16_t> as_f16(const std::uint16_t* bf16) const {
    std::vector<std::uint16_t> values =
        downloaded(bf16, static_cast<std::size_t>(study_.tokens() * study_.shape.d), stream_.get());
    harness::sdk::in_parts(std::ssize(values), 1 << 14, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        std::uint16_t& value = values[static_cast<std::size_t>(i)];
        value = harness::sdk::f16_from_float(harness::sdk::float_from_bf16(value));
      }
    });
    return values;
  }

  SparseStudy study_;
  const CudaTraining& training_;
  StudyArrays arrays_;
  kernels::OwnedStream stream_;
  std::vector<std::int8_t> text_;
  std::vector<std::int32_t> starts_, held_out_;
};

class SparseLossOnCuda final : public harness::sdk::Kernel {
 public:
  SparseLossOnCuda(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
                   const harness::sdk::DeviceTraits& traits)
      : study_(study_of(params)),
        characters_(static_cast<std::size_t>(problem.tensors[text_index].elements())),
        training_({study_.shape, study_.batch, Precision::bf16, character_optimizer}, study_.train_steps,
                  traits) {}

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return whole_lines(training_.workspace_bytes()) + whole_lines(mask_bytes()) + logits_bytes();
  }
  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return harness::sdk::Tolerance{2e-2};
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    auto* const after =
        static_cast<unsigned char*>(buffers.workspace) + whole_lines(training_.workspace_bytes());
    arrays_ = {buffers.as<const std::int8_t>(text_index), buffers.as<const std::int32_t>(starts_index),
               buffers.as<const std::int32_t>(held_out_index), after,
               reinterpret_cast<std::uint16_t*>(after + whole_lines(mask_bytes()))};
    first_ = buffers.as<float>(first_index);
    masks_ = buffers.as<const std::uint8_t>(masks_index);
    logits_ = buffers.as<std::uint16_t>(logits_index);
    training_.bind(buffers.workspace, arrays_.text, arrays_.starts, first_);
  }

  void run(harness::sdk::Stream stream) override {
    StepTensors on = training_.evaluation(arrays_.held_out);
    on.weights = first_;
    for (std::int64_t pass = 0; pass < studied_passes; ++pass) {
      on.mask = mask_of_call(study_, masks_, pass);
      on.logits = logits_ + pass * study_.tokens() * symbols;
      training_.engine().evaluate(stream, on, {});
    }
  }

  void report(harness::sdk::MetricSink& sink) const override {
    StudiedOnCuda model(study_, training_, arrays_, characters_);
    report_study(model, study_, sink);
  }

 private:
  [[nodiscard]] std::size_t mask_bytes() const {
    return static_cast<std::size_t>(study_.batch * study_.mask_bytes());
  }
  [[nodiscard]] std::size_t logits_bytes() const {
    return static_cast<std::size_t>(study_.tokens() * symbols) * sizeof(std::uint16_t);
  }

  SparseStudy study_;
  std::size_t characters_;
  CudaTraining training_;
  StudyArrays arrays_;
  float* first_ = nullptr;
  const std::uint8_t* masks_ = nullptr;
  std::uint16_t* logits_ = nullptr;
};

}  // namespace
}  // namespace training

HARNESS_VARIANT(sparse_loss, bf16, cuda, "cuBLASLt in BF16, and own kernels between its products",
                training::SparseLossOnCuda)
