// The identity of a call: equal wherever the same work is asked for, and different in any of its parts.
#include "harness/device/code/call_identity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <memory>

#include "harness/device/code/case_recorder.h"
#include "tests/model/fact_matchers.h"

namespace harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;
using Kind = DriverCall::Kind;

// A process: where it happened to put things.
struct Process {
  std::uint64_t x = 0x7f0000000000, scratch = 0x7f1000000000, stream = 0x5500, other_stream = 0x5600,
                event = 0x5700, stack = 0x7ffd00000000, first_id = 10;

  Word in_x(std::uint64_t offset = 0) const {
    return {x + offset, Word::Memory::device, {x, 4096}, first_id};
  }
  Word in_scratch(std::uint64_t offset = 0) const {
    return {scratch + offset, Word::Memory::device, {scratch, 1024}, first_id + 1};
  }
  static Word scalar(std::uint64_t value) { return {value}; }
};

constexpr Process here;
constexpr Process elsewhere{0x7e0000200000, 0x7e0000300200, 0x6500, 0x6600, 0x6700, 0x7ffe00001000, 90};

// One case as it is seen, with a call that launches a kernel, fills, copies and orders.
struct Example {
  explicit Example(const Process& where = here) : process(where) {
    history.own = {where.first_id + 1};
    around.buffers = {{where.x, 4096}};
    around.stream = where.stream;
    around.code = [this](const DriverCall& kernel) {
      return code.contains(kernel.name) ? code.at(kernel.name) : "";
    };
    around.host_memory = {{where.stack, 4096}};
    around.state = {{"stack_bytes", 1024}};
    history.before = {{.kind = Kind::kernel,
                       .name = "pack",
                       .stream = where.stream,
                       .figures = {{"grid_x", 2}},
                       .words = {where.in_scratch()}}};
    history.one = {
        {.kind = Kind::fill,
         .name = "cuMemsetD8Async",
         .stream = where.stream,
         .figures = {{"value", 0}, {"count", 64}},
         .words = {where.in_scratch(64)}},
        {.kind = Kind::order, .name = "cuEventRecord", .stream = where.stream, .event = where.event},
        {.kind = Kind::order,
         .name = "cuStreamWaitEvent",
         .stream = where.other_stream,
         .event = where.event},
        {.kind = Kind::copy,
         .name = "cuMemcpyHtoDAsync_v2",
         .stream = where.other_stream,
         .figures = {{"bytes", 16}},
         .words = {where.in_x(128)},
         .content = "a hash"},
        {.kind = Kind::kernel,
         .name = "_Z4gemmPf",
         .stream = where.stream,
         .figures = {{"grid_x", 8}, {"cluster_x", 2}},
         .words = {where.in_x(256), where.in_scratch(), Process::scalar(42),
                   Process::scalar(where.stack + 8)}}};
    history.next = history.one;
  }

  // Changes both further calls alike.
  Example& change(const std::function<void(std::vector<DriverCall>&)>& how) {
    how(history.one);
    how(history.next);
    return *this;
  }
  [[nodiscard]] Identity identity() const { return identity_of(history, around); }
  [[nodiscard]] std::string digest() const { return identity().digest; }

  Example(const Example&) = delete;
  Example& operator=(const Example&) = delete;
  ~Example() = default;

  Process process;
  std::map<std::string, std::string> code = {{"_Z4gemmPf", "c0de"}, {"pack", "pac0"}};
  CallHistory history;
  CallSurroundings around;
};

TEST(Identity, IsTheSameAtOtherAddresses) {
  const Identity found = Example(here).identity();
  EXPECT_EQ(found.gap, std::nullopt);
  EXPECT_THAT(found.digest, MatchesRegex("2\\.[0-9a-f]{32}"));
  EXPECT_EQ(found, Example(elsewhere).identity());
}

