#include "harness/measure/tensors/shared_blocks.h"

#include <algorithm>
#include <utility>

namespace harness {
namespace {

constexpr std::size_t least_large = std::size_t{1} << 20;
constexpr std::size_t large_step = std::size_t{2} << 20;
constexpr std::size_t small_step = 512;

bool is_large(std::size_t bytes) {
  return bytes >= least_large;
}

// From the beginning of one buffer to that of the next.
std::size_t stride_of(std::size_t bytes) {
  const std::size_t step = is_large(bytes) ? large_step : small_step;
  return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

}  // namespace

Result<SharedBlocks> SharedBlocks::take(Memory& memory, const std::vector<Wanted>& wanted, int count) {
  std::map<int, std::size_t> sizes;
  SharedBlocks blocks;
  for (const Wanted& one : wanted) {
    const std::size_t bytes = static_cast<std::size_t>(count) * stride_of(one.bytes);
    sizes[one.gpu] += bytes;
    Block& block = blocks.blocks_[one.gpu];
    if (is_large(one.bytes)) block.small += bytes;  // small ones lie behind the large ones
  }
  for (auto& [gpu, block] : blocks.blocks_) {
    Result<std::unique_ptr<Buffer>> taken = memory.allocate_on(gpu, sizes[gpu]);
    if (!taken) return fail(taken.error());
    block.memory = std::move(*taken);
  }
  return blocks;
}

std::unique_ptr<Buffer> SharedBlocks::cut(const Wanted& wanted) {
  Block& block = blocks_.at(wanted.gpu);
  std::size_t& next = is_large(wanted.bytes) ? block.large : block.small;
  const std::size_t offset = std::exchange(next, next + stride_of(wanted.bytes));
  return std::make_unique<PartOfBlock>(block.memory, offset, wanted.bytes);
}

}  // namespace harness
