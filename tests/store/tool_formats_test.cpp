// Each import format on failures, repeated names, units and machines, in files that tools wrote.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/store/adapters/gunzip.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/import_named.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const fs::path sample_folder = fs::path(HARNESS_SOURCE_DIR) / "tests/store/import";

// A sample with `from` replaced by `to` wherever it stands.
std::string sample(const std::string& name, const std::string& from = "", const std::string& to = "") {
  std::string text = read_file(sample_folder / name).value_or("");
  if (is_gzip(text)) text = gunzip(text, name).value_or("");
  if (from.empty()) return text;
  std::size_t at = text.find(from), found = 0;
  for (; at != std::string::npos; at = text.find(from, at + to.size()), ++found)
    text.replace(at, from.size(), to);
  EXPECT_GT(found, 0U) << "no " << from << " in " << name;
  return text;
}

Record record_of(const std::string& text, const std::string& file = "x", const ImportOptions& options = {}) {
  const auto record = import_samples(text, file, options);
  EXPECT_TRUE(record) << (record ? "" : record.error().front().text());
  return record ? *record : Record{};
}

// The first error of a text that is refused.
std::string refused(const std::string& text, const std::string& file = "x",
                    const ImportOptions& options = {}) {
  const auto record = import_samples(text, file, options);
  EXPECT_FALSE(record) << "was accepted: " << text.substr(0, 2000);
  return record ? "" : record.error().front().text();
}

const CaseRecord& case_of(const Record& record, const std::string& id) {
  static const CaseRecord none;
  for (const CaseRecord& one : record.cases)
    if (one.id == id) return one;
  std::string ids;
  for (const CaseRecord& one : record.cases) ids += one.id + "; ";
  ADD_FAILURE() << "no case `" << id << "` among " << ids;
  return none;
}

std::vector<double> samples_of(const CaseRecord& one, const std::string& metric) {
  std::vector<double> samples;
  for (const Series& series : one.series)
    if (series.metric == metric)
      for (const ProcessSamples& process : series.processes)
        for (const Placement& placement : process.placements)
          samples.insert(samples.end(), placement.samples.begin(), placement.samples.end());
  return samples;
}

const Series& series_of(const CaseRecord& one, const std::string& metric) {
  static const Series none;
  for (const Series& series : one.series)
    if (series.metric == metric) return series;
  ADD_FAILURE() << one.id << " has no " << metric;
  return none;
}

std::vector<std::string> ids_of(const Record& record) {
  std::vector<std::string> ids;
  for (const CaseRecord& one : record.cases) ids.push_back(one.id);
  return ids;
}

std::string why(const CaseRecord& one) {
  return one.reason ? one.reason->text("why") : "no reason";
}

MachineField field_of(const Record& record, const std::string& name) {
  for (const MachineField& field : record.machines.at("import").fields)
    if (field.name == name) return field;
  ADD_FAILURE() << "no field " << name;
  return {};
}

// Two files as processes of one record: "" or the error of the second.
std::string merged(const std::string& first, const std::string& second, const ImportOptions& options = {}) {
  Import import(options);
  const auto one = import.add(first, "first");
  EXPECT_TRUE(one) << (one ? "" : one.error().front().text());
  const auto other = import.add(second, "second");
  if (!other) return other.error().front().text();
  EXPECT_TRUE(std::move(import).take());
  return "";
}

// --- Formats of older files, on what newer versions of their tools wrote

TEST(GoogleBenchmark, TellsWhetherTimesAreDividedByThreads) {
  const std::string id = "BM_threads/iterations:5/threads:2";
  const Record older = record_of(sample("google_benchmark-threads_v1_7.json")),
               newer = record_of(sample("google_benchmark-threads_v1_9.json"));
  EXPECT_EQ(case_of(older, id).tool_case->parameters.at("real_time"), "divided by threads");
  EXPECT_EQ(case_of(newer, id).tool_case->parameters.at("real_time"), "not divided");
  EXPECT_NEAR(samples_of(case_of(newer, id), "wall_time").front() /
                  samples_of(case_of(older, id), "wall_time").front(),
              2, 0.1);
}

TEST(GoogleBenchmark, RefusesWhatTheLibraryWrites) {
  EXPECT_THAT(refused(sample("refused/google_benchmark-context.json")), HasSubstr("has `executable` twice"));
  EXPECT_THAT(refused(sample("refused/google_benchmark-filter_same.json")), HasSubstr("->Name"));
  EXPECT_THAT(refused(sample("refused/google_benchmark-dry_run.json")), HasSubstr("--benchmark_dry_run"));
  EXPECT_THAT(refused(sample("refused/pytest_benchmark-without_data.json")),
              HasSubstr("--benchmark-save-data"));
}

