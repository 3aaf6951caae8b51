// The reports: each function turns facts into a report that every format can draw. A new report is one file
// in documents/ with such a function, and its declaration here.
//
// A report refers to its facts, so the facts must live as long as the report.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/code/code_change.h"
#include "harness/model/plan.h"
#include "harness/model/referee/refereed.h"
#include "harness/model/results/bisection_log.h"
#include "harness/model/results/case_trend.h"
#include "harness/model/results/checked_claim.h"
#include "harness/model/results/comparison.h"
#include "harness/model/results/error_rates.h"
#include "harness/model/results/examination.h"
#include "harness/model/results/explanation.h"
#include "harness/model/results/farm_progress.h"
#include "harness/model/results/program_trace.h"
#include "harness/model/results/record_list.h"
#include "harness/model/results/spread.h"
#include "harness/model/tuning/tuning.h"
#include "harness/report/history_extras.h"
#include "harness/report/report.h"
#include "harness/report/shown.h"
#include "harness/report/sources.h"

namespace harness::report {

// `harness list`.
Report plan_document(const Plan& plan);

// `harness run`. Without sources.current the page shows this record and these summaries.
Report run_document(const Record& record, const std::vector<Summary>& summaries, const Sources& sources = {});

// The content of report files while their command runs: no result. `command` is its command line.
Report unfinished_document(const std::string& command);

// `harness compare`. The page needs sources.current.
Report comparison_document(const Comparison& comparison, const Sources& sources = {});

// `harness explain`.
Report explanation_document(const Retelling& explanation);

// `harness history`. There is an interactive page only with `extras`.
Report history_document(const HistoryReport& history, const HistoryExtras* extras = nullptr);

// `harness bisect`.
Report bisect_document(const BisectReport& bisection);

// `harness calibrate`.
Report calibration_document(const CalibrationReport& calibration);

// `harness selftest`.
Report selftest_document(const SelftestReport& selftest);

// `harness doctor`.
Report doctor_document(const Examination& examination);

// `harness records list`.
Report records_document(const RecordList& list);

// `harness farm status`.
Report farm_document(const FarmProgress& progress);

// `harness claims`.
Report claims_document(const ClaimsReport& claims);

// `harness tune`.
Report tuning_document(const TuningReport& report);

// `harness trace`.
Report trace_document(const TracedRun& run);

// `harness affected`.
Report affected_document(const CodeChangeReport& report, bool as_exit_code = false);

// `harness referee`.
Report referee_document(const RefereeReport& report);

// `harness table`: one figure of every case, small enough for a README. `filters` match whole ids; none: all.
// An error when no case is left, or no case has the figure.
Result<Report> table_document(const Record& record, const std::vector<Summary>& summaries,
                              const std::vector<std::string>& filters, Shown shown);

}  // namespace harness::report
