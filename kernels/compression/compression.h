// compression as every variant sees it: the order of its tensors, the forms of a compressed gradient, and a
// plain compressor that the training of kernels/training uses as well. Host code.
//
// Error feedback: a call compresses the sum of gradient and residual. The part that is lost is the next
// residual. Seide et al., "1-Bit Stochastic Gradient Descent and its Application to Data-Parallel Distributed
// Training of Speech DNNs" (2014); for the largest values: Aji and Heafield, "Sparse Communication for
// Distributed Gradient Descent" (2017).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/host_device.h"

namespace compression {

// Indices into Problem::tensors, all float32.
inline constexpr std::size_t residual_index = 0;  // changed in place
inline constexpr std::size_t gradient_index = 1;
inline constexpr std::size_t restored_index = 2;  // compressed and decompressed again

// largest: the share of the values with the largest magnitudes, as pairs of index and value. int8: a code a
// value, and a scale for each block.
enum class Form { largest, int8 };
inline constexpr std::int64_t block_values = 256;
inline constexpr float largest_code = 127;

struct Settings {
  Form form = Form::largest;
  std::int64_t percent = 1;  // of largest
};

inline Settings settings_of(const harness::sdk::Params& params) {
  const std::string& form = params.text("form");
  if (form == "int8") return {Form::int8, 100};
  return {Form::largest, form == "top_10" ? 10 : 1};
}

// At most so many values are kept: at least 1, and never all.
inline std::int64_t most_kept(const Settings& settings, std::int64_t n) {
  return std::min(std::max<std::int64_t>(n * settings.percent / 100, 1), n - 1);
}

// A value whose magnitude is at most that of the value of rank most_kept() + 1 is lost. So values that equal
// that one are lost, too, and no order among equals is needed.
KERNELS_BOTH float int8_scale(float largest) {
  return largest > 0 ? largest / largest_code : 1.0F;
}
KERNELS_BOTH float int8_code(float value, float scale) {
  return rintf(value / scale);
}

// Bytes of a compressed gradient of which `kept` values are kept.
inline double compressed_bytes(const Settings& settings, std::int64_t n, std::int64_t kept) {
  if (settings.form == Form::largest) return 8 * static_cast<double>(kept);
  const std::int64_t blocks = (n + block_values - 1) / block_values;
  return static_cast<double>(n) + 4 * static_cast<double>(blocks);
}

// Compresses and decompresses on one thread. Keeps the compressed form between both.
class PlainCompressor {
 public:
  explicit PlainCompressor(const Settings& settings) : settings_(settings) {}

  // residual += gradient; restored: what the compressed form tells of it; residual -= restored.
  void run(std::span<float> residual, std::span<const float> gradient, std::span<float> restored) {
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] += gradient[i];
    if (settings_.form == Form::largest) {
      keep_largest(residual);
      scatter(restored);
    } else {
      encode(residual);
      decode(restored);
    }
  }
  [[nodiscard]] double bytes() const {
    return compressed_bytes(settings_, static_cast<std::int64_t>(codes_.size()), std::ssize(pairs_));
  }

 private:
  struct Pair {
    std::uint32_t index;
    float value;
  };

  void keep_largest(std::span<float> sums) {
    const auto kept = static_cast<std::size_t>(most_kept(settings_, std::ssize(sums)));
    magnitudes_.resize(sums.size());
    std::transform(sums.begin(), sums.end(), magnitudes_.begin(), [](float sum) { return std::fabs(sum); });
    std::nth_element(magnitudes_.begin(), magnitudes_.begin() + static_cast<std::ptrdiff_t>(kept),
                     magnitudes_.end(), std::greater<>());
    const float lost = magnitudes_[kept];
    pairs_.clear();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!(std::fabs(sums[i]) > lost)) continue;
      pairs_.push_back({static_cast<std::uint32_t>(i), sums[i]});
      sums[i] = 0;
    }
  }
  void scatter(std::span<float> restored) const {
    std::fill(restored.begin(), restored.end(), 0.0F);
    for (const Pair& pair : pairs_) restored[pair.index] = pair.value;
  }

  void encode(std::span<float> sums) {
    constexpr auto block = static_cast<std::size_t>(block_values);
    codes_.resize(sums.size());
    scales_.resize((sums.size() + block - 1) / block);
    for (std::size_t b = 0; b < scales_.size(); ++b) {
      const std::size_t end = std::min(sums.size(), (b + 1) * block);
      float largest = 0;
      for (std::size_t i = b * block; i < end; ++i) largest = std::max(largest, std::fabs(sums[i]));
      scales_[b] = int8_scale(largest);
      for (std::size_t i = b * block; i < end; ++i) {
        const float code = int8_code(sums[i], scales_[b]);
        codes_[i] = static_cast<std::int8_t>(code);
        sums[i] = fmaf(-code, scales_[b], sums[i]);
      }
    }
  }
  void decode(std::span<float> restored) const {
    for (std::size_t i = 0; i < restored.size(); ++i)
      restored[i] = static_cast<float>(codes_[i]) * scales_[i / static_cast<std::size_t>(block_values)];
  }

  Settings settings_;
  std::vector<float> magnitudes_;
  std::vector<Pair> pairs_;
  std::vector<std::int8_t> codes_;
  std::vector<float> scales_;
};

}  // namespace compression
