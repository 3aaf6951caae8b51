#include "harness/cli/measuring/choose_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/device/host/gpu_state.h"
#include "harness/device/open.h"
#include "harness/device/scripted/scripted_device.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/cause_words.h"

namespace harness {
namespace {

const std::string cuda(cuda_kind.name);

// All devices of a wish that names none: of several GPUs those of the first one's model.
std::vector<std::string> usual_gpus(const GpuHost& host) {
  std::vector<std::string> names{gpu_device_name(0)};
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
               WorkBesideProbe beside, ChosenDevices& chosen) {
  std::vector<DeviceChoice> choices;
  std::string model, machine_class;
  for (const std::string& name : names) {
    const auto probe = probe_device(name, {}, false, beside);
    beside.work = {};  // runs beside the first probe only
    if (!probe && (asked_for || names.size() > 1))
      return fail(ErrorKind::environment,
                  fmt::format("--device {}: {}", printable(name), probe.error().message),
                  probe.error().advice.empty() ? without_that_device : probe.error().advice);
    if (!probe) {
      chosen.unavailable_devices[kind] = {CauseCode::no_device,
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
    machine_class = probe->machine.machine_class;
    if (is_gpu_kind(kind)) chosen.counter_chip = chip_of(probe->machine);
    choices.push_back({name, probe->machine.device_uuid});
    chosen.machines.emplace(kind, probe->machine);
  }
  chosen.devices[kind] = choices.front().name;
  chosen.identities[kind] = choices.front().uuid;
  chosen.classes[kind] = machine_class;
  if (choices.size() > 1) chosen.side_by_side[kind] = std::move(choices);
  return {};
}

// Takes in all names where processes take turns, else the first: the others are for cases of several devices.
Status take_first(const std::string& kind, const std::vector<std::string>& names, const GpuHost& host,
                  const DeviceWish& wish, const WorkBesideProbe& beside, ChosenDevices& chosen) {
  const bool asked_for = wish.device.given();
  chosen.gpus[kind] = {static_cast<int>(names.size()),
                       asked_for && !wish.device.any_gpu() ? wish.device.text : ""};
  if (wish.any_of_class) return take_in(kind, names, asked_for, beside, chosen);
  if (const auto uuid = wish.opens ? std::nullopt : certain_uuid(host, names.front())) {
    chosen.devices[kind] = names.front();
    chosen.identities[kind] = *uuid;
    return {};
  }
  return take_in(kind, {names.front()}, asked_for, beside, chosen);
}

// Reports an unreadable script before anything runs.
Status check_script(const std::string& name) {
  if (!is_scripted_device(name)) return {};
  const auto device = ScriptedDevice::load(script_of(name));
  if (device) return {};
  Error error = device.error();
  error.kind = ErrorKind::usage;  // also where the file is missing: no baseline is
  return fail(std::move(error));
}

void leave_out(const std::string& kind, const DeviceWish& wish, ChosenDevices& chosen) {
  chosen.unavailable_devices[kind] = {CauseCode::left_out, {{"device", wish.device.text}}};
  chosen.left_out_devices.insert(kind);
}

// Devices without a GPU need no probe, except to compare several.
Status take_hosts(std::string_view kind, const DeviceWish& wish, const WorkBesideProbe& beside,
                  ChosenDevices& chosen) {
  const std::vector<std::string>& names = wish.device.names;
  for (const std::string& name : names)
    if (const Status there = check_script(name); !there) return there;
  if (std::all_of(names.begin(), names.end(), is_scripted_device))
    chosen.gpus[std::string(kind)] = {static_cast<int>(names.size()), ""};
  for (std::size_t i = 1; i < names.size(); ++i) chosen.peers[std::string(kind)].push_back({names[i], ""});
  return names.size() > 1 && wish.any_of_class ? take_in(std::string(kind), names, true, beside, chosen)
                                               : Status{};
}

Status take_gpus(const DeviceWish& wish, const WorkBesideProbe& beside, ChosenDevices& chosen) {
  const bool asked_for = wish.device.given();
  if (!wish.wants_cuda && !asked_for) return {};
  if (const auto obstacle = cuda_obstacle()) {
    if (asked_for)
      return fail(ErrorKind::environment,
                  fmt::format("--device {}: {}", wish.device.text, report::words(*obstacle)),
                  without_that_device);
    chosen.unavailable_devices[cuda] = *obstacle;
    return {};
  }
  const GpuHost host = read_gpus();
  for (const std::string& name : wish.device.names)
    if (const auto there = gpu_named(host, name); !there) return fail(there.error());
  if (!wish.wants_cuda) return {};
  const bool any = !asked_for || wish.device.any_gpu();
  const std::vector<std::string> names = any ? usual_gpus(host) : wish.device.names;
  for (std::size_t i = 1; i < names.size(); ++i)
    if (const auto peer = gpu_named(host, names[i])) chosen.peers[cuda].push_back({names[i], (*peer)->uuid});
  return take_first(cuda, names, host, wish, beside, chosen);
}

}  // namespace

Result<ChosenDevices> choose_devices(const DeviceWish& wish, const WorkBesideProbe& beside) {
  ChosenDevices chosen;
  const std::vector<std::string>& names = wish.device.names;
  const DeviceKind* wished = names.empty() ? nullptr : kind_of_device(names.front());
  for (const DeviceKind& kind : device_kinds) {
    const std::string name(kind.name);
    if (wished != nullptr && wished != &kind) leave_out(name, wish, chosen);
    if (!kind.is_gpu) chosen.devices[name] = wished == &kind ? names.front() : name;
  }
  const bool on_host = wished != nullptr && !wished->is_gpu;
  const Status taken =
      on_host ? take_hosts(wished->name, wish, beside, chosen) : take_gpus(wish, beside, chosen);
  if (!taken) return fail(taken.error());
  return chosen;
}

std::map<std::string, std::vector<std::string>> peer_names(const ChosenDevices& chosen) {
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& [kind, peers] : chosen.peers)
    for (const DeviceChoice& peer : peers) names[kind].push_back(peer.name);
  return names;
}

}  // namespace harness
