// all_reduce/threads: a thread for each GPU sums one part of the values, and writes it to all results.
#include "harness/sdk/registry.h"
#include "kernels/all_reduce/all_reduce.h"
#include "kernels/cpu_pool.h"

namespace all_reduce {
namespace {

class Threads final : public harness::sdk::Kernel {
 public:
  Threads(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : shape_(shape_of(params)), pool_(static_cast<int>(shape_.gpus)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    from_.clear();
    to_.clear();
    for (std::size_t gpu = 0; gpu < shape_.gpus; ++gpu) {
      from_.push_back(buffers.as<const float>(gpu));
      to_.push_back(buffers.as<float>(shape_.result_index(gpu)));
    }
  }

  void run(harness::sdk::Stream) override {
    pool_.for_each(static_cast<std::int64_t>(shape_.gpus), [this](std::int64_t part, int) {
      const auto gpu = static_cast<std::size_t>(part);
      for (std::int64_t i = shape_.part(gpu); i < shape_.part(gpu + 1); ++i) {
        float sum = 0;
        for (const float* values : from_) sum += values[i];
        for (float* sums : to_) sums[i] = sum;
      }
    });
  }

 private:
  Shape shape_;
  kernels::Pool pool_;
  std::vector<const float*> from_;
  std::vector<float*> to_;
};

}  // namespace
}  // namespace all_reduce

HARNESS_VARIANT(all_reduce, threads, cpu, "a thread for each GPU sums one part", all_reduce::Threads)
