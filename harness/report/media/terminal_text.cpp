#include "harness/report/media/terminal_text.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "harness/base/parallel.h"
#include "harness/base/text.h"

namespace harness::report {
namespace {

constexpr std::size_t label_indent = 2;
constexpr std::size_t stacked_indent = 4;
constexpr std::size_t drawn_a_part = 1024;  // rows, by a thread at a time
constexpr std::size_t drawn_at_once = 64 * drawn_a_part;

std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}

// The first or last `columns` code points of UTF-8 text.
std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && columns-- == 0) break;
    ++at;
  }
  return text.substr(0, at);
}

std::string_view last_columns(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width <= columns) return text;
  return text.substr(first_columns(text, width - columns).size());
}

std::string_view code_of(Paint paint) {
  switch (paint) {
    case Paint::strong: return "1";
    case Paint::faint: return "2";
    case Paint::good: return "32";
    case Paint::bad: return "1;31";
    case Paint::doubtful: return "33";
    case Paint::plain: break;
  }
  return "";
}

// Columns left and right of the decimal point; everything is left of it when there is none.
struct Extent {
  std::size_t left = 0;
  std::size_t right = 0;
};

Extent extent_of(std::string_view text, Align align) {
  const std::size_t point = align == Align::decimal ? text.find('.') : std::string_view::npos;
  if (point == std::string_view::npos) {
    // "12 %" beside "1.9 %": the unit goes to the right of where the point would be.
    const std::size_t unit = align == Align::decimal ? text.find(' ') : std::string_view::npos;
    if (unit == std::string_view::npos) return {display_width(text), 0};
    return {display_width(text.substr(0, unit)), display_width(text.substr(unit))};
  }
  return {display_width(text.substr(0, point)), display_width(text.substr(point))};
}

// GitHub's runner reads a log line that begins with "::" as a command, and "##[" anywhere.
std::string without_log_commands(std::string text) {
  if (text.starts_with("::")) text.insert(0, "\\");
  for (std::size_t at = text.find("##["); at != std::string::npos; at = text.find("##[", at))
    text.insert(at + 2, "\\");
  return text;
}

// Whether safe_name() changes nothing but what is too long: printable ASCII without a command of a log.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
         !text.starts_with("::") && text.find("##[") == std::string_view::npos;
}

// One column of a table being drawn.
struct Track {
  std::size_t column = 0;  // in the grid
  std::size_t gap = 2;
  std::size_t width = 0;
  std::vector<std::size_t> right;  // a section: columns reserved right of the decimal point
};

// The drawn part of a grid, and its style.
struct Layout {
  std::vector<Track> tracks;
  std::size_t label_width = 0;
  bool stacked = false;
};

std::size_t widest_cell_of(const Style& style) {
  return std::min<std::size_t>(40, columns_of(style) - stacked_indent - 2);
}

// Whether no cell and header would be changed by harmless(). So a grid of a million rows is not copied.
bool is_harmless(const Grid& grid, const Style& style) {
  const std::size_t widest_cell = widest_cell_of(style);
  const auto is_safe = [&](std::string_view text) {
    return is_plain(text) ? text.size() <= widest_cell : safe_name(text, widest_cell) == text;
  };
  for (const Column& column : grid.columns)
    if (!is_safe(column.header)) return false;
  for (const Section& section : grid.sections)
    for (const GridRow& row : section.rows)
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (!is_safe(row.cells.text(i))) return false;
  return true;
}

// Cells and headers may hold words from a suite: tags, metrics, units.
Grid harmless(Grid grid, const Style& style) {
  const std::size_t widest_cell = widest_cell_of(style);
  for (Column& column : grid.columns) column.header = safe_name(column.header, widest_cell);
  for (Section& section : grid.sections)
    for (GridRow& row : section.rows)
      row.cells = row.cells.with_texts([&](const Cell& cell) { return safe_name(cell.text, widest_cell); });
  return grid;
}

