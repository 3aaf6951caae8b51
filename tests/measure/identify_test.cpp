// The look at a case: what is done and what is left out, and what its identity depends on.
#include <gmock/gmock.h>

#include "harness/measure/case/measure_case.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

double filled_with = 1;

class OwnLine : public trial::Line {
 public:
  void fill(const sdk::Params& params, std::uint64_t seed, std::span<sdk::HostTensor> inputs) const override {
    Line::fill(params, seed, inputs);
    inputs[0].set(0, filled_with);
  }
};

// Reports the mean of its outputs.
class Reporting : public OwnLine {
 public:
  [[nodiscard]] std::string_view name() const override { return "reporting"; }
  [[nodiscard]] std::vector<sdk::MetricSpec> metrics() const override {
    return {{"mean", "", sdk::Better::lower, "of the outputs"}, {"count", "", sdk::Better::lower, "of them"}};
  }
  void report(const sdk::Params&, std::span<const sdk::HostTensor>, std::span<const sdk::HostTensor> outputs,
              sdk::MetricSink& sink) const override {
    double sum = 0;
    for (std::int64_t i = 0; i < outputs[0].spec.elements(); ++i) sum += outputs[0].at(i);
    sink.report("mean", sum / static_cast<double>(outputs[0].spec.elements()));
    sink.report("count", static_cast<double>(outputs[0].spec.elements()));
  }
};

std::string steps;

class Told : public trial::Right {
 public:
  Told(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    steps += "c";
  }
  void bind(const sdk::Buffers& buffers) override {
    steps += "b";
    Right::bind(buffers);
  }
  void run(sdk::Stream stream) override {
    steps += "r";
    Right::run(stream);
  }
};

class Wrong : public Told {
 public:
  using Told::Told;
  void run(sdk::Stream stream) override {
    Told::run(stream);
    y_[0] += 1;
  }
};

class TakesMore : public Told {
 public:
  using Told::Told;
  [[nodiscard]] std::size_t workspace_bytes() const override { return 64; }
};

