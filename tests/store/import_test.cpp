#include "harness/store/adapters/import_formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "../schema/place_of.h"
#include "harness/base/files.h"
#include "harness/model/codec.h"
#include "harness/store/adapters/gunzip.h"
#include "harness/store/store.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* two_processes =
    R"({"suite": "nightly", "machine": {"class": "nvidia-h200", "uuid": "GPU-1", "fields": {"driver": "580", "clocks": 3}, "host": "lab"}}
{"case": "gelu/mode=cold", "metric": "gpu_time", "unit": "us", "process": 2, "placement": 1, "samples": [4, 5.5]}

{"case": "gelu/mode=cold", "metric": "gpu_time", "unit": "us", "process": 2, "placement": 0, "samples": [3], "first_call": 90, "tags": ["a", "b"]}
{"case": "gelu/mode=cold", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0, "samples": [1, 2], "first_call": 91.5, "tags": ["b", "c"]}
{"case": "gelu/mode=cold", "metric": "bandwidth", "unit": "B/s", "process": 1, "placement": 0, "samples": [2, 1], "direction": "higher", "clock_ghz": 1.98, "forced_gates": 2}
{"case": "copy", "metric": "gpu_time", "unit": "ms", "process": 0, "samples": [1e-3], "remark": "unknown keys are ignored"}
)";

// One line of samples with `from` replaced by `to`.
std::string line(const std::string& from = "", const std::string& to = "") {
  std::string text =
      R"({"case": "c", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0, "samples": [1, 2]})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text + "\n";
}

std::vector<Error> errors_of(const std::string& text) {
  const auto record = import_samples(text, "x.jsonl");
  EXPECT_FALSE(record) << "was accepted: " << text;
  return record ? std::vector<Error>{} : record.error();
}

// The lines of the errors.
std::vector<int> refused_lines(const std::string& text) {
  std::vector<int> lines;
  for (const Error& error : errors_of(text)) lines.push_back(error.where.line);
  return lines;
}

// The one member that is refused.
std::string refused(const std::string& text) {
  const std::vector<Error> errors = errors_of(text);
  return errors.size() == 1 ? place_of(errors[0]) : std::to_string(errors.size()) + " errors";
}

TEST(Import, MakesARecordLikeAnyOther) {
  const auto record = import_samples(two_processes, "folder/samples.jsonl");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->suite.name, "nightly");
  const Machine& machine = record->machines.at("import");
  EXPECT_EQ(machine.machine_class, "nvidia-h200");
  EXPECT_EQ(machine.device_uuid, "GPU-1");
  EXPECT_THAT(machine.fields, ElementsAre(MachineField{"driver", "580", FieldClass::warn},
                                          MachineField{"clocks", "3", FieldClass::warn},
                                          MachineField{"host", "lab", FieldClass::info}));
  ASSERT_EQ(record->cases.size(), 2U);
  const CaseRecord& gelu = record->cases[0];
  EXPECT_EQ(gelu.id, "gelu/mode=cold");
  EXPECT_EQ(gelu.device, "import");
  EXPECT_EQ(gelu.outcome, Outcome::measured);
  EXPECT_THAT(gelu.tags, ElementsAre("a", "b", "c"));
  ASSERT_EQ(gelu.processes.size(), 2U);
  EXPECT_EQ(gelu.processes[0].process, 1);
  ASSERT_EQ(gelu.series.size(), 3U);
  EXPECT_EQ(gelu.series[0], (Series{"gpu_time",
                                    "us",
                                    Direction::lower_is_better,
                                    {{1, {{{1, 2}, 0, 0}}, 1}, {2, {{{3}, 0, 0}, {{4, 5.5}, 0, 0}}, 1}}}))
      << "processes and placements by number, of one session";
  EXPECT_EQ(gelu.series[1],
            (Series{"bandwidth", "B/s", Direction::higher_is_better, {{1, {{{2, 1}, 2, 1.98}}, 1}}}));
  EXPECT_EQ(gelu.series[2], (Series{"first_call",
                                    "us",
                                    Direction::lower_is_better,
                                    {{1, {{{91.5}, 0, 0}}, 1}, {2, {{{90}, 0, 0}}, 1}}}));
  EXPECT_EQ(record->cases[1].series[0].processes[0].process, 0);
  EXPECT_FALSE(record->finished.empty());
}

TEST(Import, SurvivesTheRecordFileAndTheStore) {
  const auto record = import_samples(two_processes, "samples.jsonl");
  ASSERT_TRUE(record);
  EXPECT_EQ(decode_record(encode(*record), "r").value(), *record);
  const TemporaryFolder folder;
  const auto store = Store::open((folder.path() / "s.db").string());
  ASSERT_TRUE((*store)->put_record(*record));
  EXPECT_EQ((*store)->load(record->id).value(), *record);
}

