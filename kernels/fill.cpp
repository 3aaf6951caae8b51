#include "kernels/fill.h"

#include <cstring>

#include "harness/sdk/in_parts.h"

namespace kernels {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;

// The splitmix64 finaliser (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
// It turns an element's index into its random bits, so that any thread can draw any element.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

// Element `index` of the stream `key`: uniform on a grid of 2^24 steps in (-1, 1), never exactly zero.
float uniform(std::uint64_t key, std::int64_t index) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
  const std::uint64_t bits = mix(key + golden * static_cast<std::uint64_t>(index + 1));
  return (static_cast<float>(bits >> 40) - 8388607.5F) * 0x1p-23F;
}

std::uint64_t key_of(std::uint64_t seed, std::size_t stream) {
  return mix(mix(seed + 0x9E3779B97F4A7C15U) + stream + 1);
}

template <class T, class Convert>
void fill_range(HostTensor& tensor, std::uint64_t key, float scale, std::int64_t first, std::int64_t last,
                Convert convert) {
  std::byte* const data = tensor.data.data();
  for (std::int64_t i = first; i < last; ++i) {
    const T value = convert(uniform(key, i) * scale);
    std::memcpy(data + i * std::ptrdiff_t{sizeof(T)}, &value, sizeof(T));
  }
}

void fill_range(HostTensor& tensor, std::uint64_t key, float scale, std::int64_t first, std::int64_t last) {
  switch (tensor.spec.dtype) {
    case DType::f16:
      return fill_range<std::uint16_t>(tensor, key, scale, first, last, harness::sdk::f16_from_float);
    case DType::bf16:
      return fill_range<std::uint16_t>(tensor, key, scale, first, last, harness::sdk::bf16_from_float);
    default: return fill_range<float>(tensor, key, scale, first, last, [](float value) { return value; });
  }
}

}  // namespace

void fill_uniform(HostTensor& tensor, std::uint64_t seed, std::size_t stream, float scale) {
  const std::uint64_t key = key_of(seed, stream);
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 18;
  harness::sdk::in_parts(tensor.spec.elements(), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    fill_range(tensor, key, scale, first, last);
  });
}

void draw_uniform(std::span<float> values, std::int64_t first, std::uint64_t seed, std::size_t stream,
                  float scale) {
  const std::uint64_t key = key_of(seed, stream);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = uniform(key, first + static_cast<std::int64_t>(i)) * scale;
}

}  // namespace kernels
