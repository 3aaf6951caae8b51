// Turns: where the cosine and sine for a pair of columns lie, and the rotation, for host and device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/host_device.h"

namespace operators::qkv_rope {

struct Turns {
  const float* table = nullptr;  // (sequence, head)
  int sequence = 1;
  int head = 2;
  int turned = 0;  // columns from 0 on: queries and keys
  int unused = 0;

  // For columns `column` (even) and the next one.
  KERNELS_BOTH const float* of(int row, int column) const {
    return table + static_cast<std::int64_t>(row % sequence) * head + column % head;
  }
};
static_assert(std::has_unique_object_representations_v<Turns>);

// The pair (low, high), turned by the angle with this cosine and sine.
KERNELS_BOTH float turned_low(float low, float high, const float* turn) {
  return low * turn[0] - high * turn[1];
}
KERNELS_BOTH float turned_high(float low, float high, const float* turn) {
  return low * turn[1] + high * turn[0];
}

}  // namespace operators::qkv_rope
