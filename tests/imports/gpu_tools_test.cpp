// How files of tools that measure on a GPU go wrong for their users, one test a kind, each beside an honest
// user.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>

#include "harness/base/files.h"
#include "judged.h"
#include "sqlite_text.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string error_of(const std::string& text) {
  const auto record = import_samples(text, "x");
  if (record) return "accepted";
  return record.error().size() == 1 ? record.error().front().text() : "several errors";
}

MachineField field_of(const Record& record, const std::string& name) {
  for (const MachineField& field : record.machines.at("import").fields)
    if (field.name == name) return field;
  return {};
}

// --- NVBench

struct State {
  int device;
  std::string values;  // of its axes
  double seconds;
};

std::string nvbench(const std::string& options, const std::vector<State>& states,
                    const std::vector<std::string>& models = {"NVIDIA H200"}) {
  std::string devices, all;
  for (std::size_t i = 0; i < models.size(); ++i)
    devices +=
        fmt::format(R"({}{{"id": {}, "name": "{}", "sm_version": 900}})", i == 0 ? "" : ", ", i, models[i]);
  for (const State& state : states)
    all += fmt::format(R"({}{{"name": "Device={}{}", "device": {}, "is_skipped": false, "summaries": [
      {{"tag": "nv/cold/time/gpu/mean", "data": [{{"name": "value", "type": "float64", "value": "{}"}}]}}]}})",
                       all.empty() ? "" : ", ", state.device, state.values, state.device, state.seconds);
  return fmt::format(
      R"({{"meta": {{"argv": ["bin/copy"{}, "--json", "o.json"], "version": {{"nvbench": {{}}}}}},
    "devices": [{}], "benchmarks": [{{"name": "copy", "states": [{}]}}]}})",
      options, devices, all);
}

// Five files of one state.
Files nvbench_runs(const std::string& options, double factor = 1, int device = 0,
                   const std::vector<std::string>& models = {"NVIDIA H200", "NVIDIA H200"}) {
  return five(factor, [&](double now) { return nvbench(options, {{device, " N=1", 1e-5 * now}}, models); });
}

TEST(GpuTools, LockedClocksOfNvbenchAreNotComparable) {
  const Files plain = nvbench_runs("");
  for (const char* option : {"--lock-gpu-clocks", "--lgc"}) {
    const auto locked = [&](const char* rate) {
      return nvbench_runs(fmt::format(R"(, "{}", "{}")", option, rate));
    };
    EXPECT_EQ(judge(locked("base"), plain).verdict, "not_comparable") << option;
    EXPECT_EQ(judge(locked("base"), locked("max")).verdict, "not_comparable") << option;
    EXPECT_EQ(judge(locked("base"), locked("tdp")).verdict, "unchanged") << option;
    EXPECT_EQ(judge(locked("unlock"), plain).verdict, "unchanged") << option;
  }
}

TEST(GpuTools, ALoneRunOfNvbenchIsNotComparable) {
  const Files plain = nvbench_runs("");
  for (const char* option : {R"(, "--run-once")", R"(, "--profile")", R"(, "--disable-blocking-kernel")"}) {
    EXPECT_EQ(judge(nvbench_runs(option, 1.5), plain).verdict, "not_comparable") << option;
    EXPECT_EQ(judge(nvbench_runs(option), nvbench_runs(option)).verdict, "unchanged") << option;
  }
}

TEST(GpuTools, OtherOptionsOfNvbenchAreShownWhereTheyMeasureOtherwise) {
  const Files plain = nvbench_runs("");
  for (const char* option : {R"(, "--min-time", "3")", R"(, "--stopping-criterion", "entropy")",
                             R"(, "--cold-warmup-runs", "9")", R"(, "--throttle-threshold", "0")"})
    EXPECT_EQ(judge(plain, nvbench_runs(option)).verdict, "told") << option;
  for (const char* option : {R"(, "--csv", "a.csv")", R"(, "-q")", R"(, "-d", "0")", R"(, "-a", "N=1")"})
    EXPECT_EQ(judge(plain, nvbench_runs(option)).verdict, "unchanged") << option;
}

