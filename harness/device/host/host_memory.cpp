#include "harness/device/host/host_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace harness {
namespace {

constexpr std::size_t alignment = 256;

class HostBuffer final : public Buffer {
 public:
  HostBuffer(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  ~HostBuffer() override { std::free(data_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  [[nodiscard]] void* data() const override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  void* data_;
  std::size_t bytes_;
};

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
}

tl::unexpected<Error> too_long(std::size_t wanted, std::size_t have) {
  return fail(ErrorKind::internal,
              fmt::format("a copy of {} bytes does not fit a buffer of {}", wanted, have));
}

}  // namespace

// Refuses more than the machine has: Linux would promise it, and kill the process when it is used.
Result<std::unique_ptr<Buffer>> HostMemory::allocate(std::size_t bytes) {
  const std::size_t rounded = bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
  const bool possible = rounded >= bytes && rounded <= physical_memory();
  void* data = possible ? std::aligned_alloc(alignment, rounded) : nullptr;
  if (data == nullptr)
    return fail(ErrorKind::environment, fmt::format("{} bytes of host memory cannot be allocated", bytes),
                "make the case smaller, or run it on a machine with more memory");
  return std::make_unique<HostBuffer>(data, bytes);
}

Status HostMemory::upload(Buffer& to, std::span<const std::byte> from) {
  if (from.size() > to.bytes()) return too_long(from.size(), to.bytes());
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  return {};
}

Status HostMemory::copy(Buffer& to, const Buffer& from) {
  if (from.bytes() != to.bytes()) return too_long(from.bytes(), to.bytes());
  if (from.bytes() > 0) std::memcpy(to.data(), from.data(), from.bytes());
  return {};
}

Status HostMemory::download(std::span<std::byte> to, const Buffer& from) {
  if (to.size() > from.bytes()) return too_long(to.size(), from.bytes());
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
  return {};
}

Result<std::optional<std::size_t>> HostMemory::first_difference(const Buffer& buffer,
                                                                std::span<const std::byte> expected) {
  if (expected.size() > buffer.bytes()) return too_long(expected.size(), buffer.bytes());
  const auto* held = static_cast<const std::byte*>(buffer.data());
  if (expected.empty() || std::memcmp(held, expected.data(), expected.size()) == 0) return std::nullopt;
  const auto differs = std::mismatch(expected.begin(), expected.end(), held).first;
  return static_cast<std::size_t>(differs - expected.begin());
}

Status HostMemory::fill(Buffer& buffer, unsigned char value) {
  if (buffer.bytes() > 0) std::memset(buffer.data(), value, buffer.bytes());
  return {};
}

}  // namespace harness
