// ArgumentHash: the hash of all that a launch is given, and one of each word of it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace harness::inject {

// The finalizer is that of MurmurHash3.
class ArgumentHash {
 public:
  void add(std::uint64_t word) { add({&word, 1}); }
  // The parts of one word.
  void add(std::span<const std::uint64_t> parts) {
    std::uint64_t word = 0;
    for (const std::uint64_t one : parts) {
      mix(state_, one);
      mix(word, one);
    }
    words_.push_back(static_cast<std::uint32_t>(finished(word)));
  }
  // Never 0, which stands for what cannot be read.
  [[nodiscard]] std::uint64_t finished() const { return std::max<std::uint64_t>(finished(state_), 1); }
  [[nodiscard]] std::vector<std::uint32_t> take_words() { return std::move(words_); }

 private:
  static void mix(std::uint64_t& state, std::uint64_t value) {
    state = (std::rotl(state ^ (value * 0x87c37b91114253d5U), 31) + 0x52dce729) * 0x4cf5ad432745937fU;
  }
  static std::uint64_t finished(std::uint64_t state) {
    std::uint64_t value = (state ^ (state >> 33)) * 0xff51afd7ed558ccdU;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53U;
    return value ^ (value >> 33);
  }

  std::uint64_t state_ = 0;
  std::vector<std::uint32_t> words_;
};

}  // namespace harness::inject
