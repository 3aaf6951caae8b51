#include "kernels/ptx/wmma.cuh"

namespace emulate {

void multiply_wmma(float (*widen)(std::uint16_t), WmmaOperands mine) {
  block().meet_warp("wmma mma_sync", 0xFFFFFFFF, &mine, [widen](Block::Operands lanes) {
    const auto of = [&](int index) -> const WmmaOperands& {
      return *static_cast<const WmmaOperands*>(lanes[static_cast<std::size_t>(index / 8)]);
    };
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 16; ++column) {
        float& to = of(row * 16 + column).sums[(row * 16 + column) % 8];
        double sum = static_cast<double>(to);
        for (int p = 0; p < 16; ++p)
          sum += static_cast<double>(widen(of(row * 16 + p).a[p % 8])) *
                 static_cast<double>(widen(of(p * 16 + column).b[column % 8]));
        to = static_cast<float>(sum);
      }
  });
}

}  // namespace emulate