// Five files with single times, of which one in ten takes twice as long, in a folder beside them.
Record single_times(const fs::path& folder) {
  Import import({});
  for (const double step : steps) {
    std::string bytes;
    for (int i = 0; i < 10; ++i) {
      const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(1e-5 * step * (i == 0 ? 2 : 1)));
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xFF);
    }
    const std::string name = fmt::format("{}.json-bin", step);
    fs::create_directories(folder / name);
    EXPECT_TRUE(write_file_atomically(folder / name / "0.bin", bytes));
    std::string text = nvbench(R"(, "--jsonbin", "o.json")", {{0, " N=1", 1.1e-5 * step}});
    text.insert(text.find("{\"tag\""), fmt::format(R"({{"tag": "nv/json/bin:nv/cold/sample_times", "data": [
      {{"name": "filename", "value": "{}/0.bin"}}, {{"name": "size", "value": "10"}}]}}, )",
                                                   name));
    const auto added = import.add(text, (folder / (name + ".json")).string());
    EXPECT_TRUE(added) << added.error().front().text();
  }
  return *std::move(import).take();
}

TEST(GpuTools, AMeanOfNvbenchIsNotComparedWithSingleTimes) {
  const TemporaryFolder folder;
  const Record each = single_times(folder.path());
  const Record means = *record_of(nvbench_runs("", 1.1), "x");
  EXPECT_EQ(each.cases[0].tool_case->parameters.at("sample"), "each");
  EXPECT_EQ(compare(means, each, Policy{}).verdict, Verdict::not_comparable);
  EXPECT_EQ(compare(each, each, Policy{}).verdict, Verdict::unchanged);
  EXPECT_EQ(compare(means, means, Policy{}).verdict, Verdict::unchanged);
}

TEST(GpuTools, AnotherGpuOfOneModelIsAnotherLaunchForNvbench) {
  EXPECT_EQ(judge(nvbench_runs(""), nvbench_runs("", 1, 1)).verdict, "unchanged");
  EXPECT_EQ(judge(nvbench_runs(""), nvbench_runs("", 1.1, 1)).of("copy/N=1"), "regressed");
  const std::vector<std::string> mixed{"NVIDIA H200", "NVIDIA L4"};
  EXPECT_EQ(judge(nvbench_runs("", 1, 0, mixed), nvbench_runs("", 1, 1, mixed)).verdict, "not_comparable");
  EXPECT_EQ(judge(nvbench_runs("", 1, 0, mixed), nvbench_runs("", 1, 0)).verdict, "unchanged")
      << "a GPU that did not run";
  const auto both =
      record_of({nvbench("", {{0, " N=1", 1e-5}, {1, " N=1", 2e-5}}, {"NVIDIA H200", "NVIDIA H200"})}, "x");
  ASSERT_TRUE(both) << both.error().front().text();
  EXPECT_THAT(ids_of(*both), ElementsAre("copy/N=1/device=0", "copy/N=1/device=1"));
}

// --- nsys

struct Launch {
  std::string name;
  double ns;
  int grid = 64, device = 0;
};

constexpr const char* nsys_tables = R"(CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT UNIQUE);
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ);
  CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, "end", deviceId, graphId);
  CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT);
  CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER);
)";

std::string gpus(const std::vector<std::string>& models) {
  std::string text;
  for (std::size_t i = 0; i < models.size(); ++i)
    text += fmt::format(
        "INSERT INTO TARGET_INFO_GPU VALUES ({0}, '{1}'); INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES ({0}, "
        "{0});\n",
        i, models[i]);
  return text;
}

std::string nsys(const std::vector<Launch>& launches, const std::string& more = gpus({"NVIDIA H200"})) {
  std::string text = nsys_tables + more;
  long long start = 1000;
  for (const Launch& one : launches) {
    const long long end = start + static_cast<long long>(one.ns);
    text += fmt::format(R"(INSERT OR IGNORE INTO StringIds(value) VALUES ('{0}');
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT {1}, {2}, {3}, id, {4}, 1, 1, 256, 1, 1 FROM StringIds WHERE value = '{0}';
)",
                        one.name, start, end, one.device, one.grid);
    start = end + 100;
  }
  return sqlite_text(text);
}

Files nsys_runs(const std::vector<Launch>& launches, const std::string& more = gpus({"NVIDIA H200"})) {
  return five(1, [&](double now) {
    std::vector<Launch> scaled = launches;
    for (Launch& one : scaled) one.ns *= now;
    return nsys(scaled, more);
  });
}

