// The build that runs here: everything that decides what a case gives its device to do, but for the case, the
// driver and the device. Two results of one build need no look at their launches: they are the same.
#pragma once

#include <map>
#include <string>

#include "harness/cli/measuring/choose_devices.h"
#include "harness/model/plan.h"

namespace harness {

// A hash over this program, the CUDA module, the environment that steers both (environment::steering()), and
// the shared objects here: for a GPU with all libraries that a variant may load. "" where these cannot be
// told. `kind`: of device. The first call for a kind starts a process, which loads them. One thread may call
// it.
std::string running_build(const std::string& kind);

// The same for each kind of device of a plan whose results are of this build alone. None for a plan with
// modules of a user, whose other files nobody knows, for scripted devices, and once the program was replaced.
std::map<std::string, std::string> builds_of(const Plan& plan, const ChosenDevices& devices);

}  // namespace harness
