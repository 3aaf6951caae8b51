#include "h200_records.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

namespace harness::fixture {
namespace {

CaseRecord& case_of(Record& record, const nlohmann::json& line) {
  const auto id = line.at("case").get<std::string>();
  for (CaseRecord& one : record.cases)
    if (one.id == id) return one;
  CaseRecord one;
  one.id = id;
  one.workload = id.substr(0, id.find('/'));
  one.device = "import";
  one.series = {{line.at("metric"), line.at("unit"), Direction::lower_is_better, {}}};
  record.cases.push_back(std::move(one));
  return record.cases.back();
}

ProcessSamples& process_of(Series& series, int process) {
  for (ProcessSamples& samples : series.processes)
    if (samples.process == process) return samples;
  series.processes.push_back({process, {}});
  return series.processes.back();
}

}  // namespace

Record h200_record(const std::string& name) {
  std::ifstream file(std::string(HARNESS_SOURCE_DIR "/tests/data/h200/") + name + ".jsonl");
  if (!file) throw std::runtime_error("tests/data/h200/" + name + ".jsonl cannot be read");
  Record record;
  record.id = "7d1f3c52-0d5e-4c0f-9a4e-0a6f1b2c3d4e";
  record.tool = "harness 0.1.0";
  record.suite = {"probe", name + ".jsonl", ""};
  record.machines["import"] = {"nvidia-h200", "GPU-A", {{"device", "NVIDIA H200", FieldClass::info}}, {}};
  for (std::string text; std::getline(file, text);) {
    const nlohmann::json line = nlohmann::json::parse(text);
    if (!line.contains("case")) continue;
    ProcessSamples& process = process_of(case_of(record, line).series.front(), line.at("process"));
    process.placements.push_back({line.at("samples").get<std::vector<double>>()});
  }
  return record;
}

Record many_cases(const Record& real, std::size_t cases, unsigned seed) {
  static constexpr double timer_step = 0.032;  // us
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(0.7, 1.4);
  std::normal_distribution<double> watts(420, 30), gigahertz(1.93, 0.02);
  Record record = real;
  record.cases.clear();
  double now = 1763618400;
  for (std::size_t i = 0; i < cases; ++i) {
    CaseRecord one = real.cases[i % real.cases.size()];
    one.id += "/copy=" + std::to_string(i);
    one.device = "cuda";
    std::vector<ProcessSamples>& processes = one.series.front().processes;
    processes.resize(5);
    Series calls{"first_call", "us", Direction::lower_is_better, {}};
    for (ProcessSamples& process : processes) {
      const double slower = factor(random);
      calls.processes.push_back({process.process, {{{5000 * slower}, 0, 0}}});
      for (Placement& placement : process.placements) {
        for (double& sample : placement.samples)
          sample = std::round(std::round(sample * slower / timer_step) * timer_step * 1000) / 1000;
        placement.clock_ghz = gigahertz(random);
        placement.started = now += 0.25;
        placement.conditions = Conditions{1980.0, 3201.0, watts(random), 45.0, {}, 0};
      }
    }
    one.series.push_back(std::move(calls));
    record.cases.push_back(std::move(one));
  }
  return record;
}

}  // namespace harness::fixture
