// sparse_attention/plain: the definition, one query after another on one thread, over the blocks that are
// kept.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/sdk/registry.h"
#include "kernels/sparse_attention/block_choice.h"

namespace sparse_attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DType;

class PlainBlocks final : public harness::sdk::Kernel {
 public:
  PlainBlocks(const harness::sdk::Params& params, const harness::sdk::Problem&,
              const harness::sdk::DeviceTraits&)
      : shape_(shape_of(params)),
        weights_(static_cast<std::size_t>(block)),
        sums_(static_cast<std::size_t>(shape_.dimension)) {}

  void bind(const Buffers& buffers) override {
    q_ = buffers.as<void>(q_index);
    k_ = buffers.as<void>(k_index);
    v_ = buffers.as<void>(v_index);
    o_ = buffers.as<void>(o_index);
    chosen_ = shape_.pattern == Pattern::learned ? buffers.as<void>(chosen_index) : nullptr;
  }

  void run(harness::sdk::Stream) override {
    const std::vector<std::int32_t> kept =
        kept_blocks(shape_, q_, k_, chosen_, [](std::int64_t count, const auto& work) {
          for (std::int64_t i = 0; i < count; ++i) work(i);
        });
    for (std::int64_t matrix = 0; matrix < shape_.matrices(); ++matrix)
      for (std::int64_t query = 0; query < shape_.sequence; ++query) {
        const std::int64_t row = matrix % shape_.lists() * shape_.blocks() + query / block;
        attend(matrix * shape_.sequence, query, kept.data() + row * shape_.kept());
      }
  }

 private:
  [[nodiscard]] float read(const void* tensor, std::int64_t row, std::int64_t column) const {
    return static_cast<float>(harness::sdk::load(tensor, DType::f16, row * shape_.dimension + column));
  }

  // Sums are brought to each new largest score.
  void attend(std::int64_t first, std::int64_t query, const std::int32_t* kept) {
    const auto scale = static_cast<float>(shape_.scale());
    float top = -std::numeric_limits<float>::infinity();
    float total = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0F);
    for (std::int64_t i = 0; i < shape_.kept(); ++i) {
      const std::int64_t begin = kept[i] * block;
      const std::int64_t keys = std::min(block, shape_.sequence - begin);
      float largest = top;
      for (std::int64_t j = 0; j < keys; ++j) {
        float score = 0;
        for (std::int64_t c = 0; c < shape_.dimension; ++c)
          score += read(q_, first + query, c) * read(k_, first + begin + j, c);
        weights_[static_cast<std::size_t>(j)] = score * scale;
        largest = std::max(largest, score * scale);
      }
      const float factor = std::exp(top - largest);  // 0 for the first block
      top = largest;
      total *= factor;
      for (float& sum : sums_) sum *= factor;
      for (std::int64_t j = 0; j < keys; ++j) {
        const float weight = std::exp(weights_[static_cast<std::size_t>(j)] - top);
        total += weight;
        for (std::int64_t c = 0; c < shape_.dimension; ++c)
          sums_[static_cast<std::size_t>(c)] += weight * read(v_, first + begin + j, c);
      }
    }
    for (std::int64_t c = 0; c < shape_.dimension; ++c)
      harness::sdk::store(o_, DType::f16, (first + query) * shape_.dimension + c,
                          static_cast<double>(sums_[static_cast<std::size_t>(c)] / total));
  }

  Shape shape_;
  std::vector<float> weights_;
  std::vector<float> sums_;
  const void* q_ = nullptr;
  const void* k_ = nullptr;
  const void* v_ = nullptr;
  const void* chosen_ = nullptr;
  void* o_ = nullptr;
};

}  // namespace
}  // namespace sparse_attention

HARNESS_VARIANT(sparse_attention, plain, cpu, "the definition, query by query on one thread",
                sparse_attention::PlainBlocks)
