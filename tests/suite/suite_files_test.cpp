// tests/suites/bad/<name>.yaml: everything that the suite is refused with is in <name>.txt, compared
// whole. tests/suites/good/<name>.yaml: <name>.txt is its plan. HARNESS_UPDATE_GOLDEN=1 writes the .txt
// files anew; read the diff before committing it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/suite/load_suite.h"
#include "test_catalog.h"

namespace harness::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(HARNESS_SOURCE_DIR) / "tests/suites" / folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

fs::path path_of(const std::string& folder, const std::string& name, const char* extension) {
  return fs::path(HARNESS_SOURCE_DIR) / "tests/suites" / folder / (name + extension);
}

void compare_with_file(const std::string& text, const fs::path& path) {
  if (const char* update = std::getenv("HARNESS_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    ASSERT_TRUE(write_file_atomically(path, text).has_value());
  }
  const Result<std::string> expected = read_file(path);
  ASSERT_TRUE(expected.has_value()) << expected.error().text();
  EXPECT_EQ(text, *expected) << path;
}

std::string text_of(const PlannedCase& planned) {
  const Sampling& s = planned.sampling;
  std::string text = planned.id + "\n";
  if (!planned.reference.empty()) text += "  reference " + planned.reference + "\n";
  if (planned.skip) text += "  skip " + std::string(name_of(planned.skip->code)) + "\n";
  text += fmt::format("  {} line {} tags [{}] metrics [{}]\n", planned.device, planned.where.line,
                      join(planned.tags, ", "), join(planned.metrics, ", "));
  text += fmt::format("  {} processes, {} placements, {}..{} samples, warmup {}, {}, seed {}\n", s.processes,
                      s.placements, s.min_samples, s.samples, s.warmup, name_of(s.cache), s.seed);
  if (s.timing != TimingMode::automatic || !s.batch_nodes.empty())
    text += fmt::format("  timing {}, batches of [{}]\n", name_of(s.timing), fmt::join(s.batch_nodes, ", "));
  text += fmt::format("  preheat {}, max_time {}, timeout {}, gate_deadline {}; margin {}, alpha {}\n",
                      format_seconds(s.preheat), format_seconds(s.max_time), format_seconds(s.timeout),
                      format_seconds(s.gate_deadline), planned.gate.margin, planned.gate.alpha);
  if (s.width > 0)
    text += fmt::format("  until a width of {} from {} samples on\n", s.width, s.width_samples);
  if (s.preheat_most != Sampling{}.preheat_most || s.steady != Sampling{}.steady)
    text += fmt::format("  preheat until steady to {} within {}\n", s.steady, format_seconds(s.preheat_most));
  if (planned.gate.throttled != Gate{}.throttled)
    text += fmt::format("  throttled {}\n", planned.gate.throttled);
  const auto or_case = [](const std::optional<double>& own) {
    return own ? fmt::to_string(*own) : "of the case";
  };
  for (const MetricGate& one : planned.gate.metrics)
    text += fmt::format("  {}: margin {}{}{}, alpha {}{}\n", one.metric, or_case(one.margin),
                        one.unit.empty() ? "" : " ", one.unit, or_case(one.alpha),
                        one.informative ? ", informative" : "");
  return text;
}

class BadSuite : public testing::TestWithParam<std::string> {};

TEST_P(BadSuite, IsRefusedWithExactlyTheseErrors) {
  const Result<std::string> text = read_file(path_of("bad", GetParam(), ".yaml"));
  ASSERT_TRUE(text.has_value());
  const auto plan = plan_of(*text, {}, GetParam() + ".yaml");
  ASSERT_FALSE(plan.has_value()) << "accepted, with " << plan->cases.size() << " cases";
  compare_with_file(plan.error(), path_of("bad", GetParam(), ".txt"));
}

class GoodSuite : public testing::TestWithParam<std::string> {};

TEST_P(GoodSuite, ExpandsToExactlyThesePlannedCases) {
  const Result<std::string> text = read_file(path_of("good", GetParam(), ".yaml"));
  ASSERT_TRUE(text.has_value());
  PlanOptions options;
  options.unavailable_devices["cuda"] = {CauseCode::no_device, {{"device", "cuda"}}};
  const auto plan = plan_of(*text, options, GetParam() + ".yaml");
  ASSERT_TRUE(plan.has_value()) << plan.error();
  std::string all;
  for (const PlannedCase& planned : plan->cases) all += text_of(planned);
  compare_with_file(all, path_of("good", GetParam(), ".txt"));
}

INSTANTIATE_TEST_SUITE_P(Files, BadSuite, testing::ValuesIn(names_in("bad")), test_name);
INSTANTIATE_TEST_SUITE_P(Files, GoodSuite, testing::ValuesIn(names_in("good")), test_name);

TEST(SuiteFiles, EveryExpectationHasItsSuite) {
  for (const char* folder : {"bad", "good"}) {
    const std::vector<std::string> names = names_in(folder);
    EXPECT_FALSE(names.empty());
    for (const fs::directory_entry& entry : fs::directory_iterator(path_of(folder, "", "")))
      if (entry.path().extension() == ".txt") {
        EXPECT_NE(std::find(names.begin(), names.end(), entry.path().stem().string()), names.end())
            << entry.path();
      }
  }
}

TEST(SuiteFiles, TheShippedSuitesExpandWithTheBuiltInWorkloads) {
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(HARNESS_SOURCE_DIR) / "suites")) {
    if (entry.path().extension() != ".yaml") continue;
    const Checked<Suite> suite = load_suite(entry.path().string());
    ASSERT_TRUE(suite.has_value()) << test::text_of(suite.error());
    EXPECT_EQ(suite->identity.name, entry.path().stem().string());
    if (!suite->modules.empty()) continue;  // tests/python runs their workloads
    const Checked<Plan> plan = make_plan(*suite, Catalog::built_in(), {});
    ASSERT_TRUE(plan.has_value()) << test::text_of(plan.error());
    EXPECT_FALSE(plan->cases.empty());
  }
}

TEST(SuiteFiles, TheExampleInTheManualIsASuite) {
  const Result<std::string> readme = read_file(fs::path(HARNESS_SOURCE_DIR) / "manual/write-a-suite.md");
  ASSERT_TRUE(readme.has_value());
  const std::size_t begin = readme->find("```yaml\n") + 8;
  const std::string example = readme->substr(begin, readme->find("```\n", begin) - begin);
  const Checked<Suite> suite = parse_suite(example, "write-a-suite.md");
  ASSERT_TRUE(suite.has_value()) << test::text_of(suite.error());
  ASSERT_EQ(suite->groups.size(), 1U);
  EXPECT_EQ(suite->groups[0].point_overrides.size(), 2U);
  EXPECT_EQ(suite->modules[0].value, "./plugin.so");
}

}  // namespace
}  // namespace harness::test
