// A small generator for simulations whose results must be the same everywhere: the standard library's
// distributions and shuffles may differ between implementations.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

namespace harness::stats {

// xoshiro256++ (Blackman & Vigna 2021), seeded by splitmix64 (Steele, Lea & Flood 2014). One instance
// belongs to one thread.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      std::uint64_t mixed = seed += 0x9e3779b97f4a7c15;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
      word = mixed ^ (mixed >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, bound), by multiplication: for a bound below 2^32 no value is likelier than another by more
  // than one part in 2^32 / bound.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)

  // Standard normal, by Box & Muller (1958); every other one is the second of a pair.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log1p(-uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  // Fisher & Yates: every order equally likely. For fewer than 2^32 values.
  template <class Value>
  void shuffle(std::span<Value> values) {
    for (auto left = static_cast<std::uint32_t>(values.size()); left > 1; --left)
      std::swap(values[left - 1], values[below(left)]);
  }

 private:
  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace harness::stats
