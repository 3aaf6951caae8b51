#include "harness/measure/worker/python_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/base/process.h"
#include "harness/catalog/python_child.h"
#include "harness/catalog/python_module.h"
#include "harness/device/open.h"

namespace harness {
namespace {

constexpr int exit_not_found = 127;

bool any_python(const std::vector<std::string>& modules) {
  return std::any_of(modules.begin(), modules.end(),
                     [](const std::string& module) { return is_python_module(module); });
}

}  // namespace

bool needs_python(const Job& job) {
  return any_python(job.modules) ||
         (job.pair && (any_python(job.pair->baseline.plugins) || any_python(job.pair->current.plugins)));
}

int become_python_worker() {
  std::vector<std::string> words = python_command("harness.worker", python_worker_library().string());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const auto& [name, value] : python_environment()) setenv(name.c_str(), value.c_str(), 1);
  // The library looks for it beside the program, which is the interpreter then.
  setenv("HARNESS_CUDA_MODULE", cuda_module_path().c_str(), 1);
  execvp(argv.front(), argv.data());
  fmt::print(stderr, "{} cannot be started: {}; HARNESS_PYTHON names another interpreter\n", words.front(),
             std::strerror(errno));
  return exit_not_found;
}

}  // namespace harness

// The door of the worker library.
extern "C" __attribute__((visibility("default"))) int harness_run_python_worker(harness::LoadPython load) {
  harness::run_in_python(load);
  return harness::run_worker();
}
