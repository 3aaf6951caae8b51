// Programs in a run: a scripted starter plays them, so nothing but the worker that tells the machine is
// started.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/stack_padding.h"
#include "harness/device/trace/trace_writer.h"
#include "harness/measure/program/program_results.h"
#include "harness/measure/schedule/run.h"
#include "tests/measure/cases.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ProcessResult benchmark(const std::string& name, int process, double us) {
  ProcessResult result;
  result.case_id = name;
  result.process = process;
  Placement placement{{us}};
  result.series = {{"wall_time", "us", Direction::lower_is_better, {{process, {placement}}}}};
  return result;
}

class Programs : public testing::Test {
 protected:
  Programs() {
    const std::filesystem::path script = folder_.path() / "script.json";
    std::ofstream(script) << R"({"version": 1, "device_uuid": "uuid-7", "default": {"us": 100}})";
    options_.devices["cpu"] = "scripted:" + script.string();
    options_.worker_command = {TEST_WORKER};
    options_.on_result = [&](EncodedResult one) -> Status {
      results_.push_back(std::move(one.result));
      return {};
    };
    options_.on_machine = [&](const std::string&, const Machine& machine) { machines_.push_back(machine); };
    options_.on_progress = [&](const Progress& progress) { progress_ = progress; };
    options_.on_case = [&](const PlannedCase& planned) -> Status {
      found_.push_back(planned);
      return {};
    };
    options_.start_program = [&](const ProgramStart& start, const auto&) -> Result<ProgramEnd> {
      started_.push_back(start);
      return play_(start);
    };
    options_.read_program = [&](const std::string&, const std::string& text, const std::string&,
                                int process) -> Checked<std::vector<ProcessResult>> {
      if (text == "nonsense")
        return tl::unexpected(std::vector<Error>{{ErrorKind::usage, "is no JSON", {"out", 1}, {}}});
      std::vector<ProcessResult> rows;
      for (const char name : text) {
        rows.push_back(benchmark(std::string(1, name), process, 10));
        if (name == '!') rows.back().outcome = Outcome::failed;
      }
      return rows;
    };
  }

  PlannedCase& add(const std::string& name, const std::string& reads = "") {
    PlannedCase& planned = plan_.cases.emplace_back();
    planned.id = planned.workload = name;
    planned.device = "cpu";
    planned.sampling.processes = 2;
    planned.sampling.warmup = 0;
    planned.sampling.timeout = 7;
    planned.program = Program{name, {"./" + name}, "/folder", {{"A", "b"}}, reads};
    return planned;
  }
  void run() {
    const Result<RunReport> report = run_plan(plan_, options_);
    ASSERT_TRUE(report) << report.error().text();
  }
  // "prog 1 measured"
  [[nodiscard]] std::vector<std::string> outcomes() const {
    std::vector<std::string> all;
    for (const ProcessResult& one : results_)
      all.push_back(fmt::format("{} {} {}", one.case_id, one.process, name_of(one.outcome)));
    return all;
  }

  TemporaryFolder folder_;
  Plan plan_;
  RunOptions options_;
  std::function<ProgramEnd(const ProgramStart&)> play_ = [](const ProgramStart&) { return ProgramEnd{}; };
  std::vector<ProgramStart> started_;
  std::vector<ProcessResult> results_;
  std::vector<PlannedCase> found_;
  std::vector<Machine> machines_;
  Progress progress_;
};

