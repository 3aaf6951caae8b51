#include "tests/emulate/memory.h"

#include <algorithm>
#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATE_ASAN 1
#endif
#endif
#ifdef EMULATE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace emulate {
namespace {

constexpr std::size_t alignment = 256;

std::vector<const Memory*>& live() {
  static std::vector<const Memory*> all;
  return all;
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// An offset of the first byte in [from, from + count) that is not 0xFF; `count` when all are.
[[maybe_unused]] std::size_t first_written(const std::byte* from, std::size_t count) {
  return static_cast<std::size_t>(
      std::find_if(from, from + count, [](std::byte byte) { return byte != std::byte{0xFF}; }) - from);
}

}  // namespace

Memory::Memory(std::string name, std::size_t bytes) : name_(std::move(name)), bytes_(bytes) {
  const std::size_t all = 2 * zone_bytes + rounded(bytes);
  memory_ = static_cast<std::byte*>(::operator new (all, std::align_val_t{alignment}));
  std::memset(memory_, 0xFF, all);
  begin_ = memory_ + zone_bytes;
#ifdef EMULATE_ASAN
  __asan_poison_memory_region(memory_, zone_bytes);
  __asan_poison_memory_region(begin_ + bytes_, all - zone_bytes - bytes_);
#endif
  live().push_back(this);
}

Memory::~Memory() {
  std::erase(live(), this);
#ifdef EMULATE_ASAN
  __asan_unpoison_memory_region(memory_, 2 * zone_bytes + rounded(bytes_));
#endif
  ::operator delete (memory_, std::align_val_t{alignment});
}

std::string Memory::damage() const {
#ifndef EMULATE_ASAN
  const std::size_t before = first_written(memory_, zone_bytes);
  if (before < zone_bytes)
    return "`" + name_ + "` was written " + std::to_string(zone_bytes - before) + " bytes before its start";
  const std::size_t after_bytes = zone_bytes + rounded(bytes_) - bytes_;
  const std::size_t after = first_written(begin_ + bytes_, after_bytes);
  if (after < after_bytes)
    return "`" + name_ + "` (" + std::to_string(bytes_) + " bytes) was written at byte " +
           std::to_string(bytes_ + after);
#endif
  return "";
}

std::string outside_memory(const void* from, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  const Memory* nearest = nullptr;
  for (const Memory* memory : live()) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory->data());
    if (begin >= start && begin + bytes <= start + memory->bytes()) return "";
    if (begin + Memory::zone_bytes >= start && begin < start + memory->bytes() + Memory::zone_bytes)
      nearest = memory;
  }
  if (nearest == nullptr) return std::to_string(bytes) + " bytes in no buffer";
  const auto offset = static_cast<std::int64_t>(begin - reinterpret_cast<std::uintptr_t>(nearest->data()));
  return std::to_string(bytes) + " bytes at byte " + std::to_string(offset) + " of `" + nearest->name() +
         "`, which has " + std::to_string(nearest->bytes());
}

std::string damaged_zones() {
  std::string all;
  for (const Memory* memory : live()) {
    const std::string damage = memory->damage();
    if (!damage.empty()) all += (all.empty() ? "" : "; ") + damage;
  }
  return all;
}

}  // namespace emulate
