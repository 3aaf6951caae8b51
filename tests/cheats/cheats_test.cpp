// Each cheat of plugin/ ends incorrect or failed, and its cause says which check caught it. Worker processes
// measure them on the CPU as a run does.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "in_a_worker.h"

namespace harness {
namespace {

// The check that catches a cheat.
enum class CaughtBy { first_check, audit, last_check, nothing };

struct CheatCase {
  const char* variant;
  Outcome outcome;
  CaughtBy caught_by;
  std::vector<CauseCode> causes;
  const char* workload = "line";
  TimingMode timing = TimingMode::events;
  CacheMode cache = CacheMode::hot;
  int placements = 10;
  int processes = 1;  // which is audited, then
};

const std::vector<CauseCode> wrong_output = {CauseCode::wrong_values, CauseCode::wrong_element,
                                             CauseCode::not_written};

CheatCase audited(const char* variant) {
  return {variant, Outcome::incorrect, CaughtBy::audit, wrong_output};
}

CheatCase audited_in_batches(const char* variant) {
  CheatCase one = audited(variant);
  one.timing = TimingMode::batch;
  one.cache = CacheMode::rotate;
  return one;
}

CheatCase in_hot_batches(const char* variant) {
  CheatCase one = audited_in_batches(variant);
  one.cache = CacheMode::hot;
  return one;
}

CheatCase with_cause(const char* variant, CauseCode cause) {
  return {variant, Outcome::incorrect, CaughtBy::audit, {cause}};
}

// Written in part or not yet, or between the end of the call and the check.
CheatCase late(const char* variant) {
  CheatCase one = audited(variant);
  one.causes.push_back(CauseCode::written_late);
  return one;
}

CheatCase slower(const char* variant) {
  return {variant, Outcome::incorrect, CaughtBy::nothing, {CauseCode::slower_when_audited}};
}

CheatCase at_once(const char* variant, CauseCode cause) {
  return {variant, Outcome::incorrect, CaughtBy::first_check, {cause}};
}

CheatCase failed(const char* variant, CauseCode cause) {
  return {variant, Outcome::failed, CaughtBy::nothing, {cause}};
}

std::vector<CheatCase> all_cheats() {
  CheatCase integers = audited("unwritten_integers");
  integers.workload = "below";
  integers.caught_by = CaughtBy::first_check;
  CheatCase later = late("later_thread");  // sometimes in time, on a busy machine
  later.processes = 15;                    // three audits; the last check may catch it, too
  return {
      audited("only_on_poison"),
      audited("first_and_each_seventh"),
      audited("first_of_placement"),
      audited("in_warm_up"),
      audited("each_second"),
      audited("first_and_last"),
      audited("after_a_pause"),
      audited_in_batches("first_and_each_seventh"),
      audited_in_batches("only_on_poison"),
      audited("in_bind"),
      audited("by_address"),
      audited_in_batches("by_address"),
      audited("earlier_placement"),
      audited("stale_inputs"),
      integers,
      later,
      slower("by_some_inputs"),
      slower("by_all_inputs"),
      slower("unless_inputs_change"),
      at_once("nothing", CauseCode::not_written),
      at_once("part", CauseCode::not_written),
      at_once("constant", CauseCode::wrong_values),
      at_once("not_a_number", CauseCode::not_finite),
      at_once("zeroed_inputs", CauseCode::wrong_values),
      at_once("copied_inputs", CauseCode::wrong_values),
      failed("closes_descriptors", CauseCode::crashed),
      failed("silences_descriptors", CauseCode::crashed),
      failed("leaves_in_a_sample", CauseCode::crashed),
      failed("forges_a_result", CauseCode::worker_forged),
      failed("changes_the_environment", CauseCode::environment_changed),
      with_cause("marks_inputs", CauseCode::input_changed),
      late("queued_work"),
      slower("by_sum"),
      slower("watches_inputs"),
      in_hot_batches("first_of_batch"),
      audited("marks_outputs"),
      audited("one_call_behind"),
      failed("busy_thread", CauseCode::left_behind),
      failed("leaves_a_timer", CauseCode::left_behind),
      failed("leaves_a_posix_timer", CauseCode::left_behind),
      failed("leaves_a_handler", CauseCode::left_behind),
      failed("leaves_a_rounding", CauseCode::left_behind),
      failed("leaves_memory", CauseCode::left_behind),
      failed("patches_code", CauseCode::left_behind),
      failed("unprotects_code", CauseCode::left_behind),
      {"slows_the_clock", Outcome::incorrect, CaughtBy::nothing, {CauseCode::clock_differs}},
      {"slows_the_clock_between_pauses", Outcome::incorrect, CaughtBy::nothing, {CauseCode::clock_differs}}};
}

CaughtBy caught_by(const ProcessResult& result) {
  if (!result.reason || result.outcome != Outcome::incorrect) return CaughtBy::nothing;
  if (result.reason->code == CauseCode::slower_when_audited) return CaughtBy::nothing;
  if (result.reason->code == CauseCode::clock_differs) return CaughtBy::nothing;
  if (result.reason->count("audited") != 0) return CaughtBy::audit;
  return result.reason->count("after_timing") != 0 ? CaughtBy::last_check : CaughtBy::first_check;
}

PlannedCase planned_of(const CheatCase& cheat, std::int64_t n = 4096) {
  PlannedCase planned = InAWorker::planned_in_worker(cheat.workload, cheat.variant, n);
  planned.sampling.processes = cheat.processes;
  planned.sampling.placements = cheat.placements;
  planned.sampling.timing = cheat.timing;
  planned.sampling.cache = cheat.cache;
  if (cheat.caught_by != CaughtBy::nothing) planned.sampling.batch_nodes = {70, 140, 280};
  return planned;
}

class Cheats : public testing::TestWithParam<CheatCase>, protected InAWorker {};
class Audits : public testing::Test, protected InAWorker {};

TEST_P(Cheats, AreCaught) {
  const CheatCase& cheat = GetParam();
  const ProcessResult result = first_ended(planned_of(cheat));
  EXPECT_EQ(result.outcome, cheat.outcome) << result.reason;
  ASSERT_TRUE(result.reason);
  EXPECT_TRUE(std::find(cheat.causes.begin(), cheat.causes.end(), result.reason->code) != cheat.causes.end())
      << result.reason;
  if (cheat.processes == 1) {
    EXPECT_EQ(caught_by(result), cheat.caught_by) << result.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(, Cheats, testing::ValuesIn(all_cheats()), [](const auto& one) {
  const CheatCase& cheat = one.param;
  return std::string(cheat.variant) + (cheat.timing == TimingMode::batch ? "_in_batches" : "");
});

TEST_F(Audits, DoNotMakeAnHonestKernelWrong) {
  for (const TimingMode timing : {TimingMode::events, TimingMode::batch})
    for (const CacheMode cache : {CacheMode::hot, CacheMode::cold, CacheMode::rotate}) {
      CheatCase honest{"honest", Outcome::measured, CaughtBy::nothing, {}};
      honest.timing = timing;
      honest.placements = 2;
      honest.cache = cache;
      const ProcessResult result = first_ended(planned_of(honest));
      EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
    }
}

// In one process, in either order: what the one replaces the other must not suffer from.
TEST_F(Audits, DoNotBlameAnHonestKernelForAClockThatAnotherReplaced) {
  CheatCase honest{"honest", Outcome::measured, CaughtBy::nothing, {}};
  CheatCase patching = honest;
  patching.variant = "slows_the_clock";
  std::set<std::string> ended_first;
  for (std::uint64_t seed = 1; seed <= 16 && ended_first.size() < 2; ++seed) {
    const std::vector<ProcessResult> results =
        results_of({planned_of(honest, 1 << 20), planned_of(patching)}, seed);
    ASSERT_EQ(results.size(), 2U);
    ended_first.insert(results.front().case_id);
    for (const ProcessResult& one : results) {
      const bool right = one.case_id == "line/honest";
      EXPECT_EQ(one.outcome, right ? Outcome::measured : Outcome::incorrect) << one.case_id << one.reason;
      if (!right) {
        EXPECT_EQ(one.reason->code, CauseCode::clock_differs);
      }
    }
  }
  EXPECT_EQ(ended_first.size(), 2U);
}

}  // namespace
}  // namespace harness
