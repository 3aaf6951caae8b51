#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/text.h"
#include "harness/report/documents/identity.h"
#include "harness/report/media/media.h"
#include "harness/report/media/terminal_text.h"
#include "harness/report/numbers.h"
#include "harness/report/sparkline.h"

namespace harness::report {
namespace {

constexpr std::size_t most_on_terminal = 6;  // cases listed by name under one finding
constexpr std::size_t longest_fact_name = 24;
constexpr std::size_t beside_trend = 78;  // columns of a row with a sparkline, without the sparkline

// Draws one document. Blocks are separated by an empty line, unless one belongs to the block before it.
class Terminal {
 public:
  explicit Terminal(const Style& style) : style_(style), width_(columns_of(style)) {}

  std::string text(const Document& document) {
    add_painted(document.headline, "", document.tone == Paint::faint ? Paint::strong : document.tone);
    add_facts(document.facts);
    for (const Block& block : document.blocks) {
      const auto* findings = std::get_if<Findings>(&block.content);
      if (findings != nullptr && block.place == Place::folded && !style_.verbose)
        add_folded(*findings, document.unfolds);
      else
        std::visit([this](const auto& content) { add(content); }, block.content);
    }
    add(List{"what to do", document.next_steps});
    if (!document.exit_meaning.empty()) text_ += "\n";
    add_painted(document.exit_meaning, "", Paint::faint);
    return std::move(text_);
  }

 private:
  enum class Last { other, heading, prose };

  // Lines that are each painted by themselves, so that a pager or a log shows them right.
  void add_painted(const std::string& raw, std::string_view lead, Paint how) {
    if (raw.empty()) return;
    for (const std::string& line : split(wrapped(raw, lead, style_), '\n'))
      if (!line.empty()) text_ += paint(line, how, style_) + "\n";
  }

  void add_name(const std::string& name, std::size_t indent, Paint how) {
    text_ += std::string(indent, ' ') + paint(safe_name(name, width_ - indent), how, style_) + "\n";
  }

  void begin(Last kind) {
    const bool belongs = last_ == Last::heading || (last_ == Last::prose && kind == Last::prose);
    if (!belongs && !text_.empty()) text_ += "\n";
    last_ = kind;
  }

  void begin_list(const std::string& heading, Paint how = Paint::strong) {
    begin(Last::other);
    if (!heading.empty()) add_painted(heading, "", how);
  }

  void add_facts(const NamedTexts& facts) {
    std::size_t width = 0;
    for (const auto& [name, value] : facts)
      width = std::max(width, display_width(safe_name(name, longest_fact_name)));
    for (const auto& [raw_name, value] : facts) {
      const std::string name = safe_name(raw_name, longest_fact_name);
      text_ += wrapped(value, "  " + name + std::string(width - display_width(name) + 2, ' '), style_);
    }
  }

  void add(const Heading& heading) {
    last_ = Last::other;
    begin(Last::heading);
    add_painted(heading.text, "", heading.paint);
  }

  void add(const Table& table) {
    if (table.grid.sections.empty()) return;
    begin(Last::other);
    if (!table.title.empty()) {
      add_painted(table.title, "", Paint::strong);
      text_ += "\n";
    }
    const std::size_t room = width_ > beside_trend ? width_ - beside_trend : 0;
    if (has_trends(table.grid))
      draw(with_trends(table.grid, std::clamp<std::size_t>(room, 8, 40), style_.unicode), style_, text_,
           &drawn_);
    else
      draw(table.grid, style_, text_, &drawn_);
    for (const Column& column : table.grid.columns)
      lacks_margin_ |= column.header == "margin" && !drawn_.contains(column.header);
  }

  void add(const Prose& prose) {
    const auto is_shown = [&](std::size_t line) {
      return prose.columns.empty() || prose.columns[line].empty() || drawn_.contains(prose.columns[line]);
    };
    bool begun = false;
    for (std::size_t i = 0; i < prose.lines.size(); ++i) {
      if (!is_shown(i)) continue;
      if (!begun) begin(Last::prose);
      begun = true;
      add_painted(prose.lines[i], "  ", prose.paint);
    }
  }

  void add(const List& list) {
    if (list.lines.empty()) return;
    begin_list(list.heading);
    for (const std::string& line : list.lines) text_ += wrapped(line, list.bullets ? "  - " : "  ", style_);
  }

  void add(const Reasons& reasons) {
    if (reasons.groups.empty()) return;
    begin_list(reasons.cases == 0
                   ? reasons.heading
                   : fmt::format("{}: {}", reasons.heading, counted(reasons.cases, "case", "cases")),
               reasons.paint);
    for (const ReasonGroup& group : reasons.groups) {
      if (reasons.every_name) {
        for (const std::string& id : group.ids) add_name(id, 2, Paint::strong);
        text_ += wrapped(group.reason, "      ", style_);
        continue;
      }
      text_ += wrapped(group.reason, "  ", style_);
      if (group.figures.empty())
        add_patterns(group.ids, 6, "  ({} cases)");
      else
        add_figures(group);
    }
  }

