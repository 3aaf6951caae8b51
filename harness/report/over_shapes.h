// Over shapes: what each variant gains over its reference across all shapes of a suite's entry, in a few
// figures. A variant's cases belong together when they share workload, device, metric, tags and the
// reference's variant. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/record.h"
#include "harness/model/results/summary.h"

namespace harness::report {

// A ratio and its interval. The interval takes the same figure of the shapes' lower and upper bounds. So it
// assumes fully correlated errors, the widest case, because shapes share processes. Absent when a shape has
// none.
struct Ratio {
  double value = 0;
  std::optional<Interval> interval;
  std::string case_id = {};  // of the least and the largest ratio: the case that has it
};

struct SpeedupOverShapes {
  std::string workload;
  std::string variant;
  std::string reference;  // the reference's variant
  std::string metric;
  std::vector<std::string> tags;
  std::size_t shapes = 0;  // at least 2
  double confidence = 0;
  Ratio geometric_mean;  // the mean that suits ratios: of a and 1/a it is 1
  Ratio arithmetic_mean;
  Ratio median;
  Ratio least;
  Ratio most;
};

// In order of first appearance; variants with a speedup on one shape only are left out.
std::vector<SpeedupOverShapes> speedups_over_shapes(const Record& record,
                                                    const std::vector<Summary>& summaries);

// A section a reference, a row a variant.
Grid over_shapes_grid(const std::vector<SpeedupOverShapes>& speedups);

}  // namespace harness::report
