// links: harness_device
// mutates: json
// Scripts of the scripted device: any bytes give a script or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/device/scripted/scripted_device.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto script = harness::parse_script({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!script) return script.error().message.empty() ? (std::abort(), 0) : 0;
  harness::ScriptedDevice device(std::move(*script));
  device.enter({"a/b", 1, 0});
  for (int i = 0; i < 3; ++i) static_cast<void>(device.time([](harness::sdk::Stream) {}, {}));
  static_cast<void>(device.watch_conditions()());
  static_cast<void>(device.kernels([](harness::sdk::Stream) {}, {}));
  static_cast<void>(
      device.counters([](harness::sdk::Stream) {}, harness::CacheMode::hot, {"dram__bytes_read.sum"}));
  return 0;
}
