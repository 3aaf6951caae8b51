// ring_attention/threads: a thread for each GPU, which takes one block of keys after the other, in the order
// of the ring, and combines what the blocks give by their largest scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/cpu_pool.h"
#include "kernels/ring_attention/ring_attention.h"

namespace ring_attention {
namespace {

class Threads final : public harness::sdk::Kernel {
 public:
  Threads(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : shape_(shape_of(params)), pool_(static_cast<int>(shape_.gpus)), ranks_(shape_.gpus) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    tensors_.assign(buffers.tensors.begin(), buffers.tensors.end());
  }
  void run(harness::sdk::Stream) override {
    pool_.for_each(static_cast<std::int64_t>(shape_.gpus),
                   [this](std::int64_t rank, int) { attend(static_cast<std::size_t>(rank)); });
  }

 private:
  // The sums of one GPU's queries over the keys so far.
  struct Rank {
    std::vector<double> sums;
    std::vector<double> tops;
    std::vector<double> totals;
  };

  [[nodiscard]] double at(std::size_t gpu, std::size_t tensor, std::int64_t element) const {
    return harness::sdk::load(static_cast<const std::byte*>(tensors_[gpu * tensors_of_gpu + tensor]),
                              shape_.dtype, element);
  }

  void attend(std::size_t gpu) {
    const std::int64_t rows = shape_.heads * shape_.block(), d = shape_.dimension;
    Rank& rank = ranks_[gpu];
    rank.sums.assign(static_cast<std::size_t>(rows * d), 0.0);
    rank.tops.assign(static_cast<std::size_t>(rows), -std::numeric_limits<double>::infinity());
    rank.totals.assign(static_cast<std::size_t>(rows), 0.0);
    for (std::size_t step = 0; step < shape_.gpus; ++step)
      for (std::int64_t row = 0; row < rows; ++row) add(gpu, shape_.owner(gpu, step), row);
    auto* const o = static_cast<std::byte*>(tensors_[gpu * tensors_of_gpu + o_index]);
    for (std::int64_t i = 0; i < rows * d; ++i)
      harness::sdk::store(
          o, shape_.dtype, i,
          rank.sums[static_cast<std::size_t>(i)] / rank.totals[static_cast<std::size_t>(i / d)]);
  }

  // The keys of `owner` for one query.
  void add(std::size_t gpu, std::size_t owner, std::int64_t row) {
    const std::int64_t d = shape_.dimension, first = row / shape_.block() * shape_.block();
    Rank& rank = ranks_[gpu];
    double& top = rank.tops[static_cast<std::size_t>(row)];
    double& total = rank.totals[static_cast<std::size_t>(row)];
    double* const sums = rank.sums.data() + row * d;
    for (std::int64_t key = first; key < first + shape_.block(); ++key) {
      double score = 0;
      for (std::int64_t c = 0; c < d; ++c)
        score += at(gpu, q_index, row * d + c) * at(owner, k_index, key * d + c);
      score *= shape_.scale();
      const double both = std::max(top, score);
      const double before = std::exp(top - both), weight = std::exp(score - both);
      top = both;
      total = total * before + weight;
      for (std::int64_t c = 0; c < d; ++c)
        sums[c] = sums[c] * before + weight * at(owner, v_index, key * d + c);
    }
  }

  Shape shape_;
  kernels::Pool pool_;
  std::vector<Rank> ranks_;
  std::vector<void*> tensors_;
};

}  // namespace
}  // namespace ring_attention

HARNESS_VARIANT(ring_attention, threads, cpu, "a thread for each GPU, one block of keys after the other",
                ring_attention::Threads)
