// Figures: what a comparison reads of the samples of a process or of a series. A pin holds these in place of
// samples, so a reader takes them from either. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/model/record.h"
#include "harness/stats/estimate/lanes.h"

namespace harness {

// A call that takes more than this much longer than its process's value is slow.
inline constexpr double slow_call = 0.1;

// Samples of a process, with those that it has only figures of.
std::size_t sample_count(const ProcessSamples& process);

// Mean of all samples of a process, in the unit of its series; NaN without any. A pin holds the same double.
double mean_sample(const ProcessSamples& process);

// Mean over placements with samples of their means; std::nullopt without samples, or where it is not finite.
std::optional<double> mean_of_placements(const ProcessSamples& process);

// Median of all samples, 0 without any. std::nullopt where a pin does not hold it.
std::optional<double> median_sample(const ProcessSamples& process);

// The conditions around the placements that hold samples.
ConditionFigures conditions_of(const ProcessSamples& process);

// Samples above the value exp(`log_value`) of their process by more than `slow_call`.
std::size_t slow_calls(const ProcessSamples& process, double log_value);

// When the first placement of a process began, Unix time in seconds; 0: unknown.
double start_of(const ProcessSamples& process);

// Log of the last quarter's median over the first's, so that a few slow samples are no drift. The mean is
// over the placements that have enough samples, all of them positive and finite. `lanes`: scratch memory.
std::optional<double> slowing_of(const ProcessSamples& process, stats::Lanes& lanes);

// The least distance between the values of the first placement with enough samples, or else of all samples,
// when they are few: the clock comes in such steps. 0 otherwise.
double step_of(const Series& series);

// The value that every sample has; std::nullopt when they differ, or there is none.
std::optional<double> constant_of(const Series& series);

// Figures of all finite samples of a series, nothing removed.
SeriesFigures all_samples_of(const Series& series);

// Whether the record is a pin: some samples are there as figures only.
bool lacks_samples(const Record& record);
bool lacks_samples(const CaseRecord& one);

// The record as a pin keeps it: all that a comparison reads. A process with one sample, or with one that has
// no logarithm, keeps its samples. Phases and batches are left out. The medians of the controls are kept,
// with the first process, and the worst check of the results.
Record without_samples(Record record);

}  // namespace harness
