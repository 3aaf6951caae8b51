#include "harness/store/sql/row_batch.h"

namespace harness {

std::string placeholders(std::size_t rows, int columns) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    text += row == 0 ? "(" : ", (";
    for (int column = 0; column < columns; ++column)
      text += fmt::format("{}:r{}c{}", column == 0 ? "" : ", ", row, column);
    text += ')';
  }
  return text;
}

std::string listed(std::span<const int> numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

}  // namespace harness
