#include "harness/base/text.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

const std::vector<std::string> variants{"cublas_unfused", "cublaslt_epilogue", "wmma_fused"};

TEST(Nearest, FindsASlip) {
  EXPECT_EQ(nearest("cublaslt_epilouge", variants), "cublaslt_epilogue");
}
TEST(Nearest, IgnoresWhatIsFar) {
  EXPECT_EQ(nearest("attention", variants), std::nullopt);
}
TEST(Nearest, CompletesWhatWasCutShortIfOnlyOneBeginsSo) {
  const std::vector<std::string> options{"--output", "--store", "--metric", "--metrics"};
  EXPECT_EQ(nearest("--out", options), "--output");
  EXPECT_EQ(nearest("--me", options), std::nullopt);
  EXPECT_EQ(nearest("--o", std::vector<std::string>{"--overlong"}), std::nullopt);
}
TEST(Nearest, IgnoresCase) {
  EXPECT_EQ(nearest("WMMA_Fused", variants), "wmma_fused");
}

TEST(Suggestion, ListsWhenNothingIsNear) {
  EXPECT_EQ(suggestion("zzz", variants), "known: cublas_unfused, cublaslt_epilogue, wmma_fused");
}

TEST(Wildcard, MatchesWholeStrings) {
  EXPECT_TRUE(wildcard_match("linear*/dtype=f16/*", "linear_gelu/a/dtype=f16/m=1"));
  EXPECT_TRUE(wildcard_match("*", ""));
  EXPECT_FALSE(wildcard_match("linear", "linear_gelu"));
  EXPECT_TRUE(wildcard_match("?b*", "abc"));
  EXPECT_FALSE(wildcard_match("?", ""));
}

TEST(Printable, DisarmsTerminals) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\u001b[31mb");
  EXPECT_EQ(printable("x\u202Ey"), "x\\u202ey");
  EXPECT_EQ(printable("m\u00b5s"), "m\u00b5s");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xf0"), "\\xf0");
}

TEST(ShellQuoted, LeavesPlainWordsAlone) {
  for (const char* plain : {"suites/fusion.yaml", "a=b:c@d%e+f-g_h", "HEAD", "0123456789abcdef"})
    EXPECT_EQ(shell_quoted(plain), plain);
}
TEST(ShellQuoted, DisarmsShells) {
  EXPECT_EQ(shell_quoted("s.yaml; touch /tmp/x"), "'s.yaml; touch /tmp/x'");
  EXPECT_EQ(shell_quoted("$(a) `b` \"c\" ~ * \\"), "'$(a) `b` \"c\" ~ * \\'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("a\nb\x1b"), "'a\\u000ab\\u001b'");
  EXPECT_EQ(shell_quoted("m\u00b5s"), "'m\u00b5s'");
  EXPECT_EQ(shell_quoted("~"), "'~'");
  EXPECT_EQ(shell_quoted(""), "''") << "an empty word is a word";
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
}
TEST(Trim, TakesBothEnds) {
  EXPECT_EQ(trim("  a b\t\n"), "a b");
}

}  // namespace
}  // namespace harness
