#include "harness/suite/yaml/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/suite/suite.h"

namespace harness {
namespace {

using testing::HasSubstr;

const std::string entry = "{match: {variant: a}, sampling: {processes: 8}}";
const std::string marked = "- " + entry + "  # by harness calibrate\n";

std::string edited(const std::string& text, const std::vector<GroupEdit>& edits) {
  const auto result = with_overrides(text, "s.yaml", edits);
  return result ? *result : "refused: " + result.error().message;
}

TEST(SuiteEdit, AddsOverridesAtTheEndOfAGroup) {
  EXPECT_EQ(edited("version: 2  # of the format\n"
                   "name: s\n"
                   "cases:\n"
                   "  # the first\n"
                   "  - workload: w   # aligned by hand\n"
                   "    variants: [a,   b]\n"
                   "\n"
                   "  # the second\n"
                   "  - workload: v\n"
                   "    variants:\n"
                   "      - c\n",
                   {{5, {entry}}, {9, {entry, entry}}}),
            "version: 2  # of the format\n"
            "name: s\n"
            "cases:\n"
            "  # the first\n"
            "  - workload: w   # aligned by hand\n"
            "    variants: [a,   b]\n"
            "    overrides:\n"
            "      " +
                marked +
                "\n"
                "  # the second\n"
                "  - workload: v\n"
                "    variants:\n"
                "      - c\n"
                "    overrides:\n"
                "      " +
                marked + "      " + marked);
}

TEST(SuiteEdit, AppendsToTheOverridesThatAreThere) {
  EXPECT_EQ(edited("cases:\n"
                   "- workload: w\n"
                   "  overrides:  # mine\n"
                   "  - {match: {n: 1}, gate: {margin: 2%}}  # keep\n"
                   "  - match: {n: 2}\n"
                   "    gate: {margin: 3%}\n"
                   "  # about tags\n"
                   "  tags: [x]\n",
                   {{2, {entry}}}),
            "cases:\n"
            "- workload: w\n"
            "  overrides:  # mine\n"
            "  - {match: {n: 1}, gate: {margin: 2%}}  # keep\n"
            "  - match: {n: 2}\n"
            "    gate: {margin: 3%}\n"
            "  " +
                marked +
                "  # about tags\n"
                "  tags: [x]\n");
}

TEST(SuiteEdit, ReplacesWhatItWroteBefore) {
  const std::string text = "cases:\n  - workload: w\n    overrides:\n      - {match: {n: 1}}\n";
  const std::string once = edited(text, {{2, {entry}}});
  EXPECT_EQ(edited(once, {{2, {entry}}}), once);
  const std::string other = "{match: {variant: b}, gate: {margin: 2%}}";
  const std::string twice = edited(once, {{2, {other}}});
  EXPECT_THAT(twice, HasSubstr(other));
  EXPECT_EQ(twice.find(entry), std::string::npos);
}

TEST(SuiteEdit, KeepsLineEndings) {
  EXPECT_EQ(
      edited("cases:\r\n  - workload: w\r\n", {{2, {entry}}}),
      "cases:\r\n  - workload: w\r\n    overrides:\r\n      - " + entry + "  # by harness calibrate\r\n");
  EXPECT_EQ(edited("cases:\n  - workload: w", {{2, {entry}}}),
            "cases:\n  - workload: w\n    overrides:\n      - " + entry + "  # by harness calibrate");
}

TEST(SuiteEdit, RefusesWhatItCannotPlaceAndShowsTheLines) {
  for (const std::string text :
       {"cases:\n  - {workload: w}\n", "cases:\n  - workload: w\n    overrides: [{match: {n: 1}}]\n",
        "cases:\n  - workload: w\n    overrides: []\n", "name: x\n"}) {
    const auto result = with_overrides(text, "s.yaml", {{2, {entry}}});
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().where.line, 2);
    EXPECT_THAT(result.error().advice, HasSubstr("+     - " + entry));
  }
  EXPECT_FALSE(with_overrides("a: [", "s.yaml", {}));
}

TEST(SuiteEdit, ChangesNothingWithoutEdits) {
  const std::string text = "cases:\n  - workload: w\n";
  EXPECT_EQ(edited(text, {}), text);
  EXPECT_EQ(edited(text, {{2, {}}}), text);
}

}  // namespace
}  // namespace harness