TEST(GpuTools, AnEventOfNoTimeFailsItsOwnCaseInNsys) {
  const Judged judged = judge(nsys_runs({{"a", 20000}, {"b", 50000}}), nsys_runs({{"a", 0}, {"b", 60000}}));
  EXPECT_EQ(judged.of("a"), "failed");
  EXPECT_EQ(judged.of("b"), "regressed");
}

TEST(GpuTools, ModelsOfUnusedGpusAreNoReasonInNsys) {
  const Files one = nsys_runs({{"a", 20000}});
  EXPECT_EQ(judge(one, nsys_runs({{"a", 20000}}, gpus({"NVIDIA H200", "NVIDIA H200"}))).verdict, "unchanged");
  EXPECT_EQ(judge(one, nsys_runs({{"a", 20000}}, gpus({"NVIDIA H200", "NVIDIA L4"}))).verdict, "unchanged");
  EXPECT_EQ(judge(one, nsys_runs({{"a", 20000, 64, 1}}, gpus({"NVIDIA H200", "NVIDIA L4"}))).verdict,
            "not_comparable");
  EXPECT_EQ(judge(one, nsys_runs({{"a", 20000}}, gpus({"NVIDIA L4"}))).verdict, "not_comparable");
}

TEST(GpuTools, ProcessesOnSeveralGpusOfANodeAreProcessesOfOneCase) {
  int device = 0;
  const Files files = five(1, [&](double now) {
    return nsys({{"a", 20000 * now, 64, device++ % 4}},
                gpus({"NVIDIA H200", "NVIDIA H200", "NVIDIA H200", "NVIDIA H200"}));
  });
  const auto record = record_of(files, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("a"));
  EXPECT_EQ(record->cases[0].processes.size(), 5U);
  const auto both = record_of({nsys({{"a", 20000, 64, 0}, {"a", 90000, 64, 1}})}, "x");
  EXPECT_THAT(ids_of(*both), ElementsAre("a/device=0", "a/device=1")) << "one process on two of them";
}

// Five files of graphs, whose numbers begin at another one in each.
Files graph_runs(int first, const std::vector<double>& ns) {
  return five(1, [&](double now) {
    std::string text = gpus({"NVIDIA H200"});
    first += 3;
    for (std::size_t i = 0; i < ns.size(); ++i)
      text += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ({}, {}, 0, {});\n", 1000 + i,
                          1000 + i + static_cast<std::size_t>(ns[i] * now), first + static_cast<int>(i));
    return nsys({}, text);
  });
}

TEST(GpuTools, GraphsOfNsysAreToldApartByTheirOrder) {
  const auto record = record_of(graph_runs(5, {1e6, 3e6}), "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("CUDA graph/graph=1 of 2", "CUDA graph/graph=2 of 2"));
  EXPECT_EQ(record->cases[1].processes.size(), 5U);
  const Judged slower = judge(graph_runs(5, {1e6, 3e6}), graph_runs(90, {1e6, 4e6}));
  EXPECT_EQ(slower.of("CUDA graph/graph=1 of 2"), "unchanged");
  EXPECT_EQ(slower.of("CUDA graph/graph=2 of 2"), "regressed");
  EXPECT_EQ(judge(graph_runs(5, {1e6, 3e6}), graph_runs(5, {2e6, 1e6, 3e6})).of("CUDA graph/graph=1 of 3"),
            "missing")
      << "nothing tells which one is new";
}

TEST(GpuTools, KernelsPairInOrderOnlyWhereTheirSizesStandInOneOrder) {
  const Files base = nsys_runs({{"k", 20000, 64}, {"k", 80000, 128}});
  const Judged kept = judge(base, nsys_runs({{"k", 20000, 96}, {"k", 80000, 1000}}));
  EXPECT_EQ(kept.verdict, "unchanged") << "both grids are larger";
  const Judged turned = judge(base, nsys_runs({{"k", 80000, 1000}, {"k", 20000, 96}}));
  EXPECT_EQ(turned.of("k/grid=1000"), "missing");
  EXPECT_EQ(turned.of("k/grid=64"), "missing");
  EXPECT_EQ(judge(base, nsys_runs({{"k", 80000, 128}, {"k", 20000, 64}})).verdict, "unchanged")
      << "the same grids in another order";
  EXPECT_EQ(judge(nsys_runs({{"k", 20000, 64}}), nsys_runs({{"k", 20000, 8}})).verdict, "unchanged");
}

TEST(GpuTools, NsysTellsHostAndDay) {
  const auto on = [](const char* host, long long day, double ns) {
    return nsys({{"a", ns}}, gpus({"NVIDIA H200"}) +
                                 fmt::format(R"(CREATE TABLE TARGET_INFO_SYSTEM_ENV(name, nameEnum, value);
      INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 1, '{}'), ('CudaDriverVersion', 2, '13.0');
      CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs, utcTime, localTime);
      INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ({}, '', '');)",
                                             host, 1'790'000'000'000'000'000 + day * 86'400'000'000'000));
  };
  EXPECT_FALSE(record_of({on("a", 0, 20000), on("b", 0, 20001)}, "x"));
  EXPECT_FALSE(record_of({on("a", 0, 20000), on("a", 2, 20001)}, "x"));
  const auto record = record_of({on("a", 0, 20000), on("a", 0, 20001)}, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->started, "2026-09-21T14:13:20Z");
  EXPECT_EQ(field_of(*record, "CudaDriverVersion").kind, FieldClass::warn);
}