TEST(Identity, DiffersWithAnythingThatACallAsksFor) {
  const std::string digest = Example().digest();
  const std::vector<std::pair<const char*, std::function<void(std::vector<DriverCall>&)>>> changes{
      {"kind", [](auto& calls) { calls[4].kind = Kind::order; }},
      {"the kernel", [](auto& calls) { calls[4].name = "pack"; }},
      {"the driver's function", [](auto& calls) { calls[0].name = "cuMemsetD8_v2"; }},
      {"a figure", [](auto& calls) { calls[4].figures[0].second = 9; }},
      {"the name of a figure", [](auto& calls) { calls[4].figures[1].first = "cluster_y"; }},
      {"a figure more", [](auto& calls) { calls[4].figures.emplace_back("priority", 1); }},
      {"a scalar", [](auto& calls) { calls[4].words[2].value = 43; }},
      {"an offset in a buffer", [](auto& calls) { calls[4].words[0] = here.in_x(260); }},
      {"an offset in own memory", [](auto& calls) { calls[4].words[1] = here.in_scratch(4); }},
      {"another memory", [](auto& calls) { calls[4].words[1] = here.in_x(); }},
      {"the size of own memory",
       [](auto& calls) {
         for (DriverCall& call : calls)
           for (Word& word : call.words)
             if (word.id == here.first_id + 1) word.allocation.bytes = 2048;
       }},
      {"arguments in another order", [](auto& calls) { std::swap(calls[4].words[0], calls[4].words[1]); }},
      {"an argument more", [](auto& calls) { calls[4].words.push_back(Process::scalar(0)); }},
      {"no address of the host", [](auto& calls) { calls[4].words[3] = Process::scalar(0); }},
      {"the content of a copy", [](auto& calls) { calls[3].content = "another hash"; }},
      {"the stream", [](auto& calls) { calls[4].stream = here.other_stream; }},
      {"a default stream", [](auto& calls) { calls[4].stream = 0; }},
      {"another default stream", [](auto& calls) { calls[4].stream = 2; }},
      {"another context", [](auto& calls) { calls[4].context = 0x8800; }},
      {"no stream", [](auto& calls) { calls[4].stream = std::nullopt; }},
      {"another event", [](auto& calls) { calls[2].event = here.event + 8; }},
      {"the order", [](auto& calls) { std::swap(calls[0], calls[3]); }},
      {"a call more", [](auto& calls) { calls.push_back(calls[0]); }},
      {"a call less", [](auto& calls) { calls.erase(calls.begin()); }}};
  std::set<std::string> digests{digest};
  for (const auto& [what, how] : changes) {
    const Identity changed = Example().change(how).identity();
    EXPECT_EQ(changed.gap, std::nullopt) << what;
    EXPECT_TRUE(digests.insert(changed.digest).second) << what;
  }
}

TEST(Identity, DiffersWithItsSurroundings) {
  const std::string digest = Example().digest();
  Example other_code, other_state, other_given;
  other_code.code["_Z4gemmPf"] = "c0df";
  EXPECT_NE(other_code.digest(), digest);
  other_state.around.state[0].second = 2048;
  EXPECT_NE(other_state.digest(), digest);
  Example other_device;
  other_device.around.context = 0x9900;
  EXPECT_NE(other_device.digest(), digest);
  other_given.around.stream = here.other_stream;
  EXPECT_NE(other_given.digest(), digest) << "the work would not be timed";
}

