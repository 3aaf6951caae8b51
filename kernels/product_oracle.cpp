#include "kernels/product_oracle.h"

#include <algorithm>
#include <cstring>

namespace kernels {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;

template <class T>
T read(const HostTensor& tensor, std::int64_t index) {
  T value;
  std::memcpy(&value, tensor.data.data() + index * std::ptrdiff_t{sizeof(T)}, sizeof(T));
  return value;
}

// expected[e] += the dot product for element wanted[e]. Each sum runs over k in order; k is cut into
// blocks only so that the rows of W in use stay in the cache.
template <class T, class Widen>
void accumulate(const ProductShape& shape, const HostTensor& x, const HostTensor& w,
                std::span<const std::int64_t> wanted, std::span<double> expected, Widen widen) {
  constexpr std::int64_t block = 64;
  for (std::int64_t begin = 0; begin < shape.k; begin += block) {
    const std::int64_t end = std::min(begin + block, shape.k);
    for (std::size_t e = 0; e < wanted.size(); ++e) {
      const std::int64_t row = wanted[e] / shape.n;
      const std::int64_t column = wanted[e] % shape.n;
      double sum = expected[e];
      for (std::int64_t p = begin; p < end; ++p)
        sum += static_cast<double>(widen(read<T>(x, row * shape.k + p))) *
               static_cast<double>(widen(read<T>(w, p * shape.n + column)));
      expected[e] = sum;
    }
  }
}

}  // namespace

void product_oracle(const ProductShape& shape, const HostTensor& x, const HostTensor& w,
                    std::span<const std::int64_t> wanted, std::span<double> expected) {
  std::fill(expected.begin(), expected.end(), 0.0);
  if (shape.dtype == DType::f16)
    accumulate<std::uint16_t>(shape, x, w, wanted, expected, harness::sdk::float_from_f16);
  else if (shape.dtype == DType::bf16)
    accumulate<std::uint16_t>(shape, x, w, wanted, expected, harness::sdk::float_from_bf16);
  else
    accumulate<float>(shape, x, w, wanted, expected, [](float value) { return value; });
}

}  // namespace kernels
