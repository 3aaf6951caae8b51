#include "harness/verdict/cause/kernel_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/base/text.h"
#include "harness/verdict/cause/occupancy.h"
#include "harness/verdict/read/kernels.h"

namespace harness {
namespace {

using enum InstructionClass;

// The least changes that count.
constexpr double fewer_warps = 0.8;     // of those that fit
constexpr double narrower = 0.8;        // of the mean width of an access
constexpr double less_unrolled = 0.75;  // of the work that stands in the code
constexpr double more_accesses = 1.2;   // accesses, and their share of all instructions
constexpr double notable_growth = 0.1;  // of the instructions, by their weights
constexpr double clear_lead = 1.5;      // of the class that grew most over the next one
// Instructions that control a loop: a body with more of other kinds beside its work is not only unrolled
// less.
constexpr double loop_control = 16;
constexpr std::size_t told_classes = 3;  // where none leads

// Causes with the place that they take: the smallest comes first.
class Ranked {
 public:
  void add(int place, ChangeCauseCode code, Figures figures) {
    all_.emplace_back(place, ChangeCause{code, std::move(figures)});
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::vector<ChangeCause> in_order() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    std::vector<ChangeCause> causes;
    for (auto& [place, cause] : all_) causes.push_back(std::move(cause));
    return causes;
  }

