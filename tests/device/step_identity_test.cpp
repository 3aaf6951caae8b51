// The identity of a traced process' steps: equal where all launches are, and a gap where some are unknown.
#include "harness/device/trace/step_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/device/trace/summarise_trace.h"
#include "trace_file.h"

namespace harness::trace {
namespace {

class StepIdentity : public testing::Test {
 protected:
  // Each call is a process of eight steps of three launches; `change` may do something else in a step.
  ProgramTrace steps(const std::function<void(Program&, int)>& change = {},
                     const std::function<void(Program&)>& begin = {}) {
    Program program(folder_, ++pid_);
    if (begin) begin(program);
    for (int i = 0; i < 8; ++i) {
      program.launch("gemm", 2000, 64, 1, 100 + i);
      if (change)
        change(program, i);
      else
        program.launch("norm", 500);
      program.launch("add", 300);
      program.copy(300);
    }
    program.end();
    return summarise_trace({program.read()}, {});
  }
  static CauseCode gap_of(const ProgramTrace& trace) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is asked just before
    return trace.identity.gap ? trace.identity.gap->code : throw std::runtime_error("it has a digest");
  }
  std::uint32_t pid_ = 0;
  TemporaryFolder folder_;
};

// A trace of the version before arguments were read.
std::string first_version(const std::string& bytes) {
  std::string old = bytes.substr(0, sizeof(FileHeader));
  old[8] = 1;
  for (std::size_t at = sizeof(FileHeader); at < bytes.size();) {
    RecordHead head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    std::string record = bytes.substr(at, head.bytes);
    at += head.bytes;
    if (head.kind == RecordKind::asked || head.kind == RecordKind::words) continue;
    if (head.kind == RecordKind::shape) {
      record.resize(oldest_shape);
      record[2] = oldest_shape;
    }
    old += record;
  }
  return old;
}

TEST_F(StepIdentity, AreIdenticalWhereTheStepsDoTheSame) {
  const auto digest = [this](std::uint32_t pid, std::uint32_t grid, std::uint64_t ns, std::uint64_t copied) {
    Program program(folder_, pid);
    for (int i = 0; i < 8; ++i) {
      program.launch("gemm", ns, grid);
      program.launch("norm", 500);
      program.copy(300, copied);
    }
    program.end();
    return summarise_trace({program.read()}, {}).identity.digest;
  };
  const std::string one = digest(1, 64, 2000, 64);
  EXPECT_EQ(digest(2, 64, 2500, 64), one) << "times are no part of it";
  EXPECT_NE(digest(3, 65, 2000, 64), one);
  EXPECT_NE(digest(4, 64, 2000, 128), one);
}

// Long steps, whose text is hashed in parts: neither a beginning nor an end is forgotten.
TEST_F(StepIdentity, OfLongStepsAreIdenticalOrNot) {
  constexpr int launches = 5000;
  const auto digest = [this](std::uint32_t pid, int odd, std::uint32_t stream) {
    Program program(folder_, pid);
    for (int i = 0; i < launches; ++i)
      program.launch(i == odd ? "odd" : std::string(200, 'k'), 1000, 8, i == odd ? stream : 1);
    program.end();
    return summarise_trace({program.read()}, {StepSource::whole, {}}).identity.digest;
  };
  const std::string one = digest(1, 3, 1);
  EXPECT_EQ(digest(2, 3, 1), one);
  EXPECT_NE(digest(3, 4, 1), one);
  EXPECT_NE(digest(4, launches - 1, 1), one);
  EXPECT_NE(digest(5, 3, 2), one);
}

TEST_F(StepIdentity, CoversArgumentsThatChangeFromStepToStep) {
  const ProgramTrace one = steps();
  ASSERT_FALSE(one.identity.gap);
  EXPECT_EQ(steps().identity.digest, one.identity.digest);
  const auto last_differs = [](Program& program, int step) {
    program.launch("norm", 500, 8, 1, step == 7 ? 6 : 5);
  };
  const ProgramTrace other = steps(last_differs);
  EXPECT_NE(other.identity.digest, one.identity.digest);
  EXPECT_NE(other.kernels[1].use.arguments, one.kernels[1].use.arguments) << "of `norm`";
  EXPECT_EQ(other.kernels[2].use.arguments, one.kernels[2].use.arguments) << "of `add`";
}

// One word changes from step to step, another not.
TEST_F(StepIdentity, HasAFrameWithoutTheWordsOfArguments) {
  const auto program_with = [this](std::uint32_t first, std::uint32_t second,
                                   std::uint32_t steps_differ = 0) {
    return steps([=](Program& program, int step) {
      const std::uint64_t given = 1000 + first * 64 + second * 8 + step * steps_differ;
      program.launch("norm", 500, 8, 1, given);
      program.tell_words(given, {first, second + step * steps_differ});
    });
  };
  const ProgramTrace one = program_with(1, 2), other = program_with(1, 3), third = program_with(1, 2, 1);
  EXPECT_NE(one.identity.digest, other.identity.digest);
  EXPECT_EQ(one.identity.frame, other.identity.frame);
  EXPECT_EQ(one.identity.frame, third.identity.frame);
  const auto words = [](const ProgramTrace& trace) { return trace.kernels[1].use.words; };
  ASSERT_EQ(words(one).size(), 16U);
  EXPECT_EQ(words(one).substr(0, 8), words(other).substr(0, 8));
  EXPECT_NE(words(one).substr(8), words(other).substr(8));
  EXPECT_NE(words(one).substr(8), words(third).substr(8)) << "all steps count";
  EXPECT_EQ(one.kernels[0].use.words, "") << "nobody told those of `gemm`";
  EXPECT_NE(steps().identity.frame, one.identity.frame);
}

TEST_F(StepIdentity, HasNoWordsWhereTheirNumberDiffers) {
  const ProgramTrace trace = steps([](Program& program, int step) {
    const std::uint64_t given = 1000 + step % 2;
    program.launch("norm", 500, 8, 1, given);
    program.tell_words(given, std::vector<std::uint32_t>(3 + step % 2, 7));
  });
  EXPECT_EQ(trace.kernels[1].use.words, "");
}

TEST_F(StepIdentity, CoversMachineCodeOrderAndStreams) {
  const std::string one = steps().identity.digest;
  const auto other_code = [](Program& program) { program.set_code("norm", "new"); };
  EXPECT_NE(steps({}, other_code).identity.digest, one);
  const auto other_stream = [](Program& program, int) { program.launch("norm", 500, 8, 2); };
  EXPECT_NE(steps(other_stream).identity.digest, one);
  const auto order = [this](bool swapped) {
    Program program(folder_, ++pid_);
    for (int i = 0; i < 8; ++i)
      for (const char* name : {swapped ? "b" : "a", swapped ? "a" : "b", "c"}) program.launch(name, 500);
    program.end();
    return summarise_trace({program.read()}, {}).identity.digest;
  };
  EXPECT_EQ(order(false), order(false));
  EXPECT_NE(order(false), order(true));
}

TEST_F(StepIdentity, CoversGpusAndDriver) {
  const auto with = [](const std::string& text) {
    return [text](Program& program) { program.writer().fact(FactCode::machine, text); };
  };
  const std::string one = steps({}, with("driver 1")).identity.digest;
  EXPECT_EQ(steps({}, with("driver 1")).identity.digest, one);
  EXPECT_NE(steps({}, with("driver 2")).identity.digest, one);
}

TEST_F(StepIdentity, DoesNotDependOnTheStepsThatSettle) {
  const auto settling = [](int slow) {
    return [slow](Program& program, int step) { program.launch("norm", step < slow ? 9000 : 500); };
  };
  const ProgramTrace early = steps(settling(1)), late = steps(settling(3));
  EXPECT_NE(early.settling, late.settling);
  EXPECT_EQ(early.identity.digest, late.identity.digest);
}

TEST_F(StepIdentity, HasAGapWhereSomethingIsUnknown) {
  const auto unknown_code = [](Program& program) { program.set_code("norm", ""); };
  EXPECT_EQ(gap_of(steps({}, unknown_code)), CauseCode::code_unknown);
  const auto unread = [](Program& program, int step) {
    program.launch("norm", 500, 8, 1, step == 3 ? 0 : 5);
  };
  const ProgramTrace trace = steps(unread);
  EXPECT_EQ(gap_of(trace), CauseCode::arguments_unread);
  EXPECT_EQ(trace.identity.gap->text("kernel"), "norm");
  EXPECT_EQ(trace.kernels[1].use.arguments, "");
  EXPECT_NE(trace.kernels[0].use.arguments, "");
  const auto in_graph = [](Program& program) { program.set_node(3); };
  EXPECT_EQ(gap_of(steps({}, in_graph)), CauseCode::graph_launched);
  const auto told = [](Program& program) { program.writer().fact(FactCode::unread, "the driver is old"); };
  const ProgramTrace old = steps({}, told);
  EXPECT_EQ(gap_of(old), CauseCode::launches_unseen);
  EXPECT_EQ(old.identity.gap->text("problem"), "the driver is old");
}

TEST_F(StepIdentity, HasAGapWhereStreamsOverlap) {
  const auto beside = [](std::uint32_t stream) {
    return [stream](Program& program, int) {
      program.go_back(150);
      program.launch("norm", 500, 8, stream);
    };
  };
  EXPECT_EQ(gap_of(steps(beside(2))), CauseCode::streams_overlap);
  EXPECT_FALSE(steps(beside(1)).identity.gap) << "a stream's own launches may overlap where it allows that";
}

// The runtime's number may be that of the launch, and the driver's comes later.
TEST_F(StepIdentity, FindsACallThatHasALaterNumber) {
  Program program(folder_, ++pid_);
  program.launch("a", 500, 8, 1, 7);
  program.ask(8, 1);  // while a graph is captured
  program.copy(10);
  program.copy(10);
  program.launch("b", 500, 8, 1, 9);
  program.end();
  const ProcessTrace trace = program.read();
  EXPECT_EQ(trace.launches[0].given, 7U);
  EXPECT_EQ(trace.launches[1].given, 9U);
  Program shifted(folder_, ++pid_);
  for (int i = 0; i < 3; ++i) {
    shifted.skip();
    shifted.launch("a", 500, 8, 1, 20 + i, 1);
  }
  shifted.end();
  const ProcessTrace later = shifted.read();
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(later.launches[i].given, 20 + i);
}

TEST_F(StepIdentity, OfAnOlderVersionIsUnknown) {
  Program program(folder_, ++pid_);
  for (int i = 0; i < 8; ++i) program.launch("gemm", 2000, 64);
  program.end();
  const auto old = read_trace(first_version(program.bytes()), "t");
  ASSERT_TRUE(old) << old.error().text();
  const ProgramTrace trace = summarise_trace({*old}, {});
  ASSERT_FALSE(trace.fault);
  EXPECT_EQ(trace.launches, 8U);
  EXPECT_EQ(trace.kernels.front().use.block, (std::array<std::int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(gap_of(trace), CauseCode::launches_unseen);
}

TEST_F(StepIdentity, OfSeveralProcessesDoesNotDependOnTheirOrder) {
  std::vector<ProcessTrace> both;
  for (const int kernels : {2, 3}) {
    Program program(folder_, ++pid_);
    for (int i = 0; i < 8 * kernels; ++i) program.launch("k" + std::to_string(i % kernels), 500);
    program.end();
    both.push_back(program.read());
  }
  const std::string one = summarise_trace(both, {}).identity.digest;
  std::swap(both[0], both[1]);
  EXPECT_EQ(summarise_trace(both, {}).identity.digest, one);
}

}  // namespace
}  // namespace harness::trace
