// Summary: one case and metric in numbers for people. Computed by verdict/read/summarize.h from a record,
// printed by report/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/findings.h"

namespace harness {

struct Interval {
  double lo = 0;
  double hi = 0;

  bool operator==(const Interval&) const = default;
};

// `reference` value over this case's value: above 1 is faster. The interval is Welch's on the
// process values of both, at the confidence of the summary.
struct Speedup {
  std::string reference;  // case id
  double ratio = 0;
  std::optional<Interval> interval;  // absent with fewer than 2 processes a side
};

// For a case on more GPUs than its reference, the work per second and GPU over that of the reference. 1 is
// linear, whether the work grew with the GPUs (weak scaling) or not (strong scaling). The interval is the
// speedup's.
struct Efficiency {
  double ratio = 0;
  std::optional<Interval> interval;

  bool operator==(const Efficiency&) const = default;
};

struct Summary {
  std::string case_id;
  std::string metric;
  std::string unit;
  Outcome outcome = Outcome::measured;
  std::optional<Cause> reason = {};
  int processes = 0;
  std::size_t samples = 0;
  // Over all samples of all processes, nothing removed:
  double median = 0, mean = 0, sd = 0, min = 0, max = 0, p95 = 0, p99 = 0;
  double cv = 0;                  // sd / mean
  std::size_t mild_outliers = 0;  // beyond 1.5 IQR of their placement's samples
  std::size_t far_outliers = 0;   // beyond 3 IQR
  // From one value a process (the replicate):
  double center = 0;                 // geometric mean of the process values
  double process_sd = 0;             // sd of log process values
  std::optional<Interval> interval;  // of center
  double confidence = 0.99;
  std::optional<double> first_call;  // median over processes
  double flops_per_s = 0;            // 0 when unknown
  double bytes_per_s = 0;
  double items_per_s = 0;  // of what CaseRecord::item_name says
  // The larger of achieved FLOP/s over the measured GEMM ceiling and achieved bytes/s over the
  // measured copy ceiling; which of the two is `bound` ("compute" or "memory").
  std::optional<double> share_of_ceiling;
  std::string bound;
  std::optional<Speedup> speedup;
  std::optional<Efficiency> efficiency = {};
  std::optional<Verification> verification;
  Notes notes = {};  // of the processes
  std::vector<Diagnostic> diagnostics;
};

}  // namespace harness
