// tiled_matmul/wgmma: matmul/wgmma_warp_specialised with the tile and the stages of its ring as a parameter.
// Each is an instance of gemm/wgmma_specialised.cuh; `automatic` takes the one that it chooses by the shape.
#include <string>

#include "kernels/gemm/wgmma_specialised.cuh"
#include "kernels/matmul/rungs/wgmma_kernel.cuh"
#include "kernels/tiled_matmul/tiles.h"

namespace tiled_matmul {
namespace {

template <class Element>
using Launch = gemm::TmaLaunch<Element, gemm::PlainEpilogue> (*)(std::int64_t, std::int64_t, int);

// The plan of the tile among the instances; null where it is none of them.
template <class Element, class... Tilings>
Launch<Element> plan_among(const Tile& tile) {
  Launch<Element> found = nullptr;
  ((tile == Tile{Tilings::rows, Tilings::columns, Tilings::stages}
        ? void(found = gemm::wgmma_specialised_launch_of<Element, Tilings, gemm::PlainEpilogue>)
        : void()),
   ...);
  return found;
}

template <class Element>
Launch<Element> plan_of(const std::string& text) {
  using gemm::WgmmaTiling;
  if (text == automatic) return gemm::wgmma_specialised_launch<Element, gemm::PlainEpilogue>;
  const std::optional<Tile> tile = parse_tile(text);
  const Launch<Element> plan =
      tile ? plan_among<Element, WgmmaTiling<128, 256, 4>, WgmmaTiling<128, 256, 3>, WgmmaTiling<128, 192, 5>,
                        WgmmaTiling<128, 128, 6>, WgmmaTiling<128, 128, 4>, WgmmaTiling<128, 64, 8>,
                        WgmmaTiling<128, 64, 5>, WgmmaTiling<64, 256, 5>, WgmmaTiling<64, 192, 6>,
                        WgmmaTiling<64, 128, 8>, WgmmaTiling<64, 64, 12>, WgmmaTiling<64, 64, 6>>(*tile)
           : nullptr;
  if (plan == nullptr) throw harness::sdk::Unsupported("no instance has the tile " + text);
  return plan;
}

class Wgmma final : public matmul::WgmmaKernel {
 public:
  Wgmma(const harness::sdk::Params& params, const harness::sdk::Problem&,
        const harness::sdk::DeviceTraits& traits) {
    plan(matmul::shape_of(params), traits,
         [&](auto element) { return plan_of<decltype(element)>(params.text("tile")); });
  }
};

}  // namespace
}  // namespace tiled_matmul

HARNESS_VARIANT(tiled_matmul, wgmma, cuda, "matmul/wgmma_warp_specialised with tiles of a given size",
                tiled_matmul::Wgmma)
