#include "kernels/training/replicas.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/sdk/in_parts.h"

namespace training {

Replicas replicas_of(const ModelShape& wide, std::int64_t batch, double flops) {
  Replicas best{wide, batch, 1};
  const auto fits = [&] { return step_flops(best.narrow, best.narrow_batch) <= flops; };
  for (std::int64_t copies = 1; copies <= batch && !fits(); ++copies)
    if (batch % copies == 0) best.narrow_batch = batch / copies;
  for (std::int64_t copies = 1; copies <= wide.heads && !fits(); ++copies) {
    if (wide.heads % copies != 0) continue;
    best.width = copies;
    best.narrow.heads = wide.heads / copies;
    best.narrow.d = wide.d / copies;
  }
  return best;
}

std::vector<float> first_weights(const ModelShape& shape, std::uint64_t seed) {
  const Layout layout(shape);
  std::vector<float> weights(static_cast<std::size_t>(layout.size()));
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  for (const Block& block : blocks_of(layout)) {
    const double inputs = static_cast<double>(block.columns);
    double middle = 0, reach = std::sqrt(3 / inputs);
    switch (block.use) {
      case Block::Use::lookup: reach = 0.5; break;
      case Block::Use::gain:
        middle = 1;
        reach = 0.1;
        break;
      case Block::Use::head: reach /= 4; break;
      case Block::Use::product:
        if (block.ends_branch) reach /= std::sqrt(2 * static_cast<double>(shape.layers));
        break;
    }
    for (std::int64_t i = 0; i < block.rows * block.columns; ++i)
      weights[static_cast<std::size_t>(block.first + i)] = static_cast<float>(middle + reach * uniform());
  }
  return weights;
}

std::vector<Repeated> repeated_blocks(const ModelShape& wide, const Replicas& replicas) {
  const std::vector<Block> all = blocks_of(Layout(wide)), narrow = blocks_of(Layout(replicas.narrow));
  std::vector<Repeated> repeated;
  for (std::size_t i = 0; i < all.size(); ++i) repeated.push_back({all[i], narrow[i], replicas.width});
  return repeated;
}

void widen_weights(const ModelShape& wide, const Replicas& replicas, std::span<const float> narrow,
                   std::span<float> weights) {
  for (const Repeated& block : repeated_blocks(wide, replicas)) {
    const std::int64_t columns = block.wide.columns, few = block.narrow.columns;
    harness::sdk::in_parts(block.wide.rows, (1 << 18) / columns + 1, [&](std::int64_t from, std::int64_t to) {
      const double factor = block.weight_factor();
      std::vector<float> row_of_narrow(static_cast<std::size_t>(few));
      for (std::int64_t row = from; row < to; ++row) {
        const float* const source = narrow.data() + block.narrow_index(row, 0);
        std::transform(source, source + few, row_of_narrow.begin(),
                       [&](float one) { return static_cast<float>(static_cast<double>(one) * factor); });
        float* const target = weights.data() + block.wide.first + row * columns;
        for (std::int64_t column = 0; column < columns; column += few)
          std::copy_n(row_of_narrow.begin(), std::min(few, columns - column), target + column);
      }
    });
  }
}

std::vector<double> narrow_weights(const ModelShape& wide, const Replicas& replicas,
                                   std::span<const float> weights) {
  std::vector<double> narrow(static_cast<std::size_t>(Layout(replicas.narrow).size()));
  for (const Repeated& block : repeated_blocks(wide, replicas)) {
    const std::int64_t parts = block.wide.rows == 3 * block.wide.columns ? 3 : 1;
    const std::int64_t rows = block.wide.rows / parts, few = block.narrow.rows / parts;
    for (std::int64_t row = 0; row < block.narrow.rows; ++row)
      for (std::int64_t column = 0; column < block.narrow.columns; ++column)
        narrow[static_cast<std::size_t>(block.narrow.first + row * block.narrow.columns + column)] =
            static_cast<double>(weights[static_cast<std::size_t>(
                block.wide.first + (row / few * rows + row % few) * block.wide.columns + column)]) /
            block.weight_factor();
  }
  return narrow;
}

}  // namespace training