TEST(Import, TakesTheNameOfTheSession) {
  const std::string monday = "{\"session\": \"monday\"}\n", number = "{\"session\": 3}\n";
  const auto record = import_samples(monday + line(), "x.jsonl");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->session, "monday");
  EXPECT_EQ(import_samples(line(), "x.jsonl")->session, "");
  EXPECT_EQ(refused(number + line()), "session");
}

TEST(Import, TakesTheSuiteNameFromTheFile) {
  EXPECT_EQ(import_samples(line(), "some/folder/nightly.run.jsonl")->suite.name, "nightly.run");
}

TEST(Import, TakesWindowsLinesAndAMissingLastNewline) {
  std::string text = line() + line("\"placement\": 0", "\"placement\": 1");
  text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
    text.replace(at, 1, "\r\n");
  const auto record = import_samples(text, "x.jsonl");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->cases[0].series[0].processes[0].placements.size(), 2U);
}

TEST(ImportErrors, ComeAllAtOnceWithTheirLines) {
  const std::vector<Error> errors =
      errors_of(line("[1, 2]", "[1, -2]") + "\nnot json\n" + line("\"unit\": \"us\", ", "") + line());
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].where, (Location{"x.jsonl", 1}));
  EXPECT_EQ(place_of(errors[0]), "samples[1]");
  EXPECT_EQ(errors[1].where, (Location{"x.jsonl", 3, 2}));
  EXPECT_EQ(errors[2].where, (Location{"x.jsonl", 4}));
  EXPECT_THAT(errors[2].message, HasSubstr("`unit`"));
}

TEST(ImportErrors, NameTheMemberThatIsWrong) {
  const auto one = [](const std::string& from, const std::string& to) { return refused(line(from, to)); };
  EXPECT_EQ(one("\"c\"", "\"\""), "case");
  EXPECT_EQ(one("\"c\"", "7"), "case");
  EXPECT_EQ(one("\"gpu_time\"", "\"\""), "metric");
  EXPECT_EQ(one("[1, 2]", "[]"), "samples");
  EXPECT_EQ(one("[1, 2]", "[-1]"), "samples[0]");
  EXPECT_EQ(one("[1, 2]", "[null]"), "samples[0]");
  EXPECT_EQ(errors_of(line("[1, 2]", "[1e999]")).at(0).where.line, 1);
  EXPECT_EQ(one("[1, 2]", "5"), "samples");
  EXPECT_EQ(one("\"process\": 1", "\"process\": -1"), "process");
  EXPECT_EQ(one("\"process\": 1", "\"process\": 1.5"), "process");
  for (const char* name : {"`process`", "`proces`"})
    EXPECT_THAT(errors_of(line("\"process\"", "\"proces\"")).at(0).message, HasSubstr(name));
  EXPECT_EQ(one("\"placement\"", "\"placment\""), "placment");
  EXPECT_EQ(one("[1, 2]", "[1], \"first_call\": -1"), "first_call");
  EXPECT_EQ(one("[1, 2]", "[1], \"direction\": \"up\""), "direction");
  EXPECT_EQ(one("[1, 2]", "[1], \"tags\": \"x\""), "tags");
}

TEST(ImportErrors, ComeFromLinesThatContradictEachOther) {
  const std::string unit = line() + line("\"us\", \"process\": 1", "\"ms\", \"process\": 2"),
                    direction = line() + line("\"process\": 1", "\"direction\": \"higher\", \"process\": 2");
  for (const std::string& text : {line() + line(), unit, direction, line() + "{\"machine\": {}}"})
    EXPECT_THAT(refused_lines(text), ElementsAre(2)) << text;
  EXPECT_EQ(refused(unit), "unit");
  EXPECT_EQ(refused(direction), "direction");
}

