// Small records for the tests of verdict/. Samples are drawn from a seed, so that every run uses the same.
#pragma once

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/verdict/compare.h"

namespace harness {

// Three samples around each value: their trimmed mean of logs is the log of the value.
inline ProcessSamples process_at(int number, double value) {
  ProcessSamples process{number, {}};
  process.placements.push_back(Placement{{value, value * 1.001, value / 1.001}, 0, 0});
  return process;
}

inline Series series_at(const std::vector<double>& values, std::string metric = "gpu_time",
                        std::string unit = "us", Direction direction = Direction::lower_is_better) {
  Series series{std::move(metric), std::move(unit), direction, {}};
  int number = 1;
  for (const double value : values) series.processes.push_back(process_at(number++, value));
  return series;
}

inline CaseRecord case_of(std::string id, std::vector<Series> series) {
  CaseRecord record;
  record.id = std::move(id);
  record.device = "cuda";
  record.outcome = Outcome::measured;
  record.series = std::move(series);
  record.where = Location{"suites/a.yaml", 7, 3};
  return record;
}

inline Record record_of(std::vector<CaseRecord> cases) {
  Record record;
  record.id = "r";
  record.suite.name = "a";
  record.machines["cuda"] = Machine{"nvidia-h200",
                                    "GPU-1",
                                    {{"device", "NVIDIA H200", FieldClass::block},
                                     {"driver", "580.1", FieldClass::warn},
                                     {"cpu", "Xeon", FieldClass::warn},
                                     {"container", "no", FieldClass::info}},
                                    {}};
  record.cases = std::move(cases);
  return record;
}

inline Record record_of(const std::vector<double>& values) {
  return record_of({case_of("c", {series_at(values)})});
}

// Values about `center` with relative steps that sum to nought: 5 processes, sd about 0.16 %.
inline std::vector<double> about(double center) {
  return {center * 0.998, center * 0.999, center, center * 1.001, center * 1.002};
}

inline const ComparisonRow& only_row(const Comparison& comparison) {
  if (comparison.rows.size() != 1) throw std::runtime_error("expected one row");
  return comparison.rows.front();
}

}  // namespace harness
