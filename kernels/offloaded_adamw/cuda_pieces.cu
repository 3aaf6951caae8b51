// offloaded_adamw/pieces: the moments come to the device in pieces and go back, while the step of another
// piece runs: one stream brings, one computes, one takes away. A link that carries both directions at once is
// all that such a step waits for.
#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/sdk/registry.h"
#include "kernels/adamw/cuda_step.cuh"
#include "kernels/cuda_check.cuh"
#include "kernels/offloaded_adamw/offload_plan.h"

namespace adamw {
namespace {

using kernels::check;

// A stream that its destructor frees.
class OwnStream {
 public:
  OwnStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { (void)cudaStreamDestroy(stream_); }
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class OwnEvent {
 public:
  OwnEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  ~OwnEvent() { (void)cudaEventDestroy(event_); }

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void hold(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

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
    begun_.record(stream);
    begun_.hold(bringing_.get());
    begun_.hold(taking_.get());
    for (std::int64_t piece = 0; piece < plan_.pieces(); ++piece) {
      const Slot& slot = slots_[plan_.slot(piece)];
      const std::int64_t first = plan_.first(piece), count = plan_.count(piece);
      float* const means = workspace_ + plan_.place(piece);
      float* const variances = means + OffloadPlan::of_piece;
      if (piece >= OffloadPlan::slots) slot.taken.hold(bringing_.get());
      copy(means, all_.means + first, count, cudaMemcpyHostToDevice, bringing_.get());
      copy(variances, all_.variances + first, count, cudaMemcpyHostToDevice, bringing_.get());
      slot.brought.record(bringing_.get());
      slot.brought.hold(stream);
      step_.run<Part::whole>({all_.weights + first, means, variances, all_.gradients + first, nullptr, count},
                             given);
      slot.computed.record(stream);
      slot.computed.hold(taking_.get());
      copy(all_.means + first, means, count, cudaMemcpyDeviceToHost, taking_.get());
      copy(all_.variances + first, variances, count, cudaMemcpyDeviceToHost, taking_.get());
      slot.taken.record(taking_.get());
    }
    slots_[plan_.slot(plan_.pieces() - 1)].taken.hold(stream);
  }

 private:
  struct Slot {
    OwnEvent brought, computed, taken;
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
  OwnStream bringing_, taking_;
  OwnEvent begun_;
  std::array<Slot, OffloadPlan::slots> slots_;
};

}  // namespace
}  // namespace adamw

HARNESS_VARIANT(offloaded_adamw, pieces, cuda, "copies beside the step, in pieces", adamw::Pieces)
