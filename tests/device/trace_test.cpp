// Traces of programs: written and read, steps found, kernels counted. The files are made here, as the
// injected library makes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "harness/base/files.h"
#include "harness/device/trace/find_steps.h"
#include "harness/device/trace/launch_period.h"
#include "harness/device/trace/summarise_trace.h"
#include "trace_file.h"

namespace harness::trace {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Traces : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

// Twelve steps of three launches, the first two slower, with a beginning and an end of their own.
void train(Program& program, int steps = 12) {
  program.launch("init", 500);
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t slow = i < 2 ? 5 : 1;
    program.launch("gemm", 2000 * slow, 64);
    program.launch("norm", 500 * slow);
    program.launch("gemm", 2000 * slow, 32);
    program.copy(300);
  }
  program.launch("check", 400);
}

TEST_F(Traces, AreReadAsTheyWereWritten) {
  Program program(folder_);
  program.launch("_Z3addPf", 2000, 64);
  program.copy(300, 4096);
  program.range("step", [&] { program.launch("_Z3addPf", 1000, 64); });
  program.writer().fact(FactCode::cupti, "/x/libcupti.so");
  program.end();
  const ProcessTrace trace = program.read();
  EXPECT_EQ(trace.pid, 7U);
  ASSERT_THAT(trace.shapes, SizeIs(1));
  EXPECT_EQ(trace.shapes[0].name, "_Z3addPf");
  EXPECT_EQ(trace.shapes[0].code, "code of _Z3addPf");
  EXPECT_THAT(trace.shapes[0].grid, ElementsAre(64, 1, 1));
  ASSERT_THAT(trace.launches, SizeIs(2));
  EXPECT_EQ(trace.launches[0].end - trace.launches[0].start, 2000U);
  ASSERT_THAT(trace.transfers, SizeIs(1));
  EXPECT_EQ(trace.transfers[0].size, 4096U);
  EXPECT_EQ(trace.transfers[0].way, Way::to_host);
  ASSERT_THAT(trace.ranges, SizeIs(1));
  EXPECT_EQ(trace.ranges[0].name, "step");
  EXPECT_EQ(trace.cupti, "/x/libcupti.so");
  EXPECT_TRUE(trace.ended);
}

TEST_F(Traces, TakeLessThan60BytesALaunch) {
  Program program(folder_);
  for (int i = 0; i < 100'000; ++i) program.launch("gemm" + std::to_string(i % 50), 1000);
  program.end();
  EXPECT_LT(program.bytes().size(), 60U * 100'000);
  EXPECT_THAT(program.read().launches, SizeIs(100'000));
}

TEST_F(Traces, ThatAreBrokenNameTheByte) {
  Program program(folder_);
  program.launch("gemm", 1000);
  program.end();
  const std::string good = program.bytes();
  const auto problem = [](std::string bytes) {
    const auto read = read_trace(bytes, "t");
    return read ? std::string("none") : read.error().message;
  };
  EXPECT_THAT(problem(""), HasSubstr("byte 0"));
  EXPECT_THAT(problem("no trace at all, but long enough to be one"), HasSubstr("no trace"));
  for (const char version : {1, 9}) {
    std::string other = good;
    other[8] = version;
    EXPECT_THAT(problem(other), HasSubstr("version " + std::to_string(version)));
  }
  std::string small = good;
  small[sizeof(FileHeader) + 2] = 1;  // the first record has 1 byte
  EXPECT_THAT(problem(small), HasSubstr("byte 32"));
  std::string unnamed = good;
  unnamed[sizeof(FileHeader) + 4] = 5;  // the first text has the number 5
  EXPECT_THAT(problem(unnamed), HasSubstr("number 5"));
}

TEST_F(Traces, OfAKilledProcessEndInTheMiddle) {
  Program program(folder_);
  program.launch("gemm", 1000);
  program.launch("gemm", 1000);
  program.end();
  const std::string bytes = program.bytes();
  const auto read = read_trace(bytes.substr(0, bytes.size() - sizeof(TallyRecord) - asked_bytes - 8), "t");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->launches, SizeIs(1));
  EXPECT_FALSE(read->ended);
  EXPECT_EQ(summarise_trace({*read}, {}).fault->code, CauseCode::trace_unfinished);
}

// The end is there, and a launch before it is not.
TEST_F(Traces, WithoutALaunchThatWasCountedAreVoid) {
  Program program(folder_);
  program.launch("gemm", 1000);
  program.launch("gemm", 1000);
  program.end();
  std::string bytes = program.bytes();
  EXPECT_FALSE(summarise_trace({*read_trace(bytes, "t")}, {}).fault);
  bytes.erase(bytes.size() - sizeof(TallyRecord) - asked_bytes - sizeof(LaunchRecord), sizeof(LaunchRecord));
  const auto read = read_trace(bytes, "t");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->ended);
  const ProgramTrace trace = summarise_trace({*read}, {});
  ASSERT_TRUE(trace.fault);
  EXPECT_EQ(trace.fault->code, CauseCode::trace_lost_records);
  EXPECT_EQ(trace.fault->count("records"), 1);
}

TEST_F(Traces, OfLaterVersionsMayHaveRecordsThatAreSkipped) {
  Program program(folder_);
  program.launch("gemm", 1000);
  program.end();
  std::string bytes = program.bytes();
  bytes += std::string("\x63\x00\x08\x00more", 8);
  const auto read = read_trace(bytes, "t");
  ASSERT_TRUE(read);
  EXPECT_THAT(read->launches, SizeIs(1));
}

// Every cut and every changed byte is read or refused, never more.
TEST_F(Traces, OfAnyBytesAreSafe) {
  Program program(folder_);
  train(program, 3);
  program.end();
  const std::string good = program.bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    (void)read_trace(good.substr(0, i), "t");
    for (const int value : {0, 1, 127, 255}) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      if (const auto read = read_trace(bad, "t")) (void)summarise_trace({*read}, {});
    }
  }
}

