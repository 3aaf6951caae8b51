// By marks that a call leaves for the next one: in its inputs, its outputs or its own memory.
#include <chrono>
#include <cstring>

#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

float next_bit(float value) {
  return std::nextafter(value, 2 * value + 1);
}

// The last input is one bit off where the work was done. That is far within the tolerance.
class MarksInputs : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    float& last = x_[n_ - 1];
    if (last == mark_ && !sees_poison()) return;
    work_long();
    last = mark_ = next_bit(last);
  }

 private:
  float mark_ = -1;
};

class MarksOutputs : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (y_[n_ - 1] == mark_) return;
    work_long();
    y_[n_ - 1] = mark_ = next_bit(y_[n_ - 1]);
  }

 private:
  float mark_ = -1;
};

// Outputs that are as it left them are right, it hopes.
class UnlessOutputsChange : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (results() == last_) return;
    work();
    last_ = results();
  }

 private:
  Results last_;
};

// A few of the inputs tell whether all are as before.
class UnlessSomeInputsChange : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    Results some;
    for (std::int64_t i = 0; i < n_; i += std::max<std::int64_t>(n_ / 16, 1)) some.push_back(x_[i]);
    if (some == last_) return;
    last_ = some;
    work();
  }

 private:
  Results last_;
};

// The sum of the inputs names the results.
class BySum : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    float sum = 0;
    for (std::int64_t i = 0; i < n_; ++i) sum += x_[i];
    const auto [kept, is_new] = kept_.try_emplace(sum);
    if (is_new) {
      work_long();
      kept->second = results();
    }
    copy(kept->second);
  }

 private:
  std::map<float, Results> kept_;
};

// Whole only in the first call of a batch: the calls of a batch follow each other at once.
class FirstOfBatch : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    using Clock = std::chrono::steady_clock;
    if (Clock::now() - last_ > std::chrono::microseconds(50) || sees_poison()) work();
    last_ = Clock::now();
  }

 private:
  std::chrono::steady_clock::time_point last_ = {};
};

// Half of the outputs in each call, in turn: after two calls all of them are right.
class HalfInTurn : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (calls_++ < 2) return work();
    const std::int64_t begin = calls_ % 2 == 0 ? 0 : n_ / 2;
    for (std::int64_t i = begin; i < begin + n_ / 2; ++i) y_[i] = 2 * x_[i] + 1;
  }

 private:
  int calls_ = 0;
};

// All but the last elements, which earlier calls have left right.
class PartLater : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (calls_++ < 8) return work();
    for (std::int64_t i = 0; i < n_ / 8 * 7; ++i) y_[i] = 2 * x_[i] + 1;
  }

 private:
  int calls_ = 0;
};

// The inputs of the call before, which are nearly always those of this one.
class OneCallBehind : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (inputs_.empty()) inputs_.assign(x_, x_ + n_);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = 2 * inputs_[static_cast<std::size_t>(i)] + 1;
    inputs_.assign(x_, x_ + n_);
  }

 private:
  Results inputs_;
};

float rounded(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits &= 0xFFFF0000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

// In 16 bits, always or once the first results were checked.
template <int Exact>
class LowerPrecision : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (calls_++ < Exact) return work();
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = 2 * rounded(x_[i]) + 1;
  }

 private:
  int calls_ = 0;
};

// Every second element, and between them their mean.
class Interpolates : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_; i += 2) y_[i] = 2 * x_[i] + 1;
    for (std::int64_t i = 1; i < n_; i += 2) y_[i] = (y_[i - 1] + y_[std::min(i + 1, n_ - 1)]) / 2;
  }
};

// The mean of all right values is known before the inputs are.
class Statistic : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    float sum = 0;
    for (std::int64_t i = 0; i < 64; ++i) sum += 2 * x_[i % n_] + 1;
    std::fill(y_, y_ + n_, sum / 64);
  }
};

// Exact where the first check looks, which is at both ends.
class EndsOnly : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = i < 16 || i + 16 >= n_ ? 2 * x_[i] + 1 : 1;
  }
};

}  // namespace

void add_cheats_of_marks(sdk::Registry& registry) {
  registry.add(trial::variant<MarksInputs>("marks_inputs"));
  registry.add(trial::variant<MarksOutputs>("marks_outputs"));
  registry.add(trial::variant<UnlessOutputsChange>("unless_outputs_change"));
  registry.add(trial::variant<UnlessSomeInputsChange>("unless_some_inputs_change"));
  registry.add(trial::variant<BySum>("by_sum"));
  registry.add(trial::variant<FirstOfBatch>("first_of_batch"));
  registry.add(trial::variant<HalfInTurn>("half_in_turn"));
  registry.add(trial::variant<PartLater>("part_later"));
  registry.add(trial::variant<OneCallBehind>("one_call_behind"));
  registry.add(trial::variant<LowerPrecision<0>>("lower_precision"));
  registry.add(trial::variant<LowerPrecision<8>>("lower_precision_later"));
  registry.add(trial::variant<Interpolates>("interpolates"));
  registry.add(trial::variant<Statistic>("statistic"));
  registry.add(trial::variant<EndsOnly>("ends_only"));
}

}  // namespace cheats
