#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/markdown_limit.h"
#include "harness/report/media/markdown_text.h"
#include "harness/report/media/media.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/sparkline.h"

namespace harness::report {
namespace {

constexpr std::size_t most_in_markdown = 10;  // cases listed by name under one finding
constexpr std::size_t longest_brief = 60;     // columns of a headline that must fit into very little
constexpr std::size_t markdown_trend_columns = 24;

std::string mark_of(Paint paint) {
  switch (paint) {
    case Paint::bad: return "🔴 ";
    case Paint::doubtful: return "🟡 ";
    case Paint::good: return "🟢 ";
    default: return "⚪ ";
  }
}

std::string item(const std::string& text) {
  return "- " + markdown_prose(text) + "\n";
}

std::string sub_item(const std::string& text) {
  return "  - " + markdown_prose(text) + "\n";
}

std::string titled(const std::string& heading) {
  return heading.empty() ? "\n" : "\n**" + markdown_prose(heading) + "**\n\n";
}

// The first entries of a list.
template <class Entry>
std::span<const Entry> first(const std::vector<Entry>& all, std::size_t most) {
  return {all.data(), std::min(all.size(), most)};
}

// Faint rows are folded away; the others stay in sight.
std::string folding_table(const Grid& grid) {
  Grid notable = grid;
  Grid quiet = grid;
  notable.sections.clear();
  quiet.sections.clear();
  std::size_t quiet_rows = 0;
  for (const Section& section : grid.sections) {
    (section.paint == Paint::faint ? quiet : notable).sections.push_back(section);
    if (section.paint == Paint::faint) quiet_rows += section.rows.size();
  }
  const bool one = quiet.sections.size() == 1;
  const std::string heading = one ? quiet.sections.front().heading : "without a change";
  if (one) quiet.sections.front().heading.clear();  // the summary says it
  std::string text;
  if (!notable.sections.empty()) text += "\n" + markdown_table(notable);
  if (!quiet.sections.empty())
    text += "\n" + markdown_details(heading + ": " + counted(quiet_rows, "result", "results"),
                                    markdown_table(quiet));
  return text;
}

std::string case_list(const std::vector<std::string>& cases, bool cut) {
  std::vector<std::string> names;
  if (cases.size() <= most_in_markdown) {
    for (const std::string& id : cases) names.push_back(markdown_code(id));
    return join(names, ", ");
  }
  for (const Abridged& some : abridge(cases)) {
    if (cut && names.size() == most_in_markdown) {
      names.push_back(fmt::format("... ({} in all)", grouped_digits(cases.size())));
      break;
    }
    names.push_back(markdown_code(some.pattern) + (some.count > 1 ? fmt::format(" ({})", some.count) : ""));
  }
  return join(names, ", ");
}

std::string finding_item(const Finding& finding, bool cut) {
  std::string text = "- ";
  if (!finding.label.empty()) text += mark_of(finding.paint) + "**" + markdown_prose(finding.label) + "** ";
  text += case_list(finding.cases, cut);
  if (!finding.where.empty()) text += " at " + markdown_code(finding.where);
  text += "\n";
  if (!finding.standing.empty()) text += "  - **" + markdown_prose(finding.standing) + "**\n";
  if (!finding.text.empty()) text += sub_item(finding.text);
  for (const std::string& detail : finding.details) text += sub_item(detail);
  for (const std::string& advice : finding.advice) text += sub_item(advice);
  return text;
}

std::string reason_item(const ReasonGroup& group, bool every_name, bool cut) {
  std::string text;
  if (every_name && !cut) {
    for (const std::string& id : group.ids) text += "- " + markdown_code(id) + "\n";
    return text + sub_item(group.reason);
  }
  text = item(group.reason);
  if (!group.figures.empty() && !cut) {
    for (std::size_t i = 0; i < group.ids.size(); ++i)
      text += "  - " + markdown_code(group.ids[i]) + ": " + markdown_prose(group.figures[i]) + "\n";
    return text;
  }
  for (const Abridged& some : abridge(group.ids))
    text += "  - " + markdown_code(some.pattern) +
            (some.count > 1 ? fmt::format(" ({} cases)", grouped_digits(some.count)) : "") + "\n";
  return text;
}

// Draws blocks with the first `most` entries of every list.
struct Blocks {
  std::size_t most = everything;

  [[nodiscard]] bool cut() const { return most != everything; }

  std::string operator()(const Heading& heading) const {
    const std::string text = markdown_prose(heading.text);
    return heading.level == 1 ? "\n### " + text + "\n" : "\n**" + text + "**\n";
  }

  std::string operator()(const Table& table) const {
    const Grid grid = with_trends(first_rows(table.grid, most), markdown_trend_columns, true);
    if (grid.sections.empty()) return {};
    if (table.folds_faint) return folding_table(grid);
    return titled(table.title) + markdown_table(grid);
  }

  std::string operator()(const Prose& prose) const {
    std::string text;
    for (const std::string& line : prose.lines) text += "\n" + markdown_prose(line) + "\n";
    return text;
  }

  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& line : first(list.lines, most)) text += item(line);
    return text.empty() ? text : titled(list.heading) + text;
  }

  std::string operator()(const Reasons& reasons) const {
    const std::string text = groups(reasons);
    return text.empty() ? text : titled(reasons.heading) + text;
  }

  std::string operator()(const Findings& findings) const {
    std::string text;
    for (const Finding& finding : first(findings.items, most)) text += finding_item(finding, cut());
    return text.empty() ? text : titled(findings.heading) + text;
  }

