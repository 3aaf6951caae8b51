// Float64: the operations of the networks in double precision, for the right answer. Host code; threads share
// the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "kernels/backends/weights.h"
#include "kernels/block/oracle.h"
#include "kernels/cpu/add_product.h"

namespace backends {

// The row of the neighbour at `tap` of 3 x 3, where `row` is a point of a picture among all rows. Negative
// outside the picture.
inline std::int64_t neighbour(std::int64_t row, std::int64_t tap, std::int64_t size) {
  const std::int64_t y = row / size % size + tap / 3 - 1, x = row % size + tap % 3 - 1;
  if (y < 0 || y >= size || x < 0 || x >= size) return -1;
  return row + (tap / 3 - 1) * size + tap % 3 - 1;
}

// Element `at` of (pictures, channels, points) as (pictures, points, channels).
inline std::int64_t channels_last(const Shape& shape, std::int64_t at) {
  const std::int64_t picture = at / (shape.width * shape.points());
  return (picture * shape.points() + at % shape.points()) * shape.width + at / shape.points() % shape.width;
}

class Float64 {
 public:
  using Value = std::vector<double>;  // rows

  explicit Float64(const Shape& shape) : shape_(shape) {}

  [[nodiscard]] Value product(const Value& x, std::size_t weight, After after, const Value& added) const {
    const WeightShape of = weight_shapes(shape_)[weight];
    Value y = after == After::add ? added : Value(static_cast<std::size_t>(shape_.rows() * of.columns));
    add_product(weight_values(shape_, weight), of.columns, y, [&](std::int64_t first, std::int64_t rows) {
      return Value(x.begin() + first * of.rows, x.begin() + (first + rows) * of.rows);
    });
    if (after == After::relu) rectify(y);
    return y;
  }

  // x has pictures whose channels are last.
  [[nodiscard]] Value convolution(const Value& x, std::size_t weight) const {
    const std::int64_t channels = shape_.width;
    Value y(x.size());
    add_product(product_weight(weight_values(shape_, weight), channels), channels, y,
                [&](std::int64_t first, std::int64_t rows) {
                  Value near(static_cast<std::size_t>(rows * 9 * channels));
                  harness::sdk::in_parts(rows, 256, [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t row = begin; row < end; ++row)
                      for (std::int64_t tap = 0; tap < 9; ++tap)
                        if (const std::int64_t from = neighbour(first + row, tap, shape_.size); from >= 0)
                          std::copy_n(x.begin() + from * channels, channels,
                                      near.begin() + (row * 9 + tap) * channels);
                  });
                  return near;
                });
    rectify(y);
    return y;
  }

  [[nodiscard]] Value attention(const Value& x, std::size_t query) const {
    const std::int64_t d = shape_.width;
    Value qkv(x.size() * 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const Value part = product(x, query + i, After::nothing, {});
      for (std::int64_t row = 0; row < shape_.rows(); ++row)
        std::copy_n(part.begin() + row * d, d, qkv.begin() + row * 3 * d + static_cast<std::int64_t>(i) * d);
    }
    Value y(x.size());
    const transformer_block::Shape tokens = {
        .batch = shape_.batch, .sequence = shape_.length, .width = shape_.width, .heads = shape_.heads};
    harness::sdk::in_parts(shape_.rows(), 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) attend_token(tokens, qkv, row, y.data() + row * d);
    });
    return y;
  }

  [[nodiscard]] Value normalise(Value x) const {
    const std::int64_t d = shape_.width;
    for (auto row = x.begin(); row != x.end(); row += d) {
      double sum = 0, squares = 0;
      for (std::int64_t c = 0; c < d; ++c) sum += row[c];
      const double mean = sum / static_cast<double>(d);
      for (std::int64_t c = 0; c < d; ++c) squares += (row[c] - mean) * (row[c] - mean);
      const double root = std::sqrt(squares / static_cast<double>(d) + epsilon);
      for (std::int64_t c = 0; c < d; ++c) row[c] = (row[c] - mean) / root;
    }
    return x;
  }

 private:
  static void rectify(Value& x) {
    for (double& one : x) one = std::max(one, 0.0);
  }

  // y += X W, with the rows of X that rows_of(first, rows) gives, some thousands at a time.
  template <class RowsOf>
  void add_product(const std::vector<std::uint16_t>& weight, std::int64_t n, Value& y,
                   const RowsOf& rows_of) const {
    constexpr std::int64_t at_once = 4096, values_a_thread = std::int64_t{1} << 18;
    std::vector<double, harness::sdk::FreshPages<double>> w(weight.size());
    kernels::Panels<double> panels;
    harness::sdk::in_parts(std::ssize(weight), values_a_thread, [&](std::int64_t first, std::int64_t last) {
      std::transform(weight.begin() + first, weight.begin() + last, w.begin() + first,
                     harness::sdk::float_from_f16);
    });
    const std::int64_t k = std::ssize(weight) / n;
    for (std::int64_t row = 0; row < shape_.rows(); row += at_once) {
      const std::int64_t rows = std::min(at_once, shape_.rows() - row);
      const Value x = rows_of(row, rows);
      kernels::add_product<double>({x.data(), k, 1}, w.data(), y.data() + row * n, rows, k, n, panels,
                                   harness::sdk::preparing_threads());
    }
  }

  Shape shape_;
};

}  // namespace backends