TEST(Hyperfine, TakesNoRunOfACommandThatFailed) {
  for (const char* name :
       {"hyperfine-failing.json", "hyperfine-every_second_run.json", "hyperfine-zero.json"})
    for (const CaseRecord& one : record_of(sample(name)).cases) {
      EXPECT_EQ(one.outcome, Outcome::failed) << name;
      EXPECT_THAT(one.series, IsEmpty()) << name;
    }
  EXPECT_EQ(record_of(sample("hyperfine-parameter_scan.json")).cases.front().processes.size(), 3U);
}

TEST(Nvbench, FailsAStateThatThrewAndSkipsOneThatWasSkipped) {
  const Record record = record_of(sample("nvbench-2026.json.gz"));
  EXPECT_EQ(case_of(record, "throws/i=1").outcome, Outcome::failed);
  EXPECT_EQ(why(case_of(record, "throws/i=1")), "Unexpected error: out of memory in setup");
  EXPECT_EQ(case_of(record, "copy_bench/Elements=2^12 Mode=a").outcome, Outcome::skipped);
  EXPECT_EQ(case_of(record, "throws/i=2").outcome, Outcome::measured);
  EXPECT_EQ(samples_of(case_of(record, "cpu"), "wall_time").size(), 1U);
}

TEST(Ncu, LeavesOutWhatTheProfilerTellsOfItself) {
  const Record record = record_of(sample("ncu-2025.csv"));
  std::vector<std::string> metrics;
  for (const Series& series : case_of(record, "small(float *)").series) metrics.push_back(series.metric);
  EXPECT_THAT(metrics, ElementsAre("gpu_time", "dram__bytes_read.sum"));
}

// --- nvbandwidth

TEST(Nvbandwidth, TakesUnitAndDirectionFromTheDescription) {
  const Record record = record_of(sample("nvbandwidth.json"));
  const Series& rate = series_of(case_of(record, "device_local_copy"), "bandwidth");
  EXPECT_EQ(rate.unit, "GB/s");
  EXPECT_EQ(rate.direction, Direction::higher_is_better);
  EXPECT_FALSE(rate.informs);
  EXPECT_THAT(samples_of(case_of(record, "device_local_copy"), "bandwidth"), ElementsAre(2429.33));
  const Series& latency = series_of(case_of(record, "host_device_latency_sm"), "latency");
  EXPECT_EQ(latency.unit, "us");
  EXPECT_EQ(latency.direction, Direction::lower_is_better);
  EXPECT_THAT(samples_of(case_of(record, "host_device_latency_sm"), "latency"), ElementsAre(1.18422));
}

TEST(Nvbandwidth, RefusesADescriptionWithoutAUnit) {
  EXPECT_THAT(refused(sample("nvbandwidth.json", " (ns)", "")),
              HasSubstr("bandwidth_description: ends with `(column)`; expected a unit"));
  EXPECT_THAT(refused(sample("nvbandwidth.json", "(GB/s)", "(widgets/s)")), HasSubstr("widgets/s"));
}

TEST(Nvbandwidth, KeepsTheOthersWhereATestWasWaivedOrFailed) {
  const Record waived = record_of(sample("nvbandwidth-waived.json"));
  EXPECT_EQ(case_of(waived, "host_to_device_memcpy_ce").outcome, Outcome::measured);
  EXPECT_EQ(case_of(waived, "device_to_device_memcpy_read_ce").outcome, Outcome::skipped);
  const Record failed = record_of(sample("nvbandwidth-waived.json", "Waived", "Error"));
  EXPECT_EQ(case_of(failed, "host_to_device_memcpy_ce").outcome, Outcome::measured);
  EXPECT_EQ(case_of(failed, "device_to_device_memcpy_read_ce").outcome, Outcome::failed);
  EXPECT_EQ(why(case_of(failed, "device_to_device_memcpy_read_ce")), "status Error");
  EXPECT_EQ(record_of(sample("nvbandwidth-unknown.json")).cases.front().outcome, Outcome::failed);
}

TEST(Nvbandwidth, TakesATestThatThrewFromItsTwoEntries) {
  // As v0.8 writes it: the first entry stays "Running".
  const Record record = record_of(R"({"nvbandwidth": {"error": "[out of memory]: in memcpy", "testcases": [
    {"name": "a", "status": "Running"}, {"name": "a", "status": "Error"}]}})");
  ASSERT_EQ(record.cases.size(), 1U);
  EXPECT_EQ(record.cases.front().outcome, Outcome::failed);
  EXPECT_EQ(why(record.cases.front()), "[out of memory]: in memcpy");
}

TEST(Nvbandwidth, MakesACaseOfEachNumberOfTheMatrix) {
  const Record record = record_of(sample("nvbandwidth.json", R"("54.9286")", R"("N/A", "54.9", "55.1")"));
  EXPECT_THAT(ids_of(record), Contains("host_to_device_memcpy_ce/column=1"));
  EXPECT_THAT(ids_of(record), Contains("host_to_device_memcpy_ce/column=2"));
  EXPECT_EQ(record.cases.size(), 5U);
}

