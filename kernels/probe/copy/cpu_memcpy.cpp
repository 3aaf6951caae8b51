// probe_copy/memcpy: the C library's memcpy on one thread.
#include <cstring>

#include "harness/sdk/registry.h"

namespace probe {
namespace {

class Memcpy final : public harness::sdk::Kernel {
 public:
  Memcpy(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : bytes_(static_cast<std::size_t>(params.integer("n")) * sizeof(float)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<void>(0);
    y_ = buffers.as<void>(1);
  }
  void run(harness::sdk::Stream) override { std::memcpy(y_, x_, bytes_); }

 private:
  std::size_t bytes_;
  const void* x_ = nullptr;
  void* y_ = nullptr;
};

}  // namespace
}  // namespace probe

HARNESS_VARIANT(probe_copy, memcpy, cpu, "memcpy on one thread", probe::Memcpy)