bool is_number(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

// Its gap is not known yet.
Track measure(const Grid& grid, std::size_t column) {
  const Column& about = grid.columns[column];
  Track track{column, 0, display_width(about.header), {}};
  for (const Section& section : grid.sections) {
    Extent widest;
    for (const GridRow& row : section.rows) {
      const std::string_view text = row.cells.text(column);
      const Extent extent = extent_of(text, about.align);
      if (about.align != Align::decimal || !is_number(text)) {
        track.width = std::max(track.width, extent.left + extent.right);
        continue;
      }
      widest.left = std::max(widest.left, extent.left);
      widest.right = std::max(widest.right, extent.right);
    }
    track.right.push_back(widest.right);
    track.width = std::max(track.width, widest.left + widest.right);
  }
  return track;
}

std::size_t width_of(const std::vector<Track>& tracks) {
  std::size_t width = 0;
  for (const Track& track : tracks) width += track.gap + track.width;
  return width;
}

std::size_t label_width_of(const Grid& grid) {
  std::size_t width = display_width(grid.label_header);
  for (const Section& section : grid.sections)
    for (const GridRow& row : section.rows)
      width =
          std::max(width, is_plain(row.label) ? row.label.size()
                                              : display_width(safe_name(row.label, row.label.size() * 8)));
  return width;
}

Layout lay_out(const Grid& grid, std::vector<std::size_t> columns, std::size_t width) {
  Layout layout;
  std::vector<Track> measured(grid.columns.size());
  for_each_index(columns.size() + 1, 0, [&](std::size_t i) {
    if (i == columns.size())
      layout.label_width = label_width_of(grid);
    else
      measured[columns[i]] = measure(grid, columns[i]);
  });
  const auto needs = [&](std::size_t indent, std::size_t gap = 2) {
    layout.tracks.clear();
    for (const std::size_t column : columns) {
      layout.tracks.push_back(measured[column]);
      layout.tracks.back().gap = grid.columns[column].tied ? 1 : gap;
    }
    return indent + width_of(layout.tracks);
  };
  const std::size_t beside_labels = label_indent + layout.label_width;
  const std::vector<std::size_t> all = columns;
  const auto beside = [&] { return needs(beside_labels) <= width || needs(beside_labels, 1) <= width; };
  const auto drop = [&](bool spare_only) {
    auto least = columns.end();
    for (auto at = columns.begin(); at != columns.end(); ++at)
      if ((grid.columns[*at].spare || !spare_only) &&
          (least == columns.end() || grid.columns[*at].priority >= grid.columns[*least].priority))
        least = at;
    if (least == columns.end()) return false;
    columns.erase(least);
    return true;
  };
  do
    if (beside()) return layout;
  while (drop(true));
  columns = all;
  layout.stacked = true;
  while (needs(stacked_indent) > width && columns.size() > 1) drop(false);
  return layout;
}

std::string trimmed_line(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  line += '\n';
  return line;
}

void add_padded(std::string& line, const Cells& cells, const Track& track, std::size_t section, Align align,
                const Style& style) {
  const std::string_view text = cells.text(track.column);
  const Extent extent = extent_of(text, align);
  const std::size_t used = extent.left + extent.right;
  std::size_t after = 0;
  if (align == Align::left) after = track.width - used;
  if (align == Align::decimal && is_number(text)) after = track.right[section] - extent.right;
  const std::size_t before = track.width - used - after;
  line.append(before, ' ');
  if (style.colour)
    line += paint(text, cells.paint(track.column), style);
  else
    line += text;
  line.append(after, ' ');
}

std::string header_line(const Grid& grid, const Layout& layout, const Style& style) {
  std::string line = layout.stacked ? spaces(stacked_indent)
                                    : spaces(label_indent) + grid.label_header +
                                          spaces(layout.label_width - display_width(grid.label_header));
  for (const Track& track : layout.tracks) {
    const Column& column = grid.columns[track.column];
    const std::size_t room = track.width - display_width(column.header);
    // Over brackets and words a header starts where they start; over numbers it ends where they end.
    line += spaces(track.gap) +
            (column.align == Align::left ? column.header + spaces(room) : spaces(room) + column.header);
  }
  return paint(trimmed_line(line).substr(0, trimmed_line(line).size() - 1), Paint::strong, style) + "\n";
}

std::string row_lines(const Grid& grid, std::size_t section, const GridRow& row, const Layout& layout,
                      const Style& style) {
  const std::size_t width = columns_of(style);
  const std::string label = safe_name(row.label, width - label_indent);
  std::string line = spaces(label_indent) + label;
  if (layout.stacked)
    line = trimmed_line(std::move(line)) + spaces(stacked_indent);
  else
    line.append(layout.label_width - display_width(label), ' ');
  for (const Track& track : layout.tracks) {
    line.append(track.gap, ' ');
    add_padded(line, row.cells, track, section, grid.columns[track.column].align, style);
  }
  return trimmed_line(std::move(line));
}

void draw_columns(const Grid& grid, const std::vector<std::size_t>& columns, const Style& style,
                  std::string& text, std::set<std::string>& drawn) {
  const std::size_t width = columns_of(style);
  const Layout layout = lay_out(grid, columns, width);
  for (const Track& track : layout.tracks) drawn.insert(grid.columns[track.column].header);
  if (!grid.shared.empty()) text += paint(safe_name(grid.shared, width), Paint::faint, style) + "\n";
  text += header_line(grid, layout, style);
  for (std::size_t i = 0; i < grid.sections.size(); ++i) {
    const Section& section = grid.sections[i];
    if (!section.heading.empty())
      text += paint(safe_name(section.heading, width), section.paint, style) + "\n";
    for (std::span<const GridRow> rows = section.rows; !rows.empty();) {
      const std::span<const GridRow> now = rows.first(std::min(rows.size(), drawn_at_once));
      std::vector<std::string> parts((now.size() + drawn_a_part - 1) / drawn_a_part);
      for_each_index(parts.size(), 0, [&](std::size_t part) {
        const std::size_t end = std::min((part + 1) * drawn_a_part, now.size());
        for (std::size_t row = part * drawn_a_part; row < end; ++row)
          parts[part] += row_lines(grid, i, now[row], layout, style);
      });
      for (const std::string& part : parts) text += part;
      rows = rows.subspan(now.size());
    }
  }
}

}  // namespace

