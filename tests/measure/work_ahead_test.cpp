// Inputs that are made on another thread: the same ones, by one thread at a time, and only where nobody
// minds.
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "harness/catalog/catalog.h"
#include "harness/measure/case/audit.h"
#include "harness/measure/case/measure_case.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/model/known_metrics.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

// All that happened in the lines of a test.
struct Seen {
  std::mutex together;
  std::atomic<int> at_once = 0, most_at_once = 0;
  std::multiset<std::int64_t> filled;
  std::multiset<std::int64_t> filled_ahead;  // of these, on another thread than that of the test
  const std::thread::id own = std::this_thread::get_id();
  int refusals = 0;  // so many fills throw
};

class SeenLine : public trial::Line {
 public:
  explicit SeenLine(Seen& seen) : seen_(seen) {}
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const Inside inside(seen_);
    return Line::problem(params);
  }
  void fill(const sdk::Params& params, std::uint64_t seed, std::span<sdk::HostTensor> inputs) const override {
    const Inside inside(seen_);
    {
      const std::lock_guard lock(seen_.together);
      if (seen_.refusals > 0) {
        --seen_.refusals;
        throw std::runtime_error("no inputs today");
      }
      seen_.filled.insert(params.integer("n"));
      if (std::this_thread::get_id() != seen_.own) seen_.filled_ahead.insert(params.integer("n"));
    }
    Line::fill(params, seed, inputs);
  }
  void reference(const sdk::Params& params, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    const Inside inside(seen_);
    Line::reference(params, inputs, output, wanted, expected);
  }

 private:
  struct Inside {
    explicit Inside(Seen& all) : seen(all) {
      const int now = ++seen.at_once;
      if (now > seen.most_at_once) seen.most_at_once = now;
    }
    ~Inside() { --seen.at_once; }
    Seen& seen;
  };
  Seen& seen_;
};

sdk::Params line_of(std::int64_t n) {
  sdk::Params params;
  params.set("n", n);
  return params;
}

class WorkAhead : public testing::Test {
 protected:
  bool make_ahead(InputCache& cache, std::int64_t n) {
    return cache.make_ahead(line_, line_of(n), line_.problem(line_of(n)), 5);
  }
  std::shared_ptr<const CaseInputs> get(InputCache& cache, std::int64_t n) {
    return cache.get(line_, line_of(n), line_.problem(line_of(n)), 5);
  }

  Seen seen_;
  SeenLine line_{seen_};
};

TEST_F(WorkAhead, GivesTheInputsThatWouldHaveBeenMade) {
  InputCache ahead, usual;
  EXPECT_TRUE(make_ahead(ahead, 1000));
  const auto inputs = get(ahead, 1000);
  EXPECT_EQ(input_digest(*inputs), input_digest(*get(usual, 1000)));
  EXPECT_GT(ahead.take_making_ahead(*inputs), 0);
  EXPECT_EQ(ahead.take_making_ahead(*inputs), 0) << "an audit pays once";
  EXPECT_EQ(usual.take_making_ahead(*get(usual, 1000)), 0);
  EXPECT_EQ(seen_.filled.count(1000), 2U);
  EXPECT_EQ(seen_.filled_ahead.count(1000), 1U);
}

TEST_F(WorkAhead, IsForOneAtATimeAndNotForWhatIsAtHand) {
  InputCache cache;
  EXPECT_TRUE(make_ahead(cache, 10));
  EXPECT_TRUE(cache.is_making());
  EXPECT_FALSE(make_ahead(cache, 20)) << "the thread is busy, or nobody has looked whether it has ended";
  cache.settle();
  EXPECT_FALSE(cache.is_making());
  EXPECT_FALSE(make_ahead(cache, 10));
  EXPECT_TRUE(make_ahead(cache, 20));
}

TEST_F(WorkAhead, KeepsWhatIsMadeWhereOthersAreAskedFor) {
  InputCache cache;
  EXPECT_TRUE(make_ahead(cache, 10));
  get(cache, 20);
  get(cache, 10);
  EXPECT_EQ(seen_.filled.count(10), 1U);
  EXPECT_EQ(seen_.most_at_once, 1);
}