  std::string operator()(const Checklist& list) const {
    std::string text;
    for (const CheckedFact& fact : first(list.facts, most)) {
      text += "- " + mark_of(fact.mark.paint) + "**" + markdown_prose(fact.name) + "** " +
              markdown_prose(fact.mark.text) + ": " + markdown_prose(fact.value) + "\n";
      if (!fact.advice.empty()) text += sub_item(fact.advice);
    }
    return text.empty() ? text : titled(list.heading) + text;
  }

  // A block that is closed until somebody opens it.
  [[nodiscard]] std::string folded(const Block& block) const {
    if (const auto* findings = std::get_if<Findings>(&block.content)) return folded_findings(*findings);
    const auto* reasons = std::get_if<Reasons>(&block.content);
    if (reasons == nullptr) return std::visit(*this, block.content);
    const std::string text = groups(*reasons);
    const std::string heading =
        markdown_prose(reasons->heading) + ": " + counted(reasons->cases, "case", "cases");
    return text.empty() ? text : "\n" + markdown_details(heading, text);
  }

 private:
  [[nodiscard]] std::string folded_findings(const Findings& findings) const {
    std::size_t results = 0;
    std::string text;
    for (const Finding& finding : findings.items) results += finding.cases.size();
    for (const Finding& finding : first(findings.items, most)) text += finding_item(finding, cut());
    const std::string heading =
        markdown_prose(findings.heading) + ": " + counted(results, "other result", "other results");
    return text.empty() ? text : "\n" + markdown_details(heading, text);
  }
  [[nodiscard]] std::string groups(const Reasons& reasons) const {
    std::string text;
    for (const ReasonGroup& group : first(reasons.groups, most))
      text += reason_item(group, reasons.every_name, cut());
    return text;
  }
};

// How many entries a block has that a limit can leave out, and what they are.
LeftOut entries_of(const Block& block) {
  if (const auto* table = std::get_if<Table>(&block.content)) return {"rows", 0, count_rows(table->grid)};
  const auto named = [](const std::string& heading, std::size_t count) {
    return LeftOut{heading.empty() ? "entries" : "entries of " + markdown_code(heading), 0, count};
  };
  if (const auto* list = std::get_if<List>(&block.content)) return named(list->heading, list->lines.size());
  if (const auto* some = std::get_if<Reasons>(&block.content))
    return named(some->heading, some->groups.size());
  if (const auto* some = std::get_if<Findings>(&block.content))
    return named(some->heading, some->items.size());
  if (const auto* list = std::get_if<Checklist>(&block.content))
    return named(list->heading, list->facts.size());
  return {};
}

// The number of entries left out when every list has `most` entries; the rows of all tables together.
std::vector<LeftOut> left_out(const Document& document, std::size_t most) {
  std::vector<LeftOut> all;
  for (const Block& block : document.blocks) {
    LeftOut entries = entries_of(block);
    if (entries.all == 0) continue;
    entries.shown = std::min(entries.all, most);
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const LeftOut& one) { return one.what == entries.what; });
    if (known == all.end()) {
      all.push_back(std::move(entries));
    } else {
      known->shown += entries.shown;
      known->all += entries.all;
    }
  }
  return all;
}

std::string headline_of(const Document& document, const std::string& headline) {
  if (headline.empty()) return {};
  return "### " + (document.marked ? mark_of(document.tone) : "") + markdown_prose(headline) + "\n";
}

std::string fact_list(const NamedTexts& facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += "- **" + markdown_prose(name) + "**: " + markdown_prose(value) + "\n";
  return text;
}

std::string next_of(const Document& document) {
  return Blocks{}(List{"what to do", document.next_steps});
}

std::string end_of(const Document& document) {
  return document.exit_meaning.empty() ? "" : "\n" + markdown_prose(document.exit_meaning) + "\n";
}

std::string text_of(const Document& document, std::size_t most, const Style& style) {
  const Blocks blocks{most};
  std::string text = headline_of(document, document.headline);
  if (blocks.cut()) text += "\n" + shortened_note(left_out(document, most), style, document.command);
  if (document.about.empty() && !document.facts.empty()) text += "\n" + fact_list(document.facts);
  std::string about;
  for (const Place place : {Place::urgent, Place::normal, Place::folded, Place::about})
    for (const Block& block : document.blocks) {
      if (block.place != place) continue;
      const std::string drawn =
          place == Place::folded ? blocks.folded(block) : std::visit(blocks, block.content);
      (place == Place::about && !document.about.empty() ? about : text) += drawn;
    }
  if (!document.about.empty())
    text += "\n" + markdown_details(markdown_prose(document.about),
                                    fact_list(document.facts) + (about.empty() ? "" : about + "\n"));
  text += next_of(document) + end_of(document);
  return text.starts_with('\n') ? text.substr(1) : text;
}

}  // namespace

std::string draw_markdown(const Report& report, const Style& style) {
  const Document& document = report.document;
  std::size_t most = 0;
  for (const Block& block : document.blocks) most = std::max(most, entries_of(block).all);
  const std::string headline = headline_of(document, document.headline) + "\n";
  const std::string brief = headline_of(document, safe_name(document.headline, longest_brief)) + "\n";
  const std::string note = shortened_note({}, style, document.command, longest_brief);
  return fit_markdown(style.markdown_limit, most,
                      [&](std::size_t entries) { return text_of(document, entries, style); },
                      {headline + note + next_of(document) + end_of(document),
                       headline + note + end_of(document), brief + note});
}

}  // namespace harness::report
