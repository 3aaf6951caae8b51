// ring_attention/pulled_serial: the same without overlap: copies and steps take turns.
#include "kernels/ring_attention/ring_variant.cuh"

namespace ring_attention {
namespace {

class PulledSerial final : public RingVariant {
 public:
  PulledSerial(const harness::sdk::Params& params, const harness::sdk::Problem&,
               const harness::sdk::DeviceTraits& traits)
      : RingVariant(params, traits, false) {}
};

}  // namespace
}  // namespace ring_attention

HARNESS_VARIANT(ring_attention, pulled_serial, cuda, "the same without overlap: copies and steps take turns",
                ring_attention::PulledSerial)
