// allocator as every variant sees it: its parameters, the order of its tensors, and how a trace is replayed.
// Host code.
//
// A Memory has:
// - Block, with `void* address`; Block take(std::size_t bytes); give(const Block&);
// - use(harness::sdk::Stream) and use_own(): on which stream; finish(): waits for it;
// - `waits`: whether a replay waits for the device;
// - expect(bytes): throws Unsupported where so many live bytes are too many;
// - most_reserved(Replay<Memory>&): the most bytes that it held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/allocator/trace.h"

namespace allocator {

// Indices into Problem::tensors.
inline constexpr std::size_t stamps_index = 0;  // a number for each block
inline constexpr std::size_t found_index = 1;   // in each block, before it was freed

// A block holds its stamp at each multiple of this. Blocks of CachingPool begin and end there, so that any
// two that overlap share such a place.
inline constexpr std::int64_t stamp_distance = 512;

inline TraceShape shape_of(const harness::sdk::Params& params) {
  return {params.integer("d"),    params.integer("heads"), params.integer("layers"),
          params.integer("s"),    params.integer("batch"), params.integer("vocabulary"),
          params.integer("steps")};
}

// The blocks of a trace, taken from a memory and given back in order.
template <class Memory>
class Replay {
 public:
  using Block = typename Memory::Block;

  Replay(Trace trace, Memory& memory) : trace_(std::move(trace)), memory_(memory), blocks_(trace_.blocks()) {}

  // Calls watcher.taken(block's number, address, bytes) after each allocation and watcher.giving(the same)
  // before each free. After an exception no block is left.
  template <class Watcher>
  void run(Watcher&& watcher) {
    try {
      for (const Event& event : trace_.events) {
        const auto place = static_cast<std::size_t>(event.block);
        Block& block = blocks_[place];
        if (event.frees) {
          watcher.giving(event.block, block.address, trace_.bytes[place]);
          memory_.give(block);
          block = {};
        } else {
          block = memory_.take(static_cast<std::size_t>(trace_.bytes[place]));
          watcher.taken(event.block, block.address, trace_.bytes[place]);
        }
      }
    } catch (...) {
      for (Block& block : blocks_) {
        if (block.address != nullptr) memory_.give(block);
        block = {};
      }
      throw;
    }
  }

  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] Memory& memory() { return memory_; }

 private:
  Trace trace_;
  Memory& memory_;
  std::vector<Block> blocks_;
};

struct NoWatcher {
  static void taken(std::int32_t, void*, std::int64_t) {}
  static void giving(std::int32_t, void*, std::int64_t) {}
};

}  // namespace allocator