TEST(Nvbandwidth, FailsACaseWithoutAUsableNumber) {
  for (const char* value : {"0", "nan", "inf"}) {
    const Record record = record_of(sample("nvbandwidth.json", "54.9286", value));
    EXPECT_EQ(case_of(record, "host_to_device_memcpy_ce").outcome, Outcome::failed) << value;
    EXPECT_THAT(case_of(record, "host_to_device_memcpy_ce").series, IsEmpty());
    EXPECT_EQ(case_of(record, "device_local_copy").outcome, Outcome::measured);
  }
  for (const char* value : {"-5", "fast", "1e3x", ""})
    EXPECT_THAT(refused(sample("nvbandwidth.json", "54.9286", value)), HasSubstr("expected a number above 0"))
        << value;
}

TEST(Nvbandwidth, RefusesATestNamedTwice) {
  EXPECT_THAT(refused(sample("nvbandwidth.json", "device_to_host_memcpy_ce", "host_to_device_memcpy_ce")),
              HasSubstr("name each test once"));
}

TEST(Nvbandwidth, TellsModelHostAndBuffer) {
  const std::string text = sample("nvbandwidth.json");
  const Record record = record_of(text);
  EXPECT_EQ(field_of(record, "GPU"), (MachineField{"GPU", "NVIDIA H200", FieldClass::block}));
  EXPECT_EQ(field_of(record, "driver").kind, FieldClass::warn);
  EXPECT_EQ(record.cases.front().tool_case->parameters.at("buffer"), "below the default");
  EXPECT_EQ(record_of(sample("nvbandwidth.json", "\"warning\"", "\"remark\""))
                .cases.front()
                .tool_case->parameters.at("buffer"),
            "at least the default");
  EXPECT_THAT(merged(text, sample("nvbandwidth.json", "H200", "H100")), HasSubstr("`GPU` is `NVIDIA H100`"));
  EXPECT_THAT(merged(text, sample("nvbandwidth.json", "(vm)", "(lab)")), HasSubstr("--session"));
  EXPECT_EQ(merged(text, sample("nvbandwidth.json", "580.159.04", "590.1")), "");
}

TEST(Nvbandwidth, SaysWhyThereIsNoTest) {
  EXPECT_THAT(refused(sample("refused/nvbandwidth-no_device.json")),
              HasSubstr("nvbandwidth reports: [CUDA_ERROR_NO_DEVICE]"));
}

// --- nccl-tests

TEST(NcclTests, MakesCasesOfSizeTypeOperationAndPlace) {
  const Record record = record_of(sample("nccl_tests.json"));
  ASSERT_EQ(record.cases.size(), 6U);
  const CaseRecord& one = case_of(record, "all_reduce_perf/buffers=out_of_place/size=8192");
  EXPECT_THAT(samples_of(one, "wall_time"), ElementsAre(6.4696));
  EXPECT_EQ(one.tool_case->parameters.at("type"), "float");
  EXPECT_EQ(one.tool_case->parameters.at("redop"), "sum");
  EXPECT_EQ(one.tool_case->parameters.at("root"), "-1");
  EXPECT_TRUE(samples_of(one, "bus_bandwidth").empty());  // of one GPU it is 0
}

TEST(NcclTests, KeepsNothingOfTheEnvironment) {
  const Record record =
      record_of(sample("nccl_tests.json", R"("PATH=\/usr\/bin")", R"("API_TOKEN=very-secret")"));
  EXPECT_THAT(encode(record), testing::Not(HasSubstr("very-secret")));
}

TEST(NcclTests, TakesLinesThatAreAlikeAsRepetitions) {
  const Record record = record_of(sample("nccl_tests-cycles.json"));
  ASSERT_EQ(record.cases.size(), 2U);
  EXPECT_THAT(samples_of(case_of(record, "sendrecv_perf/buffers=out_of_place"), "wall_time"),
              ElementsAre(10.441, 10.076333, 9.434));
  const Series& rate = series_of(record.cases.front(), "bus_bandwidth");
  EXPECT_EQ(rate.direction, Direction::higher_is_better);
  EXPECT_TRUE(rate.informs);
}

TEST(NcclTests, TakesTimesOfSingleIterationsApart) {
  const CaseRecord one = record_of(sample("nccl_tests-per_iteration.json")).cases.front();
  EXPECT_THAT(samples_of(one, "wall_time"), ElementsAre(11.7388));
  EXPECT_THAT(samples_of(one, "gpu_time"), ElementsAre(13.632, 7.776, 8.512, 7.712, 7.36));
}

