// quant_gemm/quantised: X is quantised in the call to the type of W, for each token by its largest magnitude,
// and both are multiplied. A product of int8 codes is exact in float32 up to sums of 2^24.
#include "harness/sdk/registry.h"
#include "kernels/quant_gemm/cpu_product.h"

namespace quant_gemm {
namespace {

using harness::sdk::DType;

class Quantised final : public harness::sdk::Kernel {
 public:
  Quantised(const harness::sdk::Params& params, const harness::sdk::Problem& problem,
            const harness::sdk::DeviceTraits& traits)
      : shape_(shape_of(params)),
        of_workload_(problem.tolerance),
        product_(shape_, kernels::usable_threads(traits.multiprocessors)) {
    if (shape_.product_type() == DType::f16)
      throw harness::sdk::Unsupported("W is not quantised to a type that X can have: use weight_only");
  }

  // The error of rounding X alone. A step of int8 is 1/127 of the largest element of a row, which for uniform
  // X is 0.4 % in the norm. E4M3 rounds by up to 2^-4, which is 2.6 %.
  [[nodiscard]] std::optional<harness::sdk::Tolerance> tolerance() const override {
    if (shape_.stored) return std::nullopt;
    const double few = of_workload_.relative / 6e-4;
    return harness::sdk::Tolerance{(shape_.product_type() == DType::i8 ? 1e-2 : 4.5e-2) * few};
  }
  void bind(const harness::sdk::Buffers& buffers) override { product_.bind(buffers); }
  void run(harness::sdk::Stream) override { product_.run(!shape_.stored, shape_.product_type()); }

 private:
  Shape shape_;
  harness::sdk::Tolerance of_workload_;
  CpuProduct product_;
};

}  // namespace
}  // namespace quant_gemm

HARNESS_VARIANT(quant_gemm, quantised, cpu, "threads; X quantised to W's type in the call, token by token",
                quant_gemm::Quantised)
