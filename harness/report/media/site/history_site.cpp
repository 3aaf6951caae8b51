#include "harness/report/media/site/history_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/report/documents.h"
#include "harness/report/media/html_text.h"
#include "harness/report/media/page/page_template.h"
#include "harness/report/media/site/site_data.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

constexpr std::size_t shown_members = 8, newest_clusters = 50;

// Only what lies in the folder is loaded; Chromium calls that 'self' in a file, or "file:".
constexpr std::string_view policy =
    "default-src 'none'; script-src 'self' file:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'";

// A file's name for any text: different ones for different texts, also where case does not count.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text.substr(0, 80))
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
  return name + "-" + content_hash(text).substr(0, 10);
}

std::string case_page(const std::string& suite, const std::string& case_id) {
  return "cases/" + file_name(suite + "/" + case_id) + ".html";
}

std::string suite_page(const std::string& suite) {
  return "suites/" + file_name(suite) + ".html";
}

std::string link_to(const std::string& url, const std::string& text) {
  return fmt::format("<a href=\"{}\">{}</a>", escaped(url), escaped(printable(text)));
}

// `base`: the way from the page to the site's folder, "" or "../".
std::string frame(const std::string& title, const std::string& base, const std::string& way,
                  const std::string& body, const std::string& commits = {}) {
  std::string scripts;
  if (!site_script().empty()) {
    if (!commits.empty()) scripts += fmt::format("<script src=\"{}{}\"></script>\n", base, escaped(commits));
    scripts += fmt::format("<script src=\"{}history.js\"></script>\n", base);
  }
  std::string page = plain_page(
      title, fmt::format("<header class=\"top\"><nav>{}</nav></header>\n<main class=\"site\">\n{}</main>\n{}",
                         way, body, scripts));
  boost::replace_first(
      page, "<meta charset=\"utf-8\">\n",
      fmt::format("<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                  policy));
  return page;
}

// Characters that could end a path or begin a query are written as %XX.
std::string in_url(const std::string& text) {
  std::string out;
  for (const unsigned char c : text)
    out += std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' ? std::string(1, static_cast<char>(c))
                                                                    : fmt::format("%{:02X}", c);
  return out;
}

class Site {
 public:
  Site(const std::vector<SiteSuite>& suites, const SiteLinks& links, const WritePage& write)
      : suites_(suites), links_(links), write_(write) {}

  Status write_all() {
    if (!site_script().empty())
      if (const Status done = write_("history.js", std::string(site_script())); !done) return done;
    for (const SiteSuite& suite : suites_)
      if (const Status done = write_suite(suite); !done) return done;
    return write_("index.html", index());
  }

 private:
  [[nodiscard]] std::string commit(const std::string& hash) const {
    const std::string shown = hash.substr(0, 10);
    if (links_.commit.empty()) return "<code>" + escaped(shown) + "</code>";
    return link_to(boost::replace_all_copy(links_.commit, "{commit}", in_url(hash)), shown);
  }

  [[nodiscard]] std::string record(const std::string& id, const std::string& text) const {
    if (links_.record.empty()) return fmt::format("<code>{}</code>", escaped(printable(text)));
    return link_to(boost::replace_all_copy(links_.record, "{record}", in_url(id)), text);
  }

  // A row a cause, with the cases that it changed.
  [[nodiscard]] std::string cluster_row(const SiteSuite& suite, const ChangeCluster& cluster,
                                        const std::string& base) const {
    const std::vector<Trend>& trends = suite.history.trends;
    const auto change_of = [&](const ChangeMember& one) -> const TrendChange& {
      return trends[one.trend].changes[one.change];
    };
    const TrendChange& largest = change_of(cluster.members.front());
    const TrendPoint& first = trends[cluster.members.front().trend].points[largest.index];
    std::string cases;
    for (std::size_t i = 0; i < cluster.members.size(); ++i) {
      const Trend& trend = trends[cluster.members[i].trend];
      if (i == shown_members)
        cases += fmt::format("<details><summary>{} more</summary>\n", cluster.members.size() - i);
      const TrendPoint& point = trend.points[change_of(cluster.members[i]).index];
      const auto judged = suite.verdicts.find({point.record, trend.case_id});
      const std::string verdict =
          judged == suite.verdicts.end() || judged->second.empty() ? "not judged" : judged->second;
      cases +=
          fmt::format("<div>{} {}, {} ({})</div>\n",
                      link_to(base + case_page(suite.history.suite, trend.case_id), trend.case_id),
                      escaped(printable(trend.metric)),
                      signed_percent(change_of(cluster.members[i]).ratio - 1), record(point.record, verdict));
    }
    if (cluster.members.size() > shown_members) cases += "</details>\n";
    const std::string range =
        largest.unmeasured > 0
            ? fmt::format("after {} up to {}, {} not measured", commit(cluster.before), commit(cluster.first),
                          counted(static_cast<std::size_t>(largest.unmeasured), "commit", "commits"))
            : commit(cluster.first);
    return fmt::format(
        "<tr class=\"cluster\">\n<td class=\"{}\">{} {}</td>\n<td>{}<br>{} {}</td>\n<td>{}</td>\n"
        "<td>{}</td>\n</tr>\n",
        cluster.worse ? "bad" : "good", cluster.worse ? "worse" : "better", signed_percent(largest.ratio - 1),
        range, escaped(first.date.substr(0, 10)), escaped(printable(first.subject)),
        counted(cluster.members.size(), "series", "series"), cases);
  }

  [[nodiscard]] static std::string cluster_table(const std::string& title, const std::string& rows) {
    if (rows.empty()) return {};
    return element("h2", title) +
           "<table class=\"clusters\">\n<thead><tr><th>change</th><th>commits behind it</th><th>series</th>"
           "<th>cases, the largest change first (verdict)</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody></table>\n";
  }

  [[nodiscard]] std::string index() const {
    std::string rows, changes;
    std::size_t shown = 0;
    for (const SiteSuite& suite : suites_) {
      const HistoryReport& history = suite.history;
      const auto worse = std::count_if(history.trends.begin(), history.trends.end(), got_worse);
      rows += fmt::format(
          "<tr>\n<td>{}</td>\n<td>{}</td>\n<td>{}</td>\n<td>{}</td>\n<td class=\"{}\">{}</td>\n</tr>\n",
          link_to(suite_page(history.suite), history.suite), escaped(printable(history.branch)),
          grouped_digits(history.measured), grouped_digits(history.trends.size()),
          worse > 0 ? "bad" : "plain", worse);
      for (const ChangeCluster& cluster : suite.clusters)
        if (cluster.worse && shown < newest_clusters) {
          changes += cluster_row(suite, cluster, "");
          ++shown;
        }
    }
    return frame(
        "history", "", "harness",
        element("h1", "History of " + counted(suites_.size(), "suite", "suites")) +
            "<table class=\"suites\">\n<thead><tr><th>suite</th><th>branch</th><th>measured commits</th>"
            "<th>series</th><th>worse than their anchor</th></tr></thead>\n<tbody>\n" +
            rows + "</tbody></table>\n" + cluster_table("Changes for the worse, the newest first", changes));
  }

  Status write_suite(const SiteSuite& suite) {
    const HistoryReport& history = suite.history;
    const SharedPoints points(history.trends);
    const std::string commits = "suites/" + file_name(history.suite) + "-commits.js";
    if (!site_script().empty())
      if (const Status done = write_(commits, "globalThis.harness_commits=\"" + points.packed() + "\";\n");
          !done)
        return done;
    std::map<std::string, std::vector<const Trend*>> cases;
    for (const Trend& trend : history.trends) cases[trend.case_id].push_back(&trend);
    HistoryReport without_trends = history;
    without_trends.trends = {};
    without_trends.notes = {};
    for (const auto& [case_id, trends] : cases) {
      HistoryReport own = without_trends;
      for (const Trend* trend : trends) own.trends.push_back(*trend);
      if (const Status done = write_case(suite, own, trends, points, commits); !done) return done;
    }
    std::string rows;
    for (const ChangeCluster& cluster : suite.clusters) rows += cluster_row(suite, cluster, "../");
    Document document = history_document(history).document;
    std::erase_if(document.blocks,
                  [](const Block& block) { return std::holds_alternative<Findings>(block.content); });
    const std::string body = cluster_table("Changes, the newest first", rows);
    return write_(suite_page(history.suite),
                  frame(document.title, "../", link_to("../index.html", "All suites"),
                        plain_elements(document, body, [&](const std::string& case_id) {
                          return "../" + case_page(history.suite, case_id);
                        })));
  }

  // `own` and `trends` are of one case.
  Status write_case(const SiteSuite& suite, const HistoryReport& own, const std::vector<const Trend*>& trends,
                    const SharedPoints& points, const std::string& commits) {
    const std::string& case_id = own.trends.front().case_id;
    Document document = history_document(own).document;
    std::string places;
    for (std::size_t i = 0; i < trends.size(); ++i)
      places += fmt::format("<section id=\"series-{}\"></section>\n", i);
    places += changes_of(suite, trends) +
              fmt::format("<script id=\"harness-data\" type=\"application/octet-stream\">{}</script>\n",
                          packed_series(trends, points));
    document.headline = case_id + ": " + document.headline;
    return write_(case_page(suite.history.suite, case_id),
                  frame(case_id, "../",
                        link_to("../index.html", "All suites") + " / " +
                            link_to("../" + suite_page(suite.history.suite), suite.history.suite),
                        plain_elements(document, places, {}), commits));
  }

  // The records on both sides of each change, and the command that compares them.
  [[nodiscard]] std::string changes_of(const SiteSuite& suite,
                                       const std::vector<const Trend*>& trends) const {
    std::string rows;
    for (const Trend* trend : trends)
      for (const TrendChange& change : trend->changes) {
        const TrendPoint& after = trend->points[change.index];
        const TrendPoint& before = trend->points[change.index - 1];
        const auto judged = suite.verdicts.find({after.record, trend->case_id});
        const std::string verdict =
            judged == suite.verdicts.end() || judged->second.empty() ? "not judged" : judged->second;
        rows += fmt::format(
            "<tr>\n<td>{}</td>\n<td class=\"{}\">{}</td>\n<td>{}</td>\n<td>{} {}</td>\n<td>{}</td>\n"
            "<td><code>harness compare --baseline {} --current {}</code></td>\n</tr>\n",
            escaped(printable(trend->metric)),
            !change.matters ? "faint"
            : change.worse  ? "bad"
                            : "good",
            signed_percent(change.ratio - 1), commit(change.first), escaped(after.date.substr(0, 10)),
            escaped(printable(after.subject)), record(after.record, verdict),
            escaped(before.record.substr(0, 8)), escaped(after.record.substr(0, 8)));
      }
    if (rows.empty()) return {};
    return element("h2", "Verdicts at the changes") +
           "<table>\n<thead><tr><th>metric</th><th>change</th><th>first "
           "commit</th><th>message</th><th>verdict</th>"
           "<th>judge both records again</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody></table>\n";
  }

  const std::vector<SiteSuite>& suites_;
  const SiteLinks& links_;
  const WritePage& write_;
};

}  // namespace

Status write_history_site(const std::vector<SiteSuite>& suites, const SiteLinks& links,
                          const WritePage& write) {
  return Site(suites, links, write).write_all();
}

}  // namespace harness::report
