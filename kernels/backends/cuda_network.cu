#include "kernels/backends/cuda_network.h"

#include <optional>
#include <string>
#include <vector>

#include "kernels/backends/fused_network.cuh"
#include "kernels/backends/nvrtc_source.h"
#include "kernels/launch.cuh"
#include "kernels/nvrtc/compiled.h"
#include "kernels/nvrtc/loaded_code.cuh"
#include "kernels/owned.cuh"

namespace backends {
namespace {

using harness::sdk::DeviceTraits;

transformer_block::Device device_of(const DeviceTraits& traits) {
  kernels::require_hopper(traits);
  return {traits.multiprocessors, traits.shared_memory_per_block};
}

}  // namespace

class CudaNetwork::Launches {
 public:
  Launches(const Shape& shape, const DeviceTraits& traits, CompiledAt at)
      : network_(shape, device_of(traits)),
        weights_(network_.weights().values().size() * sizeof(std::uint16_t)),
        values_(static_cast<std::size_t>(std::max<std::int64_t>(1, network_.value_elements())) *
                sizeof(std::uint16_t)) {
    const std::vector<std::uint16_t>& packed = network_.weights().values();
    weights_.upload(packed.data(), packed.size() * sizeof(std::uint16_t));
    network_.weights().clear();
    if (at == CompiledAt::run_time) compile();
    each([&](const void* kernel, const kernels::LaunchPlace& place, const auto&...) {
      kernels::allow_shared_memory(kernel, place.shared_bytes, traits);
    });
  }

  void bind(const harness::sdk::Buffers& buffers) {
    network_.bind(buffers.tensors, weights_.as<std::uint16_t>(), values_.as<std::uint16_t>());
  }
  void run(cudaStream_t stream) const {
    each([stream](const void* kernel, kernels::LaunchPlace place, const auto&... arguments) {
      place.stream = stream;
      kernels::launch(kernel, place, arguments...);
    });
  }

 private:
  void compile() {
    const RunTimeSource source = run_time_source(network_);
    code_.emplace(
        kernels::compiled(kernels::NvrtcLibrary::instance(), source.text, kernels::KeptCode::never).cubin);
    for (const std::string& name : source.kernels)
      compiled_.push_back(name.empty() ? nullptr : code_->kernel(name));
  }

  // Calls act(kernel, place, arguments...) for each launch.
  template <class Act>
  void each(const Act& act) const {
    std::size_t next = 0;
    network_.each([&](const auto& step) {
      const void* const own = compiled_.empty() ? nullptr : compiled_[next++];
      step.run([&](bool dependent, auto* kernel, dim3 blocks, dim3 threads, std::size_t bytes,
                   const auto&... arguments) {
        act(own != nullptr ? own : reinterpret_cast<const void*>(kernel),
            kernels::LaunchPlace{blocks, threads, bytes, nullptr, dependent}, arguments...);
      });
    });
  }

  FusedNetwork network_;
  kernels::DeviceMemory weights_;
  kernels::DeviceMemory values_;  // between operations
  std::optional<kernels::LoadedCode> code_;
  std::vector<const void*> compiled_;  // of each step, or none
};

void CudaNetwork::load_compiler() {
  static bool loaded = false;
  if (loaded) return;
  (void)kernels::compiled(kernels::NvrtcLibrary::instance(), "__global__ void nothing() {}\n",
                          kernels::KeptCode::never);
  loaded = true;
}

CudaNetwork::CudaNetwork(const Shape& shape, const DeviceTraits& traits, CompiledAt at)
    : launches_(std::make_unique<Launches>(shape, traits, at)) {}

CudaNetwork::~CudaNetwork() = default;

void CudaNetwork::bind(const harness::sdk::Buffers& buffers) {
  launches_->bind(buffers);
}

void CudaNetwork::run(harness::sdk::Stream stream) {
  launches_->run(static_cast<cudaStream_t>(stream.handle));
}

}  // namespace backends
