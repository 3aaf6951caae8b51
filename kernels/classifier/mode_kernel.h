// The network in one mode of numbers: how its weights are stored and what enters its products. A variant is a
// mode; each call rounds the weights, which takes about a hundredth of it. All types but float32 are
// emulated: their values are exact, their speed is that of float32.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/sdk/variant.h"
#include "kernels/classifier/classifier.h"

namespace classifier {

enum class Activations {
  as_computed,  // float32
  f16,
  dynamic,     // a scale for each picture, by its largest magnitude
  calibrated,  // one scale, by the range on the training pictures
};

struct Mode {
  harness::sdk::DType weights = harness::sdk::DType::f32;
  std::int64_t group = 0;     // inputs that share a scale; 0: all of an output
  bool power_of_two = false;  // scales, as those of MX formats
  bool one_scale = false;     // for a whole layer
  Activations activations = Activations::as_computed;
  std::size_t network = network_index;
  double tolerance = 1e-5;  // against the float32 network, in double precision
};

// A layer's weights in their mode.
struct RoundedWeights {
  std::vector<float> codes;   // inputs x outputs: the numbers that the codes stand for
  std::vector<float> scales;  // groups x outputs
  std::int64_t group = 0;
};
RoundedWeights rounded_weights(const Mode& mode, std::span<const float> weights, std::int64_t outputs);

// Bytes of the network as a file would hold it: codes, scales, biases and ranges.
double model_bytes(const Mode& mode, const Layout& layout);

class ModeKernel : public harness::sdk::Kernel {
 public:
  ModeKernel(const harness::sdk::Params& params, const Mode& mode);

  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    return harness::sdk::Tolerance{mode_.tolerance};
  }
  void bind(const harness::sdk::Buffers& buffers) override;
  void run(harness::sdk::Stream) override;
  void report(harness::sdk::MetricSink& sink) const override;

 private:
  void layer(const float* in, std::int64_t inputs, const float* weights, const float* bias,
             std::int64_t outputs, float range, float* out);
  void enter(const float* in, std::int64_t inputs, float range);

  Mode mode_;
  Layout layout_;
  std::vector<float> hidden_;
  std::vector<float> codes_;  // of one picture's values
  float code_scale_ = 1;
  const float* x_ = nullptr;
  const float* network_ = nullptr;
  const float* ranges_ = nullptr;
  float* logits_ = nullptr;
};

}  // namespace classifier

// A variant is one line: HARNESS_MODE(int4, "what it does", {.weights = ...}).
#define HARNESS_MODE(name_, Class_, summary_, ...)                           \
  namespace classifier {                                                     \
  namespace {                                                                \
  class Class_ final : public ModeKernel {                                   \
   public:                                                                   \
    Class_(const harness::sdk::Params& params, const harness::sdk::Problem&, \
           const harness::sdk::DeviceTraits&)                                \
        : ModeKernel(params, Mode{__VA_ARGS__}) {}                           \
  };                                                                         \
  }                                                                          \
  }                                                                          \
  HARNESS_VARIANT(classifier, name_, cpu, summary_, classifier::Class_)
