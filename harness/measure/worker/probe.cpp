#include "harness/measure/worker/probe.h"

#include <fmt/format.h>

#include <utility>

#include "harness/measure/schedule/worker_process.h"

namespace harness {
namespace {

constexpr Seconds probe_deadline = 120;

// Starts a worker on a job without cases, and ends it once it has said whether its device is open.
Result<DeviceProbe> ask(const Job& job, const std::vector<std::string>& worker_command,
                        const std::filesystem::path& folder = {}, const WorkBesideProbe& beside = {}) {
  Result<WorkerProcess> worker = WorkerProcess::start(worker_command, job, folder);
  if (!worker) return fail(worker.error());
  worker->begin();
  if (beside.work) beside.work();
  const WorkerProcess::Event event = worker->next(probe_deadline);
  if (const auto* said = std::get_if<WorkerProcess::Said>(&event)) {
    if (const auto* hello = std::get_if<Hello>(&said->message)) {
      if (beside.ending)
        beside.ending->add(std::move(*worker));
      else
        worker->dismiss();
      return DeviceProbe{hello->machine};
    }
    if (const auto* refusal = std::get_if<Refusal>(&said->message))
      return fail(ErrorKind::environment, refusal->reason);
  }
  if (const auto* error = std::get_if<Error>(&event)) return fail(*error);
  if (std::holds_alternative<WorkerProcess::Closed>(event)) {
    const WorkerEnd end = worker->post_mortem();
    return fail(ErrorKind::environment,
                fmt::format("the worker ended before it was ready: {}{}{}", end.exit.text(),
                            end.printed.empty() ? "" : "; it printed last: ", end.printed));
  }
  if (std::holds_alternative<WorkerProcess::Forged>(event))
    return fail(ErrorKind::environment, "a message came that the worker did not send");
  if (std::holds_alternative<WorkerProcess::Interrupted>(event))
    return fail(ErrorKind::environment, "interrupted");
  return fail(ErrorKind::environment,
              fmt::format("{} did not open within {:g} s", job.device, probe_deadline));
}

}  // namespace

Result<DeviceProbe> probe_device(const std::string& device, const std::vector<std::string>& worker_command,
                                 bool ceilings, const WorkBesideProbe& beside) {
  KnownDevices* const known = worker_command.empty() && !ceilings ? beside.known.get() : nullptr;
  if (known != nullptr)
    if (const auto found = known->find(device); found != known->end()) {
      if (beside.work) beside.work();
      return found->second;
    }
  Job job;
  job.device = device;
  job.measure_ceilings = ceilings;
  Result<DeviceProbe> probe = ask(job, worker_command, {}, beside);
  if (probe && known != nullptr) known->emplace(device, *probe);
  return probe;
}

Status probe_pair(const std::string& device, const PairedBuilds& pair,
                  const std::vector<std::string>& worker_command,
                  const std::filesystem::path& worker_folder) {
  Job job;
  job.device = device;
  job.pair = pair;
  const Result<DeviceProbe> probe = ask(job, worker_command, worker_folder);
  if (!probe) return fail(probe.error());
  return {};
}

}  // namespace harness
