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
  const auto in_graph = [](Program& program, int) {
    program.set_node(3);
    program.launch("norm", 500, 8, 1, 0);
    program.set_node(0);
  };
  EXPECT_EQ(gap_of(steps(in_graph)), CauseCode::graph_launched);
  const auto told = [](Program& program) { program.writer().fact(FactCode::unread, "the driver is old"); };
  const ProgramTrace old = steps({}, told);
  EXPECT_EQ(gap_of(old), CauseCode::launches_unseen);
  EXPECT_EQ(old.identity.gap->text("problem"), "the driver is old");
}

// Both kernels of a graph have its call, and the words of all its nodes.
TEST_F(StepIdentity, CoversWhatAGraphDoes) {
  const auto with = [this](std::uint64_t given, std::uint32_t word) {
    return steps([=](Program& program, int) {
      program.tell_words(given, {1, word, 3});
      program.set_node(1);
      program.launch("norm", 500, 8, 1, given);
      program.again(2);
      program.launch("scale", 200, 8, 1, given);
      program.set_node(0);
    });
  };
  const ProgramTrace one = with(31, 2), other = with(32, 7);
  ASSERT_FALSE(one.identity.gap);
  EXPECT_EQ(with(31, 2).identity.digest, one.identity.digest);
  EXPECT_NE(other.identity.digest, one.identity.digest);
  EXPECT_EQ(other.identity.frame, one.identity.frame) << "but for a word";
  ASSERT_EQ(one.identity.setup.size(), 1U);
  EXPECT_EQ(one.identity.setup[0].name, "a graph with 3 words of arguments");
  EXPECT_EQ(one.identity.setup[0].launches, 8);
  const std::string words = one.identity.setup[0].words, others = other.identity.setup[0].words;
  ASSERT_EQ(words.size(), 24U);
  EXPECT_EQ(words.substr(0, 8), others.substr(0, 8));
  EXPECT_NE(words.substr(8, 8), others.substr(8, 8));
  EXPECT_EQ(one.kernels[1].use.arguments, other.kernels[1].use.arguments)
      << "those of `norm` are the graph's";
  EXPECT_EQ(one.kernels[1].use.words, "");
}

TEST_F(StepIdentity, TakesTheCodeOfTheModuleWhereANameHasSeveral) {
  const auto with = [this](std::uint64_t given) {
    return steps([given](Program& program, int) { program.launch("norm", 500, 8, 1, given); },
                 [](Program& program) {
                   program.set_code("norm", "");
                   program.writer().fact(FactCode::by_handle, "");
                 });
  };
  const ProgramTrace one = with(21);
  EXPECT_FALSE(one.identity.gap);
  EXPECT_NE(with(22).identity.digest, one.identity.digest) << "the hash has the code in it";
  EXPECT_EQ(gap_of(with(0)), CauseCode::code_unknown);
}

// Kernels meet as time will have it. A stream does not wait for another event by time.
TEST_F(StepIdentity, OfSeveralStreamsIsThatOfTheirOrder) {
  const auto beside = [this](std::uint64_t early, std::uint32_t waits) {
    return steps([=](Program& program, int) {
      program.order(1);
      if (waits != 0) program.order(waits);
      program.go_back(early);
      program.launch("norm", 500, 8, 2);
    });
  };
  const ProgramTrace one = beside(150, 2);
  ASSERT_FALSE(one.identity.gap);
  EXPECT_EQ(beside(50, 2).identity.digest, one.identity.digest);
  EXPECT_NE(beside(150, 3).identity.digest, one.identity.digest) << "it waits for another event";
  EXPECT_NE(beside(150, 0).identity.digest, one.identity.digest) << "it does not wait";
  EXPECT_NE(beside(150, 3).identity.frame, one.identity.frame);
}

TEST_F(StepIdentity, CoversBetweenWhichLaunchesAStreamWaits) {
  const auto waits = [this](bool first) {
    return steps([=](Program& program, int) {
             if (first) program.order(1);
             program.launch("norm", 500, 8, 2);
             if (!first) program.order(1);
           })
        .identity.digest;
  };
  EXPECT_EQ(waits(true), waits(true));
  EXPECT_NE(waits(true), waits(false));
}

// Kernels before the steps make what the steps work on.
TEST_F(StepIdentity, CoversWorkBeforeAndBetweenSteps) {
  const auto with_setup = [this](const std::string& kernel, std::uint64_t given, std::uint32_t filled) {
    return steps({}, [=](Program& program) {
      program.launch(kernel, 9000, 4, 1, given);
      if (filled > 0) program.fill(10, 64, filled);
    });
  };
  const ProgramTrace one = with_setup("init", 7, 1);
  ASSERT_FALSE(one.identity.gap);
  EXPECT_EQ(with_setup("init", 7, 1).identity.digest, one.identity.digest);
  EXPECT_NE(with_setup("init", 8, 1).identity.digest, one.identity.digest) << "its arguments";
  EXPECT_NE(with_setup("other", 7, 1).identity.digest, one.identity.digest);
  EXPECT_NE(with_setup("init", 7, 2).identity.digest, one.identity.digest) << "the value of a fill";
  EXPECT_NE(with_setup("init", 7, 0).identity.digest, one.identity.digest);
  ASSERT_EQ(one.identity.setup.size(), 1U);
  EXPECT_EQ(one.identity.setup[0].name, "init");
  EXPECT_EQ(one.identity.setup[0].launches, 1);
  EXPECT_EQ(gap_of(with_setup("init", 0, 1)), CauseCode::arguments_unread);
}

