// Where the host launched, as the injected library wrote it: functions that a file does not export are named
// here, after the program has ended, because reading tables of symbols takes time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace harness::trace {

// A function that launched, or called one that did.
struct HostFrame {
  std::string name = {};  // mangled; "" when unknown
  std::string file = {};  // its path
};

struct Site {
  std::string range = {};              // NVTX ranges of the thread, the outermost first: "step/loss"
  std::string python = {};             // "train.py:41 in loss"
  std::vector<HostFrame> frames = {};  // the innermost first
};

class LaunchSites {
 public:
  // Lines: the ranges, the line of Python, and the frames: a mangled name or "", a tab, the place in the file
  // as a number, a tab, the file's path.
  Site read(std::string_view text);

 private:
  struct Symbol {
    std::uint64_t begin = 0, end = 0;
    std::string name;
  };
  const std::vector<Symbol>& symbols_of(const std::string& file);
  std::string name_at(const std::string& file, std::uint64_t place);

  std::map<std::string, std::vector<Symbol>> symbols_;  // in order, by file
};

// The function that launches the kernel, without its arguments: "at::native::fill". The name of its file
// where its own is unknown; "" where no frame is known. CUDA's runtime, which may be a part of the program,
// and the stub that nvcc makes of a kernel are passed over. `kernel`: mangled.
std::string host_function(const Site& site, const std::string& kernel);

}  // namespace harness::trace
