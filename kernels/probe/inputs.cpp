#include "kernels/probe/inputs.h"

#include <cstring>
#include <stdexcept>

#include "harness/sdk/in_parts.h"

namespace probe {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;

// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the state's
// increment and its finaliser.
constexpr std::uint64_t increment = 0x9E3779B97F4A7C15U;
std::uint64_t finalise(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31);
}

template <class T, class Convert>
void draw(HostTensor& tensor, std::uint64_t stream, float scale, Convert convert) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 18;
  std::byte* const data = tensor.data.data();
  harness::sdk::in_parts(tensor.spec.elements(), worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::uint64_t bits = finalise(stream + increment * static_cast<std::uint64_t>(i));
      // One of 2^24 odd multiples of 2^-24: the ends and zero are not among them.
      const float unit = (static_cast<float>(bits >> 40) - 8388607.5F) * 0x1p-23F;
      const T value = convert(unit * scale);
      std::memcpy(data + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
    }
  });
}

}  // namespace

void fill_uniform(HostTensor& tensor, std::uint64_t seed, std::uint64_t number, float scale) {
  const std::uint64_t stream = finalise(finalise(seed + increment) + number + 1);
  switch (tensor.spec.dtype) {
    case DType::f32: return draw<float>(tensor, stream, scale, [](float value) { return value; });
    case DType::f16: return draw<std::uint16_t>(tensor, stream, scale, harness::sdk::f16_from_float);
    default: throw std::invalid_argument("probes draw f32 and f16 only");
  }
}

}  // namespace probe
