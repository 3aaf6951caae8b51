// Files as tools write them, made up for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "judged.h"

namespace harness {

struct Bench {
  std::string name;
  double time = 100;  // of both clocks
  std::string more = {};
  std::string unit = "ns";
};

inline std::string google_benchmark(const std::vector<Bench>& all, const std::string& context = "") {
  std::string text = fmt::format(R"({{"context": {{"date": "2026-11-20T05:40:00+00:00", "host_name": "runner",
    "executable": "build/bench", "num_cpus": 8, "mhz_per_cpu": 3000, "library_build_type": "release"{}}}, "benchmarks": [)",
                                 context);
  for (const Bench& one : all)
    text += fmt::format(R"({}{{"name": "{}", "run_name": "{}", "run_type": "iteration", "repetitions": 1,
      "repetition_index": 0, "iterations": 9, "real_time": {}, "cpu_time": {}, "time_unit": "{}"{}}})",
                        &one == &all.front() ? "" : ", ", one.name, one.name, one.time, one.time, one.unit,
                        one.more);
  return text + "]}";
}

// Five files of benchmarks, each with a time by a factor of its own.
inline Files runs(const std::vector<std::pair<Bench, double>>& all, const std::string& context = "") {
  return five(1, [&](double step) {
    std::vector<Bench> now;
    for (const auto& [bench, factor] : all) {
      now.push_back(bench);
      now.back().time *= factor * step;
    }
    return google_benchmark(now, context);
  });
}

inline std::string hyperfine(const std::vector<double>& times, const std::string& more = "",
                             const std::string& command = "job") {
  return fmt::format(R"({{"results": [{{"command": "{}", "times": [{}]{}}}]}})", command,
                     fmt::join(times, ", "), more);
}

// Files of hyperfine, each of so many runs, whose means are these.
inline Files files_of_starts(const std::vector<double>& means, int runs = 10) {
  Files files;
  for (const double mean : means) {
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) times.push_back(0.4 * mean * (1 + 0.002 * ((i * 7 + runs) % 11 - 5)));
    files.push_back(hyperfine(times));
  }
  return files;
}

}  // namespace harness
