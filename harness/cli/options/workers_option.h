// --workers: how many worker processes of a run share one GPU (measure/worker/device_token.h).
#pragma once

#include <map>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace harness {

struct ChosenDevices;

struct WorkersOption {
  std::optional<int> workers = {};

  void add_to(CLI::App& command);

  // By kind of device. A script takes part only where the option is given.
  [[nodiscard]] std::map<std::string, int> of(const ChosenDevices& chosen) const;
};

// With so many hardware threads for this process: one worker uses the GPU, and the others take several
// threads each.
int usual_workers(int threads);

}  // namespace harness