TEST_F(Traces, WithLostOrImpossibleRecordsAreVoid) {
  {
    Program program(folder_, 1);
    program.launch("gemm", 1000);
    program.end(3);
    const ProgramTrace trace = summarise_trace({program.read()}, {});
    ASSERT_TRUE(trace.fault);
    EXPECT_EQ(trace.fault->code, CauseCode::trace_lost_records);
    EXPECT_EQ(trace.fault->count("records"), 3);
  }
  {
    Program program(folder_, 2);
    program.untimed("gemm");
    program.end();
    EXPECT_EQ(summarise_trace({program.read()}, {}).fault->code, CauseCode::trace_without_times);
  }
  {
    Program program(folder_, 3);
    program.writer().fact(FactCode::refused_by, "Nsight Systems");
    program.end();
    const ProgramTrace trace = summarise_trace({program.read()}, {});
    EXPECT_EQ(trace.fault->code, CauseCode::trace_refused);
    EXPECT_EQ(trace.fault->text("holder"), "Nsight Systems");
  }
  EXPECT_EQ(summarise_trace({}, {}).fault->code, CauseCode::trace_without_launches);
}

TEST(LaunchPeriod, IsTheSmallestPartThatCoversMost) {
  const auto period = [](std::vector<std::uint32_t> sequence) { return find_period(sequence); };
  EXPECT_EQ(period({1, 2, 1, 2, 1, 2}), (Period{0, 2, 3}));
  EXPECT_EQ(period({1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}), (Period{0, 3, 4}));
  // Equal launches at the end of a step are no step.
  EXPECT_EQ(period({1, 5, 5, 5, 2, 5, 5, 5, 1, 5, 5, 5, 2, 5, 5, 5, 1, 5, 5, 5, 2, 5, 5, 5}),
            (Period{0, 8, 3}));
  // Neither a beginning nor an end of its own hides it.
  EXPECT_EQ(period({9, 8, 1, 2, 3, 1, 2, 3, 1, 2, 3, 7}), (Period{2, 3, 3}));
  EXPECT_EQ(period({1, 2, 3, 4, 5, 6, 7, 8}), std::nullopt);
  EXPECT_EQ(period({1, 2}), std::nullopt);
  EXPECT_EQ(period({}), std::nullopt);
}