TEST_F(Programs, AStartIsAProcessWithItsTimesAndMemory) {
  add("prog");
  play_ = [](const ProgramStart&) {
    ProgramEnd end;
    end.exit.used = {0.25, 0.125, 4096};
    end.wall = 0.5;
    end.began = 12;
    return end;
  };
  run();
  EXPECT_THAT(outcomes(), ElementsAre("prog 1 measured", "prog 2 measured"));
  ASSERT_THAT(results_.at(1).series, SizeIs(4));
  const std::vector<std::pair<std::string, double>> wanted{
      {"wall_time", 5e5}, {"user_time", 2.5e5}, {"system_time", 1.25e5}, {"peak_memory", 4096}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Series& series = results_[1].series[i];
    EXPECT_EQ(series.metric, wanted[i].first);
    EXPECT_EQ(series.processes.at(0).process, 2);
    EXPECT_EQ(series.processes[0].placements.at(0).samples, std::vector{wanted[i].second});
    EXPECT_EQ(series.processes[0].placements[0].started, 12);
  }
  EXPECT_EQ(started_.at(0).command.argv, std::vector<std::string>{"./prog"});
  EXPECT_EQ(started_[0].command.folder, "/folder");
  EXPECT_EQ(started_[0].command.environment.at("A"), "b");
  EXPECT_EQ(started_[0].timeout, 7);
  EXPECT_FALSE(started_[0].keep_output);
  ASSERT_THAT(machines_, SizeIs(1));
  EXPECT_EQ(machines_[0].device_uuid, "uuid-7");
  EXPECT_EQ(progress_.done, 2U);
  EXPECT_EQ(progress_.total, 2U);
}

// A program is compared by its own variables: they stay as the suite has them.
TEST_F(Programs, AStackLiesElsewhereInEachProcess) {
  add("prog").program->prepare = "make";
  add("own").program->env = {{stack_padding_variable, "mine"}};
  run();
  ASSERT_THAT(started_, SizeIs(6));
  std::map<std::string, std::vector<std::string>> seen;
  for (const ProgramStart& one : started_)
    seen[one.command.argv.back()].push_back(one.command.environment.at(stack_padding_variable));
  const auto each_process = ElementsAre(stack_padding(1), stack_padding(2));
  EXPECT_THAT(seen["./prog"], each_process);
  EXPECT_THAT(seen["make"], each_process);
  EXPECT_THAT(seen["./own"], ElementsAre("mine", "mine"));
  EXPECT_THAT(plan_.cases.front().program->env, ElementsAre(testing::Pair("A", "b")));
}

TEST_F(Programs, AStartTellsTheLoadOfTheHostBesideItsTimes) {
  add("prog");
  add("bench", "google_benchmark");
  const HostLoad load{.others = 1.5, .queue = 2, .stalled = 0.4};
  play_ = [&](const ProgramStart& start) {
    ProgramEnd end;
    end.load = load;
    if (start.keep_output) end.output = "x";
    return end;
  };
  run();
  int watched = 0;
  for (const ProcessResult& one : results_)
    for (const Series& series : one.series) {
      const Placement& placement = series.processes.at(0).placements.at(0);
      const bool suffers = series.metric.ends_with("_time");
      ASSERT_EQ(placement.conditions.has_value(), suffers) << one.case_id << " " << series.metric;
      if (!suffers) continue;
      EXPECT_EQ(placement.conditions->load, load);
      ++watched;
    }
  EXPECT_EQ(watched, 2 * 7) << "prog, bench and bench/x, in two processes";
}

TEST_F(Programs, PreparesEachStartAndWarmsUpBeforeTheFirst) {
  add("prog").sampling.warmup = 2;
  plan_.cases[0].program->prepare = "make clean";
  run();
  ASSERT_THAT(started_, SizeIs(2 * (2 + 1 + 1)));
  for (std::size_t i = 0; i < started_.size(); i += 2)
    EXPECT_THAT(started_[i].command.argv, ElementsAre("/bin/sh", "-c", "make clean"));
  EXPECT_THAT(results_, SizeIs(2));
}

