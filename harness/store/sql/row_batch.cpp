#include "harness/store/sql/row_batch.h"

namespace harness {

std::string placeholders(const soci::session& sql, std::size_t rows, int columns) {
  const bool named = sql.get_backend_name() != "sqlite3";
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    text += row == 0 ? "(" : ", (";
    for (int column = 0; column < columns; ++column) {
      text += column == 0 ? "" : ", ";
      text += named ? fmt::format(":r{}c{}", row, column) : "?";
    }
    text += ')';
  }
  return text;
}

std::string at_positions(std::span<const int> positions) {
  const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
  return fmt::format("position BETWEEN {} AND {} AND position IN ({})", *least, *most,
                     fmt::join(positions, ", "));
}

}  // namespace harness
