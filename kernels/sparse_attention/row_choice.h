// The rules by which one block of queries keeps some blocks of keys, for attention that sees all keys and for
// causal attention. Pure host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness/sdk/dtype.h"

namespace sparse_attention {

// Appends `kept` of the blocks 0 ... candidates - 1, ascending: `near` neighbours of the block `diagonal`,
// and the others evenly spread.
inline void append_fixed_row(std::int64_t diagonal, std::int64_t candidates, std::int64_t kept,
                             std::int64_t near, std::vector<std::int32_t>& chosen) {
  const std::int64_t far = kept - near;
  const std::int64_t first = std::clamp<std::int64_t>(diagonal - near / 2, 0, candidates - near);
  const std::size_t before = chosen.size();
  for (std::int64_t i = 0; i < near; ++i) chosen.push_back(static_cast<std::int32_t>(first + i));
  for (std::int64_t i = 0; i < far; ++i) {
    const std::int64_t other = (2 * i + 1) * (candidates - near) / (2 * far);  // among those not near
    chosen.push_back(static_cast<std::int32_t>(other < first ? other : other + near));
  }
  std::sort(chosen.begin() + static_cast<std::ptrdiff_t>(before), chosen.end());
}

// The neighbours among `kept` blocks of a fixed pattern: half of a strided one, all of a banded one.
inline std::int64_t near_of(bool strided, std::int64_t kept) {
  return strided ? (kept + 1) / 2 : kept;
}

// Codes are 32 times the mean.
inline constexpr float code_scale = 32.0F;

// The mean of `count` rows of `d` f16 elements, rounded to 8 bits. Summed in the order of rows.
inline void mean_codes(const std::uint16_t* rows, std::int64_t count, std::int64_t d, std::int8_t* codes) {
  std::vector<float> sums(static_cast<std::size_t>(d));
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t c = 0; c < d; ++c)
      sums[static_cast<std::size_t>(c)] += harness::sdk::float_from_f16(rows[row * d + c]);
  const float factor = code_scale / static_cast<float>(count);
  for (std::int64_t c = 0; c < d; ++c)
    codes[c] = static_cast<std::int8_t>(
        std::clamp(std::nearbyint(sums[static_cast<std::size_t>(c)] * factor), -127.0F, 127.0F));
}

// The products of a block of queries with `candidates` blocks of keys, by their codes.
inline std::vector<std::int32_t> code_products(const std::int8_t* query, const std::int8_t* keys,
                                               std::int64_t candidates, std::int64_t d) {
  std::vector<std::int32_t> scores(static_cast<std::size_t>(candidates));
  for (std::int64_t j = 0; j < candidates; ++j)
    for (std::int64_t c = 0; c < d; ++c)
      scores[static_cast<std::size_t>(j)] += std::int32_t{query[c]} * keys[j * d + c];
  return scores;
}

// Writes the `kept` indices of the largest scores, ascending. The earlier of two equal ones wins.
template <class Score>
void choose_largest(const std::vector<Score>& scores, std::int64_t kept, std::int32_t* chosen) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  std::sort(order.begin(), order.begin() + kept);
  std::copy_n(order.begin(), kept, chosen);
}

}  // namespace sparse_attention
