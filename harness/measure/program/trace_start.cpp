#include "harness/measure/program/trace_start.h"

#include <fmt/format.h>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/device/trace/summarise_trace.h"
#include "harness/device/trace/trace_reader.h"

namespace harness {
namespace fs = std::filesystem;

Result<fs::path> trace_library() {
  if (const std::string held = environment::cuda_injection(); !held.empty())
    return fail(ErrorKind::environment,
                fmt::format("CUDA_INJECTION64_PATH={} loads another tool into the program", printable(held)),
                "CUPTI serves one tool at a time: run without that tool");
  fs::path library = environment::trace_library();
  if (library.empty()) library = this_program().parent_path() / ".." / "lib" / "libharness_trace.so";
  std::error_code code;
  if (fs::is_regular_file(library, code)) return fs::canonical(library);
  return fail(ErrorKind::environment,
              fmt::format("{} is not there", printable(library.lexically_normal().string())),
              "build with a CUDA toolkit of 13.0 or newer: HARNESS_CUDA=ON");
}

void trace_into(Command& command, const fs::path& library, const fs::path& folder, bool contents) {
  command.environment["CUDA_INJECTION64_PATH"] = library.string();
  command.environment["NVTX_INJECTION64_PATH"] = library.string();
  command.environment["HARNESS_TRACE_FOLDER"] = folder.string();
  command.environment["HARNESS_TRACE_CONTENTS"] = contents ? "on" : "off";
}

Result<ProgramTrace> read_program_trace(const fs::path& folder, const StepRule& rule) {
  const Result<std::vector<trace::ProcessTrace>> processes = trace::read_traces(folder);
  if (!processes) return fail(processes.error());
  return trace::summarise_trace(*processes, rule);
}

}  // namespace harness
