// suite.schema.json and the tables of suites/settings.md tell what harness/model/plan_fields.h and
// known_metrics.h tell. HARNESS_UPDATE_GOLDEN=1 test_suite --gtest_filter='SettingDocs.*' writes both.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cstdlib>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/model/known_metrics.h"
#include "harness/model/plan_fields.h"
#include "harness/suite/setting_keys.h"

namespace harness::test {
namespace {

namespace fs = std::filesystem;

void expect_file(const char* name, const std::string& text) {
  const fs::path path = fs::path(HARNESS_SOURCE_DIR) / name;
  if (const char* update = std::getenv("HARNESS_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    ASSERT_TRUE(write_file_atomically(path, text).has_value());
  }
  EXPECT_TRUE(read_file(path).value_or("") == text)
      << name << " is not what the fields tell. To write it:\n"
      << "  HARNESS_UPDATE_GOLDEN=1 build/bin/test_suite --gtest_filter='SettingDocs.*'";
}

std::string row(std::string_view key, std::string_view fallback, std::string_view doc) {
  return fmt::format("| `{}` | {} | {} |\n", key, fallback.empty() ? "" : fmt::format("`{}`", fallback), doc);
}

std::string row(const FieldText& field) {
  return row(field.key, field.fallback == field.sample ? field.fallback : "", field.doc);
}

// A key with keys of its own, `samples` of `samples.max`, comes right before these. The schema tells about
// it.
std::string table(const char* section, const std::vector<FieldText>& fields) {
  rapidjson::Document schema;
  schema.Parse(suite_schema().c_str());
  const auto& keys = schema["definitions"][section]["properties"];
  std::string text = "| key | default | |\n|---|---|---|\n";
  for (const auto& key : keys.GetObject()) {
    const std::string name = key.name.GetString();
    if (key.value.HasMember("properties")) text += row(name, "", key.value["description"].GetString());
    for (const FieldText& field : fields)
      if (field.key == name || field.key.starts_with(name + ".")) text += row(field);
  }
  return text;
}

// The keys that only the schema knows.
std::string table_of_schema(const char* section) {
  rapidjson::Document schema;
  schema.Parse(suite_schema().c_str());
  std::string text = "| key | |\n|---|---|\n";
  for (const auto& key : schema["definitions"][section]["properties"].GetObject())
    if (key.value.HasMember("description"))
      text += fmt::format("| `{}` | {} |\n", key.name.GetString(), key.value["description"].GetString());
  return text;
}

std::string metrics_table() {
  std::string text = "| name | unit | without a gate of its own | |\n|---|---|---|---|\n";
  for (const BuiltInMetric& metric : built_in_metrics)
    if (metric.name != time_metric.name)
      text += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, metric.unit,
                          metric.bearing == Bearing::decides ? "decides by the case's" : "informs",
                          metric.summary);
  return text;
}

// Puts a table between its two comments.
void replace_table(std::string& text, const char* what, const std::string& rows) {
  const std::string begin = fmt::format("<!-- {}: made by test_suite -->\n", what);
  const std::size_t from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << begin;
  const std::size_t to = text.find("<!-- end -->", from);
  ASSERT_NE(to, std::string::npos) << what;
  text.replace(from + begin.size(), to - from - begin.size(), rows);
}

TEST(SettingDocs, TheSchemaInTheTreeIsTheProgramsOwn) {
  expect_file("harness/suite/suite.schema.json", suite_schema());
}

TEST(SettingDocs, TheTablesForPeopleListEveryKey) {
  std::string text = read_file(fs::path(HARNESS_SOURCE_DIR) / "suites/settings.md").value_or("");
  replace_table(text, "keys of sampling", table("sampling", field_texts<Sampling>()));
  replace_table(text, "keys of gate", table("gate", field_texts<Gate>()));
  replace_table(text, "keys of metric_gate", table("metric_gate", field_texts<MetricGate>()));
  for (const char* section : {"program", "program_sampling"})
    replace_table(text, fmt::format("keys of {}", section).c_str(), table_of_schema(section));
  replace_table(text, "metrics", metrics_table());
  expect_file("suites/settings.md", text);
}

}  // namespace
}  // namespace harness::test
