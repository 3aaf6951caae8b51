#include "harness/cli/history/write_site.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "harness/study/change_clusters.h"

namespace harness {
namespace {

// Not flushed to disk: a site is thousands of files, and can be written again.
Status write_page(const std::filesystem::path& path, const std::string& text) {
  std::error_code code;
  std::filesystem::create_directories(path.parent_path(), code);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return fail(ErrorKind::environment, Location{path.string()}, "cannot be written",
              "check the permissions and the free space, or name another folder with --html");
}

}  // namespace

Result<CaseVerdicts> verdicts_of(Store& store, const HistoryReport& history, VerdictsAt where) {
  std::map<std::string, std::set<std::string>> wanted;  // cases by record
  for (const Trend& trend : history.trends) {
    if (where == VerdictsAt::points)
      for (const TrendPoint& point : trend.points) wanted[point.record].insert(trend.case_id);
    else
      for (const TrendChange& change : trend.changes)
        wanted[trend.points[change.index].record].insert(trend.case_id);
  }
  CaseVerdicts verdicts;
  for (const auto& [record, ids] : wanted) {
    const auto cases = store.cases_of(record);
    if (!cases) return fail(cases.error());
    for (const StoredCase& one : *cases)
      if (ids.contains(one.id)) verdicts[{record, one.id}] = one.waived ? "waived" : one.verdict;
  }
  return verdicts;
}

Result<WrittenSite> write_site(Store& store, const HistoryArguments& arguments, const SiteOptions& options) {
  const auto names = suites_of(store);
  if (!names) return fail(names.error());
  std::vector<report::SiteSuite> suites;
  WrittenSite written;
  HistoryArguments own = arguments;
  for (const std::string& name : arguments.suite.empty() ? *names : std::vector{arguments.suite}) {
    own.suite = name;
    Result<HistoryReport> history = make_history(store, own, ".");
    if (!history) return fail(history.error());
    report::SiteSuite suite{std::move(*history), {}};
    suite.clusters = cluster_changes(suite.history.trends);
    Result<CaseVerdicts> verdicts = verdicts_of(store, suite.history, VerdictsAt::changes);
    if (!verdicts) return fail(verdicts.error());
    suite.verdicts = std::move(*verdicts);
    written.worse |= std::any_of(suite.history.trends.begin(), suite.history.trends.end(), got_worse);
    suites.push_back(std::move(suite));
  }
  written.suites = suites.size();
  const Status done = report::write_history_site(
      suites, options.links, [&](const std::string& path, const std::string& text) {
        ++written.files;
        return write_page(std::filesystem::path(options.folder) / path, text);
      });
  if (!done) return fail(done.error());
  return written;
}

}  // namespace harness
