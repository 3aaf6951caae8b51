// The shared memory of a Block: what the launch asked for and what the kernel declares, poisoned with NaN
// bytes when the block starts, with untouchable zones between.
#include <algorithm>

#include "tests/emulate/block.h"

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
constexpr std::size_t zone = 1024;
constexpr std::size_t arena_bytes = 2 * Block::most_shared_bytes;
}  // namespace

Block::Block(const Options& options)
    : options_(options),
      random_(options.seed),
      shared_(static_cast<std::byte*>(::operator new (arena_bytes, std::align_val_t{1024}))) {}

Block::~Block() {
#ifdef EMULATE_ASAN
  __asan_unpoison_memory_region(shared_, arena_bytes);
#endif
  ::operator delete (shared_, std::align_val_t{1024});
}

void Block::add_region(std::size_t begin, std::size_t bytes) {
  std::size_t used = bytes;
  for (const Region& region : regions_) used += region.end - region.begin;
  if (used > most_shared_bytes)
    fail("the block has " + std::to_string(used) + " bytes of shared memory; there are " +
         std::to_string(most_shared_bytes));
  regions_.push_back({begin, begin + bytes});
}

// Aligned as asked for and no better, so that code which needs more shows.
std::byte* Block::dynamic_shared(std::size_t alignment) {
  if (dynamic_ == nullptr) {
    const std::size_t begin = zone + (alignment < zone ? alignment : 0);
    add_region(begin, dynamic_bytes_);
    dynamic_ = shared_ + begin;
  }
  return dynamic_;
}

std::byte* Block::static_shared(const void* site, std::size_t bytes, std::size_t alignment) {
  std::byte*& known = statics_[site];
  if (known == nullptr) {
    const std::size_t begin = (next_static_ + alignment - 1) / alignment * alignment;
    add_region(begin, bytes);
    next_static_ = begin + bytes + zone;
    known = shared_ + begin;
  }
  return known;
}

std::byte* Block::shared(std::uint32_t address, std::size_t bytes, std::string_view what) const {
  for (const Region& region : regions_)
    if (address >= region.begin && address + bytes <= region.end) return shared_ + address;
  std::string where;
  for (const Region& region : regions_)
    where += " " + std::to_string(region.begin) + " to " + std::to_string(region.end);
  fail(std::string(what) + " of " + std::to_string(bytes) + " bytes at shared address " +
       std::to_string(address) + "; the block has" + where);
}

std::uint32_t Block::shared_address(const void* pointer) const {
  const auto offset = static_cast<const std::byte*>(pointer) - shared_;
  if (offset < 0 || offset > static_cast<std::ptrdiff_t>(arena_bytes))
    fail("a pointer that is not to shared memory is used as one");
  return static_cast<std::uint32_t>(offset);
}

// Memory outside every region must be as prepare() left it.
void Block::check_shared() const {
  std::vector<Region> sorted = regions_;
  std::sort(sorted.begin(), sorted.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
  std::size_t at = 0;
  sorted.push_back({arena_bytes, arena_bytes});
  for (const Region& region : sorted) {
    for (; at < region.begin; ++at)
      if (shared_[at] != std::byte{0xFF})
        throw Failure("the kernel wrote outside its shared memory, at shared address " + std::to_string(at));
    at = region.end;
  }
}

}  // namespace emulate
