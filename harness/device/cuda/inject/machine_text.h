// The GPUs and the driver of a traced process in words, for comparing two processes.
#pragma once

#include <string>

namespace harness::inject {

// "CUDA 13000; NVRM version: ...; NVIDIA H200 with 132 multiprocessors": the GPUs that the process sees.
// Parts that nobody tells are left out. CUDA must be initialised.
std::string machine_text();

}  // namespace harness::inject
