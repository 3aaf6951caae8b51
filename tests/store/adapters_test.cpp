// Each import format refuses what its tool does not write, and says where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "../schema/place_of.h"
#include "harness/base/files.h"
#include "harness/store/adapters/import_formats.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A sample of tests/store/import with `from` replaced by `to`.
std::string sample(const std::string& name, const std::string& from = "", const std::string& to = "") {
  const auto path = std::filesystem::path(HARNESS_SOURCE_DIR) / "tests/store/import" / name;
  std::string text = read_file(path).value_or("");
  if (const std::size_t at = text.find(from); at == std::string::npos)
    ADD_FAILURE() << "no " << from << " in " << name;
  else
    text.replace(at, from.size(), to);
  return text;
}

// The one error of a text in a format.
Error refused(const char* format, const std::string& text, const std::string& file = "x") {
  const auto record = find_import_format(format)->read(text, file, {});
  EXPECT_FALSE(record) << "was accepted: " << text.substr(0, 2000);
  if (record) return {};
  EXPECT_EQ(record.error().size(), 1U) << record.error().back().text();
  EXPECT_EQ(record.error().front().where.file, file);
  return record.error().front();
}
std::string place(const char* format, const std::string& text, const std::string& file = "x") {
  return place_of(refused(format, text, file));
}

struct Slip {
  const char *format, *file, *from, *to, *place;
};

TEST(Adapters, NameTheMemberThatIsWrong) {
  for (const Slip& slip : std::vector<Slip>{
           {"google_benchmark", "google_benchmark.json", "\"ns\"", "\"years\"", "benchmarks[0].time_unit"},
           {"google_benchmark", "google_benchmark.json", "\"real_time\": ", "\"real_time\": -",
            "benchmarks[0].real_time"},
           {"google_benchmark", "google_benchmark.json", "\"real_time\"", "\"true_time\"", "benchmarks[0]"},
           {"pytest_benchmark", "pytest_benchmark.json", "\"data\"", "\"date\"", "benchmarks[0].stats"},
           {"pytest_benchmark", "pytest_benchmark.json", "\"fullname\"", "\"full\"", "benchmarks[0]"},
           {"hyperfine", "hyperfine.json", "\"times\": [", "\"times\": [\"a\", ", "results[0].times[0]"},
           {"hyperfine", "hyperfine.json", "\"times\": [", "\"times\": [], \"t\": [", "results[0].times"},
           {"hyperfine", "hyperfine-schema2.json", "\"schema_version\": 2", "\"schema_version\": 3",
            "schema_version"},
           {"hyperfine", "hyperfine-schema2.json", "_wall_clock\": {\"value\": 0.0029",
            "\": {\"value\": 0.0029", "results[1].measurements[0]"},
           {"trtexec", "trtexec.json", "\"computeMs\" : 1.252", "\"computeMs\" : -1", "[0].computeMs"},
           {"trtexec", "trtexec.json", "\"latencyMs\"", "\"latency\"", "[0]"},
           {"llama_bench", "llama_bench-array.json", "30000000", "\"fast\"", "[1].samples_ns[0]"},
           {"llama_bench", "llama_bench-array.json", "\"n_prompt\": 512", "\"n_prompt\": -1", "[0].n_prompt"},
       })
    EXPECT_EQ(place(slip.format, sample(slip.file, slip.from, slip.to)), slip.place)
        << slip.format << ": " << slip.from;
}

TEST(Adapters, NameTheLineThatIsWrong) {
  const auto at = [](const char* format, const std::string& text) {
    const Error error = refused(format, text);
    return std::to_string(error.where.line) + " " + place_of(error);
  };
  EXPECT_EQ(at("criterion", sample("criterion.jsonl", "[100,200,300]", "[100,200]")), "2 measured_values");
  EXPECT_EQ(at("criterion", sample("criterion.jsonl", "[100,200,300]", "[100,0,300]")),
            "2 iteration_count[1]");
  EXPECT_EQ(at("criterion", sample("criterion.jsonl", "\"id\":\"sort\"", "\"id\":\"sums/1000\"")), "3 id");
  EXPECT_EQ(at("criterion", sample("criterion.jsonl", "{\"reason\":\"group", "{\"reason\":group")), "4 ");
  EXPECT_EQ(at("llama_bench", sample("llama_bench.jsonl", "512000000", "-1")), "2 samples_ns[0]");
}

