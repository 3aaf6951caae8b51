// The workload tiled_matmul and its CPU variant against the oracle.
#include <gtest/gtest.h>

#include "kernels/tiled_matmul/tiles.h"
#include "tests/kernels/matmul_case.h"

void register_workload_tiled_matmul(harness::sdk::Registry&);
void register_variant_tiled_matmul_blocks(harness::sdk::Registry&);

namespace {

harness::sdk::Params tiled_params(const std::string& tile, const std::string& dtype = "f32") {
  harness::sdk::Params params = matmul_params(dtype, 37, 65, 43);
  params.set("tile", tile);
  return params;
}

TEST(Tile, IsThreeNumbers) {
  EXPECT_EQ(tiled_matmul::parse_tile("128x256x4"), (tiled_matmul::Tile{128, 256, 4}));
  for (const char* bad : {"", "128", "128x256", "128x256x", "128x256x4x", "128x256x4 ", "x1x1", "0x1x1",
                          "-1x1x1", "1X1X1", "automatic", "99999999999x1x1"})
    EXPECT_FALSE(tiled_matmul::parse_tile(bad)) << bad;
}

TEST(TiledMatmul, EveryTileGivesTheProduct) {
  for (const char* tile : {"automatic", "1x1x1", "8x16x4", "64x256x64", "7x5x3"}) {
    MatmulCase c(matmul_params("f32", 37, 65, 43), 11);
    register_variant_tiled_matmul_blocks(c.registry);
    const auto kernel = c.registry.variants.front().make(tiled_params(tile), c.problem, {});
    std::vector<void*> addresses;
    for (auto& tensor : c.tensors) addresses.push_back(tensor.data.data());
    kernel->bind({addresses, nullptr});
    kernel->run({});
    EXPECT_LE(c.error(), c.problem.tolerance.relative) << tile;
  }
}

TEST(TiledMatmul, RefusesWhatIsNoTile) {
  harness::sdk::Registry registry;
  register_workload_tiled_matmul(registry);
  const harness::sdk::Workload& workload = *registry.workloads.front();
  EXPECT_EQ(workload.params().back().name, "tile");
  EXPECT_EQ(workload.problem(tiled_params("128x256x4")).work.flops, 2.0 * 37 * 65 * 43);
  EXPECT_THROW((void)workload.problem(tiled_params("large")), std::invalid_argument);
}

TEST(TiledMatmul, MultipliesF32Alone) {
  MatmulCase c(matmul_params("f32", 1, 1, 1));
  register_variant_tiled_matmul_blocks(c.registry);
  EXPECT_THROW(c.registry.variants.front().make(tiled_params("automatic", "bf16"), c.problem, {}),
               harness::sdk::Unsupported);
}

}  // namespace
