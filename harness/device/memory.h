// Memory: buffers on a device. One thread of a worker process uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "harness/base/result.h"
#include "harness/device/scope.h"

namespace harness {

// Memory of the device, or of the host for it, freed by the destructor. Addresses are at least 256-byte
// aligned.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;
  [[nodiscard]] virtual void* data() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  // Whether it takes none of the device's memory.
  [[nodiscard]] virtual bool of_host() const { return false; }
};

class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  virtual Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes) = 0;
  // In the memory of GPU number `gpu` of several (OpenOptions::peers), or for sdk::host_memory in that of the
  // host. Devices that are no GPUs have the host's memory alone.
  virtual Result<std::unique_ptr<Buffer>> allocate_on(int gpu, std::size_t bytes) {
    (void)gpu;
    return allocate(bytes);
  }
  virtual Status upload(Buffer& to, std::span<const std::byte> from) = 0;
  virtual Status download(std::span<std::byte> to, const Buffer& from) = 0;
  // Downloads to all of `memory`, which the host owns, take less time until the scope ends. For memory that
  // is used many times.
  virtual Scope lock(std::span<std::byte> memory) {
    (void)memory;
    return Scope();
  }
  // The first byte of the buffer that is not as in `expected`, which is not longer.
  virtual Result<std::optional<std::size_t>> first_difference(const Buffer& buffer,
                                                              std::span<const std::byte> expected) = 0;
  // A sum over the buffer's bytes and their places, which nobody can keep who does not know `key`.
  // std::nullopt where the host reads the memory as fast.
  virtual Result<std::optional<std::uint64_t>> keyed_sum(const Buffer& buffer, std::uint64_t key) {
    (void)buffer, (void)key;
    return std::nullopt;
  }
  virtual Status fill(Buffer& buffer, unsigned char value) = 0;  // poison
  virtual Status copy(Buffer& to, const Buffer& from) = 0;       // of the same size

  // Size of the cache that a cold sample evicts, 0 when unknown.
  [[nodiscard]] virtual std::size_t cache_bytes() const { return 0; }

  // Returns the peak of bytes in use since this call, beyond those in use now: buffers, the work's own
  // allocations, and code loaded for it. The device is idle at both ends, and nothing is timed between them.
  // std::nullopt where device and harness share the memory.
  [[nodiscard]] virtual Since<std::size_t> watch_peak() {
    return [] { return std::nullopt; };
  }
};

}  // namespace harness
