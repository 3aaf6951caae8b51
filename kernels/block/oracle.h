// BlockOracle: the right answer of block in double precision on the inputs as stored. It computes queries,
// keys and values of every batch that holds a wanted element, and the rest for the tokens that do. Host code;
// threads share the rows of a product.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/workload.h"
#include "kernels/block/block.h"
#include "kernels/cpu/add_product.h"
#include "kernels/linear_gelu/linear_gelu.h"
#include "kernels/product_oracle.h"

namespace transformer_block {

// softmax(q K^T / sqrt(head)) V of one token, all heads. `qkv` has a row of 3d for each token.
inline void attend_token(const Shape& shape, const std::vector<double>& qkv, std::int64_t token,
                         double* result) {
  const std::int64_t d = shape.width, head = shape.head(), first = token / shape.sequence * shape.sequence;
  const double scale = 1 / std::sqrt(static_cast<double>(head));
  std::vector<double> weights(static_cast<std::size_t>(shape.sequence));
  std::fill_n(result, d, 0.0);
  for (std::int64_t h = 0; h < shape.heads; ++h) {
    const double* const query = qkv.data() + token * 3 * d + h * head;
    const double* const keys = qkv.data() + first * 3 * d + d + h * head;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < head; ++c)
        score += query[c] * keys[static_cast<std::int64_t>(j) * 3 * d + c];
      weights[j] = score * scale;
    }
    const double top = *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& weight : weights) total += weight = std::exp(weight - top);
    for (std::size_t j = 0; j < weights.size(); ++j)
      for (std::int64_t c = 0; c < head; ++c)
        result[h * head + c] += weights[j] / total * keys[static_cast<std::int64_t>(j) * 3 * d + d + c];
  }
}

class BlockOracle {
 public:
  BlockOracle(const Shape& shape, std::span<const harness::sdk::HostTensor> inputs) : shape_(shape) {
    for (const harness::sdk::HostTensor& input : inputs) {
      Rows& values = inputs_.emplace_back(static_cast<std::size_t>(input.spec.elements()));
      harness::sdk::in_parts(std::ssize(values), 1 << 18, [&](std::int64_t first, std::int64_t last) {
        kernels::widen(input, first, {values.begin() + first, values.begin() + last});
      });
    }
  }

  void answer(std::span<const std::int64_t> wanted, std::span<double> expected) {
    std::vector<std::int64_t> batches, tokens;  // with wanted elements, each once
    for (const std::int64_t element : wanted) {
      tokens.push_back(element / shape_.width);
      batches.push_back(tokens.back() / shape_.sequence);
    }
    keep_each_once(tokens);
    keep_each_once(batches);
    const std::int64_t d = shape_.width;
    Rows qkv(static_cast<std::size_t>(shape_.tokens() * 3 * d));
    for (const std::int64_t batch : batches) {
      const auto first = inputs_[x_index].begin() + batch * shape_.sequence * d;
      const Rows of_batch =
          product(normalised(Rows(first, first + shape_.sequence * d), norm1_weight), qkv_weight);
      std::copy(of_batch.begin(), of_batch.end(), qkv.begin() + batch * shape_.sequence * 3 * d);
    }
    // Wanted tokens up to the last product, of which only wanted columns are summed.
    const Rows middle = middle_of(tokens, qkv);
    const Rows hidden = activated(product(normalised(middle, norm2_weight), up_weight));
    harness::sdk::in_parts(std::ssize(wanted), 16, [&](std::int64_t begin, std::int64_t end) {
      for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
        const auto at = std::lower_bound(tokens.begin(), tokens.end(), wanted[e] / d);
        const std::int64_t column = wanted[e] % d, row = at - tokens.begin();
        const double* const of_row = hidden.data() + row * shape_.hidden();
        double sum = inputs_[down_bias][static_cast<std::size_t>(column)];
        for (std::int64_t k = 0; k < shape_.hidden(); ++k)
          sum += of_row[k] * inputs_[down_weight][static_cast<std::size_t>(k * d + column)];
        expected[e] = middle[static_cast<std::size_t>(row * d + column)] + sum;
      }
    });
  }

 private:
  using Rows = std::vector<double>;

  static void keep_each_once(std::vector<std::int64_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  // Each d elements of x. The bias of a norm, and that of a product, comes behind its weight.
  [[nodiscard]] Rows normalised(Rows x, std::size_t weight) const {
    const std::int64_t d = shape_.width;
    harness::sdk::in_parts(std::ssize(x) / d, 16, [&](std::int64_t begin, std::int64_t end) {
      for (auto row = x.begin() + begin * d; row != x.begin() + end * d; row += d) {
        const double mean = std::accumulate(row, row + d, 0.0) / static_cast<double>(d);
        double squares = 0;
        for (std::int64_t c = 0; c < d; ++c) squares += (row[c] - mean) * (row[c] - mean);
        const double root = std::sqrt(squares / static_cast<double>(d) + 1e-5);
        for (std::int64_t c = 0; c < d; ++c) {
          const auto column = static_cast<std::size_t>(c);
          row[c] = (row[c] - mean) / root * inputs_[weight][column] + inputs_[weight + 1][column];
        }
      }
    });
    return x;
  }

  // x W + b
  [[nodiscard]] Rows product(const Rows& x, std::size_t weight) const {
    const Rows& bias = inputs_[weight + 1];
    const std::int64_t columns = std::ssize(bias), inner = std::ssize(inputs_[weight]) / columns;
    const std::int64_t rows = std::ssize(x) / inner;
    Rows y(static_cast<std::size_t>(rows * columns));
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy(bias.begin(), bias.end(), y.begin() + row * columns);
    kernels::Panels<double> panels;
    kernels::add_product<double>({x.data(), inner, 1}, inputs_[weight].data(), y.data(), rows, inner, columns,
                                 panels, harness::sdk::preparing_threads());
    return y;
  }

  // x + attention(qkv) Wout + bout of these tokens.
  [[nodiscard]] Rows middle_of(const std::vector<std::int64_t>& tokens, const Rows& qkv) const {
    const std::int64_t d = shape_.width;
    Rows attended(tokens.size() * static_cast<std::size_t>(d));
    harness::sdk::in_parts(std::ssize(tokens), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        attend_token(shape_, qkv, tokens[static_cast<std::size_t>(i)], attended.data() + i * d);
    });
    Rows middle = product(attended, out_weight);
    auto sum = middle.begin();
    for (const std::int64_t token : tokens)
      for (std::int64_t c = 0; c < d; ++c)
        *sum++ += inputs_[x_index][static_cast<std::size_t>(token * d + c)];
    return middle;
  }

  [[nodiscard]] static Rows activated(Rows x) {
    harness::sdk::in_parts(std::ssize(x), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      for (auto one = x.begin() + begin; one != x.begin() + end; ++one)
        *one = linear_gelu::gelu(*one, linear_gelu::Gelu::tanh_form);
    });
    return x;
  }

  Shape shape_;
  std::vector<Rows> inputs_;
};

}  // namespace transformer_block
