// masks/specialised: the suite's expressions compiled into the kernel when the case starts; tiles of which no
// key is seen are never loaded.
#include "kernels/masks/masked_variant.cuh"

namespace masks {
namespace {

class Specialised final : public MaskedVariant {
 public:
  Specialised(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits& traits)
      : MaskedVariant(params, traits, false) {}
};

}  // namespace
}  // namespace masks

HARNESS_VARIANT(masks, specialised, cuda,
                "the mask compiled into a wgmma kernel at run time; unseen tiles skipped", masks::Specialised)