 private:
  std::vector<std::pair<int, ChangeCause>> all_;
};

constexpr std::size_t place_of(InstructionClass kind) {
  return static_cast<std::size_t>(kind);
}
std::int64_t count_of(const CodeProfile& code, InstructionClass kind) {
  return code.figures.by_class[place_of(kind)];
}

double part_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Mean bytes of an access of global memory.
double mean_width(const CodeProfile& code) {
  std::int64_t accesses = 0, bytes = 0;
  for (std::size_t i = 0; i < access_widths; ++i) {
    accesses += code.global_by_width[i];
    bytes += code.global_by_width[i] << i;
  }
  return part_of(bytes, accesses);
}

// Instructions that do what a kernel is for; the others compute addresses and control loops.
constexpr std::array work_classes{tensor, fp64, fp32, fp16, special, global, shared, local, atomic, exchange};

std::int64_t work_in(const std::array<std::int64_t, instruction_classes>& by_class) {
  std::int64_t work = 0;
  for (const InstructionClass kind : work_classes) work += by_class[place_of(kind)];
  return work;
}

// How much longer a multiprocessor is busy with an instruction of the class than with the usual one: rough,
// and only to tell which class leads.
double weight_of(InstructionClass kind) {
  switch (kind) {
    case tensor:
    case fp64: return 16;
    case atomic:
    case barrier: return 8;
    case special:
    case global:
    case local: return 4;
    case shared:
    case exchange: return 2;
    default: return 1;
  }
}

// Warps meet before they exchange values: such barriers are a part of the exchange.
bool guard_exchanges(const CodeProfile& fast, const CodeProfile& slow) {
  return count_of(slow, exchange) - count_of(fast, exchange) >=
         count_of(slow, barrier) - count_of(fast, barrier);
}

constexpr std::array arithmetic_classes{tensor, fp64, fp32, fp16};

std::int64_t arithmetic_in(const std::array<std::int64_t, instruction_classes>& by_class) {
  std::int64_t count = 0;
  for (const InstructionClass kind : arithmetic_classes) count += by_class[place_of(kind)];
  return count;
}

// The instructions that run most often: those of innermost loops, or all of a kernel without loops.
const std::array<std::int64_t, instruction_classes>& frequent(const CodeProfile& code) {
  return code.loops > 0 ? code.loop_by_class : code.figures.by_class;
}

// How many of the fast side's instructions do as much as one of the slow side's: less than 1 where a body
// holds fewer rounds of a loop, more where the compiler keeps more copies of it.
double rounds(const CodeProfile& fast, const CodeProfile& slow) {
  if (fast.loops == 0 && slow.loops == 0) return 1;
  const double ratio = part_of(arithmetic_in(frequent(slow)), arithmetic_in(frequent(fast)));
  if (ratio > 0 && ratio < 1) return ratio;
  if (slow.loops <= fast.loops) return 1;
  double least = 0;
  for (const InstructionClass kind : work_classes) {
    const double grown = part_of(frequent(slow)[place_of(kind)], frequent(fast)[place_of(kind)]);
    if (grown > 0 && (least == 0 || grown < least)) least = grown;
  }
  return std::max(least, 1.0);
}

// The instructions of a class on both sides, for as much work.
std::pair<double, double> sides_of(InstructionClass kind, const CodeProfile& fast, const CodeProfile& slow) {
  const double by = rounds(fast, slow);
  const auto before = static_cast<double>(frequent(fast)[place_of(kind)]),
             after = static_cast<double>(frequent(slow)[place_of(kind)]);
  return {before * std::min(by, 1.0), after / std::max(by, 1.0)};
}
double more_of(InstructionClass kind, const CodeProfile& fast, const CodeProfile& slow) {
  const auto [before, after] = sides_of(kind, fast, slow);
  return after - before;
}

// The classes that grew, most first, where they grew enough to count. How often a loop runs is not known, so
// code outside of loops does not count beside them.
std::vector<std::pair<double, InstructionClass>> grown_classes(const CodeProfile& fast,
                                                               const CodeProfile& slow) {
  std::vector<std::pair<double, InstructionClass>> grown;
  if (slow.loops == 0 && fast.loops > 0) return grown;
  double all = 0, sum = 0;
  for (std::size_t i = 0; i < instruction_classes; ++i) {
    const auto kind = static_cast<InstructionClass>(i);
    all += static_cast<double>(frequent(fast)[i]) * std::min(rounds(fast, slow), 1.0) * weight_of(kind);
    const double more = more_of(kind, fast, slow) * weight_of(kind);
    if (more <= 0 || (kind == barrier && guard_exchanges(fast, slow))) continue;
    sum += more;
    grown.emplace_back(more, kind);
  }
  if (sum < notable_growth * all) return {};
  std::stable_sort(grown.begin(), grown.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  return grown;
}

class KernelCauses {
 public:
  KernelCauses(const SpeedPair& pair, std::string_view capability, int multiprocessors)
      : pair_(pair), capability_(capability), multiprocessors_(multiprocessors) {}

  std::vector<ChangeCause> find() {
    const CodeKnown code = code_of_pair(pair_);
    if (code == CodeKnown::other) add_local_memory();
    if (code == CodeKnown::other && pair_.code != nullptr) add_code();
    add_launch_shape();
    add_occupancy();
    if (code == CodeKnown::other && causes_.empty()) {
      Figures figures = named();
      if (pair_.code != nullptr && !pair_.code->too_long)
        figures.emplace_back("different", pair_.code->different);
      causes_.add(9, ChangeCauseCode::machine_code, std::move(figures));
    }
    if (code != CodeKnown::other && causes_.empty() && !pair_.fast->arguments.empty() &&
        !pair_.slow->arguments.empty() && pair_.fast->arguments != pair_.slow->arguments)
      causes_.add(9, ChangeCauseCode::arguments, named());
    return causes_.in_order();
  }

 private:
  [[nodiscard]] Figures named() const {
    const KernelUse& current = pair_.current_is_slow ? *pair_.slow : *pair_.fast;
    return {{"kernel", current.name}};
  }
  template <class Value>
  void put(Figures& figures, const Value& fast, const Value& slow, std::string_view prefix = "") const {
    add_sides(figures, pair_.current_is_slow, fast, slow, prefix);
  }
  [[nodiscard]] const CodeProfile& fast_code() const {
    return pair_.current_is_slow ? pair_.code->baseline : pair_.code->current;
  }
  [[nodiscard]] const CodeProfile& slow_code() const {
    return pair_.current_is_slow ? pair_.code->current : pair_.code->baseline;
  }

  // Registers that are spilled, and arrays that are indexed, lie in local memory.
  void add_local_memory() {
    std::int64_t fast = pair_.fast->local_bytes, slow = pair_.slow->local_bytes;
    Figures figures = named();
    if (pair_.code != nullptr) {
      fast = fast_code().figures.stack_bytes;
      slow = slow_code().figures.stack_bytes;
      const std::int64_t before = count_of(fast_code(), local), after = count_of(slow_code(), local);
      // Without optimisation plain loads and stores reach it, which count as those of global memory.
      if (after <= before && count_of(slow_code(), global) <= count_of(fast_code(), global)) return;
      if (after > before) put(figures, before, after, "accesses_");
    }
    if (slow <= fast) return;
    put(figures, fast, slow);
    causes_.add(1, ChangeCauseCode::local_memory, std::move(figures));
  }

  void add_class(int place, InstructionClass kind) {
    Figures figures = named();
    figures.emplace_back("class", std::string(name_of(kind)));
    put(figures, count_of(fast_code(), kind), count_of(slow_code(), kind));
    causes_.add(place, ChangeCauseCode::instructions, std::move(figures));
  }

  void add_access(const char* how, std::int64_t fast, std::int64_t slow) {
    Figures figures = named();
    figures.emplace_back("how", how);
    put(figures, fast, slow);
    causes_.add(3, ChangeCauseCode::memory_access, std::move(figures));
  }

  void add_accesses() {
    const CodeProfile &fast = fast_code(), &slow = slow_code();
    const std::int64_t global_fast = count_of(fast, global), global_slow = count_of(slow, global);
    const std::int64_t shared_fast = count_of(fast, shared), shared_slow = count_of(slow, shared);
    if (fast.asynchronous > 0 && slow.asynchronous == 0)
      return add_access("asynchronous", fast.asynchronous, slow.asynchronous);
    if (mean_width(slow) > 0 && mean_width(slow) < narrower * mean_width(fast)) {
      Figures figures = named();
      figures.emplace_back("how", "width");
      put(figures, mean_width(fast), mean_width(slow));
      return causes_.add(3, ChangeCauseCode::memory_access, std::move(figures));
    }
    if (shared_fast > 0 && 2 * shared_slow <= shared_fast && global_slow >= global_fast && global_slow > 0 &&
        2 * more_of(shared, fast, slow) <= -static_cast<double>(frequent(fast)[place_of(shared)]))
      return add_access("shared", shared_fast, shared_slow);
    const double before = part_of(global_fast, fast.figures.instructions),
                 after = part_of(global_slow, slow.figures.instructions);
    if (static_cast<double>(global_slow) > more_accesses * static_cast<double>(global_fast) &&
        after > more_accesses * before)
      return add_access("count", global_fast, global_slow);
    add_accesses_a_round();
  }

  // More accesses for as much arithmetic, in a body that holds less of it.
  void add_accesses_a_round() {
    const CodeProfile &fast = fast_code(), &slow = slow_code();
    const double by = rounds(fast, slow);
    const auto before = static_cast<double>(frequent(fast)[place_of(global)]) * by;
    const auto after = static_cast<double>(frequent(slow)[place_of(global)]);
    if (by >= 1 || before == 0 || after <= more_accesses * before) return;
    const auto per_hundred = [](const CodeProfile& code) {
      return 100 * part_of(frequent(code)[place_of(global)], arithmetic_in(frequent(code)));
    };
    Figures figures = named();
    figures.emplace_back("how", "share");
    put(figures, per_hundred(fast), per_hundred(slow));
    causes_.add(6, ChangeCauseCode::memory_access, std::move(figures));
  }

  // Whether a body has so many more instructions for as much work that it is not only unrolled less.
  static bool does_more_a_round(const CodeProfile& fast, const CodeProfile& slow) {
    double more = 0;
    for (std::size_t i = 0; i < instruction_classes; ++i)
      more += std::max(more_of(static_cast<InstructionClass>(i), fast, slow), 0.0);
    return more > loop_control && 2 * more > static_cast<double>(slow.loop_instructions);
  }

  void add_unrolling() {
    const CodeProfile &fast = fast_code(), &slow = slow_code();
    const std::int64_t work_fast = work_in(fast.figures.by_class), work_slow = work_in(slow.figures.by_class);
    if (slow.loops == 0 || work_fast == 0 ||
        static_cast<double>(work_slow) > less_unrolled * static_cast<double>(work_fast) ||
        does_more_a_round(fast, slow))
      return;
    Figures figures = named();
    put(figures, fast.loop_instructions, slow.loop_instructions);
    put(figures, work_fast, work_slow, "work_");
    causes_.add(6, ChangeCauseCode::unrolling, std::move(figures));
  }

  void add_code() {
    const CodeProfile &fast = fast_code(), &slow = slow_code();
    const std::int64_t fast_64 = count_of(fast, fp64), slow_64 = count_of(slow, fp64);
    if (count_of(fast, tensor) > 0 && count_of(slow, tensor) == 0) add_class(2, tensor);
    // Functions in double precision have a rare path with local memory.
    const bool few_local = count_of(slow, local) - count_of(fast, local) < slow_64 - fast_64;
    if (slow_64 > 2 * fast_64 && slow_64 > 0) add_class(few_local ? 0 : 2, fp64);
    if (2 * count_of(fast, atomic) < count_of(slow, atomic)) add_class(2, atomic);
    add_accesses();
    // Compilers do not unroll across barriers.
    if (slow.loop_by_class[place_of(barrier)] > fast.loop_by_class[place_of(barrier)] &&
        count_of(slow, barrier) > count_of(fast, barrier) && !guard_exchanges(fast, slow))
      add_class(6, barrier);
    add_unrolling();
    if (causes_.empty()) add_grown();
  }

  void add_grown() {
    const auto grown = grown_classes(fast_code(), slow_code());
    if (grown.empty()) return;
    const bool leads = grown.size() == 1 || grown[0].first >= clear_lead * grown[1].first;
    std::vector<std::string> classes;
    std::int64_t fast = 0, slow = 0;
    for (std::size_t i = 0; i < (leads ? 1 : std::min(grown.size(), told_classes)); ++i) {
      const InstructionClass kind = grown[i].second;
      const auto [before, after] = sides_of(kind, fast_code(), slow_code());
      classes.emplace_back(name_of(kind));
      fast += std::lround(before);
      slow += std::lround(after);
    }
    Figures figures = named();
    figures.emplace_back(leads ? "class" : "classes", join(classes, ", "));
    if (slow_code().loops > 0) figures.emplace_back("a_round", std::int64_t{1});
    put(figures, fast, slow);
    causes_.add(7, ChangeCauseCode::instructions, std::move(figures));
  }

  void add_launch_shape() {
    if (same_launch_shape(*pair_.fast, *pair_.slow)) return;
    const KernelUse &fast = *pair_.fast, &slow = *pair_.slow;
    const auto text = [](const std::array<std::int64_t, 3>& shape) {
      return fmt::format("{}x{}x{}", shape[0], shape[1], shape[2]);
    };
    Figures figures = named();
    if (fast.grid != slow.grid) put(figures, text(fast.grid), text(slow.grid), "grid_");
    if (fast.block != slow.block) put(figures, text(fast.block), text(slow.block), "block_");
    if (fast.dynamic_shared_bytes != slow.dynamic_shared_bytes)
      put(figures, fast.dynamic_shared_bytes, slow.dynamic_shared_bytes, "shared_");
    // Less shared memory is no cause by itself, and more is one by the blocks that fit.
    const bool only_memory = fast.grid == slow.grid && fast.block == slow.block;
    causes_.add(only_memory ? 8 : 4, ChangeCauseCode::launch_shape, std::move(figures));
  }

  // Fewer warps at once hide less of what each waits for, where the launch fills the device.
  void add_occupancy() {
    const auto fast = occupancy_of(*pair_.fast, capability_), slow = occupancy_of(*pair_.slow, capability_);
    if (!fast || !slow || fast->warps == 0 ||
        static_cast<double>(slow->warps) > fewer_warps * static_cast<double>(fast->warps))
      return;
    const std::array<std::int64_t, 3>& grid = pair_.slow->grid;
    if (multiprocessors_ > 0 && grid[0] * grid[1] * grid[2] <= slow->blocks * multiprocessors_) return;
    Figures figures = named();
    put(figures, fast->blocks, slow->blocks);
    put(figures, fast->warps, slow->warps, "warps_");
    figures.emplace_back("limit", std::string(name_of(slow->limit)));
    const auto used = [&](const KernelUse& kernel) -> std::int64_t {
      switch (slow->limit) {
        case OccupancyLimit::registers: return kernel.registers;
        case OccupancyLimit::shared_memory: return kernel.static_shared_bytes + kernel.dynamic_shared_bytes;
        case OccupancyLimit::threads:
        case OccupancyLimit::blocks: return kernel.block[0] * kernel.block[1] * kernel.block[2];
      }
      return 0;
    };
    put(figures, used(*pair_.fast), used(*pair_.slow), "limit_");
    causes_.add(5, ChangeCauseCode::occupancy, std::move(figures));
  }

  const SpeedPair& pair_;
  std::string_view capability_;
  int multiprocessors_;
  Ranked causes_ = {};
};

}  // namespace

CodeKnown code_of_pair(const SpeedPair& pair) {
  const KernelUse &fast = *pair.fast, &slow = *pair.slow;
  if (is_memory_operation(slow)) return CodeKnown::same;
  if (!fast.code.empty() && !slow.code.empty())
    return fast.code == slow.code ? CodeKnown::same : CodeKnown::other;
  if (pair.code != nullptr) return pair.code->same ? CodeKnown::same : CodeKnown::other;
  const bool other = fast.registers != slow.registers || fast.local_bytes != slow.local_bytes ||
                     fast.static_shared_bytes != slow.static_shared_bytes || fast.name != slow.name;
  return other ? CodeKnown::other : CodeKnown::unknown;
}

bool same_launch_shape(const KernelUse& one, const KernelUse& other) {
  return one.grid == other.grid && one.block == other.block &&
         one.dynamic_shared_bytes == other.dynamic_shared_bytes;
}

void add_caller(Figures& figures, const KernelUse& kernel, const KernelUse* before) {
  if (kernel.callers.empty()) return;
  const auto same_place = [](const Caller& one, const Caller& other) {
    return one.python == other.python && one.host == other.host;
  };
  const auto fresh = std::find_if(kernel.callers.begin(), kernel.callers.end(), [&](const Caller& one) {
    return before != nullptr && std::none_of(before->callers.begin(), before->callers.end(),
                                             [&](const Caller& other) { return same_place(one, other); });
  });
  const Caller& told = fresh == kernel.callers.end() ? kernel.callers.front() : *fresh;
  figures.emplace_back("caller_kernel", kernel.name);
  for (const auto& [name, value] :
       {std::pair{"caller_range", told.range}, {"caller_python", told.python}, {"caller_host", told.host}})
    if (!value.empty()) figures.emplace_back(name, value);
}

std::vector<ChangeCause> causes_of_kernel(const SpeedPair& pair, std::string_view compute_capability,
                                          int multiprocessors) {
  return KernelCauses(pair, compute_capability, multiprocessors).find();
}

}  // namespace harness
