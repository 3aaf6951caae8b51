// CallSites: where the program launches, while a launch is made: NVTX ranges, the line of Python, and the
// functions of the host. It takes the host's time, so no start that is timed does it. Nothing is kept between
// calls, so any thread may call it, and no lock is held while the linker is asked.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace harness::inject {

class CallSites {
 public:
  // `cupti`: the file of its library, whose functions are no site.
  explicit CallSites(std::string cupti);

  // More is not spent: the launches that follow have no site.
  static constexpr auto longest = std::chrono::seconds(5);

  // A text as trace::Site reads it. `ranges`: the NVTX ranges of this thread.
  std::optional<std::string> here(std::string_view ranges);

 private:
  [[nodiscard]] bool has_time() const;
  // The functions above CUDA's, the innermost first, a line each.
  [[nodiscard]] std::string frames() const;
  [[nodiscard]] std::optional<std::string> frame_at(std::uintptr_t address) const;

  std::string cupti_;
  std::string program_;  // its file
  std::atomic<std::chrono::steady_clock::rep> took_ = 0;
};

}  // namespace harness::inject
