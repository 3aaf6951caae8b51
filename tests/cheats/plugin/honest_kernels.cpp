// Honest kernels that look odd: what they keep from call to call, how they use their memory, and how their
// time depends on values.
#include <array>
#include <cstdlib>
#include <list>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <unordered_map>

#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

float right(float x) {
  return 2 * x + 1;
}

using Run = void (*)(std::int64_t n, float* x, float* y);

// A kernel without a state of its own.
template <Run Do>
class Plain : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override { Do(n_, x_, y_); }
};

void backwards(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = n; i-- > 0;) y[i] = right(x[i]);
}

void in_tiles(std::int64_t n, float* x, float* y) {
  constexpr std::int64_t tile = 96;
  for (std::int64_t begin = 0; begin < n; begin += tile)
    for (std::int64_t i = std::min(begin + tile, n); i-- > begin;) y[i] = right(x[i]);
}

void recursively(std::int64_t n, float* x, float* y) {
  if (n <= 8) return backwards(n, x, y);
  recursively(n / 2, x, y);
  recursively(n - n / 2, x + n / 2, y + n / 2);
}

void in_strides(std::int64_t n, float* x, float* y) {
  for (std::int64_t first = 0; first < 7; ++first)
    for (std::int64_t i = first; i < n; i += 7) y[i] = right(x[i]);
}

// Garbage first: outputs are its scratch.
void outputs_as_scratch(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[n - 1 - i];
  for (std::int64_t i = 0; i < n; ++i) y[i] = right(x[i]);
}

void writes_twice(std::int64_t n, float* x, float* y) {
  for (int pass = 0; pass < 2; ++pass)
    for (std::int64_t i = 0; i < n; ++i) y[i] = right(x[i]);
}

void nan_first(std::int64_t n, float* x, float* y) {
  std::fill(y, y + n, std::nanf("7"));
  backwards(n, x, y);
}

void zero_first(std::int64_t n, float* x, float* y) {
  std::fill(y, y + n, 0.0F);
  for (std::int64_t i = 0; i < n; ++i) y[i] += right(x[i]);
}

void in_double(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(2.0 * double{x[i]} + 1.0);
}

// Within the tolerance, and different in each element.
void a_little_off(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = right(x[i]) * (1 + (i % 2 == 0 ? 3e-7F : -3e-7F));
}

// Its inputs are its scratch for a while.
void restores_inputs(std::int64_t n, float* x, float* y) {
  const Results kept(x, x + n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = right(x[i]);
  std::copy(x, x + n, y);
  std::copy(kept.begin(), kept.end(), x);
}

void swaps_inputs_back(std::int64_t n, float* x, float* y) {
  for (int pass = 0; pass < 2; ++pass) std::reverse(x, x + n);
  backwards(n, x, y);
}

// Nothing to do for zeros; here there are hardly any.
void skips_zeros(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] == 0 ? 1.0F : right(x[i]);
}

// Branches that a processor learns.
void branches_by_value(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    volatile float part = x[i];
    if (x[i] > 0) {
      part = part + 1;
      part = x[i];
    } else if (x[i] < -0.5F) {
      part = part * 2;
      part = part / 2;
    }
    y[i] = right(part);
  }
}

// The time depends on the order of the values: sorting finds them in the same order each time.
void sorts_first(std::int64_t n, float* x, float* y) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [x](std::int64_t a, std::int64_t b) { return x[a] < x[b]; });
  for (const std::int64_t i : order) y[i] = right(x[i]);
}

void through_a_tree(std::int64_t n, float* x, float* y) {
  const std::multiset<float> all(x, x + n);
  for (std::int64_t i = 0; i < n; ++i) y[i] = right(*all.find(x[i]));
}

void through_a_table(std::int64_t n, float* x, float* y) {
  std::unordered_map<float, float> table;
  for (std::int64_t i = 0; i < n; ++i) table.try_emplace(x[i], right(x[i]));
  for (std::int64_t i = 0; i < n; ++i) y[i] = table.at(x[i]);
}

void through_a_list(std::int64_t n, float* x, float* y) {
  std::list<float> list(x, x + n);
  for (float& one : list) one = right(one);
  std::copy(list.begin(), list.end(), y);
}

void allocates(std::int64_t n, float* x, float* y) {
  const auto scratch = std::make_unique<float[]>(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) scratch[static_cast<std::size_t>(i)] = right(x[i]);
  std::copy(scratch.get(), scratch.get() + n, y);
}

void throws_inside(std::int64_t n, float* x, float* y) {
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception&) {
    backwards(n, x, y);
  }
}

void through_a_volatile(std::int64_t n, float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    volatile float value = x[i];
    y[i] = right(value);
  }
}

void on_the_stack(std::int64_t n, float* x, float* y) {
  std::array<float, 1024> block{};
  for (std::int64_t begin = 0; begin < n; begin += 1024) {
    const std::int64_t count = std::min<std::int64_t>(1024, n - begin);
    for (std::int64_t i = 0; i < count; ++i) block[static_cast<std::size_t>(i)] = right(x[begin + i]);
    std::copy(block.begin(), block.begin() + count, y + begin);
  }
}

// In a random order, another one in each call.
class RandomOrder : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    const auto start = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n_));
    for (std::int64_t i = 0; i < n_; ++i) y_[(i + start) % n_] = right(x_[(i + start) % n_]);
  }

 private:
  std::mt19937_64 random_{7};
};

// Two buffers in turn, and a number of the call that nothing depends on.
class InTurn : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    Results& scratch = scratch_[++calls_ % 2];
    scratch.assign(x_, x_ + n_);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = right(scratch[static_cast<std::size_t>(i)]);
  }

 private:
  std::array<Results, 2> scratch_;
  std::size_t calls_ = 0;
};

