#include "harness/measure/tensors/host_outputs.h"

#include <cstdint>
#include <numeric>

#include "harness/sdk/in_parts.h"

namespace harness {
namespace {

constexpr std::size_t least_locked = std::size_t{8} << 20;  // less is not worth it

void touch(sdk::HostBytes& bytes) {
  constexpr std::int64_t page = 4096;
  constexpr std::int64_t pages_worth_a_thread = 512;
  const std::int64_t pages = std::ssize(bytes) / page;
  sdk::in_parts(pages, pages_worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      volatile std::byte& one = bytes[static_cast<std::size_t>(i * page)];
      one = std::byte{0};
    }
  });
}

}  // namespace

bool HostOutputs::may_lock(std::size_t bytes) const {
  const std::size_t locked =
      std::accumulate(locks_.begin(), locks_.end(), std::size_t{0},
                      [](std::size_t sum, const Lock& one) { return sum + one.bytes; });
  return bytes >= least_locked && bytes <= most_locked_ && locked <= most_locked_ - bytes;
}

// Memory is reused while it suffices: pages that were written before take a copy at full speed. Threads touch
// fresh pages first, because a copy would touch them one by one. On an H200's host (32 cores) locking took 30
// ms a GiB, unlocking 20, and a copy 19, by a program that is not kept. A copy through other locked memory
// took 110.
std::span<std::byte> HostOutputs::take(std::size_t index, const sdk::TensorSpec& spec, Memory& device) {
  while (tensors_.size() <= index) {
    tensors_.emplace_back(sdk::TensorSpec{{}, sdk::Role::output, sdk::DType::i8, {0}});
    locks_.emplace_back();
  }
  sdk::HostTensor& tensor = tensors_[index];
  if (tensor.data.capacity() < spec.bytes()) {
    locks_[index] = {};
    tensor.data = {};  // not both at once
    tensor.data = sdk::HostBytes(spec.bytes());
    touch(tensor.data);
    if (may_lock(spec.bytes())) locks_[index] = {device.lock(tensor.data), spec.bytes()};
  }
  tensor.data.resize(spec.bytes());
  tensor.spec = spec;
  return tensor.data;
}

void HostOutputs::end(std::size_t count) {
  locks_.erase(locks_.begin() + static_cast<std::ptrdiff_t>(count), locks_.end());
  tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(count), tensors_.end());
}

}  // namespace harness
