// attention/threads_online: blocks of queries on all threads, with a running softmax (cpu_online.h).
#include <algorithm>

#include "harness/sdk/registry.h"
#include "kernels/attention/attention.h"
#include "kernels/attention/cpu_online.h"

namespace attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

// Keys 0..i where causal, all of them else.
struct OnlineMask {
  bool causal;
  std::int64_t sequence;
  [[nodiscard]] bool any(std::int64_t, std::int64_t query, std::int64_t rows, std::int64_t key) const {
    return !causal || key < query + rows;
  }
  // Returns how many of the first keys remain.
  [[nodiscard]] std::int64_t adjust(std::int64_t, std::int64_t query, std::int64_t key, std::int64_t keys,
                                    float*) const {
    return causal ? std::clamp<std::int64_t>(query + 1 - key, 0, keys) : keys;
  }
};

class ThreadsOnline final : public harness::sdk::Kernel {
 public:
  ThreadsOnline(const Params& params, const Problem&, const DeviceTraits& traits)
      : online_(extents_of(shape_of(params)), kernels::usable_threads(traits.multiprocessors),
                OnlineMask{shape_of(params).causal, shape_of(params).sequence}) {}
  void bind(const Buffers& buffers) override { online_.bind(buffers); }
  void run(Stream) override { online_.run(); }

 private:
  static OnlineExtents extents_of(const Shape& shape) {
    return {shape.dtype, shape.matrices(), shape.sequence, shape.dimension};
  }
  OnlineThreads<OnlineMask> online_;
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, threads_online, cpu, "blocked threads; online softmax over blocks of keys",
                attention::ThreadsOnline)
