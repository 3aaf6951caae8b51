// A stand-in for the CUDA module. Its GPUs are scripted devices, so a host without a GPU can measure on them.
// Each process that opens GPUs adds a line to the file of FAKE_CUDA_LOG: CUDA_VISIBLE_DEVICES, a colon, and
// the numbers of the GPUs. The UUID of a GPU is "GPU-" and what CUDA_VISIBLE_DEVICES calls it.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/scripted/scripted_device.h"
#include "harness/model/device_kinds.h"
#include "harness/sdk/registry.h"

namespace {

namespace sdk = harness::sdk;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

class FakeGpu final : public harness::ScriptedDevice {
 public:
  FakeGpu(harness::Script script, const std::vector<int>& ordinals)
      : ScriptedDevice(std::move(script)), traits_(ScriptedDevice::traits()) {
    traits_.kind = harness::cuda_kind.name;
    traits_.ordinal = ordinals.front();
    traits_.peers.assign(ordinals.begin() + 1, ordinals.end());
  }
  [[nodiscard]] const sdk::DeviceTraits& traits() const override { return traits_; }

 private:
  sdk::DeviceTraits traits_;
};

void log_opened(const std::string& visible, const std::vector<int>& ordinals) {
  std::ofstream(setting("FAKE_CUDA_LOG"), std::ios::app)
      << fmt::format("{}: {}\n", visible, fmt::join(ordinals, ","));
}

void register_nothing(sdk::Registry&) {}

}  // namespace

extern "C" __attribute__((visibility("default"))) harness::Device* harness_cuda_open(
    const std::vector<int>* ordinals, bool, harness::Error* error) {
  const std::string visible = setting("CUDA_VISIBLE_DEVICES");
  log_opened(visible, *ordinals);
  const std::string script =
      fmt::format(R"({{"version": 1, "machine_class": "fake", "device_uuid": "GPU-{}"}})",
                  visible.substr(0, visible.find(',')));
  harness::Result<harness::Script> parsed = harness::parse_script(script, "the stand-in");
  if (parsed) return std::make_unique<FakeGpu>(std::move(*parsed), *ordinals).release();
  *error = std::move(parsed.error());
  return nullptr;
}

HARNESS_MODULE("stand-in for the CUDA module", register_nothing)
