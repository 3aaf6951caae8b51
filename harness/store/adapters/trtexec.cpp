// The file that trtexec writes for --exportTimes: an object an inference, times in milliseconds. It names no
// network, so its one case is called "inference".
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

bool is_trtexec(std::string_view text) {
  return begins_as_json(text, "[{", {"computeMs", "latencyMs"});
}

Checked<Record> read_trtexec(std::string_view text, const std::string& file) {
  return read_json(text, file, [](const JsonNode& root, OneProcess& process) {
    root.each_element([&](const JsonNode& inference) {
      const double compute = time_above_zero(inference.require("computeMs"));
      const double latency = time_above_zero(inference.require("latencyMs"));
      process.append("inference", "gpu_time", "ms", compute);
      process.append("inference", "latency", "ms", latency);
    });
  });
}

}  // namespace

extern const ImportFormat trtexec_format;
const ImportFormat trtexec_format{
    "trtexec", "JSON of trtexec: trtexec --loadEngine=ENGINE --exportTimes=FILE", is_trtexec, read_trtexec};

}  // namespace harness
