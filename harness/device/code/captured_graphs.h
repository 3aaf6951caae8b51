// CapturedGraphs: what graphs do that were captured from one stream while the case was followed. A launch of
// such a graph stands for the calls that were captured. Pure; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/device/code/driver_call.h"

namespace harness {

class CapturedGraphs {
 public:
  void forget();  // all graphs

  void begin_capture(std::uint64_t stream);
  // 0: the capture failed.
  void end_capture(std::uint64_t stream, std::uint64_t graph);
  // False where `graph` is not known: then nobody can say what `executable` does.
  [[nodiscard]] bool instantiate(std::uint64_t graph, std::uint64_t executable, std::uint64_t flags);
  // `executable` does what `graph` does from now on. False where one of them is not known.
  [[nodiscard]] bool update(std::uint64_t graph, std::uint64_t executable);
  // It is gone, or became something that nobody knows.
  void destroy(std::uint64_t handle);

  // How a call stands to the capture at hand.
  enum class Place {
    outside,   // it is carried out
    captured,  // it was kept
    unclear,   // of another stream, which may have joined the capture; or what it does is told at the launch
  };
  [[nodiscard]] Place take(const DriverCall& call);

  // The calls of a launch into `stream`. Nothing where the graph is not known.
  [[nodiscard]] std::optional<std::vector<DriverCall>> launched(std::uint64_t executable,
                                                                std::uint64_t stream) const;

 private:
  using Calls = std::vector<DriverCall>;

  std::optional<std::uint64_t> stream_;  // that is being captured
  Calls calls_;                          // of it
  bool unclear_ = false;                 // the capture holds a call that nobody can follow
  struct Executable {
    Calls calls;
    std::uint64_t flags = 0;
  };
  std::map<std::uint64_t, Calls> graphs_;  // by handle
  std::map<std::uint64_t, Executable> executables_;
};

}  // namespace harness
