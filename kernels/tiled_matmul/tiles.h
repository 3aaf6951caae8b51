// The parameter `tile` of tiled_matmul. Header-only, host code; no state.
#pragma once

#include <charconv>
#include <optional>
#include <string>

namespace tiled_matmul {

inline constexpr const char* automatic = "automatic";  // the variant chooses by the shape

// "128x256x4": rows and columns of a tile, and its third number: stages of a ring, or the depth of a block.
struct Tile {
  int rows = 0;
  int columns = 0;
  int third = 0;

  bool operator==(const Tile&) const = default;
};

// std::nullopt for anything else than three positive numbers.
inline std::optional<Tile> parse_tile(const std::string& text) {
  Tile tile;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int* number : {&tile.rows, &tile.columns, &tile.third}) {
    if (number != &tile.rows && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, *number);
    if (error != std::errc() || *number <= 0) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return tile;
}

}  // namespace tiled_matmul
