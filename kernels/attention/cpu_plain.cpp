// attention/plain: the definition, one query after another on one thread: scores, softmax, weighted sum.
#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"

namespace attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class Plain final : public harness::sdk::Kernel {
 public:
  Plain(const Params& params, const Problem&, const DeviceTraits&)
      : shape_(shape_of(params)),
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
      for (std::int64_t query = 0; query < shape_.sequence; ++query) attend(matrix * shape_.sequence, query);
  }

 private:
  [[nodiscard]] float read(const void* tensor, std::int64_t row, std::int64_t column) const {
    return static_cast<float>(harness::sdk::load(tensor, shape_.dtype, row * shape_.dimension + column));
  }

  // `first` is the row with which the matrix begins.
  void attend(std::int64_t first, std::int64_t query) {
    const std::int64_t seen = shape_.causal ? query + 1 : shape_.sequence;
    const auto scale = static_cast<float>(shape_.scale());
    float top = -std::numeric_limits<float>::infinity();
    for (std::int64_t j = 0; j < seen; ++j) {
      float score = 0;
      for (std::int64_t c = 0; c < shape_.dimension; ++c)
        score += read(q_, first + query, c) * read(k_, first + j, c);
      weights_[static_cast<std::size_t>(j)] = score * scale;
      top = std::max(top, score * scale);
    }
    float total = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    for (std::int64_t j = 0; j < seen; ++j) {
      const float weight = std::exp(weights_[static_cast<std::size_t>(j)] - top);
      total += weight;
      for (std::int64_t c = 0; c < shape_.dimension; ++c)
        sums_[static_cast<std::size_t>(c)] += weight * read(v_, first + j, c);
    }
    for (std::int64_t c = 0; c < shape_.dimension; ++c)
      harness::sdk::store(o_, shape_.dtype, (first + query) * shape_.dimension + c,
                          static_cast<double>(sums_[static_cast<std::size_t>(c)] / total));
  }

  Shape shape_;
  std::vector<float> weights_;
  std::vector<float> sums_;
  const void* q_ = nullptr;
  const void* k_ = nullptr;
  const void* v_ = nullptr;
  void* o_ = nullptr;
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, plain, cpu, "the definition, query by query on one thread", attention::Plain)
