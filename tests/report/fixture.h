// One plan, record and comparison, built in code, from which every golden file is rendered.
#pragma once

#include <string>
#include <vector>

#include "harness/report/documents.h"

namespace harness {

inline std::string render_plan(const Plan& plan, Format format, const Style& style = {}) {
  return render(report::plan_document(plan), format, style);
}

inline std::string render_run(const Record& record, const std::vector<Summary>& summaries, Format format,
                              const Style& style = {}) {
  return render(report::run_document(record, summaries), format, style);
}

inline std::string render_comparison(const Comparison& comparison, Format format, const Style& style = {},
                                     const Sources& sources = {}) {
  return render(report::comparison_document(comparison, sources), format, style);
}

}  // namespace harness

namespace harness::fixture {

Plan plan();
Record record();
std::vector<Summary> summaries();
Comparison comparison();

// The comparison under a policy: a waived regression, an informative row, kernels that moved, waivers that
// hold, are not needed, and have expired.
Comparison governed_comparison();

// Cases that are proven identical, one of which moved all the same; one that is not worse; and a regression
// that fresh processes did not confirm.
Comparison proven_comparison();

// Names that attack a terminal, a Markdown page or a table.
std::vector<std::string> hostile_names();

// The plan, run and comparison with every name, reason and note replaced by `name`.
Plan hostile_plan(const std::string& name);
Record hostile_record(const std::string& name);
std::vector<Summary> hostile_summaries(const std::string& name);
Comparison hostile_comparison(const std::string& name);

}  // namespace harness::fixture
