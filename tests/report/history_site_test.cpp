// The files of the site of a history: links that lead somewhere, and names that are text.
#include "harness/report/media/site/history_site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>

#include "harness/report/media/page/page_template.h"
#include "harness/study/change_clusters.h"

namespace harness::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Trend trend_of(const std::string& case_id) {
  Trend trend;
  trend.case_id = case_id;
  trend.metric = "gpu_time";
  trend.unit = "us";
  trend.machine_class = "nvidia-h200";
  trend.margin = 0.02;
  for (int i = 0; i < 4; ++i) {
    TrendPoint point;
    point.commit = std::string(39, 'a') + std::to_string(i);
    point.subject = "step <b>" + std::to_string(i);
    point.record = "record/" + std::to_string(i);
    point.distance = 3 - i;
    point.center = i < 2 ? 100 : 110;
    trend.points.push_back(point);
  }
  TrendChange change;
  change.index = 2;
  change.before = trend.points[1].commit;
  change.first = trend.points[2].commit;
  change.ratio = 1.1;
  change.worse = change.matters = change.after_anchor = true;
  trend.changes = {change};
  return trend;
}

std::map<std::string, std::string> site_of(const std::vector<std::string>& cases,
                                           const SiteLinks& links = {}) {
  SiteSuite suite;
  suite.history.suite = "a suite/<i>";
  suite.history.branch = "main";
  for (const std::string& id : cases) suite.history.trends.push_back(trend_of(id));
  suite.clusters = cluster_changes(suite.history.trends);
  suite.verdicts[{"record/2", cases.front()}] = "regressed";
  std::map<std::string, std::string> files;
  const Status written =
      write_history_site({suite}, links, [&](const std::string& path, const std::string& text) {
        EXPECT_TRUE(files.emplace(path, text).second) << path << " is written twice";
        return Status();
      });
  EXPECT_TRUE(written);
  return files;
}

TEST(HistorySite, LeadsOnlyToFilesThatItWrites) {
  const auto files = site_of({"gelu/n=1", "GELU/n=1", "gelu/n_1", "<script>alert(1)</script>"});
  EXPECT_EQ(std::count_if(files.begin(), files.end(),
                          [](const auto& one) { return one.first.starts_with("cases/"); }),
            4);
  const std::regex link("(?:href|src)=\"([^\"]*)\"");
  for (const auto& [path, text] : files) {
    if (!path.ends_with(".html")) continue;
    EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(text, Not(HasSubstr("<i>")));
    EXPECT_THAT(text, Not(HasSubstr("<b>")));
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
      const auto target = (std::filesystem::path(path).parent_path() / (*found)[1].str()).lexically_normal();
      EXPECT_TRUE(files.contains(target.string())) << path << " leads to " << target;
    }
  }
}

TEST(HistorySite, ShowsOneRowForOneCause) {
  std::vector<std::string> cases;
  for (int i = 0; i < 20; ++i) cases.push_back("case " + std::to_string(i));
  const auto files = site_of(cases);
  const std::string& index = files.at("index.html");
  const std::regex row("<tr class=\"cluster\">");
  EXPECT_EQ(std::distance(std::sregex_iterator(index.begin(), index.end(), row), std::sregex_iterator()), 1);
  EXPECT_THAT(index, HasSubstr("20 series"));
  EXPECT_THAT(index, HasSubstr("regressed"));
  EXPECT_THAT(index, HasSubstr("not judged"));
}

TEST(HistorySite, LinksToCommitsAndVerdictsWhereUrlsAreGiven) {
  const auto files = site_of({"gelu"}, {"https://git/{commit}", "https://ci/{record}"});
  EXPECT_THAT(files.at("index.html"), HasSubstr("https://git/" + std::string(39, 'a') + "2"));
  EXPECT_THAT(files.at("index.html"), HasSubstr("\"https://ci/record%2F2\""));
}

TEST(HistorySite, EndsWhereAFileCannotBeWritten) {
  int files = 0;
  const Status written =
      write_history_site({SiteSuite{}}, {}, [&](const std::string&, const std::string&) -> Status {
        ++files;
        return fail(ErrorKind::environment, "full");
      });
  EXPECT_FALSE(written);
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace harness::report