TEST(NcclTests, FailsWrongResultsAndUnusableTimesAlone) {
  struct Slip {
    const char *from, *to;
  };
  for (const Slip slip :
       {Slip{R"("time":7.946000,"alg_bw":0.128870,"bus_bw":0.000000,"nwrong":0.000000)",
             R"("time":7.946000,"alg_bw":0.128870,"bus_bw":0.000000,"nwrong":3.000000)"},
        Slip{"\"time\":7.946000", "\"time\":0.000000"}, Slip{"\"time\":7.946000", "\"time\":\"nan\""}}) {
    const Record record = record_of(sample("nccl_tests.json", slip.from, slip.to));
    EXPECT_EQ(case_of(record, "all_reduce_perf/buffers=out_of_place/size=1024").outcome, Outcome::failed)
        << slip.to;
    EXPECT_EQ(case_of(record, "all_reduce_perf/buffers=in_place/size=1024").outcome, Outcome::measured);
  }
  EXPECT_THAT(refused(sample("nccl_tests.json", "\"time\":7.946000", "\"time\":-7.946000")),
              HasSubstr("above 0"));
  EXPECT_THAT(refused(sample("nccl_tests.json", "\"time\":7.946000", "\"took\":7.946000")),
              HasSubstr("time"));
}

TEST(NcclTests, AcceptsResultsThatWereNotChecked) {
  const Record record = record_of(sample("nccl_tests.json", "\"nwrong\":0.000000", "\"nwrong\":null"));
  for (const CaseRecord& one : record.cases) EXPECT_EQ(one.outcome, Outcome::measured);
}

TEST(NcclTests, KeepsTheLinesOfARunThatStopped) {
  Import import({});
  ASSERT_TRUE(import.add(sample("nccl_tests-stops.json"), "x"));
  EXPECT_THAT(import.remarks(), ElementsAre(HasSubstr("did not finish")));
  EXPECT_EQ(std::move(import).take()->cases.size(), 8U);
  EXPECT_THAT(refused(sample("nccl_tests.json", "\"results\"", "\"result\"")),
              HasSubstr("before its first line"));
}

TEST(NcclTests, TellsGraphsAndTimesUntilTheHostGoesOnApart) {
  EXPECT_EQ(record_of(sample("nccl_tests.json", "\"graph\":0", "\"graph\":2"))
                .cases.front()
                .tool_case->parameters.at("graph"),
            "2");
  const Record record = record_of(sample("nccl_tests.json", "\"time\":", "\"cpu_time\":"));
  EXPECT_THAT(samples_of(record.cases.front(), "enqueue_time"), ElementsAre(7.946));
  EXPECT_TRUE(samples_of(record.cases.front(), "wall_time").empty());
}

TEST(NcclTests, MergesOnlyOneProgramOnOneModel) {
  const std::string text = sample("nccl_tests.json");
  EXPECT_THAT(merged(text, sample("nccl_tests.json", "H200", "H100")), HasSubstr("`GPU`"));
  EXPECT_THAT(merged(text, sample("nccl_tests.json", "\"-w\",\"1\"", "\"-w\",\"9\"")),
              HasSubstr("`options`"));
  EXPECT_THAT(
      merged(text, sample("nccl_tests.json", R"(\/tmp\/all_reduce_perf)", R"(\/new\/all_reduce_perf)")),
      HasSubstr("`executable`"));
  EXPECT_EQ(merged(text, sample("nccl_tests.json", "all_reduce.json", "again.json")), "");
  EXPECT_THAT(refused(sample("nccl_tests.json", "\"version\":3", "\"version\":4")), HasSubstr("is not 3"));
}

// --- nanobench

TEST(Nanobench, TakesEachEpochAndTheTimeOfAnIteration) {
  const Record record = record_of(sample("nanobench.json"));
  EXPECT_EQ(samples_of(case_of(record, "one add"), "wall_time").size(), 3U);
  const CaseRecord& batched = case_of(record, "hundred adds");
  EXPECT_EQ(batched.tool_case->parameters.at("batch"), "100");
  EXPECT_GT(samples_of(batched, "wall_time").back(),
            50 * samples_of(case_of(record, "one add"), "wall_time").back());
  EXPECT_THAT(ids_of(record), Contains("with n/complexityN=10"));
}

TEST(Nanobench, FailsWhatTheCompilerRemoved) {
  std::string text = sample("refused/nanobench-same_names.json");
  text.replace(text.find("same name"), 9, "other name");
  const Record record = record_of(text);
  const CaseRecord& nothing = case_of(record, "nothing");
  EXPECT_EQ(nothing.outcome, Outcome::failed);
  EXPECT_THAT(nothing.reason->text("advice"), HasSubstr("doNotOptimizeAway"));
  EXPECT_EQ(case_of(record, "other name").outcome, Outcome::measured);
}

TEST(Nanobench, RefusesOneNameTwice) {
  EXPECT_THAT(refused(sample("refused/nanobench-same_names.json")), HasSubstr("a name of its own"));
}

