// Page samples: one process's samples as a page carries them, whole or as quantiles, in steps of a power
// of ten. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/model/record.h"
#include "harness/report/media/page/page_json.h"

namespace harness::report {

// How much of a process's samples a page carries.
struct SampleDetail {
  std::size_t quantiles = 0;  // at most; 0: all samples, in the order taken
  int digits = 6;             // significant ones of the median, at least 1
};

// "form", "per_unit" and "deltas", as page/src/data.ts has them. Quantiles are samples that were taken (the
// nearest order statistics), at equal steps of probability from the least to the greatest. A process with no
// more samples than that keeps them all.
void put_samples(Json& process, const ProcessSamples& samples, const SampleDetail& detail);

// `value` rounded to so many significant digits; what is not finite stays as it is.
double rounded(double value, int digits);

}  // namespace harness::report
