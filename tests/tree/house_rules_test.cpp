// The checkers of house_test.cpp see what they should see, and nothing else.
#include "house_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source_parts.h"

namespace harness::tree {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

SourceFile code(std::string text) {
  return {"harness/a/a.cpp", std::move(text)};
}

TEST(SourceParts, TellCodeLiteralsAndCommentsApart) {
  const SourceParts parts = take_apart(
      "#include \"a.h\"\n"
      "// One comment\n// of two lines.\n"
      "const int n = 1'000;  // beside\n"
      "const char* a = \"x // \\\" y\"; /* block */ char q = '\"';\n"
      "const char* b = R\"(raw \"text\")\";\n");
  ASSERT_THAT(parts.literals, SizeIs(2));
  EXPECT_EQ(parts.literals[0].text, "x // \\\" y");
  EXPECT_EQ(parts.literals[0].line, 5);
  EXPECT_EQ(parts.literals[1].text, "raw \"text\"");
  ASSERT_THAT(parts.comments, SizeIs(3));
  EXPECT_EQ(parts.comments[0].text, "One comment of two lines.");
  EXPECT_EQ(parts.comments[1].text, "beside");
  EXPECT_EQ(parts.comments[2].text, " block ");
  EXPECT_NE(parts.code.find("const int n = 1'000;"), std::string::npos);
}

TEST(SourceParts, FindProseInMarkdown) {
  const std::vector<Piece> found = paragraphs(
      "# Title\n\nTwo\nlines.\n\n- an entry\n  that goes on\n- another\n\n```\ncode\n```\n\n| a | b |\n");
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].text, "Two lines.");
  EXPECT_EQ(found[1].text, "an entry that goes on");
  EXPECT_EQ(found[2].text, "another");
}

TEST(SourceParts, CutSentences) {
  EXPECT_THAT(sentences("One: two. Three a.b four"), ElementsAre("One:", "two.", "Three a.b four"));
}

TEST(HouseRules, FindReadsOfTheEnvironment) {
  EXPECT_THAT(environment_reads(code("auto x = std::getenv(\"A\");\n")), SizeIs(1));
  EXPECT_THAT(environment_reads(code("// getenv is elsewhere\n")), IsEmpty());
}

TEST(HouseRules, FindTheKindCuda) {
  EXPECT_THAT(cuda_literals(code("if (kind == \"cuda\")")), ElementsAre("harness/a/a.cpp:1: cuda"));
  EXPECT_THAT(cuda_literals(code("f(\"cuda:0\"); // \"cuda\"")), IsEmpty());
}

TEST(HouseRules, FindSentencesThatAreRead) {
  for (const char* line :
       {"if (error.message == \"timeout\")", "if (\"interrupted\" != said.error().message)",
        "row.reason.find(\"GPU\")", "if (outcome->reason.starts_with(kind))", "side.described.substr(3)",
        "split(record.described, ':')", "if (a.message == b.message)", "if (row.reason == wanted)"})
    EXPECT_THAT(read_sentences(code(line)), SizeIs(1)) << line;
  for (const char* line :
       {"if (skip.reason == SkipReason::no_gpu)", "return error.message;", "out << row.reason << described;",
        "// error.message == \"x\"", "json.field(\"reason\", row.reason);",
        "split(annotation.message, '\\n')", "if (row.reason.empty())"})
    EXPECT_THAT(read_sentences(code(line)), IsEmpty()) << line;
}

TEST(HouseRules, FindAdviceThatAnInstallationCannotFollow) {
  EXPECT_THAT(uninstalled_files(code("f(\"see manual/reference.md\");")), SizeIs(1));
  EXPECT_THAT(uninstalled_files(code("f(\"harness/store/roles.sql lists them\");")), SizeIs(1));
  EXPECT_THAT(uninstalled_files(code("f(\"run suites/smoke.yaml; share/harness/suites\");")), IsEmpty());
}

TEST(HouseRules, FindEnglish) {
  EXPECT_THAT(english_literals(code("f(\"too few processes\");")), SizeIs(1));
  EXPECT_THAT(english_literals(code("f(\"wall_time\", \"{} {}\"); // too few processes")), IsEmpty());
}

TEST(HouseRules, FindHardSentences) {
  EXPECT_THAT(hard_sentences(code("// What a case needs.\n")), SizeIs(1));
  EXPECT_THAT(hard_sentences(code("// Fine. Of those, none is left.\n")), SizeIs(1));
  EXPECT_THAT(hard_sentences(code("// What does a case need?\n// It needs a device.\n")), IsEmpty());
  std::string words = "// a";
  for (int i = 1; i < 30; ++i) words += " word";
  EXPECT_THAT(hard_sentences(code(words + "\n")), IsEmpty());
  EXPECT_THAT(hard_sentences(code(words + " more.\n")), SizeIs(1));
  EXPECT_THAT(hard_sentences(code(words + "\n//\n" + words + "\n")), IsEmpty());
  EXPECT_THAT(hard_sentences(code(words + "\n//   " + words + " of a formula\n")), IsEmpty());
  EXPECT_THAT(hard_sentences({"a.sh", "#!/bin/sh\n# Fine. What\n# a script says.\nx=\"What a\"\n"}),
              SizeIs(1));
  EXPECT_THAT(hard_sentences({"a.md", "Those who read.\n\n```\nWhat a mess\n```\n"}), SizeIs(1));
}

TEST(HouseRules, FindNamesOfFilesThatAreGone) {
  const std::set<std::string> paths{"harness/base/text.h", "kernels/README.md", "kernels/gemm"};
  EXPECT_THAT(missing_files(code("// See base/text.h and base/gone.h.\n"), paths),
              ElementsAre("harness/a/a.cpp:1: base/gone.h is not there"));
  EXPECT_THAT(
      missing_files({"kernels/a/README.md", "[all](../README.md), [gemm](../gemm), [b](b.md)\n"}, paths),
      ElementsAre("kernels/a/README.md:1: b.md is not there"));
  EXPECT_THAT(missing_files({"README.md", "[all](kernels/README.md)\n"}, paths), IsEmpty());
}

TEST(HouseRules, FindCirclesOfUnits) {
  const SourceFile a{"harness/a/a.h", "#include \"harness/a/b.h\"\n"};
  const SourceFile a_source{"harness/a/a.cpp", "#include \"harness/a/a.h\"\n#include \"harness/a/c.h\"\n"};
  const SourceFile b_source{"harness/a/b.cpp", "#include \"harness/a/b.h\"\n#include \"harness/a/a.h\"\n"};
  EXPECT_THAT(include_circles({a, a_source}), IsEmpty());
  EXPECT_THAT(include_circles({a, a_source, b_source}),
              ElementsAre(ElementsAre("harness/a/a", "harness/a/b")));
}

TEST(HouseRules, FindRepeatedNamesAndLargeFolders) {
  const std::vector<SourceFile> files{
      {"harness/a/x.h", ""}, {"harness/a/x.cpp", ""}, {"harness/b/x.cpp", ""}};
  EXPECT_THAT(repeated_base_names(files), ElementsAre("x: harness/a, harness/b"));
  EXPECT_THAT(large_folders(files, 1), ElementsAre(Pair("harness/a", 2)));
  EXPECT_THAT(large_folders(files, 2), IsEmpty());
}

}  // namespace
}  // namespace harness::tree
