// Reports: records, summaries and comparisons as text for people and machines. Pure: every function
// returns the text. Names from suites and records are untrusted and escaped for each medium.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/comparison.h"
#include "harness/model/plan.h"
#include "harness/model/summary.h"

namespace harness {

enum class Format { terminal, markdown, html, json, junit, github };
std::string_view name_of(Format format);
std::optional<Format> parse_format(std::string_view name);
std::vector<std::string> format_names();

// An error when this build lacks what the format needs: a page that was not built.
Status check_built(Format format);

struct Style {
  bool colour = false;
  int width = 100;                 // columns of the terminal
  std::size_t markdown_limit = 0;  // bytes that Markdown may take; 0: as many as it needs
  std::string whole = {};          // where people find in full what was cut to that limit: "report.html"
};

// A side of a report as measured, for the formats that show samples; the others ignore it.
struct SideSource {
  const Record* record = nullptr;
  const std::vector<Summary>* summaries = nullptr;  // of that record
};

// What a report may draw from beside its own figures. Nothing is owned.
struct Sources {
  SideSource baseline;
  SideSource current;
  std::string command;  // that makes this report again, or ""
  // What measures a case again beside suite and filter, quoted for a shell: " --device cuda --against main".
  std::string again = {};
};

// `harness list`.
std::string render_plan(const Plan& plan, Format format, const Style& style);

// After `harness run`: header, the table, skipped and failed cases with reasons, notes.
std::string render_run(const Record& record, const std::vector<Summary>& summaries, Format format,
                       const Style& style, const Sources& sources = {});

// `harness compare`: the verdict first, then the rows worst first, then what to do.
std::string render_comparison(const Comparison& comparison, Format format, const Style& style,
                              const Sources& sources = {});

}  // namespace harness
