// HostMemory: buffers of the CPU device and of the scripted device. They are host memory, and copies are
// memcpy. One thread uses it.
#pragma once

#include "harness/device/memory.h"

namespace harness {

class HostMemory : public Memory {
 public:
  // 256-byte aligned. More than the machine can give: an Error of kind `environment`.
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) override;
  // Copies between a buffer and host memory; longer than the buffer is an Error of kind `internal`.
  Status upload(Buffer& to, std::span<const std::byte> from) override;
  Status copy(Buffer& to, const Buffer& from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Result<std::optional<std::size_t>> first_difference(const Buffer& buffer,
                                                      std::span<const std::byte> expected) override;
  Status fill(Buffer& buffer, unsigned char value) override;
};

}  // namespace harness
