// Cases that were renamed are told as such, and not compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "facts.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::Not;

CaseRecord named(const std::string& workload, const std::string& variant, int m) {
  CaseRecord one = case_of(workload + "/" + variant + "/m=" + std::to_string(m), {series_at(about(20))});
  one.workload = workload;
  one.variant = variant;
  one.params.set("m", std::int64_t{m});
  return one;
}

std::vector<Diagnostic> diagnostics_of(const Comparison& comparison, const std::string& id) {
  for (const ComparisonRow& row : comparison.rows)
    if (row.case_id == id) return row.diagnostics;
  throw std::runtime_error("no row " + id);
}

TEST(Rename, OfAVariantIsToldOnBothRows) {
  const Comparison comparison =
      compare(record_of({named("gemm", "tiled", 512), named("gemm", "plain", 512)}),
              record_of({named("gemm", "tiled_v2", 512), named("gemm", "plain", 512)}), {});
  EXPECT_THAT(diagnostics_of(comparison, "gemm/tiled/m=512"),
              Contains(fact(DiagnosticCode::renamed_to, {{"case", "gemm/tiled_v2/m=512"}})));
  EXPECT_THAT(diagnostics_of(comparison, "gemm/tiled_v2/m=512"),
              Contains(fact(DiagnosticCode::renamed_from, {{"case", "gemm/tiled/m=512"}})));
  EXPECT_EQ(comparison.rows.size(), 3u);
  EXPECT_EQ(exit_code(comparison), 4) << "the two are not compared";
}

TEST(Rename, NeedsTheSameParameters) {
  const Comparison comparison =
      compare(record_of({named("gemm", "tiled", 512)}), record_of({named("gemm", "tiled", 1024)}), {});
  EXPECT_THAT(diagnostics_of(comparison, "gemm/tiled/m=512"),
              Not(Contains(coded(DiagnosticCode::renamed_to))));
}

TEST(Rename, TakesTheNearestOfSeveral) {
  const Comparison comparison =
      compare(record_of({named("gemm", "tiled", 512), named("gemm", "wmma", 512)}),
              record_of({named("gemm", "wmma_old", 512), named("gemm", "tiled_old", 512)}), {});
  EXPECT_THAT(diagnostics_of(comparison, "gemm/tiled/m=512"),
              Contains(fact(DiagnosticCode::renamed_to, {{"case", "gemm/tiled_old/m=512"}})));
  EXPECT_THAT(diagnostics_of(comparison, "gemm/wmma/m=512"),
              Contains(fact(DiagnosticCode::renamed_to, {{"case", "gemm/wmma_old/m=512"}})));
}

TEST(Rename, IsNotGuessedBetweenStrangersOrTwins) {
  const Comparison strangers =
      compare(record_of({named("gemm", "tiled", 512)}), record_of({named("softmax", "online", 512)}), {});
  EXPECT_THAT(diagnostics_of(strangers, "gemm/tiled/m=512"),
              Not(Contains(coded(DiagnosticCode::renamed_to))));
  const Comparison twins = compare(record_of({named("gemm", "a", 512)}),
                                   record_of({named("gemm", "b", 512), named("gemm", "d", 512)}), {});
  EXPECT_THAT(diagnostics_of(twins, "gemm/a/m=512"), Not(Contains(coded(DiagnosticCode::renamed_to))));
}

TEST(Rename, IsOfTheNearestInBothDirections) {
  const Comparison comparison =
      compare(record_of({named("gemm", "tiled", 512), named("gemm", "tiled_v1", 512)}),
              record_of({named("gemm", "tiled_v2", 512)}), {});
  EXPECT_THAT(diagnostics_of(comparison, "gemm/tiled_v1/m=512"),
              Contains(fact(DiagnosticCode::renamed_to, {{"case", "gemm/tiled_v2/m=512"}})));
  EXPECT_THAT(diagnostics_of(comparison, "gemm/tiled/m=512"),
              Not(Contains(coded(DiagnosticCode::renamed_to))));
}

TEST(Rename, WorksForImportsByTheirNamesAlone) {
  const Comparison comparison = compare(record_of({case_of("attention_fwd", {series_at(about(20))})}),
                                        record_of({case_of("attention_fwd2", {series_at(about(20))})}), {});
  EXPECT_THAT(diagnostics_of(comparison, "attention_fwd"),
              Contains(fact(DiagnosticCode::renamed_to, {{"case", "attention_fwd2"}})));
}

}  // namespace
}  // namespace harness