TEST(Nanobench, RefusesNumbersThatContradictEachOther) {
  EXPECT_THAT(refused(sample("nanobench.json", "\"median(elapsed)\": ", "\"median(elapsed)\": 1")),
              HasSubstr("outside of the measurements"));
  EXPECT_THAT(refused(sample("nanobench.json", "\"elapsed\": ", "\"elapsed\": -")), HasSubstr("above 0"));
  EXPECT_THAT(refused(sample("nanobench.json", "\"measurements\"", "\"none\"")), HasSubstr("measurements"));
}

TEST(Nanobench, FailsACaseWithAnEpochOfNoTime) {
  for (const char* bad : {"0, \"was\": ", "NaN, \"was\": ", "Infinity, \"was\": "}) {
    const Record record =
        record_of(sample("nanobench.json", "\"elapsed\": ", std::string("\"elapsed\": ") + bad));
    EXPECT_EQ(case_of(record, "one add").outcome, Outcome::failed) << bad;
  }
}

// --- criterion, plain

fs::path criterion(const std::string& name) {
  return sample_folder / name / "sample.json";
}

TEST(CargoBench, TakesTheUnitFromTheRawTableBesideIt) {
  const fs::path file = criterion("cargo_bench/new");
  const Record record = record_of(read_file(file).value(), file.string());
  const CaseRecord& one = case_of(record, "group/fold/64");
  ASSERT_EQ(samples_of(one, "wall_time").size(), 10U);
  EXPECT_DOUBLE_EQ(samples_of(one, "wall_time").front(), 214070.0 / 11117 / 1000);
  EXPECT_EQ(record.suite.name, "criterion");
}

class CargoBenchFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / random_uuid() / "group/fold/64/new";
    fs::create_directories(folder_);
    for (const char* name : {"sample.json", "benchmark.json", "raw.csv"})
      fs::copy_file(criterion("cargo_bench/new").parent_path() / name, folder_ / name);
  }
  void TearDown() override {
    fs::remove_all(folder_.parent_path().parent_path().parent_path().parent_path());
  }

  void change(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read_file(folder_ / name).value_or("");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    ASSERT_TRUE(write_file_atomically(folder_ / name, text));
  }
  [[nodiscard]] std::string file() const { return (folder_ / "sample.json").string(); }
  [[nodiscard]] Record record(const ImportOptions& options = {}) const {
    return record_of(read_file(file()).value(), file(), options);
  }
  [[nodiscard]] std::string refusal() const { return refused(read_file(file()).value(), file()); }

  fs::path folder_;
};

TEST_F(CargoBenchFolder, AsksForTheUnitThatItDoesNotTell) {
  change("raw.csv", "214070.0", "214071.0");  // of another run
  EXPECT_THAT(refusal(), HasSubstr("--unit ns"));
  fs::remove(folder_ / "raw.csv");
  EXPECT_THAT(refusal(), HasSubstr("--unit ns"));
  EXPECT_DOUBLE_EQ(samples_of(record({.questions = {.unit = "ns"}}).cases.front(), "wall_time").front(),
                   214070.0 / 11117 / 1000);
}

TEST_F(CargoBenchFolder, TakesAMeasurementOfItsOwnByItsUnit) {
  std::string table = read_file(folder_ / "raw.csv").value();
  for (std::size_t at = 0; (at = table.find(",ns,", at)) != std::string::npos;)
    table.replace(at, 4, ",instructions,");
  ASSERT_TRUE(write_file_atomically(folder_ / "raw.csv", table));
  EXPECT_EQ(record().cases.front().series.front().metric, "instructions");
}

TEST_F(CargoBenchFolder, RefusesWhatContradictsItself) {
  change("sample.json", "11117.0,", "");
  EXPECT_THAT(refusal(), HasSubstr("`iters` has 9"));
  change("sample.json", "22234.0", "0.0,22234.0");
  EXPECT_THAT(refusal(), HasSubstr("no number of iterations"));
}

TEST_F(CargoBenchFolder, FailsATimeOfNought) {
  change("sample.json", "214070.0", "0.0");
  EXPECT_EQ(record({.questions = {.unit = "ns"}}).cases.front().outcome, Outcome::failed);
}

TEST_F(CargoBenchFolder, NeedsTheFileThatNamesIt) {
  fs::remove(folder_ / "benchmark.json");
  EXPECT_THAT(refusal(), HasSubstr("benchmark.json"));
}

TEST_F(CargoBenchFolder, IsNoFurtherProcessOfAnotherFolder) {
  const fs::path base = folder_.parent_path() / "base";
  fs::create_directories(base);
  fs::copy_file(folder_ / "benchmark.json", base / "benchmark.json");
  ASSERT_TRUE(write_file_atomically(base / "sample.json",
                                    R"({"sampling_mode":"Flat","iters":[3.0,3.0],"times":[60.0,61.0]})"));
  const ImportOptions options{.questions = {.unit = "ns"}};
  const auto both = import_named({file(), (base / "sample.json").string()}, options);
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().front().text(), HasSubstr("`folder` is `base`"));
}

