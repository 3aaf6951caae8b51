// The memory of a network on a GPU: values between its operations, and its weights. Host code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace backends {

// The tensors of a network by number, and which of them may share memory: one whose Value is gone gives its
// place to the next of its size. Number 0 is x, which nothing replaces.
class Slots {
 public:
  using Value = std::shared_ptr<const std::size_t>;

  Value make(std::int64_t elements) {
    std::size_t at = 0;
    while (at < slots_.size() && (slots_[at].taken || slots_[at].elements != elements)) ++at;
    if (at == slots_.size()) slots_.push_back({at, elements, false});
    Slot& slot = slots_[at];
    slot.taken = true;
    return {&slot.number, [&slot](const std::size_t*) { slot.taken = false; }};
  }

  // The sum for all but x and `y`, each rounded up to whole 256 bytes.
  [[nodiscard]] std::int64_t elements(std::size_t y) const {
    std::int64_t sum = 0;
    for (const Slot& slot : slots_) sum += needs_place(slot, y) ? rounded(slot.elements) : 0;
    return sum;
  }
  [[nodiscard]] std::vector<std::uint16_t*> places(std::uint16_t* x, std::size_t y, std::uint16_t* of_y,
                                                   std::uint16_t* others) const {
    std::vector<std::uint16_t*> all;
    for (const Slot& slot : slots_) {
      all.push_back(slot.number == 0 ? x : slot.number == y ? of_y : others);
      if (needs_place(slot, y)) others += rounded(slot.elements);
    }
    return all;
  }
  static std::int64_t rounded(std::int64_t elements) { return (elements + 127) / 128 * 128; }

 private:
  struct Slot {
    std::size_t number;
    std::int64_t elements;
    bool taken;
  };
  static bool needs_place(const Slot& slot, std::size_t y) { return slot.number != 0 && slot.number != y; }

  std::deque<Slot> slots_;  // whose elements do not move
};

// The weights of a network as its launches read them, one after another.
class PackedWeights {
 public:
  // Where it begins, in elements.
  std::int64_t add(const std::vector<std::uint16_t>& weight) {
    const std::size_t at = values_.size();
    values_.resize(static_cast<std::size_t>(Slots::rounded(static_cast<std::int64_t>(at + weight.size()))));
    std::copy(weight.begin(), weight.end(), values_.begin() + static_cast<std::ptrdiff_t>(at));
    return static_cast<std::int64_t>(at);
  }
  [[nodiscard]] const std::vector<std::uint16_t>& values() const { return values_; }
  void clear() { values_ = {}; }

 private:
  std::vector<std::uint16_t> values_;
};

// Where the operations of a network find their tensors.
struct Bound {
  std::vector<std::uint16_t*> values;
  const std::uint16_t* weights = nullptr;
};
}  // namespace backends
