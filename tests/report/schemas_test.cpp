// The JSON Schemas of reports: the files of harness/report/schemas, and whether the reports keep to them. And
// that what a terminal shows beside tables stands in the JSON.
#include "harness/report/schemas.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "golden.h"
#include "harness/base/files.h"
#include "harness/report/told_text.h"
#include "studies.h"

namespace harness {
namespace {

using Json = rapidjson::Value;

std::map<std::string, std::string> schemas() {
  std::map<std::string, std::string> by_format;
  for (const report::ReportSchema& one : report::report_schemas()) by_format[one.format] = one.text;
  return by_format;
}

// Members that `schema` does not describe, by their path. A schema without properties describes anything.
void add_unknown(const Json& value, const Json& schema, const std::string& path,
                 std::vector<std::string>& unknown) {
  if (!schema.IsObject()) return;
  if (schema.HasMember("anyOf")) {
    for (const Json& one : schema["anyOf"].GetArray()) add_unknown(value, one, path, unknown);
    return;
  }
  if (value.IsArray() && schema.HasMember("items"))
    for (const Json& one : value.GetArray()) add_unknown(one, schema["items"], path + "[]", unknown);
  if (!value.IsObject() || !schema.HasMember("properties") || schema["properties"].HasMember("code")) return;
  for (const auto& member : value.GetObject()) {
    const std::string name = member.name.GetString();
    const auto described = schema["properties"].FindMember(member.name);
    if (described == schema["properties"].MemberEnd())
      unknown.push_back(path + "." + name);
    else
      add_unknown(member.value, described->value, path + "." + name, unknown);
  }
}

// "" where the text keeps to the schema.
std::string refusal(const std::string& text, const std::string& schema_text) {
  rapidjson::Document schema_json, json;
  schema_json.Parse(schema_text.c_str());
  json.Parse(text.c_str());
  if (schema_json.HasParseError() || json.HasParseError()) return "no JSON";
  const rapidjson::SchemaDocument schema(schema_json);
  rapidjson::SchemaValidator validator(schema);
  if (!json.Accept(validator)) {
    rapidjson::StringBuffer where;
    validator.GetInvalidDocumentPointer().StringifyUriFragment(where);
    return fmt::format("{}: {}", where.GetString(), validator.GetInvalidSchemaKeyword());
  }
  std::vector<std::string> unknown;
  add_unknown(json, schema_json, "", unknown);
  return fmt::format("{}", fmt::join(unknown, " "));
}

TEST(ReportSchemas, AreTheFilesOfTheTree) {
  const std::filesystem::path folder = std::filesystem::path(HARNESS_SOURCE_DIR) / "harness/report/schemas";
  for (const auto& [format, text] : schemas()) {
    const std::filesystem::path path = folder / (format + ".schema.json");
    if (const char* update = std::getenv("HARNESS_UPDATE_GOLDEN"); update != nullptr && *update == '1')
      ASSERT_TRUE(write_file_atomically(path, text));
    const Result<std::string> file = read_file(path);
    ASSERT_TRUE(file) << path;
    EXPECT_EQ(*file, text) << "HARNESS_UPDATE_GOLDEN=1 writes it anew";
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, schemas().size());
}

class ReportSchema : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Reports, ReportSchema, testing::ValuesIn(fixture::report_names()),
                         [](const auto& report) { return report.param; });

TEST_P(ReportSchema, DescribesTheReport) {
  const std::string text = fixture::drawn(GetParam(), Format::json);
  rapidjson::Document json;
  json.Parse(text.c_str());
  ASSERT_FALSE(json.HasParseError());
  const std::map<std::string, std::string> all = schemas();
  const auto schema = all.find(json["format"].GetString());
  ASSERT_NE(schema, all.end()) << json["format"].GetString();
  EXPECT_EQ(refusal(text, schema->second), "");
}

TEST(ReportSchemas, RefuseWhatIsNoReport) {
  const std::string schema = schemas().at("harness-bisect");
  const std::string text = fixture::drawn("bisection", Format::json);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  EXPECT_NE(refusal(with("\"stopped\": false", "\"stopped\": 3"), schema), "");
  EXPECT_NE(refusal(with("\"result\": \"bad\"", "\"result\": \"worse\""), schema), "");
  EXPECT_NE(refusal(with("harness-bisect", "harness-history"), schema), "");
  EXPECT_NE(refusal(with("\"stopped\"", "\"halted\""), schema), "");
  EXPECT_EQ(refusal(with("\"interval\": [1.04, 1.06]", "\"interval\": null"), schema), "");
}

// The sentences of a document, as a terminal shows them.
TEST(ReportText, HoldsWhatIsNoTable) {
  using namespace report;
  Document document;
  document.headline = "the headline";
  document.facts = {{"suite", "a \"quoted\" one"}};
  document.blocks = {
      {Heading{"a heading"}},
      {Table{"a title", {}}},
      {Prose{{"a sentence"}}},
      {List{"a list", {"its line"}}},
      {List{"an empty list", {}}},
      {Reasons{"skipped", 2, {{"no device", {"a", "b"}}}}},
      {Findings{"what changed",
                {{{"gelu"}, "worse", Paint::bad, "", "by much", Paint::plain, {"a detail"}, {"look"}}}}},
      {Checklist{"checks", {{"governor", {"warn"}, "powersave", "set it"}}}}};
  document.next_steps = {"git show ##[group]"};
  document.exit_meaning = "exit code 1: slower";
  const std::string text = with_text("{\n  \"format\": \"x\"\n}\n", document);
  rapidjson::Document json;
  json.Parse(text.c_str());
  ASSERT_FALSE(json.HasParseError()) << text;
  EXPECT_STREQ(json["format"].GetString(), "x");
  const Json& told = json["text"];
  EXPECT_STREQ(told["headline"].GetString(), "the headline");
  EXPECT_STREQ(told["facts"][0]["value"].GetString(), "a \"quoted\" one");
  std::vector<std::string> lines;
  for (const Json& line : told["lines"].GetArray()) lines.emplace_back(line.GetString());
  EXPECT_EQ(lines,
            (std::vector<std::string>{"a heading", "a title", "a sentence", "a list", "its line",
                                      "skipped: no device (2)", "what changed", "worse: gelu: by much",
                                      "a detail", "look", "checks", "governor: warn: powersave", "set it"}));
  EXPECT_STREQ(told["next_steps"][0].GetString(), "git show ##[group]");
  EXPECT_EQ(text.find("##["), std::string::npos) << "a runner takes it for a command";
  EXPECT_STREQ(told["exit_meaning"].GetString(), "exit code 1: slower");
  EXPECT_EQ(with_text("{}\n", document), "{}\n");
}

}  // namespace
}  // namespace harness
