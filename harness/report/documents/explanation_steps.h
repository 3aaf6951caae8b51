// Explanation steps: the content of an explanation for every medium: numbered steps of sentences, some with a
// table. Texts are raw and untrusted. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/results/explanation.h"

namespace harness::report {

struct Step {
  std::string title;
  std::vector<std::string> lines;
  Grid table = {};                      // drawn before the lines, unless it has no sections
  std::vector<std::string> after = {};  // sentences below the table
};

struct ExplainedRow {
  std::string headline;  // "REGRESSED: gemm/tiled/m=512, gpu_time"
  Verdict verdict = Verdict::missing;
  std::vector<Step> steps;
};

// The two records and why those, with the policy in force.
NamedTexts explanation_facts(const Retelling& explanation);
std::vector<ExplainedRow> explained_rows(const Retelling& explanation);

}  // namespace harness::report
