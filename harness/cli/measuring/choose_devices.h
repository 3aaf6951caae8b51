// Which device stands for each kind, and why a kind is missing.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/cli/measuring/prepare.h"

namespace harness {

struct DeviceWish {
  std::string text;           // of --device, "" when it is not given
  bool wants_cuda = false;    // the suite has CUDA variants
  bool any_of_class = false;  // the suite lets processes take turns on several devices of one class
};

// Fills devices, identities, side_by_side, unavailable_devices and left_out_devices. Asks a worker about a
// GPU only when the suite has use for it; `meanwhile` goes on beside the first. A device that was asked for
// and cannot be had is an error, which for an ordinal names those that are there; one that was not only makes
// its kind unavailable.
Status choose_devices(const DeviceWish& wish, const Meanwhile& meanwhile, Prepared& prepared);

}  // namespace harness