TEST(Identity, CountsWhatHappenedBeforeToMemoryThatIsUsed) {
  const std::string digest = Example().digest();
  Example packed_otherwise, unused, uploaded, fetched, symbol, all_used;
  packed_otherwise.history.before[0].figures[0].second = 3;
  EXPECT_NE(packed_otherwise.digest(), digest);

  const Word tuning{0x7f3000000000, Word::Memory::device, {0x7f3000000000, 64}, 77};
  DriverCall tune{.kind = Kind::kernel, .name = "unheard_of", .words = {tuning}};
  unused.history.own.insert(77);
  unused.history.before.push_back(tune);
  EXPECT_EQ(unused.digest(), digest) << "an algorithm was tried on memory that the call does not use";

  fetched.history.before.push_back({.kind = Kind::fetch, .name = "cuMemcpyDtoH_v2", .words = {here.in_x()}});
  fetched.history.before.push_back({.kind = Kind::order, .name = "cuCtxSynchronize"});
  EXPECT_EQ(fetched.digest(), digest);

  uploaded.history.before.push_back(
      {.kind = Kind::copy, .name = "cuMemcpyHtoD_v2", .words = {here.in_scratch()}, .content = "weights"});
  const std::string with_weights = uploaded.digest();
  EXPECT_NE(with_weights, digest);
  uploaded.history.before.back().content = "other weights";
  EXPECT_NE(uploaded.digest(), with_weights);

  const Word variable{0x7f4000000000, Word::Memory::device, {0x7f4000000000, 16}, 78};
  symbol.history.before.push_back(
      {.kind = Kind::copy, .name = "cuMemcpyHtoD_v2", .words = {variable}, .content = "scale 1"});
  const std::string scaled = symbol.digest();
  EXPECT_NE(scaled, digest) << "a kernel finds a variable without its address";

  // The tuned memory is copied into the scratch memory that the call uses.
  all_used.history.own.insert(77);
  tune.name = "pack";
  all_used.history.before.push_back(tune);
  all_used.history.before.push_back(
      {.kind = Kind::copy, .name = "cuMemcpyDtoD_v2", .words = {here.in_scratch(), tuning}});
  const std::string tuned = all_used.digest();
  all_used.history.before[1].figures.emplace_back("grid_x", 7);
  EXPECT_NE(all_used.digest(), tuned);
}

Cause gap_of(const Example& example) {
  const Identity found = example.identity();
  EXPECT_EQ(found.digest, "");
  return found.gap.value_or(Cause{});
}

TEST(Identity, CountsWhatEarlierCasesLeftWhereTheCaseMayFindIt) {
  const Word variable{0x7f4000000000, Word::Memory::device, {0x7f4000000000, 16}, 78};
  const DriverCall scaled{
      .kind = Kind::copy, .name = "cuMemcpyHtoD_v2", .words = {variable}, .content = "scale 1"};
  const auto example = [&](std::set<std::uint64_t> modules, std::array<std::uint64_t, 2> own) {
    auto made = std::make_unique<Example>();
    for (DriverCall& call : made->history.before) call.modules = own;
    made->change([&](auto& calls) { calls[4].modules = own; });
    made->history.earlier = {{scaled, std::move(modules)}};
    return made;
  };
  const std::string alone = Example().digest();
  EXPECT_NE(example({7, 0}, {5, 0})->digest(), alone) << "nobody knows whose variable it is";
  EXPECT_NE(example({7}, {0, 0})->digest(), alone) << "nor which module the case at hand has";
  EXPECT_EQ(example({}, {0, 0})->digest(), alone) << "that case launched nothing";
  EXPECT_NE(example({7}, {5, 7})->digest(), alone) << "a variable of the same library";
  EXPECT_EQ(example({7, 8}, {5, 6})->digest(), alone) << "a library's own memory";
  const auto unknown = example({7}, {5, 6});
  unknown->history.earlier[0].call.words[0].memory = Word::Memory::none;
  EXPECT_NE(unknown->digest(), alone) << "the driver does not know the memory";
  const auto using_it = example({7}, {5, 6});
  using_it->change([&](auto& calls) { calls[4].words.push_back(variable); });
  const std::string before = using_it->identity().digest;
  using_it->history.own.insert(78);
  const std::string with = using_it->digest();
  using_it->history.earlier.clear();
  EXPECT_NE(using_it->digest(), with) << "the case is given its address";
  EXPECT_EQ(before, "") << "and works on memory of before the case";
}

TEST(Identity, TellsWhichTensorOfTheHostIsCopied) {
  const auto with = [](std::uint64_t host) {
    Example example;
    example.around.buffers.push_back({0x5000, 64});
    example.change([&](auto& calls) { calls[3].host = host; });
    return example.digest();
  };
  EXPECT_EQ(with(0x9000), Example().digest()) << "elsewhere addresses differ from process to process";
  EXPECT_NE(with(0x5010), with(0x9000));
  EXPECT_NE(with(0x5010), with(0x5020));
}

