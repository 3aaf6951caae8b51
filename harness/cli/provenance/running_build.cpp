#include "harness/cli/provenance/running_build.h"

#include <utility>
#include <vector>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/device/open.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// Off: a record continued by another program, peers of a GPU, and a metric that the baseline lacks would pass as the
// same build. No result names its build until these are told apart.
constexpr bool in_force = false;

// The part that is the same for all kinds of devices. The short hash in this_tool() would do for a name, but
// not for a proof.
std::string common_text() {
  std::string text = this_tool() + "\n";
  for (const std::filesystem::path& file : {this_program(), cuda_module_path()}) {
    const Result<std::string> contents = read_file(file.string());
    text += (contents ? content_hash(*contents) : "none") + "\n";
  }
  for (const auto& [name, value] : environment::steering()) text += name + "=" + value + "\n";
  return text;
}

// This process has loaded more than a worker does, and not always the same.
std::string build_with(const std::vector<std::string>& option) {
  std::vector<std::string> argv{this_program().string(), "probe-libraries", "--mapped"};
  argv.insert(argv.end(), option.begin(), option.end());
  const Result<Output> listed = run_command({.argv = std::move(argv)});
  if (!listed || !listed->exit.ok() || listed->out.empty()) return {};
  return content_hash(common_text() + listed->out);
}

}  // namespace

std::string running_build(const std::string& kind) {
  static std::map<bool, std::string> known;  // by whether it is of a GPU
  const bool of_gpu = is_gpu_kind(kind);
  const auto found = known.find(of_gpu);
  if (found != known.end()) return found->second;
  return known[of_gpu] = build_with(of_gpu ? std::vector<std::string>{"--cuda"} : std::vector<std::string>{});
}

std::map<std::string, std::string> builds_of(const Plan& plan, const ChosenDevices& devices) {
  std::map<std::string, std::string> builds;
  if (!in_force || !plan.modules.empty() || was_tool_replaced()) return builds;
  for (const PlannedCase& one : plan.cases) {
    const auto device = devices.devices.find(one.device);
    if (one.skip || one.program || device == devices.devices.end() || is_scripted_device(device->second))
      continue;
    if (!builds.contains(one.device)) builds[one.device] = running_build(one.device);
  }
  return builds;
}

}  // namespace harness