TEST_F(CargoBenchFolder, IsFoundAtAnyDepthAndRefusedWhereItIsOfAnotherDay) {
  const fs::path criterion_folder = folder_.parent_path().parent_path().parent_path().parent_path();
  const fs::path other = criterion_folder / "odd/new";
  fs::create_directories(other);
  for (const char* name : {"sample.json", "benchmark.json"})
    fs::copy_file(criterion("refused/cargo_bench-no_unit").parent_path() / name, other / name);
  const std::string all = (criterion_folder / "**/new/sample.json").string();
  const ImportOptions options{.questions = {.unit = "ns"}};
  const auto record = import_named({all}, options);
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), UnorderedElementsAre("group/fold/64", "path/with: odd \"name\" \xC2\xB5"));
  fs::last_write_time(other / "sample.json", fs::file_time_type::clock::now() - std::chrono::hours(48));
  const auto stale = import_named({all}, options);
  ASSERT_FALSE(stale);
  EXPECT_THAT(stale.error().front().text(), HasSubstr("--session"));
}

// --- PyTorch's profiler

TEST(PytorchProfiler, MakesCasesOfKernelsWithTheirGrids) {
  const Record record = record_of(sample("pytorch_profiler.json.gz"));
  const CaseRecord& one = case_of(record, "nvjet_sm90_hsh_64x8_64x16_2x4_h_bz_bias_TNT");
  EXPECT_EQ(one.tool_case->launch.at("grid"), "8x4");
  EXPECT_EQ(one.tool_case->launch.at("block"), "384");
  EXPECT_FALSE(one.tool_case->launch.contains("device")) << "of the only GPU";
  EXPECT_EQ(samples_of(one, "gpu_time").front(), 2.528);
  EXPECT_EQ(field_of(record, "GPU"), (MachineField{"GPU", "NVIDIA H200", FieldClass::block}));
  EXPECT_THAT(record.started, testing::StartsWith("2026-11-29T"));
}

TEST(PytorchProfiler, KeepsTheFirstPassOfARangeApart) {
  const CaseRecord step = case_of(record_of(sample("pytorch_profiler.json.gz")), ":step");
  EXPECT_THAT(samples_of(step, "first_call"), ElementsAre(51777.995));
  EXPECT_TRUE(series_of(step, "first_call").informs);
  EXPECT_EQ(samples_of(step, "wall_time").size(), 1U);
  EXPECT_LT(samples_of(step, "wall_time").front(), 1000);
  // In the file this pass stands before the first one, which took 48 ms.
  EXPECT_THAT(samples_of(step, "gpu_time"), ElementsAre(327.936));
}

TEST(PytorchProfiler, TakesStepsOfAScheduleAsRepetitions) {
  const Record record = record_of(sample("pytorch_profiler-schedule.json"));
  const CaseRecord& step = case_of(record, ":ProfilerStep");
  EXPECT_EQ(samples_of(step, "wall_time").size(), 2U);
  EXPECT_TRUE(samples_of(step, "first_call").empty());
  for (const std::string& id : ids_of(record)) EXPECT_THAT(id, testing::Not(HasSubstr("Step#")));
  // Without a schedule the first step is number 0, which includes set-up.
  const Record whole =
      record_of(sample("pytorch_profiler-schedule.json", "ProfilerStep#2", "ProfilerStep#0"));
  EXPECT_EQ(samples_of(case_of(whole, ":ProfilerStep"), "wall_time").size(), 1U);
  EXPECT_EQ(samples_of(case_of(whole, ":ProfilerStep"), "first_call").size(), 1U);
}

TEST(PytorchProfiler, TellsCopiesOfOtherSizesApart) {
  const Record record = record_of(sample("pytorch_profiler-copies.json"));
  const CaseRecord& copy = case_of(record, "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(copy.tool_case->parameters.at("bytes"), "262144");
  EXPECT_THAT(samples_of(copy, "gpu_time"), ElementsAre(6.88));
}

std::string trace(const std::string& events, const std::string& more = "") {
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}], )" +
         more + R"("traceEvents": [)" + events + "]}";
}
std::string event(const std::string& kind, const std::string& name, const std::string& duration,
                  const std::string& arguments = R"("device": 0)", int start = 5) {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "ts": {}, "dur": {}, "args": {{{}}}}})", kind,
                     name, start, duration, arguments);
}

TEST(PytorchProfiler, CountsPassesOfEachRange) {
  const Record record = record_of(trace(event("user_annotation", "ProfilerStep#1", "9", "", 7) + ", " +
                                        event("user_annotation", "ProfilerStep#0", "900")));
  // Steps that a schedule numbers from 0 begin with set-up.
  EXPECT_THAT(samples_of(record.cases.front(), "first_call"), ElementsAre(900));
  EXPECT_THAT(samples_of(record.cases.front(), "wall_time"), ElementsAre(9));
}

