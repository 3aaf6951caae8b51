// host_copy/copies: on a CPU, where host and device are one.
#include <cstring>

#include "harness/sdk/registry.h"
#include "kernels/host_copy/host_copy.h"

namespace host_copy {
namespace {

class Copies final : public harness::sdk::Kernel {
 public:
  Copies(const harness::sdk::Params& params, const harness::sdk::Problem&, const harness::sdk::DeviceTraits&)
      : bytes_(static_cast<std::size_t>(params.integer("n")) * sizeof(float)) {}

  void bind(const harness::sdk::Buffers& buffers) override {
    of_host_ = buffers.as<void>(of_host_index);
    of_device_ = buffers.as<void>(of_device_index);
    to_device_ = buffers.as<void>(to_device_index);
    to_host_ = buffers.as<void>(to_host_index);
  }
  void run(harness::sdk::Stream) override {
    std::memcpy(to_device_, of_host_, bytes_);
    std::memcpy(to_host_, of_device_, bytes_);
  }

 private:
  std::size_t bytes_;
  const void* of_host_ = nullptr;
  const void* of_device_ = nullptr;
  void* to_device_ = nullptr;
  void* to_host_ = nullptr;
};

}  // namespace
}  // namespace host_copy

HARNESS_VARIANT(host_copy, copies, cpu, "a copy each way, one after the other", host_copy::Copies)
