#include "kernels/block/fused_variant.h"

#include <string>
#include <utility>
#include <variant>

#include "kernels/block/fused_block.cuh"
#include "kernels/launch.cuh"

namespace transformer_block {
namespace {

using Planned = std::variant<ShortBlock, LongBlock>;

Planned planned(const Shape& shape, const harness::sdk::DeviceTraits& traits) {
  using harness::sdk::Unsupported;
  kernels::require_hopper(traits);
  const Device device = {traits.multiprocessors, traits.shared_memory_per_block};
  if (ShortBlock::takes(shape, device)) return ShortBlock(shape, device);
  if (!LongBlock::takes(shape))
    throw Unsupported(
        "written for heads of 32, 64 and 128 elements and rows that fit into a block's registers; this case "
        "has heads of " +
        std::to_string(shape.head()) + " in rows of " + std::to_string(shape.width));
  return LongBlock(shape, device);
}

}  // namespace

class FusedBlock::Launches {
 public:
  Launches(const Shape& shape, const harness::sdk::DeviceTraits& traits) : planned_(planned(shape, traits)) {
    each([&](bool, auto* kernel, dim3, dim3, std::size_t bytes, const auto&...) {
      kernels::allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes, traits);
    });
  }

  void bind(const harness::sdk::Buffers& buffers, const Intermediate& of) {
    std::visit([&](auto& launches) { launches.bind(buffers.tensors, of); }, planned_);
  }

  void run(cudaStream_t queue) const {
    each([queue](bool dependent, auto* kernel, dim3 blocks, dim3 threads, std::size_t bytes,
                 const auto&... arguments) {
      kernels::launch(reinterpret_cast<const void*>(kernel), {blocks, threads, bytes, queue, dependent},
                      arguments...);
    });
  }

 private:
  template <class Act>
  void each(const Act& act) const {
    std::visit([&](const auto& launches) { launches.run(act); }, planned_);
  }

  Planned planned_;
};

FusedBlock::FusedBlock(const harness::sdk::Params& params, const harness::sdk::Problem&,
                       const harness::sdk::DeviceTraits& traits)
    : shape_(require_launchable(shape_of(params))), launches_(std::make_unique<Launches>(shape_, traits)) {}

FusedBlock::~FusedBlock() = default;

std::size_t FusedBlock::workspace_bytes() const {
  Carver counter(nullptr);
  const Intermediate counted(shape_, counter);
  return counter.used();
}

void FusedBlock::bind(const harness::sdk::Buffers& buffers) {
  Carver carver(buffers.workspace);
  const Intermediate of(shape_, carver);
  launches_->bind(buffers, of);
}

void FusedBlock::run(harness::sdk::Stream stream) {
  launches_->run(static_cast<cudaStream_t>(stream.handle));
}

}  // namespace transformer_block
