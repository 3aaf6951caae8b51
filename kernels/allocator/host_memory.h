// Memories and stamps of the CPU's variants. Host code.
#pragma once

#include <malloc.h>

#include <cstdlib>
#include <new>

#include "kernels/allocator/caching_pool.h"
#include "kernels/allocator/replay_variant.h"

namespace allocator {

// Streams and limits are those of a GPU; here is none.
class OnHost {
 public:
  static constexpr bool waits = false;
  static void use(harness::sdk::Stream) {}
  static void use_own() {}
  static void finish() {}
  static void expect(std::int64_t most_live) {
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    if (most_live > most) throw harness::sdk::Unsupported("more than 1 GiB at once is for a GPU");
  }
};

class HostMalloc : public OnHost {
 public:
  struct Block {
    void* address = nullptr;
  };

  explicit HostMalloc(const harness::sdk::DeviceTraits&) {}

  static Block take(std::size_t bytes) {
    void* const address = std::malloc(bytes);
    if (address == nullptr) throw std::bad_alloc();
    return {address};
  }
  static void give(const Block& block) { std::free(block.address); }

  // malloc does not tell what it holds for whom. So: the usable bytes of live blocks.
  static std::int64_t most_reserved(Replay<HostMalloc>& replay) {
    struct Usable {
      void taken(std::int32_t, void* address, std::int64_t) {
        now += static_cast<std::int64_t>(malloc_usable_size(address));
        most = std::max(most, now);
      }
      void giving(std::int32_t, void* address, std::int64_t) {
        now -= static_cast<std::int64_t>(malloc_usable_size(address));
      }
      std::int64_t now = 0, most = 0;
    } usable;
    replay.run(usable);
    return usable.most;
  }
};

class HostSource final : public MemorySource {
 public:
  void* take(std::size_t bytes) override { return std::aligned_alloc(4096, bytes); }
  void give(void* segment) override { std::free(segment); }
};

class HostPool : public OnHost {
 public:
  using Block = CachingPool::Block;

  explicit HostPool(const harness::sdk::DeviceTraits&) : pool_(source_) {}

  Block take(std::size_t bytes) { return pool_.take(bytes); }
  void give(const Block& block) { pool_.give(block); }
  template <class Memory>
  std::int64_t most_reserved(Replay<Memory>&) const {
    return static_cast<std::int64_t>(pool_.most_reserved());
  }

 private:
  HostSource source_;
  CachingPool pool_;
};

// Writes a block's stamp at each place for one, and looks at them before the block is freed.
class HostStamps {
 public:
  HostStamps(const harness::sdk::DeviceTraits&, std::size_t) {}

  static std::size_t workspace_bytes() { return 0; }
  void bind(const std::int32_t* stamps, std::int32_t* found, void*) {
    stamps_ = stamps;
    found_ = found;
  }
  static void begin(harness::sdk::Stream) {}
  static void end() {}
  void taken(std::int32_t block, void* address, std::int64_t bytes) const {
    for (std::int64_t at = 0; at + 4 <= bytes; at += stamp_distance) word(address, at) = stamps_[block];
  }
  // A stamp of another block gives a number that is no stamp of this one.
  void giving(std::int32_t block, void* address, std::int64_t bytes) const {
    std::int32_t found = word(address, 0);
    for (std::int64_t at = 0; at + 4 <= bytes; at += stamp_distance)
      if (word(address, at) != stamps_[block]) found = ~stamps_[block];
    found_[block] = found;
  }

 private:
  static std::int32_t& word(void* address, std::int64_t at) {
    return *reinterpret_cast<std::int32_t*>(static_cast<unsigned char*>(address) + at);
  }

  const std::int32_t* stamps_ = nullptr;
  std::int32_t* found_ = nullptr;
};

}  // namespace allocator
