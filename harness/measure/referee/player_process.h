// A player as the referee sees it: asked line by line, killed with this. One thread owns it.
#pragma once

#include <string>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/measure/schedule/output_log.h"
#include "harness/model/cause.h"

namespace harness::referee {

class PlayerProcess {
 public:
  // `command`: starts a player; empty: this program as `worker --player`.
  static Result<PlayerProcess> start(const std::vector<std::string>& command);

  PlayerProcess(PlayerProcess&& other) noexcept = default;
  PlayerProcess& operator=(PlayerProcess&&) = delete;
  PlayerProcess(const PlayerProcess&) = delete;
  PlayerProcess& operator=(const PlayerProcess&) = delete;
  ~PlayerProcess();

  // Sends a line, and returns what follows `wanted` in the answer. A cause where it answers otherwise, ends,
  // or does not answer within `deadline`.
  tl::expected<std::string, Cause> ask(const std::string& line, std::string_view wanted, Seconds deadline);

  // Stops all its processes, so that it does nothing while the other plays; lets them go on.
  void rest();
  void wake();

 private:
  PlayerProcess(Child child, OutputLog log) : child_(std::move(child)), log_(std::move(log)) {}
  Cause ended();
  [[nodiscard]] Figures with_printed(Figures figures) const;

  Child child_;
  OutputLog log_;
};

}  // namespace harness::referee
