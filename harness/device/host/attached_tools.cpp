#include "harness/device/host/attached_tools.h"

#include <array>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

struct Mark {
  const char* variable;
  const char* tool;
};

constexpr std::array marks{Mark{"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "Nsight Compute"},
                           Mark{"NV_NSIGHT_INJECTION_PORT_BASE", "Nsight Compute"},
                           Mark{"NV_SANITIZER_INJECTION_PORT_BASE", "compute-sanitizer"},
                           Mark{"NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN", "compute-sanitizer"}};

constexpr std::array injections{"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

// Only the file's name counts, not its folders.
const char* injected_tool(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file.find("sanitizer") != std::string_view::npos) return "compute-sanitizer";
  if (file.find("ncu") != std::string_view::npos) return "Nsight Compute";
  return nullptr;
}

bool is_traced(std::string_view status) {
  constexpr std::string_view key = "TracerPid:";
  const std::size_t at = status.find(key);
  if (at == std::string_view::npos) return false;
  const std::string_view line = status.substr(at + key.size(), status.find('\n', at) - at - key.size());
  return line.find_first_of("123456789") != std::string_view::npos;
}

Note set_by(const char* variable, const char* tool) {
  return {NoteCode::ungated_by_tool, {{"tool", tool}, {"variable", variable}}};
}

}  // namespace

std::optional<Note> gate_obstacle_in(const Environment& environment, std::string_view process_status) {
  const char* blocking = environment("CUDA_LAUNCH_BLOCKING");
  if (blocking != nullptr && *blocking != '\0' && std::string_view(blocking) != "0")
    return Note{NoteCode::ungated_by_blocking};
  for (const Mark& mark : marks)
    if (environment(mark.variable) != nullptr) return set_by(mark.variable, mark.tool);
  for (const char* variable : injections) {
    const char* library = environment(variable);
    const char* tool = library == nullptr ? nullptr : injected_tool(library);
    if (tool != nullptr) return set_by(variable, tool);
  }
  if (is_traced(process_status)) return Note{NoteCode::ungated_by_debugger};
  return std::nullopt;
}

std::optional<Note> gate_obstacle_here() {
  const Result<std::string> status = read_file("/proc/self/status", 1U << 20);
  return gate_obstacle_in(environment::find, status ? *status : "");
}

}  // namespace harness
