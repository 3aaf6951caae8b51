// CaseRecorder: keeps the driver calls of the case at hand, as they are seen. Any thread may add calls; one
// thread does the rest.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/code/captured_graphs.h"
#include "harness/device/code/driver_call.h"
#include "harness/device/scope.h"

namespace harness {

class CaseRecorder {
 public:
  // The part of a case that calls belong to.
  enum class Part { none, before, one, next };

  // Forgets the case before, but for what it left in memory that was not its own.
  void begin_case();
  // The build that calls belong to from now on, where one process has two.
  void turn(std::string_view side);

  // Calls count as `part` while the scope lives.
  Scope record(Part part);
  [[nodiscard]] bool recording() const { return part_ != Part::none; }

  // Nothing while no part is recorded. A call that is captured belongs to its graph, and counts when that is
  // launched.
  void add(DriverCall call);
  void begin_capture(std::uint64_t stream);
  void end_capture(std::uint64_t stream, std::uint64_t graph);  // 0: it failed
  // A graph that is not known is a gap, by the name of the driver's function.
  void instantiate(std::string_view name, std::uint64_t graph, std::uint64_t executable, std::uint64_t flags);
  void update(std::string_view name, std::uint64_t graph, std::uint64_t executable);
  void launch(std::string_view name, std::uint64_t executable, std::uint64_t stream);
  // Handles are used again: one that is made or changed while no part is recorded has to be destroyed here.
  void destroy_graph(std::uint64_t handle);
  void forget_graphs();
  void add_own(std::uint64_t allocation);  // that the case has made
  void add_gap(Cause gap);

  // The calls of the case so far, by the build whose turn it is.
  [[nodiscard]] CallHistory history() const;
  // Says which memory is the harness': what a case leaves there, no other case finds.
  void tell_buffers(std::vector<AddressRange> buffers);

 private:
  void keep(DriverCall call);
  void not_followed(std::string_view name);

  struct Side {
    CallHistory history;
    std::vector<AddressRange> buffers;
  };
  Side& current() { return sides_[side_]; }

  mutable std::mutex mutex_;
  std::atomic<Part> part_ = Part::none;
  std::string side_;
  CapturedGraphs graphs_;
  std::map<std::string, Side, std::less<>> sides_;
  std::map<std::string, std::vector<LeftBehind>, std::less<>> left_behind_;  // by side, of all cases before
};

}  // namespace harness
