// Grid: a table before it is drawn. Numbers are formatted already; every text in it is raw and
// untrusted, and each medium escapes it as it draws.
#pragma once

#include <string>
#include <vector>

namespace harness::report {

enum class Align { left, right, decimal };  // decimal: on the point, section by section

enum class Paint { plain, strong, faint, good, bad, doubtful };

struct Column {
  std::string header;
  Align align = Align::decimal;
  int block = 0;       // a medium without room for all columns draws one table a block
  int priority = 0;    // the highest is left out first where even a block has no room
  bool tied = false;   // belongs to the column before it
  bool spare = false;  // left out before labels get lines of their own
};

struct Cell {
  std::string text = {};
  Paint paint = Paint::plain;
};

struct GridRow {
  std::string label;
  std::vector<Cell> cells;  // one a column
};

struct Section {
  std::string heading;  // or ""
  Paint paint = Paint::faint;
  std::vector<GridRow> rows;
};

struct Grid {
  std::string shared;  // the pattern that all labels leave out, or ""
  std::string label_header;
  std::vector<Column> columns;
  std::vector<Section> sections;
};

}  // namespace harness::report
