// SharedBlocks: one block of memory on each GPU of a case, cut into buffers: of all its input sets, or of a
// placement. A driver hands out each block under a lock that all GPUs of a host share, so hundreds of blocks
// wait for what other GPUs do. One thread uses it; the buffers keep their block alive.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "harness/device/memory.h"

namespace harness {

// `bytes` at `offset` within a block.
class PartOfBlock final : public Buffer {
 public:
  PartOfBlock(std::shared_ptr<Buffer> block, std::size_t offset, std::size_t bytes)
      : block_(std::move(block)), offset_(offset), bytes_(bytes) {}
  [[nodiscard]] void* data() const override { return static_cast<std::byte*>(block_->data()) + offset_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] bool of_host() const override { return block_->of_host(); }

 private:
  std::shared_ptr<Buffer> block_;
  std::size_t offset_;
  std::size_t bytes_;
};

class SharedBlocks {
 public:
  struct Wanted {
    int gpu = 0;
    std::size_t bytes = 0;
  };

  // Room for `count` buffers of each of `wanted`, or the device's error.
  static Result<SharedBlocks> take(Memory& memory, const std::vector<Wanted>& wanted, int count);

  // One of the buffers that there is room for. Buffers lie as those of cudaMalloc would: one of 1 MiB or more
  // begins at a multiple of 2 MiB, a smaller one at a multiple of 512 bytes, among other small ones.
  std::unique_ptr<Buffer> cut(const Wanted& wanted);

 private:
  struct Block {
    std::shared_ptr<Buffer> memory;
    std::size_t large = 0, small = 0;  // bytes that are cut by then, and where the next small one begins
  };
  std::map<int, Block> blocks_;  // by GPU, and sdk::host_memory
};

}  // namespace harness
