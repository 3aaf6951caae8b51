#include "kernels/fill.h"

#include <algorithm>
#include <array>

#include "harness/sdk/in_parts.h"
#include "kernels/cpu/isa.h"

namespace kernels {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;

constexpr std::int64_t drawn_at_once = 4096;

struct Stream {
  std::uint64_t seed;
  std::size_t number;
  float scale;
  std::int64_t first = 0;

  void draw(std::int64_t index, float* values, std::int64_t count) const {
    best_isa().draw(seed, number, first + index, scale, values, count);
  }
};

void fill_narrowed(const Stream& stream, std::int64_t first, std::int64_t last, std::uint16_t* values,
                   void (*narrow)(const float*, std::uint16_t*, std::int64_t)) {
  std::array<float, drawn_at_once> drawn;  // NOLINT(cppcoreguidelines-pro-type-member-init): drawn first
  for (std::int64_t i = first; i < last; i += drawn_at_once) {
    const std::int64_t count = std::min(drawn_at_once, last - i);
    stream.draw(i, drawn.data(), count);
    narrow(drawn.data(), values + i, count);
  }
}

void fill_range(HostTensor& tensor, const Stream& stream, std::int64_t first, std::int64_t last) {
  std::byte* const data = tensor.data.data();
  auto* const halves = reinterpret_cast<std::uint16_t*>(data);
  switch (tensor.spec.dtype) {
    case DType::f16: return fill_narrowed(stream, first, last, halves, best_isa().narrow_f16);
    case DType::bf16: return fill_narrowed(stream, first, last, halves, best_isa().narrow_bf16);
    default: stream.draw(first, reinterpret_cast<float*>(data) + first, last - first);
  }
}

}  // namespace

void fill_uniform(HostTensor& tensor, std::uint64_t seed, std::size_t stream, float scale,
                  std::int64_t first) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 18;
  harness::sdk::in_parts(tensor.spec.elements(), worth_a_thread, [&](std::int64_t begin, std::int64_t end) {
    fill_range(tensor, {seed, stream, scale, first}, begin, end);
  });
}

void draw_uniform(std::span<float> values, std::int64_t first, std::uint64_t seed, std::size_t stream,
                  float scale) {
  Stream{seed, stream, scale}.draw(first, values.data(), std::ssize(values));
}

}  // namespace kernels
