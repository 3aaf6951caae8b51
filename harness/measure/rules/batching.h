// Batching: how many calls a batch has, and what the times of batches say of one call. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/record.h"

namespace harness {

// Three numbers of calls, the longest batch up to 0.3 ms but at least 8 calls and at most `most` or 400: long
// enough that ticks of a clock and what a batch costs do not matter, and the same for calls that differ a
// little, so that runs are alike. Longer ones would run into the power limit. `call`: the time of one,
// roughly.
std::vector<int> choose_batch_nodes(Seconds call, int most);

// The time of one call: the least-squares slope of the batches' times over their numbers of calls.
// std::nullopt when an interruption makes it 0 or negative.
std::optional<Seconds> time_of_call(std::span<const int> nodes, std::span<const Seconds> times);

// Keeps the batches' times of all samples and says how straight the line through their means is.
class BatchMeans {
 public:
  void add(std::span<const int> nodes, std::span<const Seconds> times);

  // std::nullopt before the first sample.
  [[nodiscard]] std::optional<Batching> summary() const;

 private:
  std::vector<int> nodes_;
  std::vector<Seconds> sums_;
  int count_ = 0;
};

// Above this share off the line, batches say something else than the time of a call.
inline constexpr double most_off_line = 0.03;

}  // namespace harness
