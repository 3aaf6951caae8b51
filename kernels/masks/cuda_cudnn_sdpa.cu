// masks/cudnn_sdpa: cuDNN's fused attention, where it has the mask.
#include "harness/sdk/registry.h"
#include "kernels/attention/cudnn_call.h"
#include "kernels/masks/cudnn_mask.h"

namespace masks {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class CudnnMasked final : public harness::sdk::Kernel {
 public:
  CudnnMasked(const Params& params, const Problem&, const DeviceTraits&)
      : call_(cudnn_shape(shape_of(params))) {}
  [[nodiscard]] std::size_t workspace_bytes() const override { return call_.workspace_bytes(); }
  void bind(const Buffers& buffers) override { call_.bind(buffers); }
  void run(Stream stream) override { call_.run(stream); }

 private:
  attention::cudnn::Call call_;
};

}  // namespace
}  // namespace masks

HARNESS_VARIANT(masks, cudnn_sdpa, cuda, "cuDNN's fused attention, causal or with a window (backend API)",
                masks::CudnnMasked)
