// Compares a run with its baseline: before measuring, to spare what is proven identical; after it, to
// continue what is undecided; at its end, for the verdict.
#pragma once

#include <optional>

#include "harness/base/result.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/deciding/look_first.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/cli/run/run_job.h"

namespace harness {

// Looks at all cases before measuring. Cases that do what the baseline's do are not measured: their look is
// their result. Without a baseline all are measured, and judging will say that there is none.
Result<SparedCases> spare_identical(const RunJob& job, Record& record);

// Where the suite asks for weaker settings than that of the baseline, the baseline's measure (take_settings),
// unless the policy accepts what the change proposes. Before anything is measured.
void measure_as_baseline(RunJob& job);

// Measures what the plan leaves open as the baseline did (take_decisions). Without a baseline judging will
// say that there is none.
void decide_as_baseline(Plan& plan, const RunJob& job, const Record& record);

// Continues undecided cases, then measures regressed ones again, in the rest of the budget. Without a
// baseline it does nothing, and judging will say so.
Result<Continued> continue_cases(const RunJob& job, Record& record);

int judge_run(const RunJob& job, const Record& record, const Continued& continued);

// Where no stored record can judge and the base commit can be built: the exit status of comparing both builds
// here.
std::optional<int> judge_by_base(RunJob& job);

}  // namespace harness
