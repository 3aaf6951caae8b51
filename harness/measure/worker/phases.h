// Phases: how long the parts of measuring one case took, on the device's clock, so that the scripted
// device gives exact figures; a profiler's timeline shows them as ranges. The names are those of
// model/README.md. One thread uses it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "harness/device/device.h"
#include "harness/model/record.h"

namespace harness {

class Phases {
 public:
  explicit Phases(Device& device) : device_(device) {}

  // Times from its construction to its end, however that comes about. A phase within another takes its time
  // from that one, so that the sum of all is what passed. Phases end in the reverse order.
  class [[nodiscard]] Running {
   public:
    Running(Phases& phases, std::string_view name)
        : phases_(phases),
          name_(name),
          begin_(phases.device_.timer().now()),
          inner_of_outer_(std::exchange(phases.inner_, 0)),
          range_(phases.device_.profiler().range(name)) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
      range_.end();
      const Seconds passed = phases_.device_.timer().now() - begin_;
      phases_.add(name_, passed - phases_.inner_);
      phases_.inner_ = inner_of_outer_ + passed;
    }

   private:
    Phases& phases_;
    std::string_view name_;
    Seconds begin_;
    Seconds inner_of_outer_;
    Scope range_;
  };
  Running run(std::string_view name) { return {*this, name}; }

  // One entry a name, in the order in which they first ended; what came again is added to it.
  std::vector<Phase> take() { return std::exchange(phases_, {}); }

 private:
  void add(std::string_view name, Seconds duration);

  Device& device_;
  std::vector<Phase> phases_;
  Seconds inner_ = 0;  // of the phases that ended within the one at hand
};

}  // namespace harness
