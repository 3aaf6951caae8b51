// Chooses the device of each kind, and tells why a kind is missing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/options/device_option.h"
#include "harness/measure/worker/probe.h"
#include "harness/model/cause.h"
#include "harness/suite/plan_options.h"

namespace harness {

struct DeviceWish {
  DeviceOption device;
  bool wants_cuda = false;    // the suite has CUDA variants
  bool any_of_class = false;  // the suite lets processes take turns on several devices of one class
  bool opens = true;          // false: no worker opens a GPU whose UUID NVML tells
};

// One of the devices that processes of a run take turns on.
struct DeviceChoice {
  std::string name;  // for open_device()
  std::string uuid;
};

// By kind of device: "cpu", "cuda".
struct ChosenDevices {
  std::map<std::string, std::string> devices;                     // names for open_device()
  std::map<std::string, std::string> identities;                  // UUIDs that are known
  std::map<std::string, std::vector<DeviceChoice>> side_by_side;  // two or more, used by turns
  std::map<std::string, std::vector<DeviceChoice>> peers;  // beside the first, for cases of several GPUs
  std::map<std::string, DeviceCount> gpus;                 // how many there are; see PlanOptions
  std::map<std::string, std::string> classes;              // machine classes of the devices that were asked
  std::map<std::string, Machine> machines;                 // the first device of those kinds
  std::map<std::string, Cause> unavailable_devices;
  std::set<std::string> left_out_devices;  // that --device left out
  std::string counter_chip;                // of the GPU at hand, or ""
};

// Asks a worker about a GPU only when the suite uses one; `beside` runs during the first question. A
// requested device that cannot be had is an error, which lists the ordinals that are there. Without a request
// its kind is only unavailable.
Result<ChosenDevices> choose_devices(const DeviceWish& wish, const WorkBesideProbe& beside);

// The names of the peers, by kind, as a run takes them.
std::map<std::string, std::vector<std::string>> peer_names(const ChosenDevices& chosen);

}  // namespace harness
