#include "harness/device/loop_batch.h"

#include <utility>

namespace harness {
namespace {

class LoopBatch final : public Batch {
 public:
  LoopBatch(Timer& timer, int calls, NumberedWork work)
      : timer_(timer), calls_(calls), work_(std::move(work)) {}

  Result<Timing> time(const TimingOptions& options) override {
    const auto all = [this](sdk::Stream stream) {
      for (int i = 0; i < calls_; ++i) work_(stream, i);
    };
    Result<Timing> timing = timer_.time(all, options);
    if (timing) timing->launch.reset();
    return timing;
  }

 private:
  Timer& timer_;
  int calls_;
  NumberedWork work_;
};

}  // namespace

std::unique_ptr<Batch> loop_batch(Timer& timer, int calls, NumberedWork work) {
  return std::make_unique<LoopBatch>(timer, calls, std::move(work));
}

}  // namespace harness