TEST_F(StepIdentity, DoesNotCoverWhatFollowsTheLastStepOrGoesToTheHost) {
  const auto ended_by = [this](const std::function<void(Program&)>& begin,
                               const std::function<void(Program&)>& end) {
    Program program(folder_, ++pid_);
    begin(program);
    for (int i = 0; i < 8; ++i) {
      program.launch("gemm", 2000);
      program.launch("norm", 500);
    }
    end(program);
    program.end();
    return summarise_trace({program.read()}, {}).identity.digest;
  };
  const auto nothing = [](Program&) {};
  const std::string one = ended_by(nothing, nothing);
  EXPECT_EQ(ended_by(nothing, [](Program& program) { program.launch("check", 100, 9); }), one);
  EXPECT_EQ(ended_by([](Program& program) { program.copy(10); }, nothing), one) << "a poll";
  EXPECT_NE(ended_by([](Program& program) { program.copy(10, 64, Way::on_device); }, nothing), one);
}

TEST_F(StepIdentity, TellsTheInputsOfAStartThatHashesThem) {
  const auto inputs_of = [this](std::uint32_t first, std::uint32_t second,
                                const std::function<void(TraceWriter&)>& tell) {
    return steps({},
                 [=](Program& program) {
                   program.upload(10, 4096, first);
                   program.upload(10, 64, second);
                   program.upload(10, 4096, 3);
                   tell(program.writer());
                 })
        .identity.inputs;
  };
  const auto hashed = [](TraceWriter& writer) { writer.fact(FactCode::hashed, "8256"); };
  EXPECT_FALSE(inputs_of(1, 2, [](TraceWriter&) {})) << "no start that hashes";
  const Rare<Inputs> one = inputs_of(1, 2, hashed);
  ASSERT_TRUE(one);
  ASSERT_FALSE(one->gap);
  ASSERT_EQ(one->groups.size(), 2U);
  EXPECT_EQ(one->groups[0].bytes, 64);
  EXPECT_EQ(one->groups[1].bytes, 4096);
  EXPECT_EQ(one->groups[1].copies, 2);
  EXPECT_EQ(*inputs_of(1, 2, hashed), *one);
  const Rare<Inputs> other = inputs_of(1, 9, hashed);
  EXPECT_NE(other->groups[0], one->groups[0]);
  EXPECT_EQ(other->groups[1], one->groups[1]) << "of another size";
  EXPECT_EQ(inputs_of(1, 0, hashed)->gap, (Cause{CauseCode::inputs_uncalled, {{"bytes", 64}}}));
  const auto shared = [](TraceWriter& writer) {
    writer.fact(FactCode::hashed, "8256");
    writer.fact(FactCode::shared, "100");
    writer.fact(FactCode::shared, "28");
  };
  EXPECT_EQ(inputs_of(1, 2, shared)->gap, (Cause{CauseCode::inputs_shared, {{"bytes", 128}}}));
  const auto beyond = [](TraceWriter& writer) {
    writer.fact(FactCode::hashed, "8256");
    writer.fact(FactCode::unhashed, "more than 8 GB");
  };
  EXPECT_EQ(inputs_of(1, 2, beyond)->gap, (Cause{CauseCode::inputs_unhashed, {{"why", "more than 8 GB"}}}));
}

TEST_F(StepIdentity, KeepsTheLargestGroupsOfInputsAndTheRestAsOne) {
  const auto groups_with = [this](std::uint32_t smallest) {
    return steps({},
                 [=](Program& program) {
                   program.writer().fact(FactCode::hashed, "1");
                   for (std::uint32_t size = 1; size <= 100; ++size)
                     program.upload(10, size, size == 1 ? smallest : 5);
                 })
        .identity.inputs->groups;
  };
  const std::vector<InputGroup> one = groups_with(5), other = groups_with(6);
  ASSERT_EQ(one.size(), 64U);
  EXPECT_EQ(one.front().bytes, 100);
  EXPECT_EQ(one.back().copies, 37);
  EXPECT_NE(one.back(), other.back());
  EXPECT_TRUE(std::equal(one.begin(), one.end() - 1, other.begin()));
}

TEST_F(StepIdentity, OfSeveralProcessesHasTheInputsOfAll) {
  const auto process = [this](bool hashes, std::uint32_t content) {
    Program program(folder_, ++pid_);
    if (hashes) program.writer().fact(FactCode::hashed, "64");
    program.upload(10, 64, content);
    for (int i = 0; i < 16; ++i) program.launch(i % 2 == 0 ? "a" : "b", 500);
    program.end();
    return program.read();
  };
  const auto inputs = [](std::vector<ProcessTrace> processes) {
    return summarise_trace(processes, {}).identity.inputs;
  };
  const ProcessTrace one = process(true, 1), other = process(true, 2);
  ASSERT_TRUE(inputs({one, other}));
  EXPECT_EQ(inputs({one, other})->groups.size(), 2U);
  EXPECT_EQ(*inputs({one, other}), *inputs({other, one}));
  EXPECT_FALSE(inputs({one, process(false, 2)}));
  EXPECT_TRUE(inputs({one, process(true, 0)})->gap);
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