TEST(Adapters, RefuseWhatNoToolWrites) {
  const std::string deep = "{\"benchmarks\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}";
  for (const char* format : {"google_benchmark", "pytest_benchmark"})
    EXPECT_EQ(refused(format, deep).where.column, 271) << "the 257th level";
  EXPECT_EQ(refused("hyperfine", R"({"results": [], "results": []})").where.column, 26) << "a key twice";
  for (const char* number : {"1e999", "nan", "-"})
    EXPECT_GT(refused("hyperfine", sample("hyperfine.json", "0.0019344240000000001", number)).where.column,
              0);
  EXPECT_EQ(place("llama_bench", sample("llama_bench-array.json", "\"n_prompt\": 512",
                                        "\"n_prompt\": 99999999999999999999")),
            "[0].n_prompt");
  for (const char* format : {"google_benchmark", "pytest_benchmark", "hyperfine", "nvbench", "criterion",
                             "llama_bench", "trtexec", "nsys", "ncu"})
    for (const char* text : {"", "[]", "7", "{}", "\"\"", "[{}]", "null", "\xff\xfe"})
      EXPECT_FALSE(find_import_format(format)->read(text, "x", {})) << format << ": " << text;
}

// The sample of NVBench in a folder of its own.
class NvbenchFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto from = std::filesystem::path(HARNESS_SOURCE_DIR) / "tests/store/import";
    for (const char* name : {"nvbench.json-bin", "nvbench.json-freqs-bin"})
      std::filesystem::copy(from / name, folder_.path() / name, std::filesystem::copy_options::recursive);
  }
  std::string place(const std::string& from, const std::string& to) const {
    return harness::place("nvbench", sample("nvbench.json", from, to), (folder_.path() / "x.json").string());
  }
  void write(const char* name, std::string_view bytes) const {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, bytes));
  }
  TemporaryFolder folder_;
};

TEST_F(NvbenchFolder, NamesTheSummaryThatIsWrong) {
  const std::string times = "benchmarks[0].states[0].summaries[3]";
  for (const char* name : {"gone/0.bin", "0.bin", "../0.bin", "", "nvbench.json-bin/"})
    EXPECT_EQ(place("nvbench.json-bin/0.bin", name), times) << name;
  EXPECT_EQ(place("\"value\": \"3.5208333e-05\"", "\"value\": \"fast\""),
            "benchmarks[0].states[0].summaries[2]");
  EXPECT_EQ(place("\"is_skipped\": false", "\"is_skipped\": 0"), "benchmarks[0].states[0].is_skipped");
  EXPECT_EQ(place("=2^22", "=2^20"), "benchmarks[0].states[1]") << "a name twice";
  write("nvbench.json-bin/0.bin", "1234567");
  EXPECT_EQ(place("", ""), times) << "a file that was cut";
  for (const char byte : {'\0', '\xff'}) {  // times of 0, and NaN
    write("nvbench.json-bin/0.bin", std::string(12, byte));
    const auto record = import_samples(sample("nvbench.json"), (folder_.path() / "x.json").string());
    ASSERT_TRUE(record);
    EXPECT_EQ(record->cases[0].outcome, Outcome::failed);
    EXPECT_EQ(record->cases[1].outcome, Outcome::measured);
  }
}

TEST_F(NvbenchFolder, FindsItsSamplesWhereverTheProgramWasStarted) {
  const auto record =
      import_samples(sample("nvbench.json", "nvbench.json-bin/0.bin", "/data/out/nvbench.json-bin/0.bin"),
                     (folder_.path() / "x.json").string());
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->cases[0].series[0].processes[0].placements[0].samples.size(), 3U);
}

TEST(Ncu, ScalesItsTimesExactly) {
  const auto samples = [](const std::string& unit, const std::string& value) {
    std::string text = sample("ncu.csv", "\"byte\",\"ns\"", "\"byte\",\"" + unit + "\"");
    for (const char* time : {"4,384", "4,416", "4,352"}) text.replace(text.find(time), 5, value);
    return import_samples(text, "x")->cases[0].series[0].processes[0].placements[0].samples[0];
  };
  EXPECT_EQ(samples("us", "4.384"), 4.384);
  EXPECT_EQ(samples("usecond", "1,004.384"), 1004.384);
  EXPECT_EQ(samples("msecond", "0.1"), 100);
}

