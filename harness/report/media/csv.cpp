#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/base/text.h"
#include "harness/report/media/media.h"

namespace harness::report {
namespace {

// One record of the file, by the names of its columns.
struct Row {
  std::string table;
  std::string section;
  std::string name;
  NamedTexts cells;
  std::string suite = {};
};

std::vector<std::string> column_names(const Grid& grid) {
  std::vector<std::string> names;
  std::string owner;
  for (const Column& column : grid.columns) {
    if (!column.tied) owner = column.header;
    std::string name = column.tied ? owner + " " + column.header : column.header;
    if (name.empty()) name = "result";
    const auto same = std::count_if(names.begin(), names.end(), [&](const std::string& known) {
      return known == name || known.starts_with(name + " #");
    });
    names.push_back(same == 0 ? name : fmt::format("{} #{}", name, same + 1));
  }
  return names;
}

// Sentences one after another; "; " stands between phrases.
std::string one_line(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) {
    if (!line.empty()) line += line.back() == '.' ? " " : "; ";
    line += text;
  }
  return line;
}

// Blocks that list something are tables, too: a row a case or a property.
struct CsvRows {
  std::vector<Row> rows;

  void operator()(const Table& table) {
    const std::vector<std::string> names = column_names(table.grid);
    for (const Section& section : table.grid.sections)
      for (const GridRow& row : section.rows) {
        Row& out = add(table.title, section.heading, row.name.empty() ? row.label : row.name);
        for (std::size_t i = 0; i < row.cells.size(); ++i)
          out.cells.emplace_back(names[i], row.cells.text(i));
      }
  }
  void operator()(const Reasons& reasons) {
    for (const ReasonGroup& group : reasons.groups)
      for (const std::string& id : group.ids)
        add(reasons.heading, "", id).cells.emplace_back("reason", group.reason);
  }
  void operator()(const Findings& findings) {
    for (const Finding& finding : findings.items)
      for (const std::string& name : finding.cases)
        add(findings.heading, finding.label, name).cells = {
            {"reason", (finding.standing.empty() ? "" : finding.standing + "; ") + finding.text},
            {"advice", one_line(finding.advice)}};
  }
  void operator()(const Checklist& list) {
    for (const CheckedFact& fact : list.facts)
      add(list.heading, "", fact.name).cells = {
          {"result", fact.mark.text}, {"value", fact.value}, {"advice", fact.advice}};
  }
  void operator()(const Heading&) {}
  void operator()(const Prose&) {}
  void operator()(const List&) {}

  Row& add(const std::string& table, const std::string& section, const std::string& name) {
    return rows.emplace_back(Row{table, section, name, {}});
  }
};

// Whether a table calculation would take the text for a formula. Signed numbers with their units are none.
bool looks_like_formula(const std::string& text) {
  if (text.empty() || std::string_view("=@+-").find(text.front()) == std::string_view::npos) return false;
  if (text.front() == '=' || text.front() == '@') return true;
  double number = 0;
  const char* const begin = text.data() + 1;
  const auto [end, code] = std::from_chars(begin, text.data() + text.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (code != std::errc()) return text.size() > 1;
  return !rest.empty() && rest.front() != ' ' && rest.front() != '%';
}

// RFC 4180. An apostrophe in front makes a text of what would be a formula. Control characters are made
// visible, so a record is always one line.
std::string field(const std::string& raw) {
  const std::string text = (looks_like_formula(raw) ? "'" : "") + printable(raw);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string record(const std::vector<std::string>& fields) {
  std::vector<std::string> escaped;
  escaped.reserve(fields.size());
  for (const std::string& text : fields) escaped.push_back(field(text));
  return join(escaped, ",") + "\r\n";
}

// All rows under one header: the suite of one of several reports, the table, the section and the row, then
// every column of any table.
std::string draw_rows(const std::vector<Row>& rows, bool several) {
  std::vector<std::string> header{"table", "section", "row"};
  if (several) header.insert(header.begin(), "suite");
  const auto fixed = static_cast<std::ptrdiff_t>(header.size());
  const auto place_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(header.begin() + fixed, header.end(), name) - header.begin());
  };
  for (const Row& row : rows)
    for (const auto& [name, value] : row.cells)
      if (place_of(name) == header.size()) header.push_back(name);
  std::string text = record(header);
  for (const Row& row : rows) {
    std::vector<std::string> fields{row.table, row.section, row.name};
    if (several) fields.insert(fields.begin(), row.suite);
    fields.resize(header.size());
    for (const auto& [name, value] : row.cells) fields[place_of(name)] = value;
    text += record(fields);
  }
  return text;
}

CsvRows rows_of(const Report& report) {
  CsvRows all;
  for (const Block& block : report.document.blocks) std::visit(all, block.content);
  return all;
}

}  // namespace

std::string draw_csv(const Report& report, const Style&) {
  return draw_rows(rows_of(report).rows, false);
}

std::string draw_csv(const std::vector<SuiteReport>& reports) {
  std::vector<Row> rows;
  for (const SuiteReport& one : reports)
    for (Row& row : rows_of(one.report).rows) {
      row.suite = one.suite;
      rows.push_back(std::move(row));
    }
  return draw_rows(rows, true);
}

}  // namespace harness::report
