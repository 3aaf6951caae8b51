// The words of studies: calibration, self-test, history and bisection.
#pragma once

#include <string>

#include "harness/model/results/bisection_log.h"
#include "harness/model/results/case_trend.h"
#include "harness/model/results/error_rates.h"
#include "harness/model/results/spread.h"

namespace harness::report {

std::string words(const CalibrationNote& note);

// How the false alarms of a calibration were counted.
std::string procedure_words(const CalibrationReport& report);

// "AR(1) 0.9".
std::string words(Noise noise);
// "Otava", "Welch, p < .05".
std::string words(Peer peer);
// "P = 5", "looks 5/10/20", "P = 5 shared".
std::string words(const MeasuringPlan& plan);
std::string words(const SelftestRemark& remark, const SelftestReport& report);

std::string words(const HistoryNote& note);
// "pinned baselines/nvidia-h200/fusion.json".
std::string words(const TrendAnchor& anchor);

// Why a commit was skipped; "" where it was not.
std::string skip_words(const BisectStep& step);

}  // namespace harness::report