TEST(PytorchProfiler, FailsAKernelWithoutATime) {
  const std::string sound = event("kernel", "sound", "2.5");
  for (const char* bad : {"0", "NaN", "Infinity"}) {
    const Record record = record_of(trace(event("kernel", "bad", bad) + ", " + sound));
    EXPECT_EQ(case_of(record, "bad").outcome, Outcome::failed) << bad;
    EXPECT_EQ(case_of(record, "sound").outcome, Outcome::measured);
  }
  EXPECT_THAT(refused(trace(event("kernel", "bad", "-1"))), HasSubstr("above 0"));
  EXPECT_THAT(refused(trace(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 5})")), HasSubstr("dur"));
}

TEST(PytorchProfiler, SaysWhichActivityIsMissing) {
  EXPECT_THAT(refused(sample("refused/pytorch_profiler-cpu_only.json")), HasSubstr("ProfilerActivity.CUDA"));
  const std::string launch = event("cuda_runtime", "cudaLaunchKernel", "4", "");
  EXPECT_THAT(refused(trace(launch)), HasSubstr("ProfilerActivity.CUDA"));
  EXPECT_THAT(refused(trace(event("cpu_op", "aten::add", "4", ""))), HasSubstr("record_function"));
  Import import({});
  ASSERT_TRUE(import.add(trace(launch + ", " + event("user_annotation", "step", "4", "")), "x"));
  EXPECT_THAT(import.remarks(), ElementsAre(HasSubstr("ProfilerActivity.CUDA")));
}

TEST(PytorchProfiler, TellsGpusAndRanksApart) {
  const std::string one = trace(event("kernel", "k", "2.5"));
  std::string other = one;
  other.replace(other.find("H200"), 4, "H100");
  EXPECT_THAT(merged(one, other), HasSubstr("`GPU`"));
  const auto of_rank = [](int rank) {
    return trace(event("kernel", "k", fmt::format("2.{}", rank)),
                 fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": 2}}, )", rank));
  };
  Import import({});
  ASSERT_TRUE(import.add(of_rank(0), "first"));
  ASSERT_TRUE(import.add(of_rank(1), "second"));
  EXPECT_THAT(ids_of(*std::move(import).take()), ElementsAre("k/rank=0", "k/rank=1"));
}