TEST(Identity, IsKnownOfCallsThatSendATensorOfTheHostWhichTheyChange) {
  std::string text;
  const auto with = [&text](std::uint64_t host, const std::string& first, const std::string& then,
                            Kind last = Kind::fetch) {
    Example example;
    example.around.buffers.push_back({0x5000, 64});
    example.change([&](auto& calls) {
      calls[3].host = host;
      calls.push_back({.kind = last, .name = "cuMemcpyDtoHAsync_v2", .host = host});
    });
    example.history.one[3].content = first;
    example.history.next[3].content = then;
    text = identity_text(example.history, example.around);
    return example.identity();
  };
  const Identity known = with(0x5010, "a hash", "of results");
  EXPECT_NE(known.digest, "");
  EXPECT_THAT(text, HasSubstr("of results")) << "the text tells all that the digest is of";
  EXPECT_NE(known.digest, with(0x5010, "another hash", "of results").digest);
  EXPECT_NE(known.digest, with(0x5010, "a hash", "of other results").digest) << "code of the host takes part";
  EXPECT_EQ(with(0x9000, "a hash", "of results").gap->code, CauseCode::calls_differ) << "no tensor";
  EXPECT_EQ(with(0x5010, "a hash", "of results", Kind::order).gap->code, CauseCode::calls_differ)
      << "code of the host alone changed it";
}

TEST(Identity, IsUnknownWhereTheCodeIs) {
  Example example;
  example.code.erase("_Z4gemmPf");
  EXPECT_THAT(gap_of(example), FactIs(CauseCode::code_unknown, {{"kernel", "gemm(float*)"}}));
}

TEST(Identity, IsUnknownWhereAKernelCanReadTheHost) {
  for (const Word::Memory memory : {Word::Memory::host, Word::Memory::managed})
    EXPECT_THAT(gap_of(Example().change([&](auto& calls) { calls[4].words[2].memory = memory; })),
                FactIs(CauseCode::host_memory_used, {{"kernel", "gemm(float*)"}}));
  Example pageable;
  pageable.around.device_reads_host = true;
  EXPECT_THAT(gap_of(pageable), FactIs(CauseCode::host_memory_used, {{"kernel", "gemm(float*)"}}));
}

TEST(Identity, IsUnknownWhereAKernelWorksOnMemoryOfBeforeTheCase) {
  Example example;
  example.history.own.clear();
  example.history.before.clear();
  EXPECT_THAT(gap_of(example), FactIs(CauseCode::older_memory_used, {{"kernel", "gemm(float*)"}}));
}

TEST(Identity, IsUnknownWhereCallsDiffer) {
  Example example;
  example.history.next[4].words[2].value = 43;
  EXPECT_THAT(gap_of(example), FactIs(CauseCode::calls_differ));
  Example turns;  // two buffers in turns are the same work
  for (DriverCall& call : turns.history.next)
    for (Word& word : call.words)
      if (word.id == here.first_id + 1) word.id = 55;
  turns.history.own.insert(55);
  EXPECT_EQ(turns.identity().gap, std::nullopt);
}

TEST(Identity, NamesAllCallsThatCouldNotBeFollowed) {
  Example example;
  for (const char* name : {"cuGraphLaunch", "cuStreamBeginCapture", "cuGraphLaunch"})
    example.history.gaps.push_back({CauseCode::call_not_followed, {{"call", name}}});
  EXPECT_THAT(gap_of(example),
              FactIs(CauseCode::call_not_followed, {{"call", "cuGraphLaunch, cuStreamBeginCapture"}}));
}

TEST(LaunchesIn, CountWorkOfTheDevice) {
  EXPECT_EQ(launches_in(Example().history.one), 3);
}

DriverCall fill_at(std::uint64_t address, std::uint64_t id) {
  return {.kind = Kind::fill, .name = "f", .words = {{address, Word::Memory::device, {address, 64}, id}}};
}