  void add_patterns(const std::vector<std::string>& ids, std::size_t indent, std::string_view count_format) {
    for (const Abridged& some : abridge(ids)) {
      const std::string count =
          some.count > 1 ? fmt::format(fmt::runtime(count_format), grouped_digits(some.count)) : "";
      text_ += std::string(indent, ' ') +
               paint(safe_name(some.pattern, width_ - indent - count.size()) + count, Paint::faint, style_) +
               "\n";
    }
  }

  // Each case beside its figures, below each other.
  void add_figures(const ReasonGroup& group) {
    constexpr std::size_t indent = 6, gap = 2, least_name = 20;
    std::size_t name_width = 0, figures_width = 0;
    for (const std::string& id : group.ids)
      name_width = std::max(name_width, display_width(safe_name(id, width_)));
    for (const std::string& figures : group.figures) figures_width = std::max(figures_width, figures.size());
    const std::size_t all = width_ - indent - gap;
    const std::size_t left = all > figures_width + least_name ? all - figures_width : least_name;
    name_width = std::min(name_width, left);
    for (std::size_t i = 0; i < group.ids.size(); ++i) {
      const std::string name = safe_name(group.ids[i], name_width);
      add_name(name + std::string(name_width - display_width(name) + gap, ' ') + group.figures[i], indent,
               Paint::faint);
    }
  }

  void add(const Findings& findings) {
    if (findings.items.empty()) return;
    begin_list(findings.heading);
    for (const Finding& finding : findings.items) add_finding(finding);
  }

  // A line each, unless a table has it or the exit status follows from it; then how to see them in full.
  void add_folded(const Findings& findings, const std::string& unfolds) {
    if (findings.items.empty()) return;
    begin_list("other results");
    std::size_t results = 0;
    for (const Finding& finding : findings.items) {
      results += finding.cases.size();
      if (finding.in_table && !lacks_margin_) continue;
      if (finding.decides) {
        add_names(finding.cases);
        add_text(finding);
        for (const std::string& advice : finding.advice) text_ += wrapped(advice, "      - ", style_);
        continue;
      }
      const std::string name = finding.cases.size() == 1 ? safe_name(finding.cases.front(), width_ * 3 / 5)
                                                         : counted(finding.cases.size(), "result", "results");
      const std::string label = finding.label.empty() ? "" : finding.label + ": ";
      text_ += safe_beginning(fmt::format("  {}  {}{}", name, label, finding.text), width_) + "\n";
    }
    // Not wrapped, so that it can be pasted.
    text_ +=
        fmt::format("  more on {}:\n    {}\n", counted(results, "result", "results"), printable(unfolds));
  }

  void add_names(const std::vector<std::string>& cases) {
    if (cases.size() > most_on_terminal) {
      add_name(counted(cases.size(), "case", "cases"), 2, Paint::strong);
      add_patterns(cases, 4, "  ({})");
    } else {
      for (const std::string& name : cases) add_name(name, 2, Paint::strong);
    }
  }

  void add_text(const Finding& finding) {
    add_painted(finding.standing, "      ", Paint::doubtful);
    if (!finding.text.empty())
      add_painted((finding.label.empty() ? "" : finding.label + ": ") + finding.text, "      ",
                  finding.text_paint);
  }

  void add_finding(const Finding& finding) {
    add_names(finding.cases);
    add_text(finding);
    for (const std::string& detail : finding.details) text_ += wrapped(detail, "      ", style_);
    for (const std::string& advice : finding.advice) text_ += wrapped(advice, "      - ", style_);
    add_painted(finding.where, "      at ", Paint::faint);
  }

  void add(const Checklist& list) {
    constexpr std::size_t name_width = 18, mark_width = 7;
    begin_list(list.heading);
    for (const CheckedFact& fact : list.facts) {
      const std::string name = safe_name(fact.name, name_width - 1);
      const std::string mark = safe_name(fact.mark.text, mark_width - 1);
      const std::string margin(2 + name_width + mark_width, ' ');
      // Wrapped behind a margin that is replaced, because colours must not count as columns.
      std::string lines = wrapped(fact.value.empty() ? unknown : fact.value, margin, style_);
      lines.replace(0, margin.size(),
                    "  " + name + std::string(name_width - display_width(name), ' ') +
                        paint(mark, fact.mark.paint, style_) +
                        std::string(mark_width - display_width(mark), ' '));
      text_ += lines;
      if (!fact.advice.empty()) text_ += wrapped("advice: " + fact.advice, margin, style_);
    }
  }

  const Style& style_;
  std::size_t width_;
  std::string text_ = {};
  Last last_ = Last::other;
  std::set<std::string> drawn_ = {};  // headers of the columns so far
  bool lacks_margin_ = false;         // a table has no room for it, and so does not tell why a row is open
};

}  // namespace

std::string draw_terminal(const Report& report, const Style& style) {
  return Terminal(style).text(report.document);
}

}  // namespace harness::report
