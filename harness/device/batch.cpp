#include "harness/device/batch.h"

#include <utility>

#include "harness/device/device.h"

namespace harness {
namespace {

class LoopBatch final : public Batch {
 public:
  LoopBatch(Device& device, int calls, std::function<void(int)> work)
      : device_(device), calls_(calls), work_(std::move(work)) {}

  Result<Timing> time(const TimingOptions& options) override {
    Result<Timing> timing = device_.time(
        [this] {
          for (int i = 0; i < calls_; ++i) work_(i);
        },
        options);
    if (timing) timing->launch.reset();
    return timing;
  }

 private:
  Device& device_;
  int calls_;
  std::function<void(int)> work_;
};

}  // namespace

std::unique_ptr<Batch> loop_batch(Device& device, int calls, std::function<void(int)> work) {
  return std::make_unique<LoopBatch>(device, calls, std::move(work));
}

Result<std::unique_ptr<Batch>> Device::record(int calls, std::function<void(int)> work) {
  return loop_batch(*this, calls, std::move(work));
}

}  // namespace harness
