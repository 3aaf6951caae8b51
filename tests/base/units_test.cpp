#include "harness/base/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace harness {
namespace {

TEST(ParseDuration, NeedsAUnit) {
  EXPECT_DOUBLE_EQ(parse_duration("250ms").value(), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration(" 1.5 s ").value(), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration("2m").value(), 120);
  EXPECT_DOUBLE_EQ(parse_duration("30us").value(), 30e-6);
  for (const char* wrong : {"", "5", "ms", "-1s", "1 fortnight", "nan s", "inf s", "1s1"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(ParseFraction, TakesPercentagesAndFractionsBelowOne) {
  EXPECT_DOUBLE_EQ(parse_fraction("0.5%").value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_fraction("0.005").value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_fraction("0").value(), 0);
  EXPECT_DOUBLE_EQ(parse_fraction("50%").value(), 0.5);
  EXPECT_EQ(parse_fraction("0.5").error().advice, "write `0.5%` or `50%`");
  for (const char* wrong : {"", "%", "100%", "1", "-1%", "nan", "1 percent", "0.5", "0.1"})
    EXPECT_FALSE(parse_fraction(wrong)) << wrong;
}

TEST(Format, ChoosesTheUnitAPersonWould) {
  EXPECT_EQ(format_seconds(23.7e-6), "23.70 us");
  EXPECT_EQ(format_seconds(1.524), "1.524 s");
  EXPECT_EQ(format_seconds(2.5e-9), "2.500 ns");
  EXPECT_EQ(format_seconds(300), "5.00 min");
  EXPECT_EQ(format_si(4.26e12, "B/s"), "4.26 TB/s");
  EXPECT_EQ(format_si(12, "B/s"), "12.0 B/s");
}

TEST(Format, KeepsSignificantDigits) {
  EXPECT_EQ(format_significant(37.876), "37.88");
  EXPECT_EQ(format_significant(0.041234), "0.04123");
  EXPECT_EQ(format_significant(1234.6), "1235");
  EXPECT_EQ(format_significant(0), "0");
  EXPECT_EQ(format_significant(1.9973e-7), "1.997e-07") << "no row of zeros";
  EXPECT_EQ(format_significant(0.00012346), "0.0001235");
  EXPECT_EQ(format_significant(NAN), "nan");
  EXPECT_EQ(format_significant(-INFINITY), "-inf");
}

TEST(SecondsPerUnit, KnowsTimesOnly) {
  EXPECT_DOUBLE_EQ(seconds_per_unit("us"), 1e-6);
  EXPECT_DOUBLE_EQ(seconds_per_unit("ms"), 1e-3);
  EXPECT_EQ(seconds_per_unit("MB"), 0);
}

}  // namespace
}  // namespace harness