TEST(GpuTools, NsysReadsTheNewestTableThatHasRowsAndSkipsWhatHasNoName) {
  const std::string empty =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE 0;";
  EXPECT_EQ(
      judge(nsys_runs({{"a", 20000}}), nsys_runs({{"a", 20000}}, gpus({"NVIDIA H200"}) + empty)).verdict,
      "unchanged");
  const std::string unnamed =
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 9, 0, 99, 1, 1, 1, 1, 1, 1);";
  Import import({});
  ASSERT_TRUE(import.add(nsys({{"a", 20000}}, unnamed), "x"));
  EXPECT_THAT(import.remarks(), ElementsAre(HasSubstr("1 events have no name")));
  EXPECT_THAT(ids_of(*std::move(import).take()), ElementsAre("a"));
}

TEST(GpuTools, CopiesOfNsysAreCasesOfTheirKindAndSize) {
  const auto copied = [](double factor, int source) {
    return five(factor, [&](double now) {
      return sqlite_text(fmt::format(
          R"(CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, "end", deviceId, bytes, copyKind, srcKind, dstKind);
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 10 + {0}, 0, 64, 1, {1}, 3), (10, 10 + 5 * {0}, 0, 4096, 1, {1}, 3), (10, 10 + {0}, 0, 64, 8, 3, 3);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start, "end", deviceId, bytes); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (5, 5 + {0}, 0, 64))",
          static_cast<int>(9000 * now), source));
    });
  };
  const auto record = record_of(copied(1, 1), "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record),
              ElementsAre("[CUDA memcpy Host-to-Device]/bytes=64", "[CUDA memcpy Host-to-Device]/bytes=4096",
                          "[CUDA memcpy Device-to-Device]", "[CUDA memset]"));
  EXPECT_EQ(record->cases[0].tool_case->launch.at("memory"), "pageable-device");
  EXPECT_EQ(judge(copied(1, 1), copied(3, 1)).verdict, "regressed");
  EXPECT_EQ(judge(copied(1, 1), copied(0.3, 2)).verdict, "improved") << "from pinned memory";
}

TEST(GpuTools, NsysSaysWhatAnExportHoldsInstead) {
  EXPECT_THAT(error_of(sqlite_text("CREATE TABLE StringIds(id, value); CREATE TABLE moz_places(id)")),
              HasSubstr("another program"));
  EXPECT_THAT(error_of(sqlite_text("CREATE TABLE TARGET_INFO_GPU(id, name)")),
              HasSubstr("--trace=cuda,nvtx"));
}

// --- ncu

