// tiled_matmul/blocks: one thread, block by block, so that what a block reads stays in a cache. Sums are
// float32.
#include <algorithm>

#include "harness/sdk/registry.h"
#include "kernels/matmul/matmul.h"
#include "kernels/tiled_matmul/tiles.h"

namespace tiled_matmul {
namespace {

class Blocks final : public harness::sdk::Kernel {
 public:
  Blocks(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : shape_(matmul::shape_of(params)), tile_(parse_tile(params.text("tile")).value_or(Tile{64, 256, 64})) {
    if (shape_.arithmetic != matmul::Arithmetic::f32)
      throw harness::sdk::Unsupported("this rung multiplies f32");
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    a_ = buffers.as<const float>(matmul::a_index);
    b_ = buffers.as<const float>(matmul::b_index);
    c_ = buffers.as<float>(matmul::c_index);
  }

  void run(harness::sdk::Stream) override {
    std::fill_n(c_, shape_.m * shape_.n, 0.0F);
    for (std::int64_t row = 0; row < shape_.m; row += tile_.rows)
      for (std::int64_t p = 0; p < shape_.k; p += tile_.third)
        for (std::int64_t column = 0; column < shape_.n; column += tile_.columns) add_block(row, column, p);
  }

 private:
  void add_block(std::int64_t row, std::int64_t column, std::int64_t begin) {
    const std::int64_t rows = std::min(row + tile_.rows, shape_.m);
    const std::int64_t columns = std::min(column + tile_.columns, shape_.n);
    const std::int64_t end = std::min(begin + tile_.third, shape_.k);
    for (std::int64_t i = row; i < rows; ++i)
      for (std::int64_t p = begin; p < end; ++p) {
        const float a = a_[i * shape_.k + p];
        for (std::int64_t j = column; j < columns; ++j) c_[i * shape_.n + j] += a * b_[p * shape_.n + j];
      }
  }

  matmul::Shape shape_;
  Tile tile_;
  const float* a_ = nullptr;
  const float* b_ = nullptr;
  float* c_ = nullptr;
};

}  // namespace
}  // namespace tiled_matmul

HARNESS_VARIANT(tiled_matmul, blocks, cpu, "one thread, block by block", tiled_matmul::Blocks)
