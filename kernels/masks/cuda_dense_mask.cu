// masks/dense_mask: the same kernel without knowledge of the mask, which it reads from memory, a bit for each
// pair of a query and a key; every tile is computed. The score is still compiled in.
#include "kernels/masks/masked_variant.cuh"

namespace masks {
namespace {

class DenseMask final : public MaskedVariant {
 public:
  DenseMask(const harness::sdk::Params& params, const harness::sdk::Problem&,
            const harness::sdk::DeviceTraits& traits)
      : MaskedVariant(params, traits, true) {}
};

}  // namespace
}  // namespace masks

HARNESS_VARIANT(masks, dense_mask, cuda,
                "the same kernel with the mask as bits in memory; every tile computed", masks::DenseMask)
