// Page data: what the HTML page and the plots are drawn from, one JSON document, `harness-page`
// (formats.md; its types: page/src/data.ts). Pure.
#pragma once

#include <cstddef>
#include <string>

#include "harness/model/results/comparison.h"
#include "harness/report/media/page/page_samples.h"
#include "harness/report/sources.h"

namespace harness::report {

// The part of the samples that a document carries: those of the first `whole_cases` all, the others by
// `rest`. The first are the worst of a comparison; without one, the first of the record.
struct PageDetail {
  SampleDetail rest;
  std::size_t whole_cases = 0;
};

// A suite's name for a title: control characters made visible, a long name cut.
std::string cut_title(const std::string& name);

// "fusion: regressed", on the page of a run "fusion".
std::string page_title(const Comparison* comparison, const Sources& sources);

// The document as UTF-8 JSON on one line. `comparison` is null on the page of a run; sources.current must
// be there. Figures are rounded to 7 significant digits, samples as `detail` says.
std::string page_document(const Comparison* comparison, const Sources& sources, const PageDetail& detail);

// The document with all samples.
std::string page_document(const Comparison* comparison, const Sources& sources);

// The document deflated and in base64, with as many of the samples as fit in `limit` bytes. If not all fit:
// quantiles, fewer and coarser until they fit, then whole cases while there is room, worst first. The fewest
// are kept even beyond the limit, so a limit of 0 tells how little the document can take.
std::string page_data(const Comparison* comparison, const Sources& sources, std::size_t limit);

}  // namespace harness::report
