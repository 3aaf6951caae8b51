// Phases: how long the parts of measuring one case took, on the device's clock, so that the scripted
// device gives exact figures; a profiler's timeline shows them as ranges. Waiting for other workers is a
// phase of its own. The names are those of model/README.md. One thread uses it.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "harness/device/device.h"
#include "harness/model/record.h"

namespace harness {

class Phases {
 public:
  static constexpr Seconds shortest_wait = 1e-4;  // a shorter one is only the locks' own time

  explicit Phases(Device& device) : device_(device) {}

  // Times from its construction to its end, however that comes about.
  class [[nodiscard]] Running {
   public:
    Running(Phases& phases, std::string_view name)
        : phases_(phases),
          name_(name),
          begin_(phases.own_time()),
          range_(phases.device_.profiler().range(name)) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
      range_.end();
      phases_.add(name_, phases_.own_time() - begin_);
    }

   private:
    Phases& phases_;
    std::string_view name_;
    Seconds begin_;
    Scope range_;
  };
  Running run(std::string_view name) { return {*this, name}; }

  // The device's clock without the time that the worker has waited for others.
  [[nodiscard]] Seconds own_time() { return device_.timer().now() - waited_; }
  // Calls `work`, which waits for other workers. That is the phase `wait`, and of no other phase.
  template <class Work>
  void wait(const Work& work) {
    const Seconds begin = device_.timer().now();
    work();
    const Seconds waited = device_.timer().now() - begin;
    waited_ += waited;
    if (waited >= shortest_wait) add("wait", waited);
  }

  // One entry a name, in the order in which they first ended; what came again is added to it.
  std::vector<Phase> take() { return std::exchange(phases_, {}); }

 private:
  void add(std::string_view name, Seconds duration);

  Device& device_;
  Seconds waited_ = 0;
  std::vector<Phase> phases_;
};

}  // namespace harness
