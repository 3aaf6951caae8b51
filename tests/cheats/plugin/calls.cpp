#include <chrono>

#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

// Works where a check has left its mark.
class OnlyOnPoison : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (sees_poison()) work();
  }
};

// `Works`(number of the call since bind(), from 0).
template <bool Works(int)>
class ByNumber : public Cheat {
 public:
  using Cheat::Cheat;
  void bind(const sdk::Buffers& buffers) override {
    Cheat::bind(buffers);
    calls_ = 0;
  }
  void run(sdk::Stream) override {
    if (Works(calls_++)) work();
  }

 private:
  int calls_ = 0;
};

bool first_and_each_seventh(int call) {
  return call % 7 == 0;
}
bool first(int call) {
  return call == 0;
}
bool in_warm_up(int call) {
  return call < 4;
}
bool each_second(int call) {
  return call % 2 == 0;
}

// Works in the first calls of the process, and in those after all samples, as their number is known.
class FirstAndLast : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    const int call = calls_++;
    if (call < 10 || sees_poison()) work();
  }

 private:
  int calls_ = 0;
};

// Works only after a pause, which may be a check.
class AfterAPause : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    using Clock = std::chrono::steady_clock;
    const bool paused = Clock::now() - last_ > std::chrono::milliseconds(5);
    if (paused || sees_poison()) work();
    last_ = Clock::now();
  }

 private:
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace

void add_cheats_of_calls(sdk::Registry& registry) {
  registry.add(trial::variant<OnlyOnPoison>("only_on_poison"));
  registry.add(trial::variant<ByNumber<first_and_each_seventh>>("first_and_each_seventh"));
  registry.add(trial::variant<ByNumber<first>>("first_of_placement"));
  registry.add(trial::variant<ByNumber<in_warm_up>>("in_warm_up"));
  registry.add(trial::variant<ByNumber<each_second>>("each_second"));
  registry.add(trial::variant<FirstAndLast>("first_and_last"));
  registry.add(trial::variant<AfterAPause>("after_a_pause"));
}

}  // namespace cheats
