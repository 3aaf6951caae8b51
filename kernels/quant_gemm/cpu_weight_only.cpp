// quant_gemm/weight_only: W is widened as it is read, X stays as it is stored. The error is that of rounding
// Y.
#include "harness/sdk/registry.h"
#include "kernels/quant_gemm/cpu_product.h"

namespace quant_gemm {
namespace {

class WeightOnly final : public harness::sdk::Kernel {
 public:
  WeightOnly(const harness::sdk::Params& params, const harness::sdk::Problem&,
             const harness::sdk::DeviceTraits& traits)
      : product_(shape_of(params), kernels::usable_threads(traits.multiprocessors)) {}
  void bind(const harness::sdk::Buffers& buffers) override { product_.bind(buffers); }
  void run(harness::sdk::Stream) override { product_.run(false, harness::sdk::DType::f16); }

 private:
  CpuProduct product_;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, weight_only, cpu, "threads; W widened to float32 as it is read, X as stored",
                quant_gemm::WeightOnly)
