// The workload tiled_matmul: matmul with the tile as a parameter, for `harness tune`.
#include <stdexcept>

#include "harness/sdk/registry.h"
#include "kernels/matmul/matmul_workload.h"
#include "kernels/tiled_matmul/tiles.h"

namespace tiled_matmul {
namespace {

class TiledMatmul final : public matmul::MatmulWorkload {
 public:
  [[nodiscard]] std::string_view name() const override { return "tiled_matmul"; }
  [[nodiscard]] std::string_view summary() const override { return "matmul with tiles of a given size"; }

  [[nodiscard]] std::vector<ParamSpec> params() const override {
    std::vector<ParamSpec> all = MatmulWorkload::params();
    all.push_back(
        {"tile",
         ParamKind::text,
         "rows x columns x stages (CPU: x depth) of a tile, such as 128x256x4; automatic: by the shape",
         {},
         {harness::sdk::Value(std::string(automatic))},
         1});
    return all;
  }

  [[nodiscard]] std::vector<MetricSpec> metrics() const override { return {}; }

  [[nodiscard]] harness::sdk::Problem problem(const Params& params) const override {
    const std::string& tile = params.text("tile");
    if (tile != automatic && !parse_tile(tile))
      throw std::invalid_argument("`" + tile +
                                  "` is no tile: write rows x columns x stages, such as 128x256x4");
    return MatmulWorkload::problem(params);
  }
};

}  // namespace
}  // namespace tiled_matmul

HARNESS_WORKLOAD(tiled_matmul, tiled_matmul::TiledMatmul)
