// The period of a sequence: its smallest part that is repeated. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace harness::trace {

// Repetitions that follow each other: `count` of `length` elements each, from `begin`.
struct Period {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t count = 0;

  [[nodiscard]] std::size_t end() const { return begin + length * count; }
  bool operator==(const Period&) const = default;
};

// At least this often, or it is no period.
inline constexpr std::size_t fewest_repetitions = 3;

// The smallest length among those whose repetitions cover the most elements, or nearly so. Elements before
// and after the repetitions are no obstacle. A part of a repetition at the beginning of a run is left out, so
// its whole repetitions end last. Nothing where the repetitions cover less than a quarter. Values are small
// numbers: they index a table.
std::optional<Period> find_period(std::span<const std::uint32_t> sequence);

}  // namespace harness::trace