std::string ncu_lines(const std::vector<std::string>& lines, const std::string& time_unit = "ns",
                      const std::string& sum_unit = "byte") {
  std::string text =
      R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","dram__bytes.sum")"
      "\n";
  text += fmt::format(R"("","","","","","","","","","","","{}","{}")", time_unit, sum_unit) + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string ncu_line(const std::string& time, const std::string& bytes = "8,000", int id = 0, int device = 0,
                     const std::string& program = "app") {
  return fmt::format(
      R"csv("{}","4711","{}","127.0.0.1","k","1","7","(256, 1, 1)","(80, 1, 1)","{}","9.0","{}","{}")csv", id,
      program, device, time, bytes);
}

double ncu_time(const std::string& text) {
  const auto record = import_samples(text, "x");
  EXPECT_TRUE(record) << record.error().front().text();
  return record ? record->cases[0].series[0].processes[0].placements[0].samples[0] : 0;
}

TEST(GpuTools, NumbersOfNcuInAnotherLocaleAreRefused) {
  for (const auto& [unit, number] : std::vector<std::pair<std::string, std::string>>{{"us", "4,38"},
                                                                                     {"us", "4,384"},
                                                                                     {"ns", "4.384"},
                                                                                     {"ns", "4.38"},
                                                                                     {"ns", "4 384"},
                                                                                     {"ns", "4\u2019384"},
                                                                                     {"ns", "4,38"},
                                                                                     {"ns", "43,84"},
                                                                                     {"ns", "4384,384"},
                                                                                     {"us", "4.384,5"},
                                                                                     {"ns", ",384"}})
    EXPECT_THAT(error_of(ncu_lines({ncu_line(number)}, unit)), HasSubstr("LC_ALL=C"))
        << number << " " << unit;
  EXPECT_EQ(ncu_time(ncu_lines({ncu_line("4,384")})), 4.384);
  EXPECT_EQ(ncu_time(ncu_lines({ncu_line("1,234,567")})), 1234.567);
  EXPECT_EQ(ncu_time(ncu_lines({ncu_line("992")})), 0.992);
  EXPECT_EQ(ncu_time(ncu_lines({ncu_line("4.38")}, "us")), 4.38);
  EXPECT_EQ(ncu_time(ncu_lines({ncu_line("1,004.38")}, "us")), 1004.38);
  EXPECT_THAT(error_of(ncu_lines({ncu_line("992", "8.000")})), HasSubstr("dram__bytes.sum"));
}

TEST(GpuTools, BytesOfNcuAreBytesInAnyUnit) {
  const auto runs = [](const std::string& bytes, const std::string& unit) {
    int time = 40000;
    return five(1, [&](double) { return ncu_lines({ncu_line(std::to_string(++time), bytes)}, "ns", unit); });
  };
  const Judged judged = judge(runs("8,000,000", "byte"), runs("8.00", "Mbyte"));
  EXPECT_EQ(judged.of("k", "dram__bytes.sum"), "unchanged");
  EXPECT_EQ(judge(runs("8,000", "byte"), runs("8.00", "Kbyte")).of("k", "dram__bytes.sum"), "unchanged");
  EXPECT_EQ(judge(runs("8,000", "byte"), runs("16.00", "Kbyte")).of("k", "dram__bytes.sum"), "regressed");
}

TEST(GpuTools, ClocksThatNcuDoesNotLockAreNotComparable) {
  const auto runs = [](const std::string& note) {
    return five(1,
                [&](double now) { return note + ncu_lines({ncu_line(fmt::format("{:.0f}", 40000 * now))}); });
  };
  const std::string free =
      "==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, \n";
  EXPECT_EQ(judge(runs(free), runs("==PROF== Connected\n")).verdict, "not_comparable");
  EXPECT_EQ(judge(runs(free), runs(free)).verdict, "unchanged");
}

TEST(GpuTools, TwoRunsInOneFileOfNcuAreRefused) {
  const std::string one = ncu_lines({ncu_line("4,000"), ncu_line("4,010", "1", 1)});
  EXPECT_THAT(error_of(one + ncu_lines({ncu_line("8,000", "1", 0, 0, "app_new")})), HasSubstr("two runs"));
  EXPECT_EQ(error_of(one + ncu_lines({ncu_line("8,000", "1", 2)})), "accepted")
      << "a second table of one run";
  EXPECT_EQ(error_of(one + ncu_lines({ncu_line("4,020", "1", 0)})), "accepted") << "of one process";
}

TEST(GpuTools, LinesOfTheProgramAreNoLinesOfTheTableOfNcu) {
  const std::string plain = ncu_lines({ncu_line("4,000")});
  std::string text = plain;
  text.insert(text.find('\n') + 1, "step done\n");
  text += "Done: 5 iterations, result = 3\nanother line, with commas\n";
  Import import({});
  const auto added = import.add(text, "x");
  ASSERT_TRUE(added) << added.error().front().text();
  EXPECT_THAT(import.remarks(),
              ElementsAre(HasSubstr("3 lines are no part of the table, the first is line 2")));
  EXPECT_EQ(std::move(import).take()->cases.size(), 1U);
  EXPECT_THAT(error_of(ncu_lines({"50 %" + ncu_line("4,000")})), HasSubstr("--log-file"));
  Import quiet({});
  ASSERT_TRUE(quiet.add(plain + "==PROF== Disconnected from process 1\n", "x"));
  EXPECT_THAT(quiet.remarks(), IsEmpty());
}

TEST(GpuTools, ProgramsAndGpusOfNcu) {
  EXPECT_FALSE(
      record_of({ncu_lines({ncu_line("4,000")}), ncu_lines({ncu_line("4,001", "1", 0, 0, "other")})}, "x"));
  const auto record =
      record_of({ncu_lines({ncu_line("4,000")}), ncu_lines({ncu_line("4,001", "1", 0, 1)})}, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->cases[0].processes.size(), 2U) << "processes on two GPUs";
}

// --- PyTorch's profiler

std::string trace(const std::string& kind, double us, int device = 0,
                  const std::vector<std::string>& models = {"NVIDIA H200", "NVIDIA H200"}) {
  std::string all;
  for (std::size_t i = 0; i < models.size(); ++i)
    all += fmt::format(R"({}{{"id": {}, "name": "{}", "numSms": 132}})", i == 0 ? "" : ", ", i, models[i]);
  return fmt::format(R"({{"schemaVersion": 1, "deviceProperties": [{}], "traceEvents": [
    {{"ph": "X", "cat": "{}", "name": "k", "ts": 5, "dur": {}, "args": {{"device": {}, "grid": [8, 4, 1], "block": [128, 1, 1]}}}}]}})",
                     all, kind, us, device);
}

