// Every code has words, and figures that a reader needs are in them.
#include <gmock/gmock.h>

#include <utility>

#include "harness/model/case_step.h"
#include "harness/report/words/cause_words.h"
#include "harness/report/words/change/change_cause_words.h"
#include "harness/report/words/note_words.h"

namespace harness::report {
namespace {

using testing::HasSubstr;

TEST(FactWords, ExistForEveryCode) {
  for (const auto& [code, name] : enum_names<CauseCode>) {
    if (code == CauseCode::told) continue;
    EXPECT_GT(words(Cause{code, {{"problem", "the device's own words"}}}).size(), 10U) << name;
  }
  for (const auto& [code, name] : enum_names<NoteCode>) {
    if (code == NoteCode::told) continue;
    EXPECT_GT(words(Note{code}).size(), 10U) << name;
  }
  for (const auto& [code, name] : enum_names<CounterCode>) {
    EXPECT_GT(words(CounterFact{code, {{"problem", "the device's own words"}}}).size(), 10U) << name;
  }
  for (const auto& [step, name] : enum_names<CaseStep>)
    EXPECT_NE(words(Cause{CauseCode::threw, {{"step", std::string(name)}}}),
              words(Cause{CauseCode::threw, {{"step", "no step"}}}))
        << name;
}

TEST(FactWords, HoldTheFigures) {
  EXPECT_EQ(words(Cause{CauseCode::device_error,
                        {{"problem", "an illegal memory access"}, {"step", "sample"}, {"placement", 2}}}),
            "an illegal memory access, while sampling in placement 2");
  EXPECT_THAT(words(Cause{CauseCode::crashed, {{"signal", 11}, {"printed", "about to fall"}}}),
              HasSubstr("killed by signal 11 (Segmentation fault); it printed last: about to fall"));
  EXPECT_THAT(words(Note{NoteCode::out_of_time, {{"max_time", 0.5}, {"samples", 9}, {"of", 50}}}),
              HasSubstr("max_time of 0.5 s ended sampling after 9 of 50 samples"));
  EXPECT_THAT(words(Note{NoteCode::out_of_time, {{"other_processes", 2}}}),
              HasSubstr("(2 processes with other figures)"));
}

TEST(FactWords, OfAMissingMetricSayWhatToDo) {
  const std::pair<NoteCode, const char*> advices[] = {
      {NoteCode::metric_untold, "take it out of `metrics`"},
      {NoteCode::metric_without_counter, "leave the metric out of `metrics`"},
      {NoteCode::metric_beside_others, "end them, or wait"},
      {NoteCode::metric_beside_unknown, "run where nvidia-smi lists processes"},
      {NoteCode::metric_of_long_calls, "use a smaller problem"},
      {NoteCode::metric_of_one_gpu, "ask for it in cases of one GPU"},
      {NoteCode::energy_stands, "measure on another GPU"},
      {NoteCode::energy_went_back, "measure again"},
      {NoteCode::energy_unseen, "measure again"},
      {NoteCode::energy_bent, "lock its clock"},
      {NoteCode::idle_power_unknown, "let run() not wait for the device"},
  };
  for (const auto& [code, advice] : advices)
    EXPECT_THAT(words(Note{code, {{"metric", "energy"}}}),
                testing::AllOf(HasSubstr("metric `energy` is missing: "), HasSubstr(advice)));
}

TEST(FactWords, OfPowerCompareTimesOnlyWhereTheseAreTold) {
  EXPECT_EQ(words(Note{NoteCode::power_and_cap, {{"watts", 350.0}, {"cap", 700.0}}}),
            "without pauses the device drew 350 W of the 700 W that it may draw");
  EXPECT_THAT(words(Note{NoteCode::power_and_cap,
                         {{"watts", 690.0}, {"cap", 700.0}, {"boost", 100e-6}, {"sustained", 125e-6}}}),
              HasSubstr("+25.0 % against samples"));
}

TEST(FactWords, OfACounterWithoutValueAreThoseOfItsReason) {
  const Note note{NoteCode::counters_missing,
                  {{"counters", "x.smu"}, {"why", "unknown_counter"}, {"nearest", "x.sum"}}};
  EXPECT_EQ(words(note), "no value of x.smu: this GPU has no such counter; did you mean `x.sum`?");
}

TEST(FactWords, OfCountersThatOneSideHasNoneOfTellNoShare) {
  const ChangeCause cause{ChangeCauseCode::counters,
                          {{"name1", "l1tex__data_bank_conflicts_pipe_lsu.sum"},
                           {"unit1", ""},
                           {"baseline1", 0.0},
                           {"current1", 50000.0},
                           {"name2", "dram__bytes_read.sum"},
                           {"unit2", "bytes"},
                           {"baseline2", 100.0},
                           {"current2", 150.0}}};
  EXPECT_EQ(
      words(cause),
      "counters of one call that moved most: bank conflicts (0 -> 5e+04), bytes read from DRAM +50 % (100 -> "
      "150 bytes)");
}

}  // namespace
}  // namespace harness::report
