// ring_attention/pulled: each step's keys and values are copied during the step before.
#include "kernels/ring_attention/ring_variant.cuh"

namespace ring_attention {
namespace {

class Pulled final : public RingVariant {
 public:
  Pulled(const harness::sdk::Params& params, const harness::sdk::Problem&,
         const harness::sdk::DeviceTraits& traits)
      : RingVariant(params, traits, true) {}
};

}  // namespace
}  // namespace ring_attention

HARNESS_VARIANT(ring_attention, pulled, cuda, "each step's keys and values are copied during the step before",
                ring_attention::Pulled)
