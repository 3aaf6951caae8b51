// AdamWVariant: the step in one pass (fused) or a pass for each part (separate), on an engine that runs
// passes. Host code.
#pragma once

#include "harness/sdk/registry.h"
#include "kernels/adamw/adamw.h"

namespace adamw {

enum class Passes { fused, separate };

template <Passes passes, class Engine>
class AdamWVariant final : public harness::sdk::Kernel {
 public:
  AdamWVariant(const harness::sdk::Params& params, const harness::sdk::Problem&,
               const harness::sdk::DeviceTraits& traits)
      : engine_(traits) {
    arguments_.elements = params.integer("n");
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return passes == Passes::fused ? 0 : static_cast<std::size_t>(arguments_.elements) * sizeof(float);
  }
  void bind(const harness::sdk::Buffers& buffers) override {
    arguments_.weights = buffers.as<float>(weights_index);
    arguments_.means = buffers.as<float>(mean_index);
    arguments_.variances = buffers.as<float>(variance_index);
    arguments_.gradients = buffers.as<float>(gradient_index);
    arguments_.denominators = static_cast<float*>(buffers.workspace);
  }
  void run(harness::sdk::Stream stream) override {
    if constexpr (passes == Passes::fused) {
      engine_.template run<Part::whole>(arguments_, stream);
    } else {
      engine_.template run<Part::mean>(arguments_, stream);
      engine_.template run<Part::variance>(arguments_, stream);
      engine_.template run<Part::denominator>(arguments_, stream);
      engine_.template run<Part::decay>(arguments_, stream);
      engine_.template run<Part::update>(arguments_, stream);
    }
  }

 private:
  Arguments arguments_;
  Engine engine_;
};

}  // namespace adamw
