#include "harness/base/filter.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(Filter, IsAWildcardOverTheWholeName) {
  EXPECT_TRUE(filter_match("gelu/*", "gelu/m=512"));
  EXPECT_FALSE(filter_match("gelu", "gelu/m=512"));
  EXPECT_FALSE(filter_match("/", "/a/")) << "one slash is no expression";
}

TEST(Filter, IsARegularExpressionBetweenSlashes) {
  EXPECT_TRUE(filter_match("/m=(512|1024)$/", "gelu/m=1024"));
  EXPECT_FALSE(filter_match("/m=(512|1024)$/", "gelu/m=10240"));
  EXPECT_TRUE(filter_match("/u\\/m/", "gelu/m=512"));
}

TEST(Filter, LetsANamePassThatOneMatchesAndNoneExcludes) {
  EXPECT_TRUE(passes_filters({}, "a/b"));
  EXPECT_TRUE(passes_filters({"c/*", "a/*"}, "a/b"));
  EXPECT_FALSE(passes_filters({"c/*"}, "a/b"));
  EXPECT_FALSE(passes_filters({"!a/*"}, "a/b"));
  EXPECT_TRUE(passes_filters({"!a/*"}, "c/b"));
  EXPECT_FALSE(passes_filters({"a/*", "!/b$/"}, "a/b"));
}

TEST(Filter, RefusesWhatIsNoExpression) {
  EXPECT_TRUE(check_filter("gelu/("));
  EXPECT_TRUE(check_filter("/(a)/"));
  EXPECT_FALSE(check_filter("/(/"));
  EXPECT_FALSE(filter_match("/(/", "("));
  EXPECT_FALSE(check_filter("/" + std::string(2000, '.') + "/"));
}

}  // namespace
}  // namespace harness
