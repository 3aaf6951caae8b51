#include "harness/cli/measuring/choose_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/text.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/open.h"
#include "harness/device/scripted/scripted_device.h"
#include "harness/measure/schedule/run.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

// The names that --device lists, all of one kind.
Result<std::vector<std::string>> names_in(const DeviceWish& wish) {
  std::vector<std::string> names;
  std::set<std::string> kinds;
  if (wish.text.empty()) return names;
  for (const std::string& word : split(wish.text, ',')) {
    const std::string name(trim(word));
    if (name != cpu_kind.name && !cuda_ordinal(name) && !is_scripted_device(name)) {
      const auto near = nearest(name, usual_device_names());
      return fail(ErrorKind::usage, fmt::format("--device: `{}` is not a device", printable(name)),
                  near ? fmt::format("did you mean `{}`?", *near) : "write cpu, cuda or cuda:N");
    }
    kinds.insert(name.substr(0, name.find(':')));
    if (std::find(names.begin(), names.end(), name) != names.end())
      return fail(ErrorKind::usage, fmt::format("--device: {} is named twice", printable(name)));
    names.push_back(name == cuda_kind.name ? gpu_device_name(0) : name);
  }
  if (names.size() == 1) return names;
  if (kinds.size() > 1)
    return fail(ErrorKind::usage, "--device: several devices must be of one kind",
                "leave --device out to use every kind that the suite names");
  if (!wish.any_of_class)
    return fail(ErrorKind::usage,
                fmt::format("--device: this suite measures on one device, not on {}", names.size()),
                "`devices: any-of-class` in the suite lets processes take turns on several of one class");
  return names;
}

// All devices of a wish that names none: of several GPUs those of the first one's model.
std::vector<std::string> usual_gpus(const DeviceWish& wish, const GpuHost& host) {
  std::vector<std::string> names{gpu_device_name(0)};
  if (!wish.any_of_class) return names;
  const std::vector<const GpuState*> seen = visible_gpus(host);
  for (std::size_t i = 1; i < seen.size(); ++i)
    if (seen[i]->name == seen[0]->name) names.push_back(gpu_device_name(i));
  return names;
}

std::string blocking_fields(const Machine& machine) {
  std::string text = machine.machine_class;
  for (const MachineField& field : machine.fields)
    if (field.kind == FieldClass::block) text += fmt::format("; {} {}", field.name, field.value);
  return text;
}

// The chip of the GPU at hand.
std::string chip_of(const Machine& machine) {
  for (const MachineField& field : machine.fields)
    if (field.name == "compute_capability") return counter_chip(field.value);
  return {};
}

constexpr const char* without_that_device =
    "leave --device out to measure on what this machine has; `harness doctor` tells what is missing";

// Opens each of several devices of a kind in a worker. One device alone may be missing, unless it was asked
// for; of several, none.
Status take_in(const std::string& kind, const std::vector<std::string>& names, bool asked_for,
               Meanwhile meanwhile, Prepared& prepared) {
  std::vector<DeviceChoice> choices;
  std::string model;
  for (const std::string& name : names) {
    const auto probe = probe_device(name, {}, false, meanwhile);
    meanwhile.work = {};  // was done
    if (!probe && (asked_for || names.size() > 1))
      return fail(ErrorKind::environment,
                  fmt::format("--device {}: {}", printable(name), probe.error().message),
                  probe.error().advice.empty() ? without_that_device : probe.error().advice);
    if (!probe) {
      prepared.unavailable_devices[kind] = {CauseCode::no_device,
                                            {{"device", kind}, {"why", probe.error().message}}};
      return {};
    }
    const std::string here = blocking_fields(probe->machine);
    if (!choices.empty() && here != model)
      return fail(ErrorKind::usage,
                  fmt::format("{} and {} are not of one class ({} and {})", printable(choices[0].name),
                              printable(name), printable(model), printable(here)),
                  "choose devices that are alike with --device, or one of them");
    model = here;
    if (is_gpu_kind(kind)) prepared.counter_chip = chip_of(probe->machine);
    choices.push_back({name, probe->machine.device_uuid});
  }
  prepared.devices[kind] = choices.front().name;
  prepared.identities[kind] = choices.front().uuid;
  if (choices.size() > 1) prepared.side_by_side[kind] = std::move(choices);
  return {};
}

// A script that cannot be read is told before anything runs.
Status check_script(const std::string& name) {
  if (!is_scripted_device(name)) return {};
  const auto device = ScriptedDevice::load(name.substr(name.find(':') + 1));
  if (device) return {};
  Error error = device.error();
  error.kind = ErrorKind::usage;  // also where the file is missing: no baseline is
  return fail(std::move(error));
}

void leave_out(const std::string& kind, const DeviceWish& wish, Prepared& prepared) {
  prepared.unavailable_devices[kind] = {CauseCode::left_out, {{"device", wish.text}}};
  prepared.left_out_devices.insert(kind);
}

}  // namespace

Status choose_devices(const DeviceWish& wish, const Meanwhile& meanwhile, Prepared& prepared) {
  Result<std::vector<std::string>> names = names_in(wish);
  if (!names) return fail(names.error());
  const std::string cpu(cpu_kind.name), cuda(cuda_kind.name);
  const bool on_gpu = !names->empty() && is_gpu_device(names->front());
  prepared.devices[cpu] = names->empty() || on_gpu ? cpu : names->front();
  if (on_gpu) leave_out(cpu, wish, prepared);
  if (!names->empty() && !on_gpu) {
    leave_out(cuda, wish, prepared);
    for (const std::string& name : *names)
      if (const Status there = check_script(name); !there) return there;
    return names->size() > 1 ? take_in(cpu, *names, true, meanwhile, prepared) : Status{};
  }
  if (!wish.wants_cuda && !on_gpu) return {};
  if (std::string obstacle = cuda_obstacle(); !obstacle.empty()) {
    if (on_gpu)
      return fail(ErrorKind::environment, fmt::format("--device {}: {}", wish.text, obstacle),
                  without_that_device);
    prepared.unavailable_devices[cuda] = {CauseCode::no_device,
                                          {{"device", cuda}, {"why", std::move(obstacle)}}};
    return {};
  }
  const GpuHost host = read_gpus();
  for (const std::string& name : *names)
    if (const auto there = gpu_named(host, name); !there) return fail(there.error());
  if (!wish.wants_cuda) return {};
  const bool any = names->empty() || wish.text == cuda;
  return take_in(cuda, any ? usual_gpus(wish, host) : *names, on_gpu, meanwhile, prepared);
}

}  // namespace harness