TEST(Gunzip, RefusesWhatIsCutOff) {
  const std::string packed = read_file(sample_folder / "pytorch_profiler.json.gz").value();
  EXPECT_TRUE(import_samples(packed, "x.json.gz"));
  EXPECT_THAT(refused(packed.substr(0, packed.size() - 9), "x.json.gz"), HasSubstr("cannot be unpacked"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  EXPECT_THAT(refused(damaged, "x.json.gz"), HasSubstr("cannot be unpacked"));
  EXPECT_EQ(gunzip(packed + packed, "x").value(), gunzip(packed, "x").value() + gunzip(packed, "x").value());
}

// --- Catch2

TEST(Catch2, NamesBenchmarksByTheirTestCaseAndSection) {
  for (const char* name : {"catch2.xml", "catch2-v2.xml"}) {
    const Record record = record_of(sample(name));
    EXPECT_THAT(ids_of(record),
                ElementsAre("two benchmarks/fib 10", "two benchmarks/fib 15", "sections/one/same",
                            "sections/two/same", "fails behind its benchmark/measured first",
                            "throws/that throws", "may fail/of a may-fail"));
    EXPECT_EQ(case_of(record, "may fail/of a may-fail").outcome, Outcome::measured);
    const CaseRecord& one = case_of(record, "two benchmarks/fib 15");
    EXPECT_GT(samples_of(one, "wall_time").front(), 1);  // microseconds
    EXPECT_LT(samples_of(one, "wall_time").front(), 20);
  }
}

TEST(Catch2, FailsWhatThrewAndWhatIsOfAFailedTestCase) {
  for (const char* name : {"catch2.xml", "catch2-v2.xml"}) {
    const Record record = record_of(sample(name));
    EXPECT_EQ(case_of(record, "throws/that throws").outcome, Outcome::failed);
    EXPECT_EQ(why(case_of(record, "throws/that throws")), "no luck");
    EXPECT_EQ(case_of(record, "fails behind its benchmark/measured first").outcome, Outcome::failed);
    EXPECT_EQ(case_of(record, "sections/one/same").outcome, Outcome::measured);
  }
}

TEST(Catch2, RefusesABenchmarkThatRanForEachGeneratedValue) {
  EXPECT_THAT(refused(sample("refused/catch2-generated.xml")), HasSubstr("the value into its name"));
}

TEST(Catch2, NamesTheLineThatIsWrong) {
  EXPECT_THAT(refused(sample("catch2.xml", "nano seconds", "micro seconds")),
              HasSubstr("x:4: error: does not say that its times are in nanoseconds"));
  EXPECT_THAT(refused(sample("catch2.xml", "<OverallResult ", "<Result ")),
              HasSubstr("x:3: error: has no OverallResult"));
  EXPECT_THAT(refused(sample("catch2.xml", "<mean value", "<mean number")),
              HasSubstr("no number as `value`"));
  EXPECT_THAT(refused(sample("catch2.xml", "<mean value=\"", "<mean value=\"-")),
              HasSubstr("has a mean of -"));
  const std::string text = sample("catch2.xml");
  EXPECT_THAT(refused(text.substr(0, text.size() / 2)), HasSubstr("no whole XML document"));
  EXPECT_THAT(refused(R"(<Catch2TestRun name="a"></Catch2TestRun>)"), HasSubstr("no BENCHMARK ran"));
}

TEST(Catch2, FailsAMeanThatIsNoTime) {
  for (const char* mean : {"0", "nan"}) {
    const Record record = record_of(fmt::format(
        R"(<Catch2TestRun name="a"><TestCase name="t"><BenchmarkResults name="b"><!-- All values in nano seconds -->
<mean value="{}" lowerBound="0" upperBound="0"/></BenchmarkResults><OverallResult success="true"/></TestCase></Catch2TestRun>)",
        mean));
    EXPECT_EQ(record.cases.front().outcome, Outcome::failed) << mean;
  }
}

// --- cutlass_profiler

constexpr const char* operation = "cutlass_simt_sgemm_128x128_8x2_nn_align1";

TEST(CutlassProfiler, MakesCasesOfOperationsAndArguments) {
  const Record record = record_of(sample("cutlass_profiler.csv"));
  const CaseRecord& one = case_of(record, std::string(operation) + "/k=256/m=256/n=256");
  EXPECT_THAT(samples_of(one, "gpu_time"), ElementsAre(31.5));
  EXPECT_EQ(one.tool_case->parameters.at("Provider"), "CUTLASS");
  EXPECT_FALSE(one.tool_case->parameters.contains("Problem"));  // a number that other arguments shift
}

TEST(CutlassProfiler, KeepsTheOthersWhereALineFailed) {
  struct Slip {
    const char* disposition;
    Outcome outcome;
  };
  for (const Slip slip :
       {Slip{"incorrect", Outcome::failed}, Slip{"failed", Outcome::failed}, Slip{"odd", Outcome::failed},
        Slip{"not_supported", Outcome::skipped}, Slip{"invalid_problem", Outcome::skipped},
        Slip{"not_run", Outcome::skipped}, Slip{"not_verified", Outcome::measured}}) {
    const Record record = record_of(sample("cutlass_profiler.csv", ",passed,success,universal,256,",
                                           fmt::format(",{},success,universal,256,", slip.disposition)));
    EXPECT_EQ(case_of(record, std::string(operation) + "/k=256/m=256/n=256").outcome, slip.outcome)
        << slip.disposition;
    EXPECT_EQ(case_of(record, std::string(operation) + "/k=512/m=512/n=512").outcome, Outcome::measured);
  }
}

TEST(CutlassProfiler, RefusesARunThatWasAppended) {
  const std::string text = sample("cutlass_profiler.csv");
  EXPECT_THAT(refused(text + text.substr(text.find('\n') + 1)), HasSubstr("--append"));
}

TEST(CutlassProfiler, NamesTheLineThatIsWrong) {
  EXPECT_THAT(refused(sample("cutlass_profiler.csv", ",0.0315,", ",-0.0315,")),
              HasSubstr("x:2: error: has the Runtime"));
  EXPECT_THAT(refused(sample("cutlass_profiler.csv", ",0.0315,", ",")), HasSubstr("fields"));
  EXPECT_THAT(refused(sample("cutlass_profiler.csv", ",Bytes,", ",Octets,")),
              HasSubstr("no columns `Bytes`"));
  EXPECT_EQ(case_of(record_of(sample("cutlass_profiler.csv", ",0.0315,", ",0,")),
                    std::string(operation) + "/k=256/m=256/n=256")
                .outcome,
            Outcome::failed);
}

TEST(CutlassProfiler, ReadsTagsAndLinesOfTheProgramBefore) {
  const std::string text = sample("cutlass_profiler.csv");
  std::string tagged = "CUTLASS profiler\n\ngpu," + text;
  for (std::size_t at = tagged.find('\n', 30); at + 1 < tagged.size(); at = tagged.find('\n', at + 1))
    tagged.insert(at + 1, "h200,");
  EXPECT_EQ(record_of(tagged).cases.front().tool_case->parameters.at("gpu"), "h200");
}

}  // namespace
}  // namespace harness
