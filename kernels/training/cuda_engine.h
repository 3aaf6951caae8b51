// CudaEngine: the engine on CUDA, for variants that are host code alone. All kernels are compiled in
// engine.cu.
#pragma once

#include <cstddef>
#include <memory>

#include "harness/sdk/variant.h"
#include "kernels/training/engine_options.h"

namespace training {

class CudaEngine {
 public:
  CudaEngine() = default;
  CudaEngine(const CudaEngine&) = delete;
  CudaEngine& operator=(const CudaEngine&) = delete;
  virtual ~CudaEngine() = default;

  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  virtual void bind(void* workspace) = 0;
  // Both enqueue and return. `fresh`: delayed scales are taken from this step's own values.
  virtual void step(harness::sdk::Stream stream, const StepTensors& on, bool fresh) = 0;
  // `before` gets addresses of the device, in BF16, when the kernels that write there are enqueued.
  virtual void evaluate(harness::sdk::Stream stream, const StepTensors& on, const HeadsObserver& before) = 0;
};

// Throws Unsupported where the extents are not those that kernels and products take.
std::unique_ptr<CudaEngine> make_cuda_engine(const EngineOptions& options,
                                             const harness::sdk::DeviceTraits& traits);

}  // namespace training
