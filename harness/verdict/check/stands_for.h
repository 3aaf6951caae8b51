// The meaning of a case: whether the change asks less of it than the baseline did. It may ask for fewer
// samples, another seed, less work, another command or a wider tolerance. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// The settings of `after` with which it could show less than with those of `before`: numbers of processes and
// samples, the time for them, and the inputs and their seed.
std::vector<Difference> weaker_settings(const Sampling& before, const Sampling& after);

// The baseline's settings replace the suite's weaker ones, but not those of the command line. The suite's own
// stay known as PlannedCase::suite_sampling.
//
// `find_inputs`: the path of the file that the baseline was timed on, "" where it is gone or has other bytes.
// Then the suite's inputs stay, and the case is not comparable.
using FindInputs = std::function<std::string(const PlannedCase& planned, const Sampling& baseline)>;
void take_settings(Plan& plan, const Record& baseline, const FindInputs& find_inputs);

// Why the current side's case is another one than the baseline's, though both have its id: it was measured
// with weaker settings, declares less work, runs another command, or is of another module.
std::optional<Obstacle> meaning_obstacle(const CaseRecord& before, const CaseRecord& after);

// The suite's weaker settings that did not count, because the case was measured with the baseline's.
std::optional<Diagnostic> settings_proposed(const CaseRecord& before, const CaseRecord& after);
// The same in an A/B run, where both sides were measured with the other settings of the current one.
std::optional<Diagnostic> inputs_proposed(const CaseRecord& before, const CaseRecord& after);

// The largest tolerance that results of the case were checked with; 0 where none were.
double tolerance_of(const CaseRecord& record);

// Where the current side was checked with a wider tolerance than the baseline: its error is beyond that of
// the baseline, or else within.
std::optional<Reason> beyond_old_tolerance(const CaseRecord& before, const CaseRecord& after);
std::optional<Diagnostic> tolerance_proposed(const CaseRecord& before, const CaseRecord& after);

}  // namespace harness