TEST_F(WorkAhead, IsNotForInputsThatWouldPushOutOthers) {
  InputCache cache(20'000);
  EXPECT_TRUE(make_ahead(cache, 100));
  cache.settle();
  EXPECT_FALSE(make_ahead(cache, 2000));
}

TEST_F(WorkAhead, LeavesAnErrorToWhoeverAsks) {
  seen_.refusals = 2;
  InputCache cache;
  EXPECT_TRUE(make_ahead(cache, 10));
  EXPECT_THROW(get(cache, 10), std::runtime_error);
  EXPECT_NE(get(cache, 10), nullptr);
}

TEST_F(WorkAhead, IsNotTriedAgainWhereItFailed) {
  seen_.refusals = 1;
  InputCache cache;
  EXPECT_TRUE(make_ahead(cache, 10));
  cache.settle();
  EXPECT_FALSE(make_ahead(cache, 10));
  EXPECT_NE(get(cache, 10), nullptr);
}

TEST_F(WorkAhead, DoesNotKeepOthersFromWhatIsAtHand) {
  InputCache cache;
  const auto held = get(cache, 20);
  EXPECT_TRUE(make_ahead(cache, 10));
  EXPECT_EQ(get(cache, 20), held);
  EXPECT_TRUE(cache.is_making());
}

TEST_F(WorkAhead, EndsWithTheCache) {
  {
    InputCache cache;
    EXPECT_TRUE(make_ahead(cache, 10));
  }
  EXPECT_EQ(seen_.at_once, 0);
  EXPECT_EQ(seen_.filled.count(10), 1U);
}

Seen* of_module = nullptr;

// Cases of one process, one after the other, on a scripted device.
class WorkAheadOfACase : public WorkAhead {
 protected:
  WorkAheadOfACase() {
    of_module = &seen_;
    const auto added =
        catalog_.add({sdk::module_abi, sdk::compiler_abi, "ahead", [](sdk::Registry& registry) {
                        registry.add(std::make_unique<SeenLine>(*of_module));
                        registry.add(trial::variant<trial::Right>("right"));
                      }});
    if (!added) ADD_FAILURE() << added.error().text();
    carried_.works_ahead = true;
    carried_.audit_draw = 1;
    cases_ = {planned_line("right", 100), planned_line("right", 100), planned_line("right", 300)};
    for (PlannedCase& one : cases_) one.sampling.processes = 5;
  }

  // Measures a case in a process that does not audit it, or in one that does.
  void measure(std::size_t i, bool audited = false) {
    carried_.next = std::span(cases_).subspan(i + 1);
    carried_.audit_draw = audited ? 0 : 1;
    int process = 1;
    const auto draw = std::max<std::uint64_t>(1, input_seed(cases_[i].id, cases_[i].params, 1, 1));
    while (Audit::chosen(draw, 5, process)) ++process;
    const ProcessResult result = measure_case(*device_, catalog_, cases_[i], process, carried_);
    EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  }

  Catalog catalog_;
  std::vector<PlannedCase> cases_;
  std::unique_ptr<ScriptedDevice> device_ = scripted(R"({"version": 1, "default": {"us": 90}})");
  Carried carried_;
};

TEST_F(WorkAheadOfACase, MakesTheInputsOfTheNextCaseThatHasOthers) {
  measure(0);
  carried_.inputs.settle();
  EXPECT_EQ(seen_.filled, (std::multiset<std::int64_t>{100, 300}));
  measure(1);
  measure(2);
  EXPECT_EQ(seen_.filled, (std::multiset<std::int64_t>{100, 300}));
  EXPECT_EQ(seen_.most_at_once, 1);
}

TEST_F(WorkAheadOfACase, MakesInputsOfItsOwnAuditsFirst) {
  measure(0, true);
  carried_.inputs.settle();
  EXPECT_EQ(seen_.filled_ahead, (std::multiset<std::int64_t>{100, 300}))
      << "for its first audit, and the next";
  EXPECT_EQ(seen_.most_at_once, 1);
}

TEST_F(WorkAheadOfACase, MakesNoneWhereTheHostIsTimed) {
  cases_[0].metrics.emplace_back(launch_time_metric.name);
  measure(0);
  carried_.inputs.settle();
  EXPECT_EQ(seen_.filled, (std::multiset<std::int64_t>{100}));
}

TEST_F(WorkAheadOfACase, MakesNoneUnlessTheWorkerMay) {
  carried_.works_ahead = false;
  measure(0);
  EXPECT_FALSE(carried_.inputs.is_making());
  EXPECT_EQ(seen_.filled, (std::multiset<std::int64_t>{100}));
}

}  // namespace
}  // namespace harness