Files traces(const std::string& kind, int device = 0,
             const std::vector<std::string>& models = {"NVIDIA H200", "NVIDIA H200"}) {
  return five(1, [&](double now) { return trace(kind, 20 * now, device, models); });
}

TEST(GpuTools, OlderTracesOfPyTorchSpellTheirKindsOtherwise) {
  EXPECT_EQ(judge(traces("Kernel"), traces("kernel")).verdict, "unchanged");
  EXPECT_EQ(judge(traces("Memcpy"), traces("gpu_memcpy")).verdict, "unchanged");
  EXPECT_EQ(judge(traces("Memset"), traces("gpu_memset")).verdict, "unchanged");
  const auto steps = import_samples(R"({"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "Operator", "name": "ProfilerStep#3", "ts": 5, "dur": 9},
    {"ph": "X", "cat": "Operator", "name": "aten::add", "ts": 6, "dur": 2}]})",
                                    "x");
  ASSERT_TRUE(steps) << steps.error().front().text();
  EXPECT_THAT(ids_of(*steps), ElementsAre(":ProfilerStep"));
}

TEST(GpuTools, WhatPyTorchRecordsBesidesIsShown) {
  const Files plain = traces("kernel");
  for (const char* name : {"with_stack", "record_shapes", "profile_memory", "with_flops", "with_modules"}) {
    Files more = plain;
    for (std::string& text : more) text.insert(1, fmt::format(R"("{}": 1, )", name));
    EXPECT_EQ(judge(plain, more).verdict, "told") << name;
  }
}

TEST(GpuTools, ModelsOfUnusedGpusAreNoReasonInPyTorch) {
  const std::vector<std::string> mixed{"NVIDIA H200", "NVIDIA L4"};
  EXPECT_EQ(judge(traces("kernel"), traces("kernel", 1)).verdict, "unchanged");
  EXPECT_EQ(judge(traces("kernel"), traces("kernel", 0, mixed)).verdict, "unchanged");
  EXPECT_EQ(judge(traces("kernel"), traces("kernel", 1, mixed)).verdict, "not_comparable");
}

}  // namespace
}  // namespace harness
