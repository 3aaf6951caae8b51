// What the parts of examine() share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/doctor/examine.h"

namespace harness {

// Adds findings of one topic; the advice is kept only where there is something to advise about.
class Observations {
 public:
  Observations(std::string topic, std::vector<Observation>& to) : topic_(std::move(topic)), to_(to) {}
  void add(std::string name, std::string value, Fitness fitness = Fitness::ok, std::string advice = {}) {
    to_.push_back({topic_, std::move(name), std::move(value), fitness,
                   fitness == Fitness::ok ? std::string() : std::move(advice)});
  }

 private:
  std::string topic_;
  std::vector<Observation>& to_;
};

// Driver, GPU and profilers.
void examine_cuda(const MachineFacts& facts, std::vector<Observation>& to);

}  // namespace harness