TEST_F(Programs, EachBenchmarkInTheOutputIsACase) {
  add("prog", "google_benchmark");
  int start = 0;
  play_ = [&](const ProgramStart& one) {
    EXPECT_TRUE(one.keep_output);
    ProgramEnd end;
    end.output = start++ == 0 ? "xy" : "x";
    return end;
  };
  run();
  EXPECT_THAT(outcomes(), ElementsAre("prog/x 1 measured", "prog/y 1 measured", "prog 1 measured",
                                      "prog/x 2 measured", "prog/y 2 failed", "prog 2 measured"));
  EXPECT_EQ(results_.back().series.at(0).metric, "process_time");
  ASSERT_THAT(found_, SizeIs(3));
  EXPECT_EQ(found_[1].id, "prog/y");
  EXPECT_EQ(found_[1].workload, "prog");
  EXPECT_EQ(found_[1].variant, "y");
  EXPECT_TRUE(found_[1].is_benchmark());
  EXPECT_EQ(progress_.done, 2U);
}

// Else a later start that names more would hide what the first ones lack.
TEST_F(Programs, EachStartNamesTheSameBenchmarks) {
  add("prog", "google_benchmark");
  int start = 0;
  play_ = [&](const ProgramStart&) {
    ProgramEnd end;
    end.output = start++ == 0 ? "x" : "xy";
    return end;
  };
  run();
  EXPECT_THAT(outcomes(), ElementsAre("prog/x 1 measured", "prog 1 measured", "prog/x 2 measured",
                                      "prog/y 2 measured", "prog/y 1 failed", "prog 2 measured"));
}

TEST_F(Programs, ReadsTheFileThatTheCommandNames) {
  add("prog", "google_benchmark").program->command = {"./prog", "--out={output}"};
  play_ = [&](const ProgramStart& one) {
    EXPECT_FALSE(one.keep_output);
    const std::string& word = one.command.argv.at(1);
    std::ofstream(word.substr(word.find('=') + 1)) << "z";
    return ProgramEnd{};
  };
  run();
  EXPECT_THAT(outcomes(), Contains("prog/z 2 measured"));
}

TEST_F(Programs, MeasuresSomeBenchmarksAlone) {
  const PlannedCase program = add("prog", "google_benchmark");
  plan_.cases = {benchmark_case(program, "y"), benchmark_case(program, "gone")};
  for (PlannedCase& one : plan_.cases) one.sampling.processes = 1;
  play_ = [](const ProgramStart&) {
    ProgramEnd end;
    end.output = "xy";
    return end;
  };
  run();
  EXPECT_THAT(started_, SizeIs(1));
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_THAT(outcomes(), ElementsAre("prog/y 1 measured", "prog/gone 1 failed"));
  EXPECT_EQ(results_.back().reason->code, CauseCode::no_benchmark);
}

TEST_F(Programs, AFailedStartIsNotTriedAgainAndTellsItsLastLines) {
  add("prog");
  add("other");
  play_ = [](const ProgramStart& start) {
    ProgramEnd end;
    if (start.command.argv[0] == "./prog") end.exit.code = 3;
    end.printed = "no model";
    return end;
  };
  run();
  for (const ProcessResult& one : results_) {
    if (one.case_id == "other") {
      EXPECT_EQ(one.outcome, Outcome::measured);
      continue;
    }
    EXPECT_EQ(one.outcome, one.process == 1 ? Outcome::failed : Outcome::skipped);
    if (one.process > 1) continue;
    EXPECT_EQ(one.reason->code, CauseCode::program_ended);
    EXPECT_EQ(one.reason->count("status"), 3);
    EXPECT_EQ(one.reason->text("printed"), "no model");
  }
  EXPECT_THAT(started_, SizeIs(3));
}

TEST_F(Programs, TellsTimeoutsBadOutputAndProgramsThatDoNotStart) {
  add("slow").sampling.processes = 1;
  add("odd", "google_benchmark").sampling.processes = 1;
  add("absent").sampling.processes = 1;
  options_.start_program = [](const ProgramStart& start, const auto&) -> Result<ProgramEnd> {
    const std::string& name = start.command.argv.at(0);
    if (name == "./absent") return fail(ErrorKind::environment, "`./absent` could not be started");
    ProgramEnd end;
    end.timed_out = name == "./slow";
    end.output = "nonsense";
    return end;
  };
  run();
  ASSERT_THAT(results_, SizeIs(3));
  for (const ProcessResult& one : results_) {
    EXPECT_EQ(one.outcome, one.case_id == "slow" ? Outcome::timed_out : Outcome::failed);
    EXPECT_EQ(one.reason->code, one.case_id == "slow"  ? CauseCode::timed_out
                                : one.case_id == "odd" ? CauseCode::program_output
                                                       : CauseCode::program_not_started);
  }
}

