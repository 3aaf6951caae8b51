// CudaNetwork: the networks by our own kernels, as a variant of each workload: those of the build, or the
// same compiled by NVRTC when it is made, with the case's sizes as constants. Compiled in one file, because
// each file has kernels of its own: what one file allows a kernel, another has not.
#pragma once

#include <memory>

#include "harness/sdk/registry.h"
#include "kernels/backends/network.h"

namespace backends {

enum class CompiledAt { build_time, run_time };

class CudaNetwork : public harness::sdk::Kernel {
 public:
  CudaNetwork(const Shape& shape, const harness::sdk::DeviceTraits& traits, CompiledAt at);
  ~CudaNetwork() override;

  void bind(const harness::sdk::Buffers& buffers) override;
  void run(harness::sdk::Stream stream) override;
  // The host's time is part of a call's, as in Python's variants.
  [[nodiscard]] bool synchronises() const override { return true; }

 protected:
  static void load_compiler();

 private:
  class Launches;

  std::unique_ptr<Launches> launches_;
};

template <Network network, CompiledAt at = CompiledAt::build_time>
class FusedVariant : public CudaNetwork {
 public:
  FusedVariant(const harness::sdk::Params& params, const harness::sdk::Problem&,
               const harness::sdk::DeviceTraits& traits)
      : CudaNetwork(shape_of(network, params), traits, at) {}

  // Loads the compiler. The constructor refuses other devices.
  static void prepare(const harness::sdk::Params&,
                      const harness::sdk::DeviceTraits& traits) requires(at == CompiledAt::run_time) {
    if (traits.compute_major == 9 && traits.compute_minor == 0) load_compiler();
  }
};

}  // namespace backends
