#include "harness/verdict/read/short_calls.h"

#include <gmock/gmock.h>

#include "harness/verdict/read/summarize.h"
#include "records.h"
#include "tests/model/fact_matchers.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string advice_for(double us, double step = 0) {
  return short_call_advice(series_at(about(us)), {}, us, step);
}

TEST(ShortCalls, BelowFiveMicrosecondsAreLaunchBound) {
  EXPECT_THAT(advice_for(5.01), IsEmpty());
  EXPECT_THAT(advice_for(2.69), AllOf(HasSubstr("launch-bound: a call of 2.69 us"),
                                      HasSubstr("`timing: batch`"), Not(HasSubstr("steps"))));
  EXPECT_THAT(advice_for(2.69, 0.032), HasSubstr("comes in steps of 0.032 us"));
}

TEST(ShortCalls, OfAFewTicksAreTickBound) {
  EXPECT_THAT(advice_for(0.5), AllOf(HasSubstr("tick-bound: a call of 0.5 us is only 16 ticks"),
                                     HasSubstr("(32 ns)"), HasSubstr("`timing: batch`")));
  EXPECT_THAT(advice_for(1.03), HasSubstr("launch-bound"));
}

TEST(ShortCalls, OfOtherMetricsAndUnitsAreNobodysEvents) {
  EXPECT_THAT(short_call_advice(series_at(about(2), "wall_time"), {}, 2, 0), IsEmpty());
  EXPECT_THAT(short_call_advice(series_at(about(2), "launch_time"), {}, 2, 0), IsEmpty());
  EXPECT_THAT(short_call_advice(series_at(about(2), "gpu_time", "ms"), {}, 2, 0), IsEmpty());
  EXPECT_THAT(short_call_advice(series_at({}), {}, 0, 0), IsEmpty());
}

TEST(ShortCalls, AreToldInTheReportOfARunAndInAComparison) {
  const Record record = record_of(about(2.7)), longer = record_of(about(27));
  EXPECT_THAT(summarize(record).at(0).notes, Contains(Says("launch-bound")));
  EXPECT_THAT(only_row(compare(record, record, {})).advice, Contains(HasSubstr("launch-bound")));
  EXPECT_THAT(summarize(longer).at(0).notes, Not(Contains(Says("launch-bound"))));
  EXPECT_THAT(only_row(compare(longer, longer, {})).advice, Not(Contains(HasSubstr("launch-bound"))));
}

}  // namespace
}  // namespace harness