// Lines are read many at a time.
TEST(ImportErrors, ComeFromFarIntoTheFile) {
  const auto lines = [](const std::map<int, std::string>& others) {
    std::string text;
    for (int i = 1; i <= 40'000; ++i) {
      const auto other = others.find(i);
      text += other == others.end() ? line(R"("c")", fmt::format(R"("c{}")", i)) : other->second;
    }
    return text;
  };
  const auto record = import_samples(lines({}), "x.jsonl");
  ASSERT_TRUE(record);
  ASSERT_EQ(record->cases.size(), 40'000U);
  for (std::size_t i = 0; i < record->cases.size(); ++i)
    ASSERT_EQ(record->cases[i].id, fmt::format("c{}", i + 1));
  EXPECT_THAT(refused_lines(lines({{39'999, "[\n"}, {20'000, "{}\n"}, {3, line("\"us\"", "7")}})),
              ElementsAre(3, 20'000, 39'999));
  const std::vector<Error> repeated = errors_of(lines({{30'000, line(R"("c")", R"("c5")")}}));
  ASSERT_EQ(repeated.size(), 1U);
  EXPECT_EQ(repeated[0].where.line, 30'000);
  EXPECT_THAT(repeated[0].message, HasSubstr("of line 5"));
  EXPECT_THAT(refused_lines(lines({{25'000, "{\"session\": \"late\"}\n"}})), ElementsAre(25'000));
}

TEST(ImportErrors, ComeFromTheLeadingObject) {
  EXPECT_EQ(refused("{\"machine\": 7}\n" + line()), "machine");
  EXPECT_EQ(refused("{\"machine\": {\"fields\": {\"a\": [1]}}}\n" + line()), "machine.fields.a");
  EXPECT_EQ(refused("{\"format\": \"harness-samples\", \"version\": 2}\n" + line()), "version");
}

TEST(ImportErrors, AreNotEndless) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "{\"case\": oops\n";
  const auto errors = errors_of(text);
  ASSERT_EQ(errors.size(), 51U);
  EXPECT_THAT(errors.back().message, HasSubstr(" 950 "));
}

TEST(ImportErrors, AreOneWhereTheFileIsOfAnotherKind) {
  EXPECT_THAT(refused_lines("# Read me\n\nwords\nmore words\n"), ElementsAre(1));
}

TEST(ImportErrors, SayWhenThereAreNoSamples) {
  EXPECT_EQ(refused(""), "");
  EXPECT_EQ(refused("\n\n{\"suite\": \"x\"}\n"), "");
}

// Samples of the formats, tests/store/import/<format>.* and <format>-<what>.*, and the records that they
// become.
const std::filesystem::path sample_folder = std::filesystem::path(HARNESS_SOURCE_DIR) / "tests/store/import";

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(sample_folder))
    if (const std::string name = entry.path().filename().string();
        entry.is_regular_file() && !name.ends_with(".record.json"))
      names.push_back(name);
    else if (std::filesystem::exists(entry.path() / "new/sample.json"))
      names.push_back(name + "/new/sample.json");
  std::sort(names.begin(), names.end());
  return names;
}

std::string format_named_by(const std::string& sample) {
  return sample.substr(0, sample.find_first_of(".-/"));
}

class ImportFormats : public testing::TestWithParam<std::string> {};

TEST_P(ImportFormats, MakeThisRecordOfTheirSample) {
  const std::string& name = GetParam();
  const std::string text = read_file(sample_folder / name).value_or("");
  const ImportFormat* recognised = format_of(is_gzip(text) ? gunzip(text, name).value_or("") : text);
  ASSERT_NE(recognised, nullptr);
  EXPECT_EQ(recognised->name, format_named_by(name));
  ImportOptions options;
  options.questions.case_name = "net";  // of formats that name none
  auto record = import_samples(text, (sample_folder / name).string(), options);
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(decode_record(encode(*record), "r").value(), *record);
  record->id = record->started = record->finished = "";
  record->suite.file = name;
  const std::filesystem::path golden =
      sample_folder / (name.substr(0, name.find_first_of("./")) + ".record.json");
  if (const char* update = std::getenv("HARNESS_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    ASSERT_TRUE(write_file_atomically(golden, encode(*record)));
  }
  EXPECT_EQ(read_file(golden).value_or(""), encode(*record)) << "HARNESS_UPDATE_GOLDEN=1 writes " << golden;
}

INSTANTIATE_TEST_SUITE_P(All, ImportFormats, testing::ValuesIn(sample_names()), [](const auto& sample) {
  std::string name = sample.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '-' || c == '/'; }, '_');
  return name;
});

TEST(Import, HasASampleOfEachFormat) {
  const std::vector<std::string> samples = sample_names();
  for (const ImportFormat* format : import_formats())
    EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), [&](const std::string& sample) {
      return format_named_by(sample) == format->name;
    })) << format->name;
}

TEST(Import, NumbersTheProcessesOfALaterFileOnFromThoseBefore) {
  Import import({});
  ASSERT_TRUE(import.add(line() + line("\"process\": 1", "\"process\": 3"), "a.jsonl"));
  ASSERT_TRUE(import.add(line("[1, 2]", "[5]") + line("\"c\"", "\"d\""), "b.jsonl"));
  const Checked<Record> record = std::move(import).take();
  ASSERT_TRUE(record);
  ASSERT_EQ(record->cases.size(), 2U);
  const Series& series = record->cases[0].series[0];
  ASSERT_EQ(series.processes.size(), 3U);
  EXPECT_EQ(series.processes[2].process, 4);
  EXPECT_THAT(series.processes[2].placements[0].samples, ElementsAre(5));
  EXPECT_EQ(record->cases[0].processes[2].process, 4);
  EXPECT_EQ(record->cases[1].processes[0].process, 4);
}

TEST(Import, RefusesAFileOfAnotherDirection) {
  Import import({});
  ASSERT_TRUE(import.add(line(), "a.jsonl"));
  const auto other =
      import.add(line("\"process\": 1", "\"direction\": \"higher\", \"process\": 1"), "b.jsonl");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().front().where.file, "b.jsonl");
}

}  // namespace
}  // namespace harness
