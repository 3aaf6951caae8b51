// The tables, of findings whose answers are known.
#include "tests/instrument/offsets/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace harness::offsets {
namespace {

using testing::HasSubstr;
using testing::Not;

Findings process(double offset) {
  Findings found;
  found.device = "a GPU";
  found.start_ms = 400 + offset;
  found.rows.push_back({nothing_drawn, {3000 + offset, 3000}, {13000, 13000}, {0.01, 0.03}, "", ""});
  found.rows.push_back({"streams", {2980, 3020}, {13000 + offset, 13060 + offset}, {0.5, 1.5}, "", ""});
  return found;
}

TEST(OffsetsTables, TellTheSpreadWithinProcessesFromThatOfTheirMeans) {
  const std::string text = markdown({process(0), process(30), process(60)});
  // The sd of two values is their difference over the root of two; that of 0, 30 and 60 is 30.
  EXPECT_THAT(text, HasSubstr("| nothing | 3 | 27 | 0 | 15 | 0 | 0.020 |\n"));
  EXPECT_THAT(text, HasSubstr("| streams | 3 | 28 | 42 | 0 | 30 | 1.000 |\n"));
  EXPECT_THAT(text, HasSubstr("| processes | 3 | 30 | 0 | - | - | 430 |\n"));
  EXPECT_THAT(text, HasSubstr("reads 3015 ns and a GELU of 8 Mi halves 13000 ns"));
}

TEST(OffsetsTables, PoolVariancesAndNotDeviations) {
  Findings narrow = process(0);
  Findings wide = process(0);
  narrow.rows[1].empty_ns = {3000, 3000};
  wide.rows[1].empty_ns = {2900, 3100};  // a variance of 20000
  EXPECT_THAT(markdown({narrow, wide}), HasSubstr("| streams | 2 | 100 |"));
}

TEST(OffsetsTables, CountOnlyTheProcessesThatDrewAThing) {
  Findings without = process(30);
  without.rows.pop_back();
  EXPECT_THAT(markdown({process(0), without}), HasSubstr("| streams | 1 | 28 | 42 | - | - | 1.000 |\n"));
}

TEST(OffsetsTables, SayWhatTheDriverLacksAndWhatFailed) {
  Findings found = process(0);
  found.rows.push_back({"green contexts", {}, {}, {}, "the driver has no cuGreenCtxCreate", ""});
  found.rows.push_back({"contexts", {}, {}, {}, "", "cuCtxCreate failed"});
  EXPECT_THAT(markdown({found}),
              HasSubstr("| green contexts | - | - | - | - | - | the driver has no cuGreen"));
  EXPECT_THAT(markdown({found}), HasSubstr("| contexts | 0 | - | - | - | - | - |\n"));
  EXPECT_EQ(failures({process(0), found}), "process 1, contexts: cuCtxCreate failed\n");
  EXPECT_EQ(failures({process(0)}), "");
}

TEST(OffsetsTables, HaveWallTimesAndIdlingFromTheProcessThatLooked) {
  Findings first = process(0);
  EXPECT_THAT(markdown({first}), Not(HasSubstr("next flush")));
  first.walls = {{"after the sample was read", 47.33, 58.27, 2827, 13545},
                 {"once the gate was open", 38.8, 49.6, 2832, 13517}};
  first.flush_us = 32.2;
  first.idling = {{0, 37.125, 36.5, 1.98}, {300, 37.5, 36.75, 1.9754}};
  const std::string text = markdown({first, process(1)});
  EXPECT_THAT(text, HasSubstr("| after the sample was read | 47.3 | 58.3 | 2827 | 13545 |\n"
                              "| once the gate was open | 38.8 | 49.6 | 2832 | 13517 |\n\n"
                              "A flush takes 32.2 us.\n"));
  EXPECT_THAT(text, HasSubstr("| 300 | 37.50 | 36.75 | 1.975 |\n"));
}

TEST(OffsetsFindings, GoThroughAPipeUnchanged) {
  Findings found = process(1.0 / 3);
  found.rows[0].failed = "a \"quoted\" reason\n";
  found.walls = {{"once", 1, 2, 3, 4}};
  found.idling = {{2, 1.5, 1.25, 1.98}};
  const nlohmann::json sent = found;
  EXPECT_EQ(nlohmann::json(nlohmann::json::parse(sent.dump()).get<Findings>()), sent);
  EXPECT_EQ(nlohmann::json::parse(sent.dump()).get<Findings>().rows[0].empty_ns, found.rows[0].empty_ns);
}

}  // namespace
}  // namespace harness::offsets
