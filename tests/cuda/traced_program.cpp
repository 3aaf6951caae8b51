// A program as CUDA would trace it, without CUDA: it loads the libraries that the environment names, calls
// them as a driver does, and executes kernels on the stand-in for CUPTI.
//
//   traced_program STEPS [held|dropped|unreadable|killed|forks|without-modules|late]
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "fake_cupti.h"

namespace {

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

void* load(const char* variable) {
  const char* file = std::getenv(variable);
  return file == nullptr ? nullptr : dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

FakeCuptiExecute late_execute = nullptr;

// A place that launches, without a name that the program exports.
[[gnu::noinline]] int layer(FakeCuptiExecute execute) {
  execute("_Z4gemmPf", 2000, true);
  return 1;  // so that it is no tail call
}

}  // namespace

int main(int count, char** words) {
  const int steps = count > 1 ? std::atoi(words[1]) : 4;
  const std::string how = count > 2 ? words[2] : "";
  void* cupti = load("HARNESS_CUPTI");
  void* tracer = load("CUDA_INJECTION64_PATH");
  if (cupti == nullptr || tracer == nullptr) return 9;
  const auto execute = symbol<FakeCuptiExecute>(cupti, "fake_cupti_execute");
  FakeCupti* state = symbol<FakeCuptiState>(cupti, "fake_cupti")();
  if (how == "held") state->holder = "Nsight Systems";
  if (how == "without-modules") state->failures["EnableCallback"] = CUPTI_ERROR_NOT_SUPPORTED;
  if (symbol<int (*)()>(tracer, "InitializeInjection")() != 1) return 8;
  execute("_Z4initPf", 700, true);
  for (int i = 0; i < steps; ++i) {
    nvtxRangePushA("step");
    nvtxRangePushA("forward");
    if (layer(execute) != 1) return 7;
    nvtxRangePop();
    execute("[memset]", 100, true);
    execute("_Z4normPf", 500, true);
    nvtxRangePop();
  }
  if (how == "late") {  // in a range that nothing ends
    late_execute = execute;
    nvtxRangePushA("open");
    std::atexit([] { late_execute("_Z4latePf", 100, true); });
    std::exit(0);
  }
  if (how == "dropped") state->dropped = 5;
  if (how == "unreadable") state->failures["ActivityGetNextRecord"] = CUPTI_ERROR_INVALID_KIND;
  if (how == "killed") std::raise(SIGKILL);
  if (how == "forks" && fork() > 0) wait(nullptr);  // the child's copy of the trace must not be written
  return 0;
}