TEST_F(Traces, HaveStepsByTheirPeriod) {
  Program program(folder_);
  train(program);
  program.end();
  const ProgramTrace trace = summarise_trace({program.read()}, {});
  ASSERT_FALSE(trace.fault);
  EXPECT_EQ(trace.source, StepSource::period);
  EXPECT_EQ(trace.period, 3U);
  EXPECT_EQ(trace.settling, 2U);
  EXPECT_EQ(trace.outside, 2U);
  EXPECT_THAT(trace.steps.kernel, SizeIs(10));
  EXPECT_THAT(trace.steps.kernel, Each(DoubleNear(4.5, 1e-9)));
  EXPECT_THAT(trace.steps.busy, Each(DoubleNear(4.5, 1e-9)));
  EXPECT_THAT(trace.steps.copy, Each(DoubleNear(0.3, 1e-9)));
  // Two gaps of 0.1 us within the step and one before the copy.
  EXPECT_THAT(trace.steps.gap, Each(DoubleNear(0.3, 1e-9)));
  EXPECT_THAT(trace.steps.span, Each(DoubleNear(5.1, 1e-9)));
  ASSERT_THAT(trace.kernels, SizeIs(3));
  EXPECT_EQ(trace.kernels[0].use.name, "gemm");
  EXPECT_THAT(trace.kernels[0].use.grid, ElementsAre(64, 1, 1));
  EXPECT_EQ(trace.kernels[0].use.launches, 1);
  EXPECT_NEAR(trace.kernels[0].share, 2.0 / 4.5, 1e-9);
  EXPECT_EQ(trace.kernels[1].position, 2);
  EXPECT_FALSE(trace.identity.digest.empty());
}

TEST_F(Traces, CountAMomentOnceWhereKernelsOverlap) {
  Program program(folder_);
  for (int i = 0; i < 12; ++i) {
    program.launch("gemm", 2000);
    program.go_back(1500);
    program.launch("norm", 3000, 8, 2);
    program.go_back(500);
    program.launch("gelu", 100, 8, 3);  // within it
    program.copy(5000);
  }
  program.end();
  const ProgramTrace trace = summarise_trace({program.read()}, {});
  ASSERT_FALSE(trace.fault);
  EXPECT_THAT(trace.steps.kernel, Each(DoubleNear(5.1, 1e-9)));
  EXPECT_THAT(trace.steps.busy, Each(DoubleNear(3.6, 1e-9)));
}

TEST_F(Traces, TellWhereAKernelIsLaunched) {
  Program program(folder_);
  for (int i = 0; i < 4; ++i) {
    program.range("step", [&] {
      program.launch("gemm", 2000);
      program.call_from(i == 0 ? "step\na.py:1 in first\nrun" : "step\na.py:9 in later\nrun");
      program.launch("norm", 500);
      program.call_from("\n\n");
    });
  }
  program.end();
  const ProgramTrace trace = summarise_trace({program.read()}, {StepSource::nvtx, "step"});
  ASSERT_FALSE(trace.fault);
  ASSERT_THAT(trace.kernels, SizeIs(2));
  EXPECT_THAT(trace.kernels[0].use.callers, ElementsAre(Caller{"step", "a.py:9 in later", "run", 3},
                                                        Caller{"step", "a.py:1 in first", "run", 1}));
  EXPECT_TRUE(trace.kernels[1].use.callers.empty()) << "nothing is known of its place";
}

TEST_F(Traces, HaveStepsByARange) {
  Program program(folder_);
  program.launch("init", 500);
  for (int i = 0; i < 6; ++i) {
    program.range("step", [&] {
      program.launch("gemm", 2000);
      if (i % 2 == 0) program.launch("log", 100);
    });
    program.launch("between", 50);
  }
  program.end();
  const ProcessTrace process = program.read();
  const ProgramTrace trace = summarise_trace({process}, {StepSource::nvtx, "step"});
  ASSERT_FALSE(trace.fault);
  EXPECT_EQ(trace.source, StepSource::nvtx);
  EXPECT_THAT(find_steps(process, {StepSource::nvtx, "step"}).steps, SizeIs(6));
  EXPECT_EQ(trace.outside, 7U);
  ASSERT_THAT(trace.kernels, SizeIs(2));
  EXPECT_EQ(trace.kernels[1].use.name, "log");
  EXPECT_FALSE(trace.identity.gap) << "all steps together do the same in each process";
  const ProgramTrace none = summarise_trace({process}, {StepSource::nvtx, "epoch"});
  ASSERT_TRUE(none.fault);
  EXPECT_EQ(none.fault->code, CauseCode::trace_without_range);
}

TEST_F(Traces, WithoutAPeriodAreOneStep) {
  Program program(folder_);
  for (int i = 0; i < 20; ++i) program.launch("k" + std::to_string(i), 1000);
  program.end();
  const ProgramTrace trace = summarise_trace({program.read()}, {});
  EXPECT_EQ(trace.source, StepSource::whole);
  EXPECT_THAT(trace.steps.kernel, ElementsAre(DoubleNear(20, 1e-9)));
  Program regular(folder_, 8);
  train(regular);
  regular.end();
  EXPECT_EQ(summarise_trace({regular.read()}, {StepSource::whole, {}}).source, StepSource::whole);
}