// There is no room for two.
class Single : public Told {
 public:
  Single(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Told(params, problem, traits) {
    if (alive) throw std::bad_alloc();
    alive = true;
  }
  Single(const Single&) = delete;
  Single& operator=(const Single&) = delete;
  ~Single() override { alive = false; }

 private:
  static inline bool alive = false;
};

const Catalog& catalog() {
  static const Catalog made = [] {
    Catalog empty;
    const auto register_all = [](sdk::Registry& registry) {
      registry.add(std::make_unique<OwnLine>());
      registry.add(std::make_unique<Reporting>());
      registry.add(trial::variant<Told>("right"));
      registry.variants.back().workload = "reporting";
      registry.add(trial::variant<Told>("right"));
      registry.add(trial::variant<Wrong>("wrong"));
      registry.add(trial::variant<TakesMore>("takes_more"));
      registry.add(trial::variant<Single>("single"));
    };
    EXPECT_TRUE(empty.add(sdk::Module{sdk::module_abi, sdk::compiler_abi, "test", register_all}));
    return empty;
  }();
  return made;
}

constexpr const char* with_digest =
    R"({"version": 1, "default": {"identity": {"digest": "abc"}, "kernels": [{"name": "saxpy"}]}})";

ProcessResult look_at(const PlannedCase& planned, const std::string& script = with_digest) {
  steps.clear();
  Carried carried;
  return look_at_case(*scripted(script), catalog(), planned, 0, carried);
}

ProcessResult look(const std::string& script = with_digest, const std::string& variant = "right",
                   std::int64_t n = 100) {
  return look_at(planned_line(variant, n), script);
}

ProcessResult measure(int process, const std::string& script = with_digest) {
  return measure_case(*scripted(script), catalog(), planned_line("right"), process);
}

TEST(Look, MakesTheFirstCallAndTakesNoSample) {
  const ProcessResult result = look();
  EXPECT_EQ(result.outcome, Outcome::looked_at) << result.reason;
  EXPECT_EQ(result.process, 0);
  EXPECT_EQ(steps, "cbrr") << "the first call, and one of the profiler's";
  EXPECT_THAT(result.series, IsEmpty());
  EXPECT_THAT(result.notes, IsEmpty());
  ASSERT_THAT(result.kernels, SizeIs(1));
  EXPECT_EQ(result.kernels[0].name, "saxpy");
  ASSERT_TRUE(result.identity);
  EXPECT_THAT(result.identity->digest, Not(IsEmpty()));
  EXPECT_FALSE(result.identity->gap);
}

TEST(Look, TellsReportedMetricsThatHaveAGateOfTheirOwn) {
  PlannedCase planned = planned_line("right", 100);
  planned.workload = "reporting";
  planned.metrics = {"time", "mean", "count"};
  EXPECT_THAT(look_at(planned).series, IsEmpty());
  planned.gate.metrics.push_back({"mean", 0.1, {}, true});
  EXPECT_THAT(look_at(planned).series, IsEmpty()) << "an informative one decides nothing";
  planned.gate.metrics.front().informative = false;
  const ProcessResult looked = look_at(planned);
  ASSERT_THAT(looked.series, SizeIs(1)) << looked.reason;
  EXPECT_EQ(looked.series[0].metric, "mean");
  // As the first process tells it, whose inputs a look has.
  const ProcessResult first = measure_case(*scripted(with_digest), catalog(), planned, 1);
  const auto told = std::find_if(first.series.begin(), first.series.end(),
                                 [](const Series& one) { return one.metric == "mean"; });
  ASSERT_NE(told, first.series.end()) << first.reason;
  EXPECT_EQ(looked.series[0].processes[0].placements[0].samples, told->processes[0].placements[0].samples);
  // Without a digest nothing is proven, so nothing need be told.
  EXPECT_THAT(look_at(planned, R"({"version": 1})").series, IsEmpty());
}

TEST(Look, FindsTheIdentityThatTheFirstMeasuringProcessFinds) {
  const ProcessResult looked = look();
  const ProcessResult first = measure(1), second = measure(2);
  ASSERT_EQ(first.outcome, Outcome::measured) << first.reason;
  ASSERT_TRUE(first.identity);
  EXPECT_EQ(looked.identity, first.identity);
  EXPECT_FALSE(second.identity) << "one process is enough";
}

TEST(Look, TellsAnotherIdentityForOtherLaunchesInputsOrMemory) {
  const std::string digest = look().identity->digest;
  EXPECT_EQ(look().identity->digest, digest);
  EXPECT_NE(look(R"({"version": 1, "default": {"identity": {"digest": "abd"}}})").identity->digest, digest);
  EXPECT_NE(look(with_digest, "right", 101).identity->digest, digest);
  EXPECT_NE(look(with_digest, "takes_more").identity->digest, digest);
  filled_with = 2;
  EXPECT_NE(look().identity->digest, digest);
  filled_with = 1;
}

TEST(Look, KeepsTheRulesThatItsLaunchesWereHashedBy) {
  const std::string by_rules = R"({"version": 1, "default": {"identity": {"digest": "2.abc"}}})";
  EXPECT_EQ(digest_rules(look(by_rules).identity->digest), "2");
  EXPECT_EQ(digest_rules(look().identity->digest), "1");
  PlannedCase single = planned_line("single");
  single.metrics = {"peak_memory"};
  EXPECT_EQ(digest_rules(look_at(single, by_rules).identity->digest), "2")
      << "with what is said of its memory";
}

TEST(Look, HasAnotherIdentityWhereTheVariantsMemoryCouldNotBeCounted) {
  const auto asking = [](const char* variant) {
    PlannedCase planned = planned_line(variant);
    planned.metrics = {"peak_memory"};
    return planned;
  };
  const std::string digest = look().identity->digest;
  EXPECT_EQ(look_at(asking("right")).identity->digest, digest) << "it takes nothing";
  const ProcessResult first = look_at(asking("single")), second = look_at(asking("single"));
  EXPECT_EQ(first.outcome, Outcome::looked_at) << first.reason;
  EXPECT_NE(first.identity->digest, digest);
  EXPECT_EQ(first.identity->digest, second.identity->digest);
  EXPECT_EQ(look(with_digest, "single").identity->digest, digest) << "nobody asked for its memory";
}

TEST(Look, ChecksAFewElementsOfTheFirstResult) {
  PlannedCase costly = planned_line("right", 1000);
  costly.params.set("flops", 1e9);
  const ProcessResult right = look_at(costly);
  ASSERT_TRUE(right.verification);
  EXPECT_EQ(right.verification->elements, few_elements);
  const ProcessResult wrong = look(with_digest, "wrong");
  EXPECT_EQ(wrong.outcome, Outcome::incorrect);
  EXPECT_FALSE(wrong.identity);
}

TEST(Look, TellsWhyAnIdentityIsUnknown) {
  const ProcessResult result =
      look(R"({"version": 1, "default": {"identity": {"gap": "a graph was launched"}}})");
  EXPECT_EQ(result.outcome, Outcome::looked_at);
  ASSERT_TRUE(result.identity);
  EXPECT_EQ(result.identity->digest, "");
  EXPECT_THAT(result.identity->gap,
              FactIs(CauseCode::launches_unseen, {{"problem", "a graph was launched"}}));
}

TEST(Look, TellsNoIdentityWhereTheDeviceHasNone) {
  const ProcessResult result = look(R"({"version": 1})");
  EXPECT_EQ(result.outcome, Outcome::looked_at);
  EXPECT_FALSE(result.identity);
  EXPECT_EQ(steps, "cbr");
}

TEST(Look, EndsACaseThatFindsNoMemory) {
  const ProcessResult result =
      look(R"({"version": 1, "memory_bytes": 10, "default": {"identity": {"digest": "abc"}}})");
  EXPECT_THAT(result.reason, FactIs(CauseCode::device_error));
  EXPECT_FALSE(result.identity);
}

TEST(Look, SeesBothBuildsOfAPair) {
  steps.clear();
  Carried carried;
  const auto device = scripted(R"({"version": 1, "cases": [
      {"match": "*", "side": "baseline", "identity": {"digest": "a"}}, {"match": "*", "side": "current", "identity": {"digest": "b"}}]})");
  const PairResult pair = look_at_pair(*device, catalog(), catalog(), planned_line("right"), 0, carried);
  EXPECT_EQ(pair.baseline.outcome, Outcome::looked_at);
  EXPECT_EQ(pair.current.outcome, Outcome::looked_at);
  ASSERT_TRUE(pair.baseline.identity && pair.current.identity);
  EXPECT_NE(pair.baseline.identity->digest, pair.current.identity->digest);
  EXPECT_EQ(steps, "ccbbrrrr");
}

}  // namespace
}  // namespace harness
