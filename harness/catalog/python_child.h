// PythonChild: a process of python3 -m harness.describe, which plans the cases of one file of Python. Killed
// by the destructor. One thread uses it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/result.h"
#include "harness/sdk/workload.h"

namespace harness {

struct PythonVariant {
  std::string name;
  std::string device;
  std::string summary;
};

struct PythonWorkload {
  std::string name;
  std::string summary;
  bool built_in = false;  // the program has it, and only the variants are new
  std::vector<sdk::ParamSpec> params;
  std::vector<PythonVariant> variants;
};

class PythonChild {
 public:
  // `patience`: for the import of the file, and again for all answers together.
  static Result<PythonChild> start(const std::filesystem::path& file, Seconds patience = 120);

  [[nodiscard]] const std::vector<PythonWorkload>& workloads() const { return workloads_; }

  // Throws as Workload::problem() does.
  sdk::Problem problem(const std::string& workload, const sdk::Params& params);

 private:
  PythonChild(Child child, Seconds patience) : child_(std::move(child)), left_(patience) {}
  Result<std::string> answer();

  Child child_;
  Seconds left_;  // of its patience
  std::vector<PythonWorkload> workloads_;
};

// How an interpreter is started that finds the package `harness` beside this program.
std::vector<std::string> python_command(const std::string& module, const std::string& argument);
std::map<std::string, std::string> python_environment();

// The folder of the package `harness`, and the library that a worker in Python loads.
std::filesystem::path python_package();
std::filesystem::path python_worker_library();

}  // namespace harness