TEST(Ncu, NamesTheLineThatIsWrong) {
  const auto line = [](const char* from, const char* to) {
    return refused("ncu", sample("ncu.csv", from, to)).where.line;
  };
  EXPECT_EQ(line("\"byte\",\"ns\"", "\"byte\",\"cycle\""), 8);
  EXPECT_EQ(line("\"4,416\"", "\"-1\""), 10);
  EXPECT_EQ(line("\"4,416\"", "\"1e999\""), 10);
  EXPECT_EQ(line("\"4,416\",", ""), 10);
  EXPECT_EQ(line("\"4,416\"", "\"4,416"), 10);
  EXPECT_EQ(line("\"void scale<float>(T1 *, T1)\"", "\"\""), 10);
  EXPECT_EQ(line("scale<float>", "scale\xFF"), 10);
  EXPECT_EQ(line("\"Kernel Name\"", "\"Kernel\""), 7);
  EXPECT_EQ(line("\"dram__bytes.sum\",\"gpu__time_duration.sum\"", "\"a\",\"b\""), 7);
  EXPECT_EQ(line("\"Stream\"", "\"Metric Name\""), 7);
}

// A SQLite file that these statements make.
std::string sqlite_file(const std::string& statements) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "x.sqlite").string();
  sqlite3* made = nullptr;
  sqlite3_open(path.c_str(), &made);
  EXPECT_EQ(sqlite3_exec(made, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(made);
  sqlite3_close(made);
  return read_file(path).value();
}

TEST(Nsys, RefusesWhatIsNoExport) {
  const std::string table = R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES (1, 'k');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", demangledName);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES )";
  const auto advice = [&](const char* values) { return refused("nsys", sqlite_file(table + values)).advice; };
  EXPECT_TRUE(import_samples(sqlite_file(table + "(10, 12, 1)"), "x"));
  const std::string profile = advice("(10, 12, 1), (20, 19, 1)");
  EXPECT_FALSE(profile.empty());
  EXPECT_EQ(advice("(10, 12, 2)"), profile) << "without a name";
  EXPECT_EQ(advice("(10, 12, 1); UPDATE StringIds SET value = CAST(x'73FF' AS TEXT)"), profile)
      << "not UTF-8";
  EXPECT_EQ(advice("(10, 12.5, 1)"), profile);
  EXPECT_EQ(advice("(10, 'x', 1)"), profile);
  EXPECT_TRUE(import_samples(sqlite_file(table + "(-9223372036854775807, 9223372036854775807, 1)"), "x"));
  refused("nsys", sqlite_file("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(a)"));
  refused("nsys", sqlite_file("CREATE TABLE other(a)"));
  refused("nsys",
          sqlite_file("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS "
                      "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start, i AS \"end\" FROM n"));
  const std::string good = sample("nsys.sqlite");
  refused("nsys", good.substr(0, 700));
  refused("nsys", "SQLite format 3");
}

TEST(ImportProcess, GivesTheResultsOfOneProcess) {
  const ImportFormat* format = find_import_format("hyperfine");
  const auto results = import_process(*format, sample("hyperfine.json"), "x", 4);
  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 2U);
  const ProcessResult& second = results->at(1);
  EXPECT_EQ(second.case_id, "sleep 0.002");
  EXPECT_EQ(second.process, 4);
  ASSERT_EQ(second.series.size(), 1U);
  ASSERT_EQ(second.series[0].processes.size(), 1U);
  EXPECT_EQ(second.series[0].processes[0].process, 4);
  EXPECT_EQ(second.series[0].processes[0].placements.size(), 4U);
}

TEST(ImportProcess, RefusesSeveralProcessesAndOtherFormats) {
  EXPECT_EQ(find_import_format("none"), nullptr);
  EXPECT_FALSE(import_process(*find_import_format("json_lines"), sample("json_lines.jsonl"), "x", 1));
  EXPECT_FALSE(import_process(*find_import_format("nvbench"), sample("hyperfine.json"), "x", 1));
}

}  // namespace
}  // namespace harness
