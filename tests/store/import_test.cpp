#include "harness/store/adapters/import_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/model/codec.h"
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
{"case": "gelu/mode=cold", "metric": "bandwidth", "unit": "B/s", "process": 1, "placement": 0, "samples": [0, -1], "direction": "higher", "clock_ghz": 1.98, "forced_gates": 2}
{"case": "copy", "metric": "gpu_time", "unit": "ms", "process": 0, "samples": [1e-3], "remark": "unknown keys are ignored"}
)";

// One line of samples with `from` replaced by `to`.
std::string line(const std::string& from = "", const std::string& to = "") {
  std::string text =
      R"({"case": "c", "metric": "gpu_time", "unit": "us", "process": 1, "placement": 0, "samples": [1, 2]})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text + "\n";
}

std::vector<std::string> errors_of(const std::string& text) {
  const auto record = import_samples(text, "x.jsonl");
  std::vector<std::string> errors;
  EXPECT_FALSE(record) << "was accepted: " << text;
  if (!record)
    for (const Error& error : record.error()) errors.push_back(error.text());
  return errors;
}

TEST(Import, MakesARecordLikeAnyOther) {
  const auto record = import_samples(two_processes, "folder/samples.jsonl");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->suite.name, "nightly");
  const Machine& machine = record->machines.at("import");
  EXPECT_EQ(machine.machine_class, "nvidia-h200");
  EXPECT_EQ(machine.device_uuid, "GPU-1");
  EXPECT_THAT(machine.fields, ElementsAre(MachineField{"driver", "580", FieldClass::info},
                                          MachineField{"clocks", "3", FieldClass::info},
                                          MachineField{"host", "lab", FieldClass::info}));
  ASSERT_EQ(record->cases.size(), 2U);
  const CaseRecord& gelu = record->cases[0];
  EXPECT_EQ(gelu.id, "gelu/mode=cold");
  EXPECT_EQ(gelu.device, "import");
  EXPECT_EQ(gelu.outcome, Outcome::measured);
  EXPECT_THAT(gelu.tags, ElementsAre("a", "b", "c"));
  ASSERT_EQ(gelu.processes.size(), 2U);
  EXPECT_EQ(gelu.processes[0].process, 1);
  ASSERT_EQ(gelu.series.size(), 2U);
  EXPECT_EQ(gelu.series[0],
            (Series{"gpu_time",
                    "us",
                    Direction::lower_is_better,
                    {{1, 91.5, {{{1, 2}, 0, 0}}}, {2, 90.0, {{{3}, 0, 0}, {{4, 5.5}, 0, 0}}}}}))
      << "processes and placements by number";
  EXPECT_EQ(
      gelu.series[1],
      (Series{"bandwidth", "B/s", Direction::higher_is_better, {{1, std::nullopt, {{{0, -1}, 2, 1.98}}}}}));
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
  EXPECT_THAT(errors_of(number + line()).front(), HasSubstr("session"));
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
  const auto errors =
      errors_of(line("[1, 2]", "[1, -2]") + "\nnot json\n" + line("\"unit\": \"us\", ", "") + line());
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0], "x.jsonl:1: error: samples[1]: is -2; a time is above 0");
  EXPECT_THAT(errors[1], HasSubstr("x.jsonl:3:2: error: is not JSON"));
  EXPECT_EQ(errors[2], "x.jsonl:4: error: the document has no `unit`");
}

TEST(ImportErrors, NameWhatIsWrong) {
  const auto one = [](const std::string& from, const std::string& to) {
    const auto errors = errors_of(line(from, to));
    return errors.size() == 1 ? errors[0] : std::to_string(errors.size()) + " errors";
  };
  EXPECT_THAT(one("\"c\"", "\"\""), HasSubstr("case: is empty"));
  EXPECT_THAT(one("\"c\"", "7"), HasSubstr("case: is a number; expected text"));
  EXPECT_THAT(one("\"gpu_time\"", "\"\""), HasSubstr("metric: is empty"));
  EXPECT_THAT(one("[1, 2]", "[]"), HasSubstr("samples: is empty"));
  EXPECT_THAT(one("[1, 2]", "[0]"), HasSubstr("samples[0]: is 0; a time is above 0"));
  EXPECT_THAT(one("[1, 2]", "[null]"), HasSubstr("samples[0]: is null; expected a number"));
  EXPECT_THAT(one("[1, 2]", "[1e999]"), HasSubstr("is not JSON"));
  EXPECT_THAT(one("[1, 2]", "5"), HasSubstr("samples: is a number; expected an array"));
  EXPECT_THAT(one("\"process\": 1", "\"process\": -1"), HasSubstr("process: is out of range"));
  EXPECT_THAT(one("\"process\": 1", "\"process\": 1.5"),
              HasSubstr("process: is a number; expected a whole number"));
  EXPECT_THAT(one("\"process\"", "\"proces\""), HasSubstr("has no `process`; is `proces` meant?"));
  EXPECT_THAT(one("\"placement\"", "\"placment\""),
              HasSubstr("placment: is unknown; did you mean `placement`?"));
  EXPECT_THAT(one("[1, 2]", "[1], \"first_call\": 0"), HasSubstr("first_call: is 0; a time is above 0"));
  EXPECT_THAT(one("[1, 2]", "[1], \"direction\": \"up\""),
              HasSubstr("direction: is `up`, which is unknown; known: lower, higher"));
  EXPECT_THAT(one("[1, 2]", "[1], \"tags\": \"x\""), HasSubstr("tags: is text; expected an array"));
}

