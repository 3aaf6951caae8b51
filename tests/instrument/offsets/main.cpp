// offsets: what the event times of one process have in common, and what draws it anew (README.md one folder
// up).
//
// Starts itself several times. Each of those processes creates streams, graphs and contexts again, and times
// an empty kernel and a GELU with each. This process has no context; it makes tables of the results.
//
// Exit status: 0 all well, 1 something failed, 2 usage, 77 no GPU (1 with HARNESS_REQUIRE_GPU=1).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/device/cuda/timing/clock.h"
#include "tests/instrument/offsets/draws.h"
#include "tests/instrument/offsets/driver.h"

namespace harness::offsets {
namespace {

constexpr int no_gpu = 77;

struct Options {
  int processes = 10;
  std::string output;
  bool inside = false;  // this is one of the processes
  Wanted wanted;
};

int without_gpu(const char* why) {
  const char* required = std::getenv("HARNESS_REQUIRE_GPU");
  fmt::print(stderr, "offsets: no GPU: {}\n", why);
  return required != nullptr && std::string_view(required) == "1" ? 1 : no_gpu;
}

int draw_inside(const Options& options) {
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver)
    return without_gpu(cudaGetErrorString(code));
  require(code, "cudaGetDeviceCount");
  fmt::print("{}\n", nlohmann::json(draw_all(options.wanted)).dump());
  return 0;
}

Command command_for(const Options& options, int process) {
  return {{this_program().string(), "--inside", "--process", std::to_string(process), "--draws",
           std::to_string(options.wanted.draws), "--samples", std::to_string(options.wanted.samples),
           "--started", fmt::format("{:.6f}", cuda::host_now())}};
}

int run(const Options& options) {
  std::vector<Findings> found;
  for (int i = 0; i < options.processes; ++i) {
    const Output output = value_of(run_command(command_for(options, i)));
    fmt::print(stderr, "{}", output.err);
    if (output.exit.code == no_gpu) return no_gpu;
    if (!output.exit.ok()) throw Failure(fmt::format("process {}: {}", i, output.exit.text()));
    found.push_back(nlohmann::json::parse(output.out).get<Findings>());
  }
  if (!options.output.empty()) require(write_file_atomically(options.output, nlohmann::json(found).dump(1)));
  fmt::print("{}", markdown(found));
  const std::string failed = failures(found);
  if (!failed.empty()) fmt::print("\nFailed:\n\n```\n{}```\n", failed);
  return failed.empty() ? 0 : 1;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--processes", options.processes, "how many to start")->check(CLI::Range(1, 1000));
  app.add_option("--draws", options.wanted.draws, "of each thing in a process")->check(CLI::Range(2, 1000));
  app.add_option("--samples", options.wanted.samples, "of each kernel with each drawing")
      ->check(CLI::Range(10, 100000));
  app.add_option("--output", options.output, "also writes what was found as JSON to this file");
  app.add_flag("--inside", options.inside)->group("");
  app.add_option("--process", options.wanted.process)->group("");
  app.add_option("--started", options.wanted.started)->group("");
}

}  // namespace
}  // namespace harness::offsets

int main(int argc, char** argv) {
  using namespace harness::offsets;
  Options options;
  CLI::App app("What the event times of one process have in common, and what draws it anew");
  add_options(app, options);
  try {
    app.parse(argc, argv);
    return options.inside ? draw_inside(options) : run(options);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "offsets: {}\n", failure.what());
    return 1;
  }
}