TEST_F(Programs, ALookStartsNone) {
  add("prog");
  options_.look = true;
  run();
  EXPECT_THAT(started_, IsEmpty());
  EXPECT_THAT(results_, IsEmpty());
}

class ObservedPrograms : public Programs {
 protected:
  ObservedPrograms() {
    add("prog", "samples").program->inputs = files_inputs;
    play_ = [this](const ProgramStart& start) {
      ProgramEnd end;
      end.output = "a";
      if (start.seen == nullptr) return end;
      ++observed_;
      start.seen->open(data_.string(), O_RDONLY, 0);
      if (fails_) end.exit.code = 3;
      if (makes_) {  // a cache
        start.seen->probe(cache_.string(), LastLink::followed, 0);
        std::ofstream(cache_) << "1";
      }
      return end;
    };
    std::ofstream(data_) << "1";
  }
  // One of each result, "": it has none.
  [[nodiscard]] std::vector<std::string> digests() const {
    std::vector<std::string> all;
    for (const ProcessResult& one : results_) all.push_back(one.identity ? one.identity->digest : "");
    return all;
  }

  std::filesystem::path data_ = folder_.path() / "data", cache_ = folder_.path() / "cache";
  int observed_ = 0;
  bool fails_ = false, makes_ = false;
};

TEST_F(ObservedPrograms, HaveOneStartMoreWhoseFilesTheFirstProcessTells) {
  run();
  EXPECT_THAT(started_, SizeIs(3));
  EXPECT_EQ(observed_, 1);
  EXPECT_THAT(outcomes(),
              ElementsAre("prog/a 1 measured", "prog 1 measured", "prog/a 2 measured", "prog 2 measured"));
  const std::string digest = results_.at(0).identity->digest;
  EXPECT_TRUE(digest.starts_with("4.")) << digest;
  EXPECT_THAT(digests(), ElementsAre(digest, digest, "", ""));
  EXPECT_THAT(results_[0].identity->files, IsEmpty()) << "the program's own result has them";
  EXPECT_THAT(results_[1].identity->files, Contains(testing::Key("file:" + data_.string())));
  for (const char* key : {"word:0000", "variable:A"})
    EXPECT_THAT(results_[1].identity->files, Contains(testing::Key(key)));
}

TEST_F(ObservedPrograms, AreLookedAtInOneStart) {
  run();
  const std::string digest = digests().front();
  results_.clear();
  started_.clear();
  options_.look = true;
  run();
  EXPECT_THAT(started_, SizeIs(1));
  EXPECT_THAT(outcomes(), ElementsAre("prog/a 0 looked_at", "prog 0 looked_at"));
  EXPECT_THAT(digests(), ElementsAre(digest, digest));
  for (const ProcessResult& one : results_) EXPECT_THAT(one.series, IsEmpty());
  results_.clear();
  std::ofstream(data_) << "2";
  run();
  EXPECT_NE(digests().front(), digest);
}

TEST_F(ObservedPrograms, AreStartedOnceMoreWhereTheyLeaveACache) {
  makes_ = true;
  options_.look = true;
  run();
  EXPECT_EQ(observed_, 2);
  const std::string digest = digests().front();
  results_.clear();
  run();
  EXPECT_EQ(observed_, 3);
  EXPECT_EQ(digests().front(), digest);
}

TEST_F(ObservedPrograms, AreNotTheSameWithAnotherPreparation) {
  options_.look = true;
  run();
  const std::string digest = digests().front();
  results_.clear();
  plan_.cases.front().program->prepare = "make data";
  run();
  EXPECT_NE(digests().front(), digest);
}

