// masks/plain: the definition, one query after another on one thread; the expressions are evaluated for every
// key.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/masks/expression_rows.h"
#include "kernels/masks/masks.h"

namespace masks {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class MaskedPlain final : public harness::sdk::Kernel {
 public:
  MaskedPlain(const Params& params, const Problem&, const DeviceTraits&)
      : shape_(shape_of(params)),
        rules_(shape_),
        mask_(rules_.mask(), rules_.domain()),
        score_(rules_.score(), rules_.domain()),
        seen_(static_cast<std::size_t>(shape_.sequence)),
        weights_(static_cast<std::size_t>(shape_.sequence)),
        sums_(static_cast<std::size_t>(shape_.dimension)) {}

  void bind(const Buffers& buffers) override {
    q_ = buffers.as<void>(q_index);
    k_ = buffers.as<void>(k_index);
    v_ = buffers.as<void>(v_index);
    o_ = buffers.as<void>(o_index);
  }

  void run(Stream) override {
    for (std::int64_t matrix = 0; matrix < shape_.matrices(); ++matrix)
      for (std::int64_t query = 0; query < shape_.sequence; ++query) attend(matrix, query);
  }

 private:
  [[nodiscard]] float read(const void* tensor, std::int64_t row, std::int64_t column) const {
    return static_cast<float>(harness::sdk::load(tensor, shape_.dtype, row * shape_.dimension + column));
  }

  void attend(std::int64_t matrix, std::int64_t query) {
    const std::int64_t first = matrix * shape_.sequence;
    const std::int64_t head = matrix % shape_.heads;
    const auto scale = static_cast<float>(shape_.scale());
    mask_.seen(head, query, 0, shape_.sequence, seen_.data());
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      weights_[j] = 0;
      for (std::int64_t c = 0; c < shape_.dimension && seen_[j] != 0; ++c)
        weights_[j] += read(q_, first + query, c) * read(k_, first + static_cast<std::int64_t>(j), c) * scale;
    }
    score_.change(head, query, 0, shape_.sequence, weights_.data());
    float top = -std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < weights_.size(); ++j)
      if (seen_[j] != 0) top = std::max(top, weights_[j]);
    float total = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      if (seen_[j] == 0) continue;
      const float weight = std::exp(weights_[j] - top);
      total += weight;
      for (std::size_t c = 0; c < sums_.size(); ++c)
        sums_[c] += weight * read(v_, first + static_cast<std::int64_t>(j), static_cast<std::int64_t>(c));
    }
    for (std::size_t c = 0; c < sums_.size(); ++c)
      harness::sdk::store(o_, shape_.dtype, (first + query) * shape_.dimension + static_cast<std::int64_t>(c),
                          total == 0 ? 0.0 : static_cast<double>(sums_[c] / total));
  }

  Shape shape_;
  Rules rules_;
  ExpressionRows<float> mask_;
  ExpressionRows<float> score_;
  std::vector<std::uint8_t> seen_;
  std::vector<float> weights_;
  std::vector<float> sums_;
  const void* q_ = nullptr;
  const void* k_ = nullptr;
  const void* v_ = nullptr;
  void* o_ = nullptr;
};

}  // namespace
}  // namespace masks

HARNESS_VARIANT(masks, plain, cpu, "the definition, query by query on one thread", masks::MaskedPlain)
