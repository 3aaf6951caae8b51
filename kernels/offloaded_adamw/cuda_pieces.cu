// offloaded_adamw/pieces: the moments come to the device in pieces and go back, while the step of another
// piece runs: one stream brings, one computes, one takes away. A link that carries both directions at once is
// all that such a step waits for.
#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/sdk/registry.h"
#include "kernels/adamw/cuda_step.cuh"
#include "kernels/offloaded_adamw/offload_plan.h"
#include "kernels/owned.cuh"

namespace adamw {
namespace {

using kernels::check;
using kernels::follow;
using kernels::hold;
using kernels::record;

class Pieces final : public harness::sdk::Kernel {
 public:
  Pieces(const harness::sdk::Params& params, const harness::sdk::Problem&,
         const harness::sdk::DeviceTraits& traits)
      : plan_(params.integer("n")), step_(traits) {}

  [[nodiscard]] std::size_t workspace_bytes() const override { return plan_.workspace_bytes(); }

  void bind(const harness::sdk::Buffers& buffers) override {
    all_.weights = buffers.as<float>(weights_index);
    all_.means = buffers.as<float>(mean_index);
    all_.variances = buffers.as<float>(variance_index);
    all_.gradients = buffers.as<float>(gradient_index);
    workspace_ = static_cast<float*>(buffers.workspace);
  }

  void run(harness::sdk::Stream given) override {
    const auto stream = static_cast<cudaStream_t>(given.handle);
    record(begun_, stream);
    hold(bringing_.get(), begun_);
    hold(taking_.get(), begun_);
    for (std::int64_t piece = 0; piece < plan_.pieces(); ++piece) {
      const Slot& slot = slots_[plan_.slot(piece)];
      const std::int64_t first = plan_.first(piece), count = plan_.count(piece);
      float* const means = workspace_ + plan_.place(piece);
      float* const variances = means + OffloadPlan::of_piece;
      if (piece >= OffloadPlan::slots) hold(bringing_.get(), slot.taken);
      copy(means, all_.means + first, count, cudaMemcpyHostToDevice, bringing_.get());
      copy(variances, all_.variances + first, count, cudaMemcpyHostToDevice, bringing_.get());
      follow(stream, slot.brought, bringing_.get());
      step_.run<Part::whole>({all_.weights + first, means, variances, all_.gradients + first, nullptr, count},
                             given);
      follow(taking_.get(), slot.computed, stream);
      copy(all_.means + first, means, count, cudaMemcpyDeviceToHost, taking_.get());
      copy(all_.variances + first, variances, count, cudaMemcpyDeviceToHost, taking_.get());
      record(slot.taken, taking_.get());
    }
    hold(stream, slots_[plan_.slot(plan_.pieces() - 1)].taken);
  }

 private:
  struct Slot {
    kernels::OwnedEvent brought = kernels::make_event(), computed = kernels::make_event(),
                        taken = kernels::make_event();
  };

  static void copy(float* to, const float* from, std::int64_t count, cudaMemcpyKind kind,
                   cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(float), kind, stream),
          "cudaMemcpyAsync of moments");
  }

  OffloadPlan plan_;
  CudaStep step_;
  Arguments all_;
  float* workspace_ = nullptr;
  kernels::OwnedStream bringing_ = kernels::make_stream(), taking_ = kernels::make_stream();
  kernels::OwnedEvent begun_ = kernels::make_event();
  std::array<Slot, OffloadPlan::slots> slots_;
};

}  // namespace
}  // namespace adamw

HARNESS_VARIANT(offloaded_adamw, pieces, cuda, "copies beside the step, in pieces", adamw::Pieces)