// Two threads, each with its stream: their launches meet in another order in each step.
TEST_F(Traces, OfSeveralStreamsHaveStepsByStream) {
  Program program(folder_);
  const int orders[] = {0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1};
  for (const int order : orders) {
    const auto first = [&] { program.launch("left", 1000, 8, 1), program.launch("left2", 1000, 8, 1); };
    const auto second = [&] { program.launch("right", 3000, 8, 2), program.launch("right2", 500, 8, 2); };
    if (order == 0) first(), second();
    if (order == 1) second(), first();
  }
  program.end();
  const ProgramTrace trace = summarise_trace({program.read()}, {});
  EXPECT_EQ(trace.source, StepSource::period);
  EXPECT_THAT(trace.steps.kernel, SizeIs(12));
  EXPECT_THAT(trace.steps.kernel, Each(DoubleNear(5.5, 1e-9)));
}

TEST_F(Traces, OfSeveralProcessesAddUp) {
  Program parent(folder_, 1), child(folder_, 2);
  train(parent);
  train(child, 10);
  parent.end();
  child.end();
  const auto processes = read_traces(folder_.path());
  ASSERT_TRUE(processes);
  ASSERT_THAT(*processes, SizeIs(2));
  const ProgramTrace trace = summarise_trace(*processes, {});
  EXPECT_EQ(trace.processes, 2);
  EXPECT_THAT(trace.steps.kernel, SizeIs(8));
  EXPECT_THAT(trace.steps.kernel, Each(DoubleNear(9, 1e-9)));
  EXPECT_EQ(trace.kernels[0].use.launches, 2);
}

// A process with one kernel is no step of the others.
TEST_F(Traces, OfAHelperAreOutside) {
  Program parent(folder_, 1), child(folder_, 2);
  train(parent);
  child.launch("probe", 1000);
  parent.end();
  child.end();
  for (const auto& order : {std::vector{parent.read(), child.read()}, {child.read(), parent.read()}}) {
    const ProgramTrace trace = summarise_trace(order, {});
    EXPECT_EQ(trace.source, StepSource::period);
    EXPECT_THAT(trace.steps.kernel, SizeIs(10));
    EXPECT_EQ(trace.processes, 1);
    EXPECT_EQ(trace.helpers, 1);
    EXPECT_EQ(trace.helper_launches, 1U);
    EXPECT_EQ(trace.outside, 3U);
    EXPECT_THAT(trace.kernels, SizeIs(3));
  }
}

TEST_F(Traces, OfAHelperNeedNoRange) {
  Program parent(folder_, 1), child(folder_, 2);
  for (int i = 0; i < 4; ++i) parent.range("step", [&] { parent.launch("gemm", 2000); });
  child.launch("probe", 9000);
  parent.end();
  child.end();
  const ProgramTrace trace = summarise_trace({child.read(), parent.read()}, {StepSource::nvtx, "step"});
  ASSERT_FALSE(trace.fault);
  EXPECT_THAT(trace.steps.kernel, SizeIs(4));
  EXPECT_EQ(trace.helpers, 1);
}

// A small process repeats, and the one with the work does not.
TEST_F(Traces, OfMostWorkWithoutAPeriodAreOneStep) {
  Program worker(folder_, 1), small(folder_, 2);
  for (int i = 0; i < 20; ++i) worker.launch("k" + std::to_string(i), 9000);
  train(small);
  worker.end();
  small.end();
  const ProgramTrace trace = summarise_trace({worker.read(), small.read()}, {});
  EXPECT_EQ(trace.source, StepSource::whole);
  EXPECT_THAT(trace.steps.kernel, SizeIs(1));
  EXPECT_EQ(trace.helpers, 0);
}

TEST(SettlingSteps, EndWhereTheSumStays) {
  EXPECT_EQ(settling_steps({9, 5, 1, 1, 1, 1, 1, 1}), 2U);
  EXPECT_EQ(settling_steps({1, 1, 1, 1}), 0U);
  EXPECT_EQ(settling_steps({5}), 0U);
  EXPECT_EQ(settling_steps({9, 9, 9, 9, 1, 1, 1, 1}), 4U);
}

}  // namespace
}  // namespace harness::trace