TEST_F(ObservedPrograms, ProveNothingWhereABenchmarkFails) {
  options_.look = true;
  const auto good = play_;
  play_ = [good](const ProgramStart& start) {
    ProgramEnd end = good(start);
    end.output = "a!";
    return end;
  };
  run();
  ASSERT_THAT(results_, SizeIs(3));
  for (const ProcessResult& one : results_) {
    EXPECT_EQ(one.identity->digest, "");
    EXPECT_EQ(one.identity->gap->text("gap"), "failed");
  }
}

TEST_F(ObservedPrograms, AreMeasuredWhereTheObservedStartFails) {
  fails_ = true;
  run();
  EXPECT_THAT(outcomes(),
              ElementsAre("prog/a 1 measured", "prog 1 measured", "prog/a 2 measured", "prog 2 measured"));
  ASSERT_TRUE(results_.at(1).identity && results_[1].identity->gap);
  EXPECT_EQ(results_[1].identity->gap->text("gap"), "failed");
}

// Plays the library: a trace of three steps of two kernels, where one is asked for.
ProgramEnd leave_trace(const ProgramStart& start, std::uint64_t dropped) {
  ProgramEnd end;
  end.wall = 2;
  end.began = 12;
  const auto folder = start.command.environment.find("HARNESS_TRACE_FOLDER");
  if (folder == start.command.environment.end()) {
    end.wall = 1;
    return end;
  }
  trace::TraceWriter writer;
  EXPECT_TRUE(writer.open((folder->second + "/7-1.trace").c_str(), 7, 1));
  std::uint64_t clock = 1000;
  for (std::uint32_t i = 0; i < 6; ++i) {
    trace::ShapeRecord shape;
    shape.name = writer.text(i % 2 == 0 ? "gemm" : "norm");
    shape.code = writer.text("code");
    shape.grid[0] = shape.grid[1] = shape.grid[2] = 1;
    shape.block[0] = shape.block[1] = shape.block[2] = 1;
    trace::LaunchRecord launch;
    launch.shape = writer.shape(shape);
    launch.start = clock;
    launch.end = clock += i % 2 == 0 ? 3000 : 1000;
    launch.correlation = i + 1;
    writer.launch(launch);
    const trace::Asked asked{i + 1, 5, 0};
    writer.asked({&asked, 1});
    const trace::Called called{i + 1, writer.text("step\ntrain.py:41 in loss\nlaunch")};
    if (start.command.environment.at("HARNESS_TRACE_CONTENTS") == "on") writer.called({&called, 1});
  }
  writer.tally(dropped, clock, true);
  return end;
}

class TracedPrograms : public Programs {
 protected:
  TracedPrograms() {
    setenv("HARNESS_TRACE_LIBRARY", TEST_WORKER, 1);  // one must be there
    add("prog", trace_format);
  }
  ~TracedPrograms() override { unsetenv("HARNESS_TRACE_LIBRARY"); }
};

