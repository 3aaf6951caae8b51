#include "harness/verdict/read/short_calls.h"

#include <gmock/gmock.h>

#include "facts.h"
#include "harness/verdict/read/summarize.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Not;

std::optional<Diagnostic> found_for(double us, double step = 0) {
  return short_call_diagnostic(series_at(about(us)), {}, us, step);
}

TEST(ShortCalls, BelowFiveMicrosecondsAreLaunchBound) {
  EXPECT_FALSE(found_for(5.01));
  const Diagnostic plain{DiagnosticCode::launch_bound, {{"us", 2.69}}};
  EXPECT_EQ(found_for(2.69), plain) << "without steps";
  EXPECT_THAT(*found_for(2.69, 0.032), fact(DiagnosticCode::launch_bound, {{"step_us", 0.032}}));
}

TEST(ShortCalls, OfAFewTicksAreTickBound) {
  EXPECT_THAT(*found_for(0.5), fact(DiagnosticCode::tick_bound, {{"ticks", 15.6}, {"tick_us", 0.032}}));
  EXPECT_THAT(*found_for(1.03), coded(DiagnosticCode::launch_bound));
}

TEST(ShortCalls, OfOtherMetricsAndUnitsAreNobodysEvents) {
  EXPECT_FALSE(short_call_diagnostic(series_at(about(2), "wall_time"), {}, 2, 0));
  EXPECT_FALSE(short_call_diagnostic(series_at(about(2), "launch_time"), {}, 2, 0));
  EXPECT_FALSE(short_call_diagnostic(series_at(about(2), "gpu_time", "ms"), {}, 2, 0));
  EXPECT_FALSE(short_call_diagnostic(series_at({}), {}, 0, 0));
}

TEST(ShortCalls, AreToldInTheReportOfARunAndInAComparison) {
  const Record record = record_of(about(2.7)), longer = record_of(about(27));
  const auto short_call = Contains(coded(DiagnosticCode::launch_bound));
  EXPECT_THAT(summarize(record).at(0).diagnostics, short_call);
  EXPECT_THAT(only_row(compare(record, record, {})).diagnostics, short_call);
  EXPECT_THAT(summarize(longer).at(0).diagnostics, Not(short_call));
  EXPECT_THAT(only_row(compare(longer, longer, {})).diagnostics, Not(short_call));
}

}  // namespace
}  // namespace harness
