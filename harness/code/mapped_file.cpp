#include "harness/code/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/base/text.h"

namespace harness {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto cannot = [&](const char* why) {
    return fail(ErrorKind::missing, fmt::format("cannot read {}: {}", printable(path.string()), why));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot(std::strerror(errno));
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    close(descriptor);
    return cannot("it is no file");
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) {
    close(descriptor);
    return MappedFile(nullptr, 0);
  }
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int why = errno;
  close(descriptor);
  if (data == MAP_FAILED) return cannot(std::strerror(why));
  return MappedFile(static_cast<const std::byte*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

void leave_memory(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (std::bit_cast<std::uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = std::bit_cast<std::uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (end > begin) madvise(std::bit_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace harness