TEST(ImportErrors, ComeFromLinesThatContradictEachOther) {
  EXPECT_THAT(
      errors_of(line() + line()),
      ElementsAre(HasSubstr("x.jsonl:2: error: the document repeats case `c`, metric `gpu_time`, process 1, "
                            "placement 0 of line 1")));
  EXPECT_THAT(errors_of(line() + line("\"us\", \"process\": 1", "\"ms\", \"process\": 2")),
              ElementsAre(HasSubstr("x.jsonl:2: error: unit: is `ms`, but line 1 says `us`")));
  EXPECT_THAT(errors_of(line() + line("\"process\": 1", "\"direction\": \"higher\", \"process\": 2")),
              ElementsAre(HasSubstr("direction: is not what line 1 says")));
  EXPECT_THAT(errors_of(line() + "{\"machine\": {}}"),
              ElementsAre(HasSubstr("x.jsonl:2: error: the document describes")));
}

TEST(ImportErrors, ComeFromTheLeadingObject) {
  EXPECT_THAT(errors_of("{\"machine\": 7}\n" + line()),
              ElementsAre(HasSubstr("machine: is a number; expected an object")));
  EXPECT_THAT(errors_of("{\"machine\": {\"fields\": {\"a\": [1]}}}\n" + line()),
              ElementsAre(HasSubstr("machine.fields.a: is an array")));
  EXPECT_THAT(errors_of("{\"format\": \"harness-samples\", \"version\": 2}\n" + line()),
              ElementsAre(HasSubstr("version: is not 1")));
}

TEST(ImportErrors, AreNotEndless) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "oops\n";
  const auto errors = errors_of(text);
  ASSERT_EQ(errors.size(), 51U);
  EXPECT_THAT(errors.back(), HasSubstr("and 950 more errors"));
}

TEST(ImportErrors, SayWhenThereAreNoSamples) {
  EXPECT_THAT(errors_of(""), ElementsAre(HasSubstr("holds no samples")));
  EXPECT_THAT(errors_of("\n\n{\"suite\": \"x\"}\n"), ElementsAre(HasSubstr("holds no samples")));
}

// One sample a format, tests/store/import/<format>.*, and the record that it becomes.
class ImportFormats : public testing::TestWithParam<const ImportFormat*> {};

TEST_P(ImportFormats, MakeThisRecordOfTheirSample) {
  const std::filesystem::path folder = std::filesystem::path(HARNESS_SOURCE_DIR) / "tests/store/import";
  const std::string name(GetParam()->name);
  std::filesystem::path sample;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().stem() == name) sample = entry.path();
  const std::string text = read_file(sample).value_or("");
  const auto recognised = std::find_if(import_formats().begin(), import_formats().end(),
                                       [&](const ImportFormat* one) { return one->recognises(text); });
  EXPECT_EQ((*recognised)->name, name) << sample;
  auto record = import_samples(text, name);
  ASSERT_TRUE(record) << record.error().front().text();
  record->id = record->started = record->finished = "";
  const std::filesystem::path golden = folder / (name + ".record.json");
  if (const char* update = std::getenv("HARNESS_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    ASSERT_TRUE(write_file_atomically(golden, encode(*record)));
  }
  EXPECT_EQ(read_file(golden).value_or(""), encode(*record)) << "HARNESS_UPDATE_GOLDEN=1 writes " << golden;
}

INSTANTIATE_TEST_SUITE_P(All, ImportFormats, testing::ValuesIn(import_formats()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(Import, NumbersTheProcessesOfALaterFileOnFromThoseBefore) {
  auto record = import_samples(line() + line("\"process\": 1", "\"process\": 3"), "a.jsonl");
  ASSERT_TRUE(record);
  ASSERT_TRUE(
      add_processes(*record, *import_samples(line("[1, 2]", "[5]") + line("\"c\"", "\"d\""), "b.jsonl")));
  ASSERT_EQ(record->cases.size(), 2U);
  const Series& series = record->cases[0].series[0];
  ASSERT_EQ(series.processes.size(), 3U);
  EXPECT_EQ(series.processes[2].process, 4);
  EXPECT_THAT(series.processes[2].placements[0].samples, ElementsAre(5));
  EXPECT_EQ(record->cases[0].processes[2].process, 4);
  EXPECT_EQ(record->cases[1].processes[0].process, 4);
  const Status other = add_processes(*record, *import_samples(line("\"us\"", "\"ms\""), "b.jsonl"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().where.file, "b.jsonl");
}

TEST(ImportErrors, ComeFromABenchmarkThatFailed) {
  const auto errors = errors_of(
      R"({"context": {}, "benchmarks": [{"name": "b", "error_occurred": true, "error_message": "no GPU"}]})");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("benchmarks[0]"));
  EXPECT_THAT(errors[0], HasSubstr("no GPU"));
  EXPECT_THAT(errors_of(R"({"benchmarks": []})"), ElementsAre(HasSubstr("holds no samples")));
}

}  // namespace
}  // namespace harness
