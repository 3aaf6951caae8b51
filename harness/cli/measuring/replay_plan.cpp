#include "harness/cli/measuring/replay_plan.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/emit.h"
#include "harness/device/open.h"
#include "harness/measure/case/replay.h"
#include "harness/report/words/cause_words.h"

namespace harness {
namespace {

// One kind of device with what can run on it.
struct Stage {
  OpenedDevice opened;
  Catalog catalog = Catalog::built_in();
  Scope suite = {};  // the range of the suite on a timeline
};

Result<std::unique_ptr<Stage>> open_stage(const std::string& device, const Plan& plan) {
  auto stage = std::make_unique<Stage>();
  Result<OpenedDevice> opened = open_device(device, {.profiled_from_outside = true});
  if (!opened) return fail(std::move(opened.error()));
  stage->opened = std::move(*opened);
  if (stage->opened.module != nullptr)
    if (Status added = stage->catalog.add(*stage->opened.module); !added)
      return fail(std::move(added.error()));
  for (const std::string& module : plan.modules)
    if (Status loaded = stage->catalog.load_module(module); !loaded) return fail(std::move(loaded.error()));
  stage->suite = stage->opened.device->profiler().range("suite " + plan.suite.name);
  return stage;
}

Error about(const PlannedCase& planned, Error error) {
  error.message = fmt::format("{}: {}", printable(planned.id), error.message);
  return error;
}

}  // namespace

int replay_for_profiler(const Prepared& prepared) {
  std::map<std::string, std::unique_ptr<Stage>> stages;  // by kind of device
  int replayed = 0;
  int status = exit_ok;
  for (const PlannedCase& planned : prepared.plan.cases) {
    if (planned.skip) {
      fmt::print("skipped   {}: {}\n", printable(planned.id), printable(report::words(*planned.skip)));
      continue;
    }
    if (planned.program) {
      fmt::print("skipped   {}: a program; start it under the profiler\n", printable(planned.id));
      continue;
    }
    std::unique_ptr<Stage>& stage = stages[planned.device];
    if (!stage) {
      Result<std::unique_ptr<Stage>> opened = open_stage(prepared.devices.at(planned.device), prepared.plan);
      if (!opened) return report_error(opened.error());
      stage = std::move(*opened);
    }
    const Result<Replayed> done = replay_case(*stage->opened.device, stage->catalog, planned);
    if (!done) {
      report_error(about(planned, done.error()));
      if (!stage->opened.device->timer().synchronize())
        return exit_failed;  // the device is lost, and all with it
      status = exit_failed;
      continue;
    }
    if (done->skipped) {
      fmt::print("skipped   {}: {}\n", printable(planned.id), printable(report::words(*done->skipped)));
      continue;
    }
    fmt::print("replayed  {}: the first call and {} more\n", printable(planned.id), done->calls);
    std::fflush(stdout);
    ++replayed;
  }
  fmt::print("nothing was measured; {} of {} cases ran for a profiler to look at\n", replayed,
             prepared.plan.cases.size());
  return status;
}

}  // namespace harness
