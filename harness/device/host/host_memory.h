// HostMemoryDevice: the half of a Device that the CPU device and the scripted device share: buffers are
// host memory, copies are memcpy, and there is no queue to wait for. Knows nothing of time.
// One thread uses it, as it uses every Device.
#pragma once

#include "harness/device/device.h"

namespace harness {

class HostMemoryDevice : public Device {
 public:
  // 256-byte aligned. More than the machine can give: an Error of kind `environment`.
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override;
  // Copies between a buffer and host memory; longer than the buffer is an Error of kind `internal`.
  Status upload(Buffer& to, std::span<const std::byte> from) override;
  Status copy(Buffer& to, const Buffer& from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Status fill(Buffer& buffer, unsigned char value) override;

  [[nodiscard]] sdk::Stream stream() override { return {}; }
  Status synchronize() override { return {}; }
};

}  // namespace harness