std::size_t columns_of(const Style& style) {
  constexpr int fewest = 40;
  return static_cast<std::size_t>(std::max(style.width, fewest));
}

std::string paint(std::string_view text, Paint paint, const Style& style) {
  const std::string_view code = code_of(paint);
  if (!style.colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string safe_name(std::string_view name, std::size_t columns) {
  if (name.size() <= columns && is_plain(name)) return std::string(name);
  std::string text = without_log_commands(printable(name));
  if (display_width(text) <= columns) return text;
  const std::size_t keep = columns > 1 ? columns - 1 : 0;
  const std::size_t tail = keep / 2;
  return std::string(first_columns(text, keep - tail)) + "…" + std::string(last_columns(text, tail));
}

std::string safe_beginning(std::string_view raw, std::size_t columns) {
  const std::string text = without_log_commands(printable(raw));
  if (display_width(text) <= columns) return text;
  return std::string(first_columns(text, columns > 1 ? columns - 1 : 0)) + "…";
}

std::string wrapped(std::string_view text, std::string_view lead, const Style& style) {
  const std::size_t indent = display_width(lead);
  const std::size_t room = std::max<std::size_t>(columns_of(style), indent + 10) - indent;
  std::string out;
  std::string line;
  const auto flush = [&] {
    out += (out.empty() ? std::string(lead) : spaces(indent)) + line + "\n";
    line.clear();
  };
  for (const std::string& raw : split(text, ' ')) {
    if (raw.empty()) continue;
    const std::string word = safe_name(raw, room);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > room) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty() || out.empty()) flush();
  return out;
}

namespace {

void draw_harmless(const Grid& grid, const Style& style, std::string& text, std::set<std::string>& drawn) {
  std::vector<std::size_t> all(grid.columns.size());
  std::set<int> blocks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
    blocks.insert(grid.columns[i].block);
  }
  const std::size_t width = columns_of(style);
  if (blocks.size() == 1 || !lay_out(grid, all, width).stacked)
    return draw_columns(grid, all, style, text, drawn);
  bool first = true;
  for (const int block : blocks) {
    std::vector<std::size_t> columns;
    std::copy_if(all.begin(), all.end(), std::back_inserter(columns),
                 [&](std::size_t i) { return grid.columns[i].block == block; });
    if (!std::exchange(first, false)) text += "\n";
    draw_columns(grid, columns, style, text, drawn);
  }
}

}  // namespace

void draw(const Grid& raw, const Style& style, std::string& text, std::set<std::string>* drawn) {
  std::set<std::string> unwanted;
  std::set<std::string>& headers = drawn == nullptr ? unwanted : *drawn;
  if (is_harmless(raw, style))
    draw_harmless(raw, style, text, headers);
  else
    draw_harmless(harmless(raw, style), style, text, headers);
}

}  // namespace harness::report
