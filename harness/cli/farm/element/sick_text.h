// A Sickness as the store keeps it.
#pragma once

#include <optional>
#include <string>

#include "harness/model/results/sick_device.h"

namespace harness {

std::string encode(const Sickness& why);
// std::nullopt where the text is of a later version.
std::optional<Sickness> decode_sickness(const std::string& text);

}  // namespace harness