TEST(CaseRecorder, KeepsEachPartOfACaseApart) {
  CaseRecorder recorder;
  recorder.add(fill_at(1, 1));
  recorder.add_gap({CauseCode::calls_differ});
  EXPECT_FALSE(recorder.recording());
  EXPECT_THAT(recorder.history().before, IsEmpty());
  EXPECT_THAT(recorder.history().gaps, IsEmpty());
  {
    const Scope before = recorder.record(CaseRecorder::Part::before);
    EXPECT_TRUE(recorder.recording());
    recorder.add(fill_at(1, 1));
    recorder.add_own(1);
    recorder.add_gap({CauseCode::calls_differ});
    {
      const Scope one = recorder.record(CaseRecorder::Part::one);
      recorder.add(fill_at(1, 1));
      recorder.add(fill_at(1, 1));
    }
    recorder.add(fill_at(1, 1));
  }
  const CallHistory history = recorder.history();
  EXPECT_THAT(history.before, SizeIs(2));
  EXPECT_THAT(history.one, SizeIs(2));
  EXPECT_THAT(history.next, IsEmpty());
  EXPECT_THAT(history.gaps, SizeIs(1));
  EXPECT_TRUE(history.own.contains(1));
}

TEST(CaseRecorder, KeepsTwoBuildsApart) {
  CaseRecorder recorder;
  const Scope before = recorder.record(CaseRecorder::Part::before);
  recorder.turn("baseline");
  recorder.add(fill_at(1, 1));
  recorder.turn("current");
  EXPECT_THAT(recorder.history().before, IsEmpty());
  recorder.turn("baseline");
  EXPECT_THAT(recorder.history().before, SizeIs(1));
}

TEST(CaseRecorder, RemembersWhatACaseLeavesInVariablesAndNothingElse) {
  CaseRecorder recorder;
  {
    const Scope before = recorder.record(CaseRecorder::Part::before);
    recorder.add_own(1);
    recorder.add(fill_at(100, 1));
    recorder.add(fill_at(2000, 2));  // in a buffer of the harness
    DriverCall kept = fill_at(5000, 3);
    kept.host = 7000;
    recorder.add(kept);
    recorder.tell_buffers({{2000, 64}});
  }
  recorder.begin_case();
  const CallHistory history = recorder.history();
  EXPECT_THAT(history.before, IsEmpty());
  EXPECT_THAT(history.own, IsEmpty());
  ASSERT_THAT(history.earlier, SizeIs(1));
  EXPECT_EQ(history.earlier[0].call.words[0].value, 5000U);
  EXPECT_EQ(history.earlier[0].call.host, 0U) << "the next case may have a tensor there";
  EXPECT_THAT(history.earlier[0].modules, IsEmpty());
  recorder.begin_case();
  EXPECT_THAT(recorder.history().earlier, SizeIs(1)) << "and never forgets it";
}

TEST(CaseRecorder, RemembersTheModulesOfACaseThatLeavesSomething) {
  CaseRecorder recorder;
  {
    const Scope before = recorder.record(CaseRecorder::Part::before);
    recorder.add({.kind = Kind::kernel, .name = "k", .modules = {5, 0}});
    recorder.add(fill_at(5000, 3));
  }
  {
    const Scope one = recorder.record(CaseRecorder::Part::one);
    recorder.add({.kind = Kind::kernel, .name = "l", .modules = {6, 7}});
  }
  recorder.begin_case();
  ASSERT_THAT(recorder.history().earlier, SizeIs(1));
  EXPECT_THAT(recorder.history().earlier[0].modules, testing::ElementsAre(5, 6, 7));
  {
    const Scope before = recorder.record(CaseRecorder::Part::before);
    recorder.add({.kind = Kind::kernel, .name = "of nobody knows what"});
    recorder.add(fill_at(6000, 4));
  }
  recorder.begin_case();
  ASSERT_THAT(recorder.history().earlier, SizeIs(2));
  EXPECT_THAT(recorder.history().earlier[1].modules, testing::ElementsAre(0));
  for (const char* gap : {"cuGraphLaunch", "cuMemMap"}) {
    const Scope before = recorder.record(CaseRecorder::Part::before);
    recorder.add({.kind = Kind::kernel, .name = "k", .modules = {5, 0}});
    recorder.add(fill_at(7000, 5));
    recorder.add_gap({CauseCode::call_not_followed, {{"call", gap}}});
    recorder.begin_case();
  }
  ASSERT_THAT(recorder.history().earlier, SizeIs(4));
  EXPECT_THAT(recorder.history().earlier[2].modules, testing::ElementsAre(0, 5))
      << "a graph may launch others";
  EXPECT_THAT(recorder.history().earlier[3].modules, testing::ElementsAre(5));
}

}  // namespace
}  // namespace harness
