// Document: what a report says, before any format draws it. A report turns its facts into one Document
// (report/documents/); every format draws every Document (report/media/).
//
//   Document document{.headline = "fusion: all 6 cases measured"};
//   document.facts = {{"suite", "suites/fusion.yaml"}};
//   document.blocks.push_back({Table{.title = "gpu_time, in us", .grid = grid}});
//
// Every text is raw and untrusted. Each format escapes it as it draws.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace harness::report {

enum class Align { left, right, decimal };  // decimal: on the point, section by section

enum class Paint : unsigned char { plain, strong, faint, good, bad, doubtful };

struct Column {
  std::string header;
  Align align = Align::decimal;
  int block = 0;       // a format without room for all columns draws one table a block
  int priority = 0;    // the column with the highest value is left out first, of equal ones the last
  bool tied = false;   // belongs to the column before it
  bool spare = false;  // left out before labels get lines of their own
};

struct Cell {
  std::string text = {};
  Paint paint = Paint::plain;
  std::vector<double> trend = {};  // drawn as a sparkline in place of the text
  double least_range = 0;          // the smallest range of logs that the sparkline spans
};

// The cells of a row, with all texts in one: a table may have a million rows.
class Cells {
 public:
  Cells() = default;
  Cells(std::initializer_list<Cell> cells) {
    std::size_t size = 0;
    for (const Cell& one : cells) size += one.text.size();
    texts_.reserve(size);
    marks_.reserve(cells.size());
    for (const Cell& one : cells) push_back(one);
  }

  void push_back(const Cell& cell) {
    if (!cell.trend.empty()) trends_.push_back({marks_.size(), cell.trend, cell.least_range});
    texts_ += cell.text;
    marks_.push_back({static_cast<std::uint32_t>(texts_.size()), cell.paint});
  }

  [[nodiscard]] std::size_t size() const { return marks_.size(); }
  [[nodiscard]] bool has_trends() const { return !trends_.empty(); }
  [[nodiscard]] Paint paint(std::size_t column) const { return marks_[column].paint; }
  // Valid as long as the row.
  [[nodiscard]] std::string_view text(std::size_t column) const {
    const std::size_t begin = column == 0 ? 0 : marks_[column - 1].end;
    return std::string_view(texts_).substr(begin, marks_[column].end - begin);
  }
  [[nodiscard]] Cell operator[](std::size_t column) const {
    Cell cell{std::string(text(column)), paint(column)};
    for (const PlacedTrend& one : trends_)
      if (one.column == column) cell = {std::move(cell.text), cell.paint, one.values, one.least_range};
    return cell;
  }
  // The same cells with other texts.
  template <class TextOf>
  [[nodiscard]] Cells with_texts(TextOf text_of) const {
    Cells cells;
    for (std::size_t i = 0; i < size(); ++i) cells.push_back({text_of((*this)[i]), paint(i)});
    return cells;
  }

 private:
  struct Mark {
    std::uint32_t end;  // of the cell's text
    Paint paint;
  };
  struct PlacedTrend {
    std::size_t column;
    std::vector<double> values;
    double least_range;
  };
  std::string texts_ = {};
  std::vector<Mark> marks_ = {};
  std::vector<PlacedTrend> trends_ = {};
};

struct GridRow {
  std::string label;
  Cells cells;            // one a column
  std::string name = {};  // in full, where the label is only a part of it
};

struct Section {
  std::string heading;  // or ""
  Paint paint = Paint::faint;
  std::vector<GridRow> rows;
  bool is_pattern = false;  // the heading is a pattern of case ids
};

struct Grid {
  std::string shared;  // the pattern that all labels leave out, or ""
  std::string label_header;
  std::vector<Column> columns;
  std::vector<Section> sections;
};

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// A reason and the cases that share it.
struct ReasonGroup {
  std::string reason;
  std::vector<std::string> ids;
  std::vector<std::string> figures = {};  // one an id, where the reason's differ: "13.66, 8.431"
};

struct Heading {
  std::string text;
  Paint paint = Paint::strong;
  int level = 1;  // 1 is a part of the report, 2 a step of a part
};

struct Table {
  std::string title = {};
  Grid grid = {};
  bool folds_faint = false;  // faint sections may be folded away
};

// Paragraphs: the meaning of columns, a remark.
struct Prose {
  std::vector<std::string> lines;
  Paint paint = Paint::faint;
  std::vector<std::string> columns =
      {};  // one a line, or none: a line is left out with the column it explains
};

struct List {
  std::string heading = {};
  std::vector<std::string> lines = {};
  bool bullets = true;  // on a terminal
};

// Reasons with the cases that they apply to.
struct Reasons {
  std::string heading;
  std::size_t cases = 0;  // told in the heading; 0: not told
  std::vector<ReasonGroup> groups = {};
  bool every_name = false;  // each case by its name; otherwise as patterns with counts
  Paint paint = Paint::strong;
};

// One finding, with the cases that it applies to.
struct Finding {
  std::vector<std::string> cases;  // ids or patterns
  std::string label = {};          // "regressed"
  Paint paint = Paint::plain;      // how good or bad it is
  std::string standing = {};       // why it does not count, if so
  std::string text = {};
  Paint text_paint = Paint::plain;
  std::vector<std::string> details = {};
  std::vector<std::string> advice = {};
  std::string where = {};  // "suites/fusion.yaml:12"
  bool in_table = false;   // a row of a table says what its text says
  bool decides = false;    // the exit status follows from it
};

struct Findings {
  std::string heading;
  std::vector<Finding> items;
};

// One checked property: "governor  warn  powersave", with advice.
struct CheckedFact {
  std::string name;
  Cell mark;  // "ok"
  std::string value;
  std::string advice = {};
};

struct Checklist {
  std::string heading;
  std::vector<CheckedFact> facts;
};

// How a format may arrange a block: urgent blocks come first, folded blocks last and closed. Blocks that are
// `about` go with the facts of the header.
enum class Place { normal, urgent, folded, about };

struct Block {
  std::variant<Heading, Table, Prose, List, Reasons, Findings, Checklist> content;
  Place place = Place::normal;
};

struct Document {
  std::string title = {};     // of a page or a test suite: "fusion: regressed"
  std::string headline = {};  // the result in one sentence
  Paint tone = Paint::strong;
  bool marked = false;     // the headline has a coloured mark where colours cannot be seen otherwise
  NamedTexts facts = {};   // suite, revision, device ...
  std::string about = {};  // the heading under which the facts may be folded; "" : they stay open
  std::vector<Block> blocks = {};
  std::vector<std::string> next_steps = {};
  std::string exit_meaning = {};  // "exit code 1: at least one case regressed"
  std::string command = {};       // prints the report in full
  std::string unfolds = {};       // the command or option that shows folded findings on a terminal
};

}  // namespace harness::report
