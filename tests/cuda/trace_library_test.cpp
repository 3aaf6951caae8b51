// The library that traces programs, in a program that loads it as CUDA does, against the stand-in for CUPTI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/trace/summarise_trace.h"

namespace harness::trace {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

class TraceLibrary : public testing::Test {
 protected:
  std::vector<ProcessTrace> run(const std::string& how, const std::string& contents = "off") {
    return run_program({TRACED_PROGRAM, "6", how}, contents);
  }
  std::vector<ProcessTrace> run_program(std::vector<std::string> argv, const std::string& contents,
                                        const std::string& preloaded = "") {
    std::map<std::string, std::string> environment{{"HARNESS_CUPTI", FAKE_CUPTI_LIBRARY},
                                                   {"CUDA_INJECTION64_PATH", TRACE_LIBRARY},
                                                   {"NVTX_INJECTION64_PATH", TRACE_LIBRARY},
                                                   {"HARNESS_TRACE_CONTENTS", contents},
                                                   {"HARNESS_TRACE_FOLDER", folder_.path().string()}};
    if (!preloaded.empty()) environment["LD_PRELOAD"] = preloaded;
    const auto output = run_command({.argv = std::move(argv), .environment = std::move(environment)});
    EXPECT_TRUE(output);
    exit_ = output->exit;
    const auto traces = read_traces(folder_.path());
    EXPECT_TRUE(traces) << traces.error().text();
    return traces ? *traces : std::vector<ProcessTrace>{};
  }
  TemporaryFolder folder_;
  Exit exit_;
};

TEST_F(TraceLibrary, WritesLaunchesAndRanges) {
  const std::vector<ProcessTrace> traces = run("");
  EXPECT_TRUE(exit_.ok()) << exit_.text();
  ASSERT_THAT(traces, SizeIs(1));
  const ProcessTrace& one = traces.front();
  EXPECT_TRUE(one.ended);
  EXPECT_THAT(one.launches, SizeIs(13));
  EXPECT_THAT(one.transfers, SizeIs(6));
  EXPECT_THAT(one.ranges, SizeIs(12));
  EXPECT_THAT(one.cupti, HasSubstr("fake_cupti"));
  const ProgramTrace by_range = summarise_trace(traces, {StepSource::nvtx, "step"});
  ASSERT_FALSE(by_range.fault);
  EXPECT_THAT(by_range.steps.kernel, SizeIs(6));
  EXPECT_EQ(by_range.settling, 0U) << "launches before the first range are in none";
  EXPECT_THAT(by_range.steps.kernel, Each(DoubleNear(2.5, 1e-9)));
}

// The places of a kernel in the steps; none where the trace has no such kernel.
std::vector<Caller> callers_of(const std::vector<ProcessTrace>& traces, const std::string& kernel) {
  for (const TracedKernel& one : summarise_trace(traces, {StepSource::nvtx, "step"}).kernels)
    if (one.use.name.starts_with(kernel)) return one.use.callers;
  return {};
}

TEST_F(TraceLibrary, TellsWhereLaunchesAreMade) {
  const std::vector<ProcessTrace> traces = run("", "on");
  ASSERT_THAT(traces, SizeIs(1));
  const std::vector<Caller> gemm = callers_of(traces, "gemm"), norm = callers_of(traces, "norm");
  ASSERT_THAT(gemm, SizeIs(1));
  EXPECT_EQ(gemm[0].range, "step/forward");
  EXPECT_EQ(gemm[0].host, "(anonymous namespace)::layer") << "it is in the table of symbols alone";
  EXPECT_EQ(gemm[0].python, "");
  EXPECT_EQ(gemm[0].launches, 6);
  ASSERT_THAT(norm, SizeIs(1));
  EXPECT_EQ(norm[0].range, "step");
  EXPECT_EQ(norm[0].host, "main");
}

TEST_F(TraceLibrary, TellsNoPlacesInStartsThatAreTimed) {
  const std::vector<ProcessTrace> traces = run("");
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_THAT(traces.front().sites, SizeIs(0));
}

// The line of Python that launches a kernel first.
std::string line_of(const ProcessTrace& trace, const std::string& kernel) {
  for (const Launch& one : trace.launches)
    if (trace.shapes[one.shape].name == kernel && one.site != 0) return trace.sites[one.site - 1].python;
  return "none";
}

TEST_F(TraceLibrary, TellsTheLineOfPythonWithAndWithoutItsLock) {
  const std::vector<ProcessTrace> traces = run_program({"python3", TRACED_LINES}, "on");
  EXPECT_TRUE(exit_.ok()) << exit_.text();
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_THAT(line_of(traces[0], "_Z4heldPf"),
              testing::MatchesRegex(".*traced_lines.py:[0-9]+ in with_lock"));
  // Some versions of Python do not export their writer of frames (python_lines.h).
  const auto exported =
      run_command({.argv = {"python3", "-c", "import ctypes; ctypes.pythonapi._Py_DumpTraceback"}});
  ASSERT_TRUE(exported);
  const bool told = exported->exit.ok();
  EXPECT_THAT(line_of(traces[0], "_Z4freePf"),
              testing::MatchesRegex(told ? ".*traced_lines.py:[0-9]+ in without_lock" : ""));
  EXPECT_THAT(line_of(traces[0], "_Z6threadPf"),
              testing::MatchesRegex(told ? ".*traced_lines.py:[0-9]+ in in_a_thread" : ""));
}

TEST_F(TraceLibrary, TellsTheLineOfPythonWithItsLockWhereNobodyWritesFrames) {
  const std::vector<ProcessTrace> traces = run_program({"python3", TRACED_LINES}, "on", NO_FRAME_WRITER);
  EXPECT_TRUE(exit_.ok()) << exit_.text();
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_THAT(line_of(traces[0], "_Z4heldPf"),
              testing::MatchesRegex(".*traced_lines.py:[0-9]+ in with_lock"));
  EXPECT_EQ(line_of(traces[0], "_Z4freePf"), "") << "another thread may hold the lock";
  EXPECT_EQ(line_of(traces[0], "_Z6threadPf"), "");
}

TEST_F(TraceLibrary, TellsPlacesOfLaunchesWhileTheProgramEnds) {
  const std::vector<ProcessTrace> traces = run("late", "on");
  EXPECT_TRUE(exit_.ok()) << exit_.text();
  ASSERT_THAT(traces, SizeIs(1));
  const Launch& last = traces[0].launches.back();
  ASSERT_NE(last.site, 0U);
  EXPECT_EQ(traces[0].sites[last.site - 1].range, "open");
}

TEST_F(TraceLibrary, NamesTheHolderOfCupti) {
  const ProgramTrace trace = summarise_trace(run("held"), {});
  ASSERT_TRUE(trace.fault);
  EXPECT_EQ(trace.fault->code, CauseCode::trace_refused);
  EXPECT_EQ(trace.fault->text("holder"), "Nsight Systems");
}

TEST_F(TraceLibrary, CountsDroppedRecords) {
  const std::vector<ProcessTrace> traces = run("dropped");
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_EQ(traces.front().dropped, 5U);
}

TEST_F(TraceLibrary, CountsRecordsThatCannotBeReadAsDropped) {
  const std::vector<ProcessTrace> traces = run("unreadable");
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_GE(traces.front().dropped, 1U);
}

TEST_F(TraceLibrary, TracesWithoutTheModules) {
  const std::vector<ProcessTrace> traces = run("without-modules");
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_EQ(traces.front().problem, "");
  EXPECT_FALSE(summarise_trace(traces, {}).fault);
}

TEST_F(TraceLibrary, LeavesAnUnfinishedFileWhenItIsKilled) {
  const std::vector<ProcessTrace> traces = run("killed");
  for (const ProcessTrace& one : traces) EXPECT_FALSE(one.ended);
}

TEST_F(TraceLibrary, WritesNothingTwiceAfterAFork) {
  const std::vector<ProcessTrace> traces = run("forks");
  ASSERT_THAT(traces, SizeIs(1));
  EXPECT_THAT(traces.front().launches, SizeIs(13));
}

}  // namespace
}  // namespace harness::trace