TEST_F(TracedPrograms, HaveTheTimesOfAStepAndACaseAKernel) {
  play_ = [](const ProgramStart& start) { return leave_trace(start, 0); };
  run();
  // One start without the trace, one that hashes what comes from the host, then one a process.
  ASSERT_THAT(started_, SizeIs(4));
  EXPECT_FALSE(started_[0].command.environment.contains("CUDA_INJECTION64_PATH"));
  EXPECT_TRUE(started_[1].command.environment.contains("CUDA_INJECTION64_PATH"));
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_EQ(started_[i].command.environment.at("HARNESS_TRACE_CONTENTS"), i == 1 ? "on" : "off") << i;
  EXPECT_TRUE(started_[1].command.environment.contains("NVTX_INJECTION64_PATH"));
  EXPECT_THAT(outcomes(),
              ElementsAre("prog/gemm/grid=1/block=1 1 measured", "prog/norm/grid=1/block=1 1 measured",
                          "prog 1 measured", "prog/gemm/grid=1/block=1 2 measured",
                          "prog/norm/grid=1/block=1 2 measured", "prog 2 measured"));
  const ProcessResult& own = results_.at(2);
  ASSERT_THAT(own.series, SizeIs(9));
  EXPECT_EQ(own.series[0].metric, "kernel_time");
  EXPECT_EQ(own.series[0].processes[0].placements[0].samples, (std::vector<double>{4, 4, 4}));
  EXPECT_EQ(own.series[1].metric, "busy_time");
  EXPECT_EQ(own.series[5].metric, "wall_time");
  ASSERT_THAT(own.kernels, SizeIs(2));
  EXPECT_EQ(own.kernels[0].name, "gemm");
  ASSERT_THAT(own.kernels[0].callers, SizeIs(1)) << "the start that is not timed saw them";
  EXPECT_EQ(own.kernels[0].callers[0], (Caller{"step", "train.py:41 in loss", "launch", 3}));
  EXPECT_EQ(results_.at(0).kernels.at(0).callers, own.kernels[0].callers);
  EXPECT_TRUE(results_.at(5).kernels.at(0).callers.empty()) << "one process is enough";
  ASSERT_THAT(own.notes, SizeIs(2));
  EXPECT_EQ(own.notes[0].code, NoteCode::steps_found);
  EXPECT_EQ(own.notes[1].code, NoteCode::trace_overhead);
  EXPECT_EQ(own.notes[1].number("traced"), 2);
  EXPECT_EQ(own.notes[1].number("untraced"), 1);
  EXPECT_EQ(results_[0].series.at(0).processes[0].placements[0].samples, (std::vector<double>{3, 3, 3}));
}

TEST_F(TracedPrograms, FailWithTheReasonWhereTheTraceIsVoid) {
  play_ = [](const ProgramStart& start) { return leave_trace(start, 5); };
  run();
  ASSERT_FALSE(results_.empty());
  EXPECT_EQ(results_[0].outcome, Outcome::failed);
  EXPECT_EQ(results_[0].reason->code, CauseCode::trace_lost_records);
}

// A look is one traced start, without times. Its kernels are told, though no plan names them.
TEST_F(TracedPrograms, AreLookedAtInOneStart) {
  play_ = [](const ProgramStart& start) { return leave_trace(start, 0); };
  options_.look = true;
  run();
  ASSERT_THAT(started_, SizeIs(1));
  EXPECT_TRUE(started_[0].command.environment.contains("CUDA_INJECTION64_PATH"));
  EXPECT_EQ(started_[0].command.environment.at("HARNESS_TRACE_CONTENTS"), "on");
  EXPECT_THAT(outcomes(), ElementsAre("prog/gemm/grid=1/block=1 0 looked_at",
                                      "prog/norm/grid=1/block=1 0 looked_at", "prog 0 looked_at"));
  EXPECT_THAT(found_, IsEmpty());
  const std::string digest = results_.at(2).identity->digest;
  EXPECT_FALSE(digest.empty());
  for (const ProcessResult& one : results_) {
    EXPECT_THAT(one.series, IsEmpty());
    EXPECT_EQ(one.identity->digest, digest) << "of the step as a whole";
  }
  options_.look = false;
  results_.clear();
  run();
  for (const ProcessResult& one : results_) EXPECT_EQ(one.identity->digest, digest);
}

TEST_F(TracedPrograms, FailALookWhereTheTraceIsVoid) {
  play_ = [](const ProgramStart& start) { return leave_trace(start, 5); };
  options_.look = true;
  run();
  EXPECT_THAT(outcomes(), ElementsAre("prog 0 failed"));
}

// A kernel that a process does without is no failure of it.
TEST_F(TracedPrograms, MayLackAKernelInAProcess) {
  PlannedCase kernel = benchmark_case(plan_.cases[0], "rare/grid=1/block=1");
  plan_.cases.push_back(kernel);
  play_ = [](const ProgramStart& start) { return leave_trace(start, 0); };
  run();
  for (const ProcessResult& one : results_) EXPECT_EQ(one.outcome, Outcome::measured);
}

}  // namespace
}  // namespace harness
