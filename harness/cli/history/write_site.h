// Writes the site of `harness history --html`: every suite of a store.
#pragma once

#include <string>

#include "harness/cli/history/make_history.h"
#include "harness/report/media/site/history_site.h"

namespace harness {

struct SiteOptions {
  std::string folder;  // "": no site
  report::SiteLinks links;
};

struct WrittenSite {
  std::size_t suites = 0;
  std::size_t files = 0;
  bool worse = false;  // a series got worse since its anchor
};

// The verdicts of the cases, from the store: at their lasting changes, or at each of their points.
enum class VerdictsAt { changes, points };
Result<CaseVerdicts> verdicts_of(Store& store, const HistoryReport& history, VerdictsAt where);

// The suites that `arguments` ask for, or all. The repository is that of the working folder.
Result<WrittenSite> write_site(Store& store, const HistoryArguments& arguments, const SiteOptions& options);

}  // namespace harness
