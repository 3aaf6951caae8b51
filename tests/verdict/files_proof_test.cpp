// Proof of identity by what an observed start of a program finds in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "digests.h"
#include "harness/verdict/check/proof.h"

namespace harness {
namespace {

using testing::SizeIs;
using Found = std::map<std::string, std::string>;

const Found found{{"word:0001", "a"},
                  {"variable:LANG", "a"},
                  {"file:./bench", "a"},
                  {"list:./cases", "a"},
                  {"look:.", "a"}};

CaseRecord observed(CaseRecord record, Found files = found) {
  record.program.emplace().name = "c";
  record.program->inputs = files_inputs;
  record.processes.front().identity->files = std::move(files);
  return record;
}

Figures difference(const Found& before, const Found& after) {
  const auto gap = proof_gap(observed(looked("4.x"), before), observed(looked("4.y"), after), {});
  EXPECT_TRUE(gap && gap->why.code == ProofGapCode::other_files);
  return gap->why.figures;
}

Figures change(FileChange how, const std::string& name, int files = 1) {
  return {{"change", std::string(name_of(how))}, {"name", name}, {"files", files}};
}

TEST(FilesProof, TellsWhatDiffersFirst) {
  const auto with = [](const std::string& key) {
    Found other = found;
    other[key] = "b";
    return difference(found, other);
  };
  EXPECT_EQ(with("word:0001"), change(FileChange::word, "0001"));
  EXPECT_EQ(with("variable:LANG"), change(FileChange::variable, "LANG"));
  EXPECT_EQ(with("setting:prepare"), change(FileChange::setting, "prepare"));
  EXPECT_EQ(with("machine:flags"), change(FileChange::machine, "flags"));
  EXPECT_EQ(with("file:./bench"), change(FileChange::content, "./bench"));
  EXPECT_EQ(with("list:./cases"), change(FileChange::names, "./cases"));
  EXPECT_EQ(with("look:."), change(FileChange::looks, "."));
  EXPECT_EQ(with("file:./new"), change(FileChange::fresh, "./new"));
  EXPECT_EQ(difference({{"file:./a", "a"}, {"file:./b", "a"}}, {{"file:./b", "b"}}),
            change(FileChange::content, "./b", 2));
  EXPECT_EQ(difference({{"file:./a", "a"}}, {}), Figures{}) << "a benchmark has no list";
  EXPECT_EQ(difference({{"file:./a", "a"}, {"file:./b", "a"}}, {{"file:./b", "a"}}),
            change(FileChange::gone, "./a"));
}

TEST(FilesProof, CountsWhereTheBaselineAsksForIt) {
  CaseRecord before = observed(measured(about(20), "4.x"));
  EXPECT_FALSE(proof_gap(before, observed(looked("4.x")), {}));
  before.program->inputs = "";
  const auto gap = proof_gap(before, observed(looked("4.x")), {});
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->why.code, ProofGapCode::files_unasked);
}

TEST(FilesProof, NeedsTheSameMachineAndNoGap) {
  const CaseRecord before = observed(measured(about(20), "4.x"));
  const auto gap = proof_gap(before, observed(looked("4.x")), {{"kernel", "6.1", "6.2"}});
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->why.code, ProofGapCode::other_machine);
  CaseRecord unknown = observed(looked(""), {});
  unknown.processes.front().identity->gap = Cause{CauseCode::files_unknown, {{"gap", "network"}}};
  const auto unread = proof_gap(before, unknown, {});
  ASSERT_TRUE(unread && unread->cause);
  EXPECT_EQ(unread->why.code, ProofGapCode::unreadable);
  EXPECT_EQ(unread->cause->code, CauseCode::files_unknown);
}

TEST(FilesProof, SparesMeasuringAndCoversAllMetrics) {
  CaseRecord before = observed(measured(about(20), "4.x"));
  before.series.push_back(series_at(about(3), "peak_memory"));
  const Comparison comparison = compare(record_of({before}), record_of({observed(looked("4.x"))}), {});
  ASSERT_THAT(comparison.rows, SizeIs(2));
  for (const ComparisonRow& row : comparison.rows) {
    EXPECT_EQ(row.verdict, Verdict::identical);
    EXPECT_TRUE(row.by_files);
  }
  EXPECT_THAT(comparison.remarks, testing::ElementsAre(fact(RemarkCode::files_proof, {{"programs", "c"}})));
  EXPECT_EQ(exit_code(comparison), 0);
}

TEST(FilesProof, NeverExcusesWhatWasMeasured) {
  const Record before = record_of({observed(measured(about(20), "4.x"))});
  const Comparison slower = compare(before, record_of({observed(measured(about(30), "4.x"))}), {});
  EXPECT_EQ(only_row(slower).verdict, Verdict::regressed);
  EXPECT_EQ(only_row(slower).unproven->why.code, ProofGapCode::measured);
  EXPECT_FALSE(only_row(slower).proven);
  EXPECT_EQ(exit_code(slower), 1);
  const Comparison same = compare(before, record_of({observed(measured(about(20), "4.x"))}), {});
  EXPECT_NE(only_row(same).verdict, Verdict::identical);
}

}  // namespace
}  // namespace harness
