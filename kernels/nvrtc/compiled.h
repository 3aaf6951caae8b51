// compiled(): machine code for sm_90a of a text, by NVRTC. The headers of kernels/ that it includes are texts
// in this build, so no sources need to be there. Plain host code: it runs on a machine without a GPU too.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "generated/kernel_sources.h"
#include "kernels/nvrtc/nvrtc_library.h"

namespace kernels {

struct Compiled {
  std::vector<char> cubin;
  std::string log;  // the compiler's remarks
};

// NVRTC 12.9 and newer keep machine code on disk, in the driver's cache. A text that any process has compiled
// before is only looked up there. `never`: it is compiled, so that each process takes the time of the first.
enum class KeptCode { may_serve, never };

// Throws std::runtime_error with the compiler's words.
inline Compiled compiled(const NvrtcLibrary& library, const std::string& text,
                         KeptCode kept = KeptCode::may_serve) {
  // NVRTC has no standard library. without_toolkit.cuh declares what kernel headers use of these.
  std::vector<const char*> names = {"algorithm", "cmath", "cstddef", "cstdint", "cstring", "type_traits"};
  std::vector<const char*> texts(names.size(), "");
  names.insert(names.end(), std::begin(source_names), std::end(source_names));
  texts.insert(texts.end(), std::begin(source_texts), std::end(source_texts));
  NvrtcLibrary::Program program = nullptr;
  library.check(library.create(&program, text.c_str(), "kernel.cu", static_cast<int>(names.size()),
                               texts.data(), names.data()),
                "nvrtcCreateProgram");
  struct End {
    const NvrtcLibrary& library;
    NvrtcLibrary::Program& program;
    ~End() { library.destroy(&program); }
  } end{library, program};
  std::vector<const char*> options = {"--gpu-architecture=sm_90a", "--std=c++20",
                                      "--device-as-default-execution-space", "--prec-div=false",
                                      "--generate-line-info"};
  int major = 0, minor = 0;
  library.check(library.version(&major, &minor), "nvrtcVersion");
  const bool keeps_code = major > 12 || (major == 12 && minor >= 9);
  if (kept == KeptCode::never && keeps_code) options.push_back("--no-cache");
  const int status = library.compile(program, static_cast<int>(options.size()), options.data());
  Compiled result;
  std::size_t size = 0;
  library.check(library.log_size(program, &size), "nvrtcGetProgramLogSize");
  result.log.resize(size);
  library.check(library.log(program, result.log.data()), "nvrtcGetProgramLog");
  if (status != 0)
    throw std::runtime_error("nvrtcCompileProgram: " + std::string(library.error_string(status)) + "\n" +
                             result.log.c_str());
  library.check(library.cubin_size(program, &size), "nvrtcGetCUBINSize");
  result.cubin.resize(size);
  library.check(library.cubin(program, result.cubin.data()), "nvrtcGetCUBIN");
  return result;
}

}  // namespace kernels
