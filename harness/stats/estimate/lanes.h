// Lanes: up to four short lists of numbers, sorted together by a sorting network without branches, which is
// several times as fast as one sort after the other. Keeps its memory, so one instance belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace harness::stats {

class Lanes {
 public:
  static constexpr std::size_t most = 4;       // lists
  static constexpr std::size_t longest = 256;  // values; beyond, the network does more work than a sort

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool full() const { return size_ == most; }

  // Adds a list of at most `longest` numbers, no NaN among them. Not when full, nor once sorted.
  void add(std::span<const double> values);
  // Sorts each list, ascending.
  void sort();
  // List number `lane`, by order of adding; valid until the next call.
  std::span<const double> sorted(std::size_t lane);
  void clear() { size_ = 0; }

 private:
  std::size_t size_ = 0;
  std::array<std::size_t, most> counts_ = {};
  std::vector<double> rows_;  // lane l of row r at r * most + l
  std::vector<double> sorted_;
};

}  // namespace harness::stats
