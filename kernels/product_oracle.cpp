#include "kernels/product_oracle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "harness/sdk/in_parts.h"

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

// expected[e] = the dot product for element wanted[e], for those that `order` names. Each sum runs over k in
// order; k is cut into blocks only so that the rows of W in use stay in the cache.
template <class T, class Widen>
void accumulate(const ProductShape& shape, const HostTensor& x, const HostTensor& w,
                std::span<const std::int64_t> wanted, std::span<double> expected,
                std::span<const std::size_t> order, std::span<const double> factors, Widen widen) {
  constexpr std::int64_t block = 64;
  std::vector<double> sums(order.size(), 0.0);
  for (std::int64_t begin = 0; begin < shape.k; begin += block) {
    const std::int64_t end = std::min(begin + block, shape.k);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::int64_t row = wanted[order[i]] / shape.n;
      const std::int64_t column = wanted[order[i]] % shape.n;
      double sum = sums[i];
      for (std::int64_t p = begin; p < end; ++p)
        sum += static_cast<double>(widen(read<T>(x, row * shape.k + p))) *
               static_cast<double>(widen(read<T>(w, p * shape.n + column))) *
               (factors.empty() ? 1.0 : factors[static_cast<std::size_t>(p)]);
      sums[i] = sum;
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) expected[order[i]] = sums[i];
}

void accumulate(const ProductShape& shape, const HostTensor& x, const HostTensor& w,
                std::span<const std::int64_t> wanted, std::span<double> expected,
                std::span<const std::size_t> order, std::span<const double> factors) {
  if (shape.dtype == DType::f16)
    accumulate<std::uint16_t>(shape, x, w, wanted, expected, order, factors, harness::sdk::float_from_f16);
  else if (shape.dtype == DType::bf16)
    accumulate<std::uint16_t>(shape, x, w, wanted, expected, order, factors, harness::sdk::float_from_bf16);
  else
    accumulate<float>(shape, x, w, wanted, expected, order, factors, [](float value) { return value; });
}

}  // namespace

void widen(const HostTensor& tensor, std::int64_t first, std::span<double> to) {
  const std::byte* const data = tensor.data.data();
  const auto load_each = [&]<DType type>() {
    for (std::int64_t i = 0; i < std::ssize(to); ++i)
      to[static_cast<std::size_t>(i)] = harness::sdk::load(data, type, first + i);
  };
  static const std::array<double, 256> of_e4m3 = [] {
    std::array<double, 256> values{};
    for (std::size_t code = 0; code < values.size(); ++code)
      values[code] =
          harness::sdk::double_from_small(harness::sdk::e4m3_format, static_cast<std::uint8_t>(code));
    return values;
  }();
  switch (tensor.spec.dtype) {
    case DType::e4m3:
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = of_e4m3[static_cast<std::size_t>(data[first + static_cast<std::int64_t>(i)])];
      return;
    case DType::f16: return load_each.operator()<DType::f16>();
    case DType::bf16: return load_each.operator()<DType::bf16>();
    case DType::f32: return load_each.operator()<DType::f32>();
    case DType::i8: return load_each.operator()<DType::i8>();
    case DType::i4: return load_each.operator()<DType::i4>();
    default:
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = tensor.at(first + static_cast<std::int64_t>(i));
  }
}

// Threads take the elements by columns, so that each reads columns of W of its own.
void product_oracle(const ProductShape& shape, const HostTensor& x, const HostTensor& w,
                    std::span<const std::int64_t> wanted, std::span<double> expected,
                    std::span<const double> factors) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] % shape.n < wanted[b] % shape.n; });
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 18;  // products
  const std::int64_t grain = std::max<std::int64_t>(worth_a_thread / std::max<std::int64_t>(shape.k, 1), 1);
  harness::sdk::in_parts(std::ssize(order), grain, [&](std::int64_t first, std::int64_t last) {
    accumulate(
        shape, x, w, wanted, expected,
        std::span(order).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
        factors);
  });
}

}  // namespace kernels
