// A file's bytes without a copy of them in memory: builds may hold hundreds of megabytes of device code.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "harness/base/result.h"

namespace harness {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes of a mapped file that are not needed soon: they leave memory, and come back when somebody reads them.
// Bytes of nothing else may be named.
void leave_memory(std::span<const std::byte> bytes);

}  // namespace harness
