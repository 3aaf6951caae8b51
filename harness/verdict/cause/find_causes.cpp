#include "harness/verdict/cause/find_causes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/counter.h"
#include "harness/model/device_kinds.h"
#include "harness/model/known_metrics.h"
#include "harness/model/pin/figures.h"
#include "harness/model/program_metrics.h"
#include "harness/verdict/cause/kernel_causes.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/read/kernels.h"

namespace harness {
namespace {

using Causes = std::vector<ChangeCause>;

// A clock leads where it explains this share of the change: of any change, and of one beside other machine
// code, which may itself draw more power and so lower the clock.
constexpr double leading_clock = 0.5, leading_clock_beside_code = 0.8;
constexpr double notable_clock = 0.2;
constexpr double equal_clocks = 0.005;  // of the log of their ratio
// A kernel with less than this share of what the kernels' times grew by is not told.
constexpr double notable_kernel = 0.2;
// Where the kernels' times explain less than this share of the change, it lies outside of them.
constexpr double explained_by_kernels = 0.25;
// Time that moved between kernels is told where it is this share of the larger sum of both directions.
constexpr double notable_move = 0.25;
constexpr double notable_counter = 0.02;  // of the log of the ratio of both sides
constexpr std::size_t told_counters = 3;
constexpr double notable_count = 1000;  // of events that the other side has none of

constexpr std::array<std::string_view, 10> library_fields{
    "cublas", "cublaslt", "cudnn", "cufft", "cusparse", "cusparselt", "nccl", "cusolver", "curand", "torch"};
constexpr std::string_view device_field = "device";  // its model: it comes before all else
constexpr std::array<std::string_view, 2> driver_fields{"driver", "cuda_driver"};
constexpr std::array<std::string_view, 4> compiler_fields{"nvcc", "nvcc_flags", "architectures",
                                                          "cuda_runtime"};
// Parts of the names of kernels that come with libraries.
constexpr std::array<std::string_view, 8> library_marks{"xmma",     "cublas",  "cudnn",   "cusparse",
                                                        "splitKre", "gemvNSP", "ncclDev", "nvjet"};

template <std::size_t Size>
bool is_in(const std::array<std::string_view, Size>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool looks_like_library(std::string_view kernel) {
  return std::any_of(library_marks.begin(), library_marks.end(),
                     [&](std::string_view mark) { return kernel.find(mark) != std::string_view::npos; });
}

Causes fields_as(ChangeCauseCode code, const CauseEvidence& evidence, const auto& belongs) {
  Causes causes;
  for (const DifferingField& one : evidence.fields)
    if (belongs(one.name))
      causes.push_back({code, {{"field", one.name}, {"baseline", one.baseline}, {"current", one.current}}});
  return causes;
}

// Causes of kernels with the time that they explain.
struct KernelGroup {
  double gained = 0;
  Causes causes = {};
};

class Finder {
 public:
  Finder(const CauseEvidence& evidence, const std::vector<CodeSides>& code)
      : evidence_(evidence), code_(code), current_is_slow_(evidence.change >= 0) {
    for (const KernelSides& one : evidence_.kernels) {
      if (!one.baseline || !one.current) continue;
      SpeedPair pair{current_is_slow_ ? &*one.baseline : &*one.current,
                     current_is_slow_ ? &*one.current : &*one.baseline, code_for(one), current_is_slow_};
      pairs_.push_back(pair);
    }
    for (const SpeedPair& pair : pairs_) {
      const CodeKnown known = code_of_pair(pair);
      other_code_ |= known == CodeKnown::other;
      unknown_code_ |= known == CodeKnown::unknown;
      same_launches_ &=
          same_launch_shape(*pair.fast, *pair.slow) && pair.fast->launches == pair.slow->launches;
    }
    same_launches_ &= pairs_.size() == evidence_.kernels.size();
  }

  Causes find() {
    add_all(fields_as(ChangeCauseCode::settings, evidence_,
                      [](std::string_view name) { return name == device_field; }));
    const double clock = clock_share(evidence_.clock_baseline, evidence_.clock_current);
    const double memory = clock_share(evidence_.memory_clock_baseline, evidence_.memory_clock_current);
    const double leads = other_code_ ? leading_clock_beside_code : leading_clock;
    if (clock >= leads) add_clock(clock);
    if (memory >= leads) add_memory_clock(memory);
    add_choices();
    if (evidence_.inputs_differ.value_or(false) && !other_code_) add_inputs();
    add_kernels();
    if (evidence_.inputs_differ.value_or(false) && other_code_) add_inputs();
    if (evidence_.on_cpu && evidence_.other_launches) add(ChangeCauseCode::host_code, {});
    if (clock >= notable_clock && clock < leads) add_clock(clock);
    if (memory >= notable_clock && memory < leads) add_memory_clock(memory);
    add_surroundings();
    if (found_.empty()) add_nothing();
    if (evidence_.times_known) add_moved();
    add_counters();
    return std::move(found_);
  }

 private:
  void add(ChangeCauseCode code, Figures figures) { found_.push_back({code, std::move(figures)}); }
  void add_all(Causes causes) { std::move(causes.begin(), causes.end(), std::back_inserter(found_)); }

  [[nodiscard]] const CodeSides* code_for(const KernelSides& kernel) const {
    const auto found = std::find_if(code_.begin(), code_.end(), [&](const CodeSides& one) {
      return one.baseline_name == kernel.baseline->name && one.current_name == kernel.current->name;
    });
    if (found == code_.end() || found->architecture.empty()) return nullptr;
    // Where the records tell other code and the folders the same, these are not what was measured.
    const bool told = !kernel.baseline->code.empty() && !kernel.current->code.empty();
    return told && found->same && kernel.baseline->code != kernel.current->code ? nullptr : &*found;
  }

  // The share of the change that follows from the clocks; 0: none, or not known.
  [[nodiscard]] double clock_share(double before, double after) const {
    if (!(before > 0 && after > 0) || evidence_.change == 0) return 0;
    return std::log(before / after) / evidence_.change;
  }
  void add_clock(double share) {
    add(ChangeCauseCode::clock,
        {{"baseline", evidence_.clock_baseline}, {"current", evidence_.clock_current}, {"share", share}});
  }
  void add_memory_clock(double share) {
    add(ChangeCauseCode::memory_clock, {{"baseline", evidence_.memory_clock_baseline},
                                        {"current", evidence_.memory_clock_current},
                                        {"share", share}});
  }

  void add_choices() {
    const auto both = [](const std::string& before, const std::string& after) {
      return Figures{{"baseline", before}, {"current", after}};
    };
    if (evidence_.tuned_baseline != evidence_.tuned_current)
      add(ChangeCauseCode::tuned, both(evidence_.tuned_baseline, evidence_.tuned_current));
    if (evidence_.choice_baseline != evidence_.choice_current)
      add(ChangeCauseCode::choice, both(evidence_.choice_baseline, evidence_.choice_current));
  }

  void add_inputs() { add(ChangeCauseCode::inputs, {{"bytes", evidence_.input_bytes}}); }

  [[nodiscard]] double gained(const KernelUse* fast, const KernelUse* slow) const {
    if (!evidence_.times_known) return 0;
    return (slow == nullptr ? 0 : time_of(*slow)) - (fast == nullptr ? 0 : time_of(*fast));
  }

  // The kernels that only one side launches.
  [[nodiscard]] KernelGroup other_kernels() const {
    KernelGroup group;
    std::vector<std::string> added, removed;
    const KernelUse* most = nullptr;  // by its time, of those of the slow side if there are any
    bool most_is_slow = false;
    for (const KernelSides& one : evidence_.kernels) {
      if (one.baseline && one.current) continue;
      (one.current ? added : removed).push_back(one.current ? one.current->name : one.baseline->name);
      const KernelUse& use = one.current ? *one.current : *one.baseline;
      const bool is_slow = one.current.has_value() == current_is_slow_;
      if (most == nullptr || std::pair(is_slow, time_of(use)) > std::pair(most_is_slow, time_of(*most))) {
        most = &use;
        most_is_slow = is_slow;
      }
      const KernelUse* const before = one.baseline ? &*one.baseline : nullptr;
      const KernelUse* const after = one.current ? &*one.current : nullptr;
      group.gained += current_is_slow_ ? gained(before, after) : gained(after, before);
    }
    if (added.empty() && removed.empty()) return group;
    const auto from_library = [](const std::string& name) { return looks_like_library(name); };
    if (std::any_of(added.begin(), added.end(), from_library) ||
        std::any_of(removed.begin(), removed.end(), from_library))
      group.causes = libraries("");
    group.causes.push_back(
        {ChangeCauseCode::kernels, {{"added", join(added, ", ")}, {"removed", join(removed, ", ")}}});
    add_caller(group.causes.back().figures, *most);
    return group;
  }

  [[nodiscard]] Causes libraries(const std::string& kernel) const {
    Causes causes;
    for (const DifferingField& one : evidence_.fields) {
      if (!is_in(library_fields, one.name)) continue;
      causes.push_back({ChangeCauseCode::library,
                        {{"library", one.name}, {"baseline", one.baseline}, {"current", one.current}}});
      if (!kernel.empty()) causes.back().figures.emplace_back("kernel", kernel);
    }
    return causes;
  }

  [[nodiscard]] KernelGroup kernel_group(const SpeedPair& pair) const {
    KernelGroup group{gained(pair.fast, pair.slow), {}};
    if (pair.slow->launches > pair.fast->launches) {
      Figures figures{{"kernel", (current_is_slow_ ? pair.slow : pair.fast)->name}};
      add_sides(figures, current_is_slow_, pair.fast->launches, pair.slow->launches);
      add_caller(figures, *pair.slow, pair.fast);
      group.causes.push_back({ChangeCauseCode::launches, std::move(figures)});
    }
    if (pair.code == nullptr && code_of_pair(pair) == CodeKnown::other && looks_like_library(pair.slow->name))
      for (ChangeCause& one : libraries(pair.slow->name)) group.causes.push_back(std::move(one));
    for (ChangeCause& one : causes_of_kernel(pair, evidence_.compute_capability, evidence_.multiprocessors))
      group.causes.push_back(std::move(one));
    if (pair.fast->name != pair.slow->name && !group.causes.empty() &&
        group.causes.front().code != ChangeCauseCode::launches)
      add_caller(group.causes.front().figures, current_is_slow_ ? *pair.slow : *pair.fast);
    return group;
  }

  // Time that one kernel lost and another took, where it is a large part of what the others gained.
  void add_moved() {
    double grown = 0, shrunk = 0, most = 0, least = 0;
    const KernelSides *to = nullptr, *from = nullptr;
    for (const KernelSides& one : evidence_.kernels) {
      const double more =
          gained(one.baseline ? &*one.baseline : nullptr, one.current ? &*one.current : nullptr);
      (more > 0 ? grown : shrunk) += std::abs(more);
      if (more > most) {
        most = more;
        to = &one;
      }
      if (more < least) {
        least = more;
        from = &one;
      }
    }
    const double change = std::abs(evidence_.us_current - evidence_.us_baseline);
    if (to == nullptr || from == nullptr || !to->baseline || !to->current || !from->baseline ||
        !from->current || std::min(grown, shrunk) < notable_move * std::max({grown, shrunk, change}))
      return;
    add(ChangeCauseCode::moved,
        {{"from", from->current->name}, {"to", to->current->name}, {"less", -least}, {"more", most}});
    add_caller(found_.back().figures, *to->current);
  }

  // The log of the ratio. A sum of 0 has none, so a large one on the other side counts as itself.
  static double moved_by(const CounterReading& before, const CounterReading& after) {
    if (before.value > 0 && after.value > 0) return std::log(after.value / before.value);
    const double most = std::max(before.value, after.value);
    if (!after.name.ends_with(".sum") || std::min(before.value, after.value) < 0 || most < notable_count)
      return 0;
    return std::log(most) * (after.value > 0 ? 1 : -1);
  }

  void add_counters() {
    struct Moved {
      double by = 0;  // log
      const CounterReading *before = nullptr, *after = nullptr;
    };
    std::vector<Moved> moved;
    for (const CounterReading& before : evidence_.counters_baseline)
      for (const CounterReading& after : evidence_.counters_current) {
        if (before.name != after.name) continue;
        const double by = moved_by(before, after);
        if (std::abs(by) >= notable_counter) moved.push_back({by, &before, &after});
      }
    std::stable_sort(moved.begin(), moved.end(), [](const Moved& one, const Moved& other) {
      return std::abs(one.by) > std::abs(other.by);
    });
    if (moved.empty()) return;
    Figures figures;
    for (std::size_t i = 0; i < std::min(moved.size(), told_counters); ++i) {
      const std::string number = std::to_string(i + 1);
      figures.emplace_back("name" + number, moved[i].after->name);
      figures.emplace_back("unit" + number, moved[i].after->unit);
      figures.emplace_back("baseline" + number, moved[i].before->value);
      figures.emplace_back("current" + number, moved[i].after->value);
    }
    add(ChangeCauseCode::counters, std::move(figures));
  }

  // The kernels that explain most of the change come first. Without times those that only one side launches
  // do.
  void add_kernels() {
    std::vector<KernelGroup> groups{other_kernels()};
    for (const SpeedPair& pair : pairs_) groups.push_back(kernel_group(pair));
    double most = 0, sum = 0;
    for (const KernelGroup& one : groups) {
      most += std::max(one.gained, 0.0);
      sum += one.gained;
    }
    if (evidence_.times_known) {
      std::erase_if(groups, [&](const KernelGroup& one) { return one.gained < notable_kernel * most; });
      std::stable_sort(groups.begin(), groups.end(), [](const KernelGroup& one, const KernelGroup& other) {
        return one.gained > other.gained;
      });
      add_outside(sum);
    }
    for (KernelGroup& one : groups) add_all(std::move(one.causes));
    if (found_.empty() && !evidence_.on_cpu && evidence_.other_launches && !unknown_code_ && !other_code_ &&
        same_launches_ && !evidence_.kernels.empty())
      add(ChangeCauseCode::arguments, {});
  }

  // The time of a call that no kernel explains.
  void add_outside(double sum) {
    const double needed = std::abs(evidence_.us_current - evidence_.us_baseline);
    if (evidence_.kernels.empty() || !(evidence_.us_baseline > 0) || sum >= explained_by_kernels * needed)
      return;
    double before = 0, after = 0;
    for (const KernelSides& one : evidence_.kernels) {
      before += one.baseline ? time_of(*one.baseline) : 0;
      after += one.current ? time_of(*one.current) : 0;
    }
    add(ChangeCauseCode::outside_kernels, {{"kernels_baseline", before},
                                           {"kernels_current", after},
                                           {"baseline", evidence_.us_baseline},
                                           {"current", evidence_.us_current}});
  }

  // Fields of the machine that differ come last, unless nothing else was found.
  void add_surroundings() {
    const bool all_same = !evidence_.kernels.empty() && !other_code_ && !unknown_code_;
    if (other_code_)
      add_all(fields_as(ChangeCauseCode::compiler, evidence_,
                        [](std::string_view name) { return is_in(compiler_fields, name); }));
    if (!all_same && found_.empty()) add_all(libraries(""));
    add_all(fields_as(ChangeCauseCode::driver, evidence_,
                      [](std::string_view name) { return is_in(driver_fields, name); }));
    if (found_.empty())
      add_all(fields_as(ChangeCauseCode::settings, evidence_, [](std::string_view name) {
        return name != device_field && !is_in(driver_fields, name) && !is_in(compiler_fields, name) &&
               !is_in(library_fields, name);
      }));
  }

  void add_nothing() {
    std::vector<std::string> equal, unknown, other;
    const auto tell = [&](bool known, bool same, const char* what) {
      (!known ? unknown : same ? equal : other).emplace_back(what);
    };
    const bool kernels = !evidence_.kernels.empty();
    const bool looked = evidence_.looked && !evidence_.other_launches;
    tell((kernels && !unknown_code_) || looked, !kernels || !other_code_, "code");
    tell(kernels || looked, !evidence_.other_launches && (!kernels || same_launches_), "launches");
    tell(evidence_.inputs_differ.has_value(), !evidence_.inputs_differ.value_or(true), "inputs");
    if (!evidence_.on_cpu) {
      const bool known = evidence_.clock_baseline > 0 && evidence_.clock_current > 0;
      tell(known,
           known && std::abs(std::log(evidence_.clock_baseline / evidence_.clock_current)) < equal_clocks,
           "clocks");
    }
    if ((kernels && !unknown_code_) || looked)
      add(ChangeCauseCode::none_found,
          {{"equal", join(equal, ", ")}, {"other", join(other, ", ")}, {"unknown", join(unknown, ", ")}});
    else
      add(ChangeCauseCode::not_known, {{"unknown", join(unknown, ", ")}});
  }

  const CauseEvidence& evidence_;
  const std::vector<CodeSides>& code_;
  bool current_is_slow_;
  std::vector<SpeedPair> pairs_ = {};
  bool other_code_ = false, unknown_code_ = false, same_launches_ = true;
  Causes found_ = {};
};

// Mean over the processes that tell it, in MHz; 0: none does.
double memory_clock_of(const Series* series) {
  double sum = 0;
  int count = 0;
  if (series == nullptr) return 0;
  for (const ProcessSamples& process : series->processes)
    if (const auto clock = conditions_of(process).memory_clock_mhz) {
      sum += *clock;
      ++count;
    }
  return count == 0 ? 0 : sum / count;
}

std::string field_of(const Record& record, const std::string& device, std::string_view name) {
  const auto machine = record.machines.find(device);
  if (machine == record.machines.end()) return {};
  for (const MachineField& one : machine->second.fields)
    if (one.name == name) return one.value;
  return {};
}

}  // namespace

std::vector<CounterReading> counters_of(const std::vector<Series>& all_series) {
  std::vector<CounterReading> all;
  for (const Series& series : all_series) {
    if (!is_counter_name(series.metric) || series.processes.empty()) continue;
    const auto& placements = series.processes.front().placements;
    if (!placements.empty() && !placements.front().samples.empty())
      all.push_back({series.metric, series.unit, placements.front().samples.front()});
  }
  return all;
}

namespace {

int number_of(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Whether the metric is a time that the device, or the host around it, spends on a call.
bool has_causes(std::string_view metric) {
  return names_metric("time", metric) || metric == traced_kernel_time || metric == traced_busy_time ||
         metric == traced_span;
}

std::optional<bool> do_inputs_differ(const CaseRecord& before, const CaseRecord& after, std::int64_t& bytes) {
  if (!after.program && !after.tool_case && after.device != import_device) return false;
  if (before.program && before.program->inputs == trusted_inputs) return std::nullopt;
  const auto found = input_bytes_between_sides(before, after);
  if (!found) return std::nullopt;
  bytes = *found;
  return bytes > 0;
}

}  // namespace

CauseEvidence cause_evidence(const ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                             const SideReading& baseline, const SideReading& current,
                             const ComparedRecords& records) {
  CauseEvidence evidence;
  evidence.change = std::log(row.ratio) * (row.direction == Direction::lower_is_better ? 1 : -1);
  if (names_metric("time", row.metric) && row.unit == "us") {
    evidence.us_baseline = row.baseline.center;
    evidence.us_current = row.current.center;
  }
  evidence.clock_baseline = baseline.clock_ghz;
  evidence.clock_current = current.clock_ghz;
  evidence.memory_clock_baseline = memory_clock_of(series_named(before, row.metric));
  evidence.memory_clock_current = memory_clock_of(series_named(after, row.metric));
  evidence.compute_capability = field_of(records.current, after.device, "compute_capability");
  evidence.multiprocessors = number_of(field_of(records.current, after.device, "multiprocessors"));
  evidence.on_cpu = after.device == cpu_kind.name && !after.program;
  evidence.other_launches = row.unproven && row.unproven->why.code == ProofGapCode::other_launches;
  evidence.looked = row.proven || evidence.other_launches;
  evidence.choice_baseline = choice_of(before);
  evidence.choice_current = choice_of(after);
  evidence.tuned_baseline = before.tuned ? before.tuned->text_id() : "";
  evidence.tuned_current = after.tuned ? after.tuned->text_id() : "";
  evidence.inputs_differ = do_inputs_differ(before, after, evidence.input_bytes);
  if (const auto machine = records.machines.find(after.device); machine != records.machines.end())
    for (const Difference& one : machine->second.differences)
      if (one.baseline && one.current)  // a side that does not tell is no other version
        evidence.fields.push_back({one.name, *one.baseline, *one.current});
  evidence.counters_baseline = counters_of(before.series);
  evidence.counters_current = counters_of(after.series);
  PairedKernels kernels = paired_kernels(before, after);
  evidence.kernels = std::move(kernels.pairs);
  evidence.times_known = kernels.timed;
  return evidence;
}

std::vector<ChangeCause> find_causes(const CauseEvidence& evidence, const std::vector<CodeSides>& code) {
  return Finder(evidence, code).find();
}

void add_causes(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                const SideReading& baseline, const SideReading& current, const ComparedRecords& records) {
  // A smaller change is not called.
  if (!has_causes(row.metric) || !(row.ratio > 0) ||
      2 * std::abs(std::log(row.ratio)) < std::log1p(row.margin))
    return;
  ChangeCauses causes;
  causes.evidence = cause_evidence(row, before, after, baseline, current, records);
  causes.found = find_causes(causes.evidence);
  row.causes = std::make_shared<const ChangeCauses>(std::move(causes));
}

void keep_causes_of_changes(std::vector<ComparisonRow>& rows) {
  for (ComparisonRow& row : rows)
    if (row.verdict != Verdict::regressed && row.verdict != Verdict::improved &&
        row.verdict != Verdict::environment)
      row.causes.reset();
}

void add_code(ComparisonRow& row, std::vector<CodeSides> code) {
  if (row.causes == nullptr) return;
  ChangeCauses causes = *row.causes;
  causes.code = std::move(code);
  causes.found = find_causes(causes.evidence, causes.code);
  row.causes = std::make_shared<const ChangeCauses>(std::move(causes));
}

void add_counters(ComparisonRow& row, std::vector<CounterReading> baseline,
                  std::vector<CounterReading> current) {
  if (row.causes == nullptr) return;
  ChangeCauses causes = *row.causes;
  causes.evidence.counters_baseline = std::move(baseline);
  causes.evidence.counters_current = std::move(current);
  causes.found = find_causes(causes.evidence, causes.code);
  row.causes = std::make_shared<const ChangeCauses>(std::move(causes));
}

}  // namespace harness
