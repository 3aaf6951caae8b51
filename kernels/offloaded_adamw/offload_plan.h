// OffloadPlan: which weights a piece of an offloaded step has, and where its moments lie on the device
// meanwhile. Pure host code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace adamw {

class OffloadPlan {
 public:
  // 8 MiB of each moment: long enough for a link's full rate, short beside the whole. One of three slots is
  // filled, one is computed on and one is emptied.
  static constexpr std::int64_t of_piece = 1 << 21;
  static constexpr std::int64_t slots = 3;

  explicit OffloadPlan(std::int64_t weights) : weights_(weights) {}

  [[nodiscard]] std::int64_t pieces() const { return (weights_ + of_piece - 1) / of_piece; }
  [[nodiscard]] std::int64_t first(std::int64_t piece) const { return piece * of_piece; }
  [[nodiscard]] std::int64_t count(std::int64_t piece) const {
    return std::min(of_piece, weights_ - first(piece));
  }
  [[nodiscard]] std::size_t slot(std::int64_t piece) const { return static_cast<std::size_t>(piece % slots); }
  // Where the piece's means begin in the workspace, in values; its variances follow them.
  [[nodiscard]] std::int64_t place(std::int64_t piece) const { return piece % slots * 2 * of_piece; }
  [[nodiscard]] std::size_t workspace_bytes() const {
    return static_cast<std::size_t>(std::min(pieces(), slots) * 2 * of_piece) * sizeof(float);
  }

 private:
  std::int64_t weights_;
};

}  // namespace adamw
