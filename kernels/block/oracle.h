// BlockOracle: the right answer of block in double precision on the inputs as stored. It computes queries,
// keys and values of every batch that holds a wanted element, and the rest for the tokens that do. Host code;
// threads share the tokens.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/workload.h"
#include "kernels/block/block.h"
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
    for (const harness::sdk::HostTensor& input : inputs) {  // float32 holds every element exactly
      std::vector<float>& values = inputs_.emplace_back(static_cast<std::size_t>(input.spec.elements()));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(input.at(static_cast<std::int64_t>(i)));
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
    qkv_.resize(static_cast<std::size_t>(shape_.tokens() * 3 * shape_.width));
    for (const std::int64_t batch : batches)
      by_rows(shape_.sequence, [&](std::int64_t first, std::int64_t rows) {
        const std::int64_t token = batch * shape_.sequence + first;
        std::vector<double> normed = tokens_of(token, rows);
        normalise(normed, norm1_weight, norm1_bias);
        multiply(normed, qkv_weight, qkv_bias, qkv_.data() + token * 3 * shape_.width);
      });
    // Wanted tokens up to the last product, of which only wanted columns are summed.
    const auto count = static_cast<std::int64_t>(tokens.size());
    std::vector<double> middle(static_cast<std::size_t>(count * shape_.width));
    std::vector<double> hidden(static_cast<std::size_t>(count * shape_.hidden()));
    by_rows(count, [&](std::int64_t first, std::int64_t rows) {
      finish_rows(std::span(tokens).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
                  middle.data() + first * shape_.width, hidden.data() + first * shape_.hidden());
    });
    harness::sdk::in_parts(std::ssize(wanted), 16, [&](std::int64_t begin, std::int64_t end) {
      for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) {
        const auto at = std::lower_bound(tokens.begin(), tokens.end(), wanted[e] / shape_.width);
        const std::int64_t column = wanted[e] % shape_.width, row = at - tokens.begin();
        double sum = inputs_[down_bias][static_cast<std::size_t>(column)];
        for (std::int64_t k = 0; k < shape_.hidden(); ++k)
          sum +=
              hidden[static_cast<std::size_t>(row * shape_.hidden() + k)] *
              static_cast<double>(inputs_[down_weight][static_cast<std::size_t>(k * shape_.width + column)]);
        expected[e] = middle[static_cast<std::size_t>(row * shape_.width + column)] + sum;
      }
    });
  }

 private:
  static void keep_each_once(std::vector<std::int64_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }

  // Calls act(first, rows) for stretches of up to four rows.
  template <class Act>
  static void by_rows(std::int64_t count, const Act& act) {
    constexpr std::int64_t at_once = 4;
    harness::sdk::in_parts((count + at_once - 1) / at_once, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) act(i * at_once, std::min(at_once, count - i * at_once));
    });
  }

  [[nodiscard]] std::vector<double> tokens_of(std::int64_t first, std::int64_t rows) const {
    const auto* const from = inputs_[x_index].data() + first * shape_.width;
    return {from, from + rows * shape_.width};
  }

  // Each `width` elements of `rows`.
  void normalise(std::vector<double>& rows, Index weight, Index bias) const {
    const auto width = static_cast<std::size_t>(shape_.width);
    for (std::size_t first = 0; first < rows.size(); first += width) {
      double sum = 0, squares = 0;
      for (std::size_t c = 0; c < width; ++c) sum += rows[first + c];
      const double mean = sum / static_cast<double>(width);
      for (std::size_t c = 0; c < width; ++c) squares += std::pow(rows[first + c] - mean, 2);
      const double root = std::sqrt(squares / static_cast<double>(width) + 1e-5);
      for (std::size_t c = 0; c < width; ++c)
        rows[first + c] = (rows[first + c] - mean) / root * static_cast<double>(inputs_[weight][c]) +
                          static_cast<double>(inputs_[bias][c]);
    }
  }

  // y = x W + b for a few rows.
  void multiply(const std::vector<double>& x, Index weight, Index bias, double* y) const {
    const std::vector<float>& b = inputs_[bias];
    for (std::size_t row = 0; row * inputs_[weight].size() < x.size() * b.size(); ++row)
      std::copy(b.begin(), b.end(), y + row * b.size());
    kernels::add_product_of_rows(x, inputs_[weight], b.size(), y);
  }

  void finish_rows(std::span<const std::int64_t> tokens, double* middle, double* hidden) const {
    const auto d = static_cast<std::size_t>(shape_.width);
    std::vector<double> attended(tokens.size() * d);
    for (std::size_t i = 0; i < tokens.size(); ++i)
      attend_token(shape_, qkv_, tokens[i], attended.data() + i * d);
    multiply(attended, out_weight, out_bias, middle);
    for (std::size_t i = 0; i < tokens.size() * d; ++i)
      middle[i] += static_cast<double>(inputs_[x_index][static_cast<std::size_t>(tokens[i / d]) * d + i % d]);
    std::vector<double> normed(middle, middle + tokens.size() * d);
    normalise(normed, norm2_weight, norm2_bias);
    multiply(normed, up_weight, up_bias, hidden);
    for (std::int64_t i = 0; i < std::ssize(tokens) * shape_.hidden(); ++i)
      hidden[i] = linear_gelu::gelu(hidden[i], linear_gelu::Gelu::tanh_form);
  }

  Shape shape_;
  std::vector<std::vector<float>> inputs_;
  std::vector<double> qkv_;
};

}  // namespace transformer_block