// A plan by shape, made in the first call and kept for all kernels.
class KeepsAPlan : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    static std::map<std::int64_t, std::vector<std::int64_t>> plans;
    std::vector<std::int64_t>& plan = plans[n_];
    if (plan.empty())
      for (std::int64_t i = 0; i < n_; ++i) plan.push_back((i * 31) % n_ == 0 && i > 0 ? i : i);
    for (const std::int64_t i : plan) y_[i] = right(x_[i]);
  }
};

// Something by address: the alignment of a buffer.
class ByAlignment : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    static std::map<const float*, std::int64_t> heads;
    auto [head, is_new] = heads.try_emplace(x_, 0);
    if (is_new) head->second = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x_) / 4 % 16);
    const std::int64_t first = std::min(head->second, n_);
    for (std::int64_t i = 0; i < first; ++i) y_[i] = right(x_[i]);
    for (std::int64_t i = first; i < n_; ++i) y_[i] = right(x_[i]);
  }
};

// Tables that follow from the shape alone, made in bind().
class TableInBind : public Cheat {
 public:
  using Cheat::Cheat;
  void bind(const sdk::Buffers& buffers) override {
    Cheat::bind(buffers);
    twos_.assign(static_cast<std::size_t>(n_), 2.0F);
  }
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = twos_[static_cast<std::size_t>(i)] * x_[i] + 1;
  }

 private:
  Results twos_;
};

// The first calls are slower: it tries two ways and then takes one.
class TunesItself : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    if (calls_ < 6) ++calls_;
    if (calls_ < 6 && calls_ % 2 == 0) return in_strides(n_, x_, y_);
    backwards(n_, x_, y_);
  }

 private:
  int calls_ = 0;
};

// Keeps the inputs of the last call, and still reads the new ones.
class KeepsInputs : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    inputs_.assign(x_, x_ + n_);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = right(inputs_[static_cast<std::size_t>(i)]);
  }

 private:
  Results inputs_;
};

class LargeWorkspace : public Cheat {
 public:
  using Cheat::Cheat;
  [[nodiscard]] std::size_t workspace_bytes() const override { return std::size_t{8} << 20; }
  void bind(const sdk::Buffers& buffers) override {
    Cheat::bind(buffers);
    workspace_ = static_cast<float*>(buffers.workspace);
  }
  void run(sdk::Stream) override {
    std::copy(x_, x_ + n_, workspace_);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = right(workspace_[i]);
  }

 private:
  float* workspace_ = nullptr;
};

// Sleeps when it has worked, as a driver that waits does.
class Sleeps : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
};

class SleepsFirst : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    work();
  }
};

class WorksLong : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override { work_long(20); }
};

// Now and then a call takes much longer.
class RarelySlow : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    if (++calls_ % 37 == 0) work_long(100);
  }

 private:
  int calls_ = 0;
};

}  // namespace

void add_honest_kernels(sdk::Registry& registry) {
  registry.add(trial::variant<Plain<backwards>>("backwards"));
  registry.add(trial::variant<Plain<in_tiles>>("in_tiles"));
  registry.add(trial::variant<Plain<recursively>>("recursively"));
  registry.add(trial::variant<Plain<in_strides>>("in_strides"));
  registry.add(trial::variant<Plain<outputs_as_scratch>>("outputs_as_scratch"));
  registry.add(trial::variant<Plain<writes_twice>>("writes_twice"));
  registry.add(trial::variant<Plain<nan_first>>("nan_first"));
  registry.add(trial::variant<Plain<zero_first>>("zero_first"));
  registry.add(trial::variant<Plain<in_double>>("in_double"));
  registry.add(trial::variant<Plain<a_little_off>>("a_little_off"));
  registry.add(trial::variant<Plain<restores_inputs>>("restores_inputs"));
  registry.add(trial::variant<Plain<swaps_inputs_back>>("swaps_inputs_back"));
  registry.add(trial::variant<Plain<skips_zeros>>("skips_zeros"));
  registry.add(trial::variant<Plain<branches_by_value>>("branches_by_value"));
  registry.add(trial::variant<Plain<sorts_first>>("sorts_first"));
  registry.add(trial::variant<Plain<through_a_tree>>("through_a_tree"));
  registry.add(trial::variant<Plain<through_a_table>>("through_a_table"));
  registry.add(trial::variant<Plain<through_a_list>>("through_a_list"));
  registry.add(trial::variant<Plain<allocates>>("allocates"));
  registry.add(trial::variant<Plain<throws_inside>>("throws_inside"));
  registry.add(trial::variant<Plain<through_a_volatile>>("through_a_volatile"));
  registry.add(trial::variant<Plain<on_the_stack>>("on_the_stack"));
  registry.add(trial::variant<RandomOrder>("random_order"));
  registry.add(trial::variant<InTurn>("in_turn"));
  registry.add(trial::variant<KeepsAPlan>("keeps_a_plan"));
  registry.add(trial::variant<ByAlignment>("by_alignment"));
  registry.add(trial::variant<TableInBind>("table_in_bind"));
  registry.add(trial::variant<TunesItself>("tunes_itself"));
  registry.add(trial::variant<KeepsInputs>("keeps_inputs"));
  registry.add(trial::variant<LargeWorkspace>("large_workspace"));
  registry.add(trial::variant<Sleeps>("sleeps"));
  registry.add(trial::variant<SleepsFirst>("sleeps_first"));
  registry.add(trial::variant<WorksLong>("works_long"));
  registry.add(trial::variant<RarelySlow>("rarely_slow"));
}

}  // namespace cheats
