// Intermediate: where the results between the block's operations lie in a variant's workspace. Host code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/block/block.h"

namespace transformer_block {

// Hands out the workspace in parts that begin at multiples of 256 bytes; with none, counts its bytes.
class Carver {
 public:
  explicit Carver(void* base) : base_(static_cast<char*>(base)) {}
  template <class T>
  T* take(std::int64_t count) {
    char* const taken = base_ == nullptr ? nullptr : base_ + used_;
    used_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(taken);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  char* base_;
  std::size_t used_ = 0;
};

// Rows of tokens.
struct Intermediate {
  std::uint16_t* normed = nullptr;  // d a token
  std::uint16_t* heads = nullptr;
  std::uint16_t* middle = nullptr;
  std::uint16_t* qkv = nullptr;     // 3d
  std::uint16_t* hidden = nullptr;  // 4d

  Intermediate() = default;
  Intermediate(const Shape& shape, Carver& carver)
      : normed(carver.take<std::uint16_t>(shape.elements())),
        heads(carver.take<std::uint16_t>(shape.elements())),
        middle(carver.take<std::uint16_t>(shape.elements())),
        qkv(carver.take<std::uint16_t>(3 * shape.elements())),
        hidden(carver.take<std::uint16_t>(4 * shape.elements())) {}
};

}  // namespace transformer_block
