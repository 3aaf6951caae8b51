// --device: which devices a command may use.
#pragma once

#include <string>
#include <vector>

#include "harness/model/device_kinds.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace harness {

struct DeviceOption {
  std::string text;                // as typed, for the same option of another program; "": not given
  std::vector<std::string> names;  // "cpu", "cuda:1", "scripted:FILE"; all of one kind, each once

  CLI::Option* add_to(CLI::App& command);

  [[nodiscard]] bool given() const { return !names.empty(); }
  // Any GPU will do: `cuda` without a number.
  [[nodiscard]] bool any_gpu() const { return text == cuda_kind.name; }
};

// The script of "scripted:FILE".
std::string script_of(const std::string& device);

}  // namespace harness
