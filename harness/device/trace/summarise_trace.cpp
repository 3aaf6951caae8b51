#include "harness/device/trace/summarise_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/code/kernel_launches.h"
#include "harness/device/trace/find_steps.h"
#include "harness/device/trace/step_identity.h"

namespace harness::trace {
namespace {

constexpr double us_per_ns = 1e-3;
constexpr double settled_width = 0.02;  // around the median of the second half
constexpr double mads = 4.0;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<Cause> fault_of(const ProcessTrace& trace) {
  const auto pid = static_cast<std::int64_t>(trace.pid);
  if (!trace.refused_by.empty())
    return Cause{CauseCode::trace_refused, {{"holder", printable(trace.refused_by)}}};
  if (!trace.problem.empty()) return Cause{CauseCode::trace_failed, {{"problem", printable(trace.problem)}}};
  if (trace.dropped + trace.lost > 0)
    return Cause{CauseCode::trace_lost_records,
                 {{"records", static_cast<std::int64_t>(trace.dropped + trace.lost)}, {"process", pid}}};
  if (trace.untimed + trace.backwards > 0)
    return Cause{CauseCode::trace_without_times,
                 {{"records", static_cast<std::int64_t>(trace.untimed + trace.backwards)}, {"process", pid}}};
  if (!trace.ended) return Cause{CauseCode::trace_unfinished, {{"process", pid}}};
  return std::nullopt;
}

double microseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * us_per_ns;
}

// The time in which nothing of the step ran, between its first start and its last end.
struct Extent {
  std::uint64_t span = 0;
  std::uint64_t gap = 0;
};

Extent extent_of(std::vector<std::pair<std::uint64_t, std::uint64_t>> busy) {
  Extent extent;
  if (busy.empty()) return extent;
  std::sort(busy.begin(), busy.end());
  std::uint64_t until = busy.front().first;
  for (const auto& [start, end] : busy) {
    if (start > until) extent.gap += start - until;
    until = std::max(until, end);
  }
  extent.span = until - busy.front().first;
  return extent;
}

// The kernels of a process' steps, by name, grid and block.
struct Group {
  const Shape* shape = nullptr;
  std::size_t position = 0;
  std::vector<std::uint64_t> durations;  // of each launch
  std::vector<std::uint64_t> by_step;    // sums, of the steps that have it
  std::size_t last_step = 0;
  bool several_codes = false;
  std::string given = {};  // hashes of the arguments of each launch, in all steps
  bool unread = false;     // some are unknown
  // A hash of each word of the arguments, in all launches; nothing where a launch's words are unknown, or are
  // more or less than those of another.
  std::optional<std::vector<std::uint32_t>> words = {};
  bool wordless = false;
  std::map<std::uint32_t, int> sites = {};  // launches that were seen, by the number of the site
};

// Hashes of FNV-1a, a word at a time.
void add_words(Group& group, const std::vector<std::uint32_t>* words) {
  constexpr std::uint32_t begin = 0x811c9dc5U, prime = 0x01000193U;
  if (group.wordless) return;
  if (words != nullptr && !group.words) group.words.emplace(words->size(), begin);
  group.wordless = words == nullptr || words->size() != group.words->size();
  if (group.wordless) return group.words.reset();
  for (std::size_t i = 0; i < words->size(); ++i)
    for (int shift = 0; shift < 32; shift += 8)
      (*group.words)[i] = ((*group.words)[i] ^ ((*words)[i] >> shift & 0xffU)) * prime;
}

using Key = std::tuple<std::string, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>>;

class Summary {
 public:
  Summary(const ProcessTrace& trace, const FoundSteps& found) : trace_(trace), found_(found) {
    std::map<Key, std::uint32_t> known;
    for (const Shape& one : trace.shapes)
      groups_of_.push_back(
          known.try_emplace({one.name, one.grid, one.block}, static_cast<std::uint32_t>(known.size()))
              .first->second);
    groups_.resize(known.size());
    for (std::size_t i = 0; i < trace.shapes.size(); ++i) {
      Group& group = groups_[groups_of_[i]];
      if (group.shape != nullptr && group.shape->code != trace.shapes[i].code) group.several_codes = true;
      if (group.shape == nullptr) group.shape = &trace.shapes[i];
    }
  }

  StepTimes times() const {
    StepTimes times;
    for (const Step& step : found_.steps) {
      std::uint64_t kernel = 0, copy = 0;
      std::vector<std::pair<std::uint64_t, std::uint64_t>> busy, kernels;
      busy.reserve(step.launches.size() + step.transfers.size());
      kernels.reserve(step.launches.size());
      for (const std::uint32_t i : step.launches) {
        const Launch& one = trace_.launches[i];
        kernel += one.end - one.start;
        kernels.emplace_back(one.start, one.end);
      }
      busy = kernels;
      for (const std::uint32_t i : step.transfers) {
        const Transfer& one = trace_.transfers[i];
        copy += one.end - one.start;
        busy.emplace_back(one.start, one.end);
      }
      const Extent extent = extent_of(std::move(busy));
      const Extent of_kernels = extent_of(std::move(kernels));
      times.kernel.push_back(microseconds(kernel));
      times.busy.push_back(microseconds(of_kernels.span - of_kernels.gap));
      times.copy.push_back(microseconds(copy));
      times.span.push_back(microseconds(extent.span));
      times.gap.push_back(microseconds(extent.gap));
    }
    return times;
  }

  // The kernels of the steps from `first` on.
  std::vector<TracedKernel> kernels(std::size_t first) {
    add_arguments();
    double all = 0;
    for (std::size_t s = first; s < found_.steps.size(); ++s) {
      const Step& step = found_.steps[s];
      for (std::size_t i = 0; i < step.launches.size(); ++i) {
        const Launch& one = trace_.launches[step.launches[i]];
        Group& group = groups_[groups_of_[one.shape]];
        if (group.durations.empty()) group.position = i;
        group.durations.push_back(one.end - one.start);
        if (group.by_step.empty() || group.last_step != s) group.by_step.push_back(0);
        group.last_step = s;
        group.by_step.back() += one.end - one.start;
        all += microseconds(one.end - one.start);
      }
    }
    std::vector<TracedKernel> kernels;
    for (const Group& group : groups_)
      if (!group.durations.empty()) kernels.push_back(kernel_of(group, all));
    std::stable_sort(kernels.begin(), kernels.end(), [](const TracedKernel& one, const TracedKernel& other) {
      return one.position < other.position;
    });
    return kernels;
  }

  // The kernels outside the steps, with their arguments and without times; in the order of their first
  // launch.
  std::vector<KernelUse> setup() const {
    std::vector<Group> groups(groups_.size());
    std::vector<std::uint32_t> order;
    std::vector<int> launches(groups_.size());
    for (const std::uint32_t i : work_beside(trace_, found_).launches) {
      const std::uint32_t group = groups_of_[trace_.launches[i].shape];
      if (launches[group]++ == 0) order.push_back(group);
      add_arguments(groups[group], trace_.launches[i]);
    }
    std::vector<KernelUse> uses;
    for (const std::uint32_t i : order) {
      const Shape& shape = *groups_[i].shape;
      KernelUse& use = uses.emplace_back();
      use.name = demangled(shape.name);
      use.grid = shape.grid;
      use.block = shape.block;
      use.launches = launches[i];
      use.code = groups_[i].several_codes ? "" : shape.code;
      tell_arguments(groups[i], use);
    }
    for (auto& [words, graph] : graphs()) {
      KernelUse& use = uses.emplace_back();
      use.name = fmt::format("a graph with {} words of arguments", words);
      use.launches = graph.launches;
      tell_arguments(graph.group, use);
    }
    return uses;
  }

 private:
  struct GraphUse {
    Group group;
    int launches = 0;
  };
  // The launches of graphs until the last step ends, by the number of their words.
  std::map<std::size_t, GraphUse> graphs() const {
    std::map<std::size_t, GraphUse> found;
    const std::uint32_t end = last_call(trace_, found_);
    std::uint32_t before = 0;
    for (const Launch& one : trace_.launches) {
      if (one.node == 0 || one.given == 0 || one.correlation > end) continue;
      if (one.correlation == before && !found.empty()) continue;  // the same launch
      before = one.correlation;
      const auto words = trace_.words.find(one.given);
      GraphUse& use = found[words == trace_.words.end() ? 0 : words->second.size()];
      ++use.launches;
      Launch alone = one;
      alone.node = 0;
      add_arguments(use.group, alone);
    }
    return found;
  }

  // The arguments of kernels in a graph are told for the graph.
  void add_arguments(Group& group, const Launch& one) const {
    if (one.node != 0 && one.given != 0) return;
    group.given.append(reinterpret_cast<const char*>(&one.given), sizeof one.given);
    group.unread |= one.given == 0;
    const auto words = trace_.words.find(one.given);
    add_words(group, words == trace_.words.end() ? nullptr : &words->second);
  }
  // All steps count, wherever the time settles.
  void add_arguments() {
    for (const Step& step : found_.steps)
      for (const std::uint32_t i : step.launches) {
        const Launch& one = trace_.launches[i];
        Group& group = groups_[groups_of_[one.shape]];
        if (one.site != 0) ++group.sites[one.site];
        add_arguments(group, one);
      }
  }
  static void tell_arguments(const Group& group, KernelUse& use) {
    if (!group.unread) use.arguments = bulk_hash(group.given);
    if (group.words) use.words = fmt::format("{:08x}", fmt::join(*group.words, ""));
  }

  // The beginning that two ranges share: "step" of "step/loss" and "step/norm".
  static std::string common_range(const std::string& one, const std::string& other) {
    if (one == other) return one;
    std::size_t end = 0;
    for (std::size_t i = 0; i <= std::min(one.size(), other.size()); ++i) {
      const bool ends = (i == one.size() || one[i] == '/') && (i == other.size() || other[i] == '/');
      if (ends) end = i;
      if (i < std::min(one.size(), other.size()) && one[i] != other[i]) break;
    }
    return one.substr(0, end);
  }

  // The most frequent ones first. A place is a line and a function; its ranges may count its calls.
  std::vector<Caller> callers_of(const Group& group) const {
    std::map<std::pair<std::string, std::string>, Caller> places;
    for (const auto& [site, launches] : group.sites) {
      const Site& at = trace_.sites.at(site - 1);
      const std::string host = host_function(at, group.shape->name);
      if (at.range.empty() && at.python.empty() && host.empty()) continue;
      const auto [place, fresh] =
          places.try_emplace({at.python, host}, Caller{at.range, at.python, host, launches});
      if (fresh) continue;
      place->second.range = common_range(place->second.range, at.range);
      place->second.launches += launches;
    }
    std::vector<Caller> callers;
    for (auto& [key, caller] : places) callers.push_back(std::move(caller));
    std::stable_sort(callers.begin(), callers.end(),
                     [](const Caller& one, const Caller& other) { return one.launches > other.launches; });
    return callers;
  }

  TracedKernel kernel_of(const Group& group, double all) const {
    const Shape& shape = *group.shape;
    TracedKernel kernel;
    KernelUse& use = kernel.use;
    use.name = demangled(shape.name);
    use.grid = shape.grid;
    use.block = shape.block;
    use.registers = shape.registers;
    use.static_shared_bytes = shape.static_shared_bytes;
    use.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    use.local_bytes = shape.local_bytes;
    use.code = group.several_codes ? "" : shape.code;
    use.launches = static_cast<int>(
        std::lround(static_cast<double>(group.durations.size()) / static_cast<double>(group.by_step.size())));
    tell_arguments(group, use);
    use.callers = callers_of(group);
    std::vector<double> each;
    each.reserve(group.durations.size());
    double sum = 0;
    for (const std::uint64_t one : group.durations) {
      each.push_back(microseconds(one));
      sum += each.back();
    }
    use.us = median(std::move(each));
    kernel.position = static_cast<int>(group.position) + 1;
    kernel.share = all > 0 ? sum / all : 0;
    for (const std::uint64_t one : group.by_step) kernel.times.push_back(microseconds(one));
    return kernel;
  }

  const ProcessTrace& trace_;
  const FoundSteps& found_;
  std::vector<std::uint32_t> groups_of_;  // by shape
  std::vector<Group> groups_;
};

void drop_first(StepTimes& times, std::size_t count) {
  for (std::vector<double>* one : {&times.kernel, &times.busy, &times.copy, &times.span, &times.gap})
    one->erase(one->begin(), one->begin() + static_cast<std::ptrdiff_t>(count));
}

// Adds the last values of `more` to the last of `sums`.
void add_last(std::vector<double>& sums, const std::vector<double>& more) {
  const std::size_t kept = std::min(sums.size(), more.size());
  sums.erase(sums.begin(), sums.end() - static_cast<std::ptrdiff_t>(kept));
  for (std::size_t i = 0; i < kept; ++i) sums[i] += more[more.size() - kept + i];
}

void add(ProgramTrace& all, ProgramTrace one) {
  if (all.processes == 0) {
    all = std::move(one);
    return;
  }
  add_last(all.steps.kernel, one.steps.kernel);
  add_last(all.steps.busy, one.steps.busy);
  add_last(all.steps.copy, one.steps.copy);
  add_last(all.steps.span, one.steps.span);
  add_last(all.steps.gap, one.steps.gap);
  all.source = std::max(all.source, one.source);
  all.launches += one.launches;
  all.transfers += one.transfers;
  all.period += one.period;
  all.settling = std::max(all.settling, one.settling);
  all.outside += one.outside;
  all.bytes += one.bytes;
  all.processes += one.processes;
  for (TracedKernel& kernel : one.kernels) {
    const auto known = std::find_if(all.kernels.begin(), all.kernels.end(), [&](const TracedKernel& other) {
      return other.use.name == kernel.use.name && other.use.grid == kernel.use.grid &&
             other.use.block == kernel.use.block;
    });
    if (known == all.kernels.end()) {
      all.kernels.push_back(std::move(kernel));
      continue;
    }
    add_last(known->times, kernel.times);
    known->use.launches += kernel.use.launches;
  }
}

// Nothing where some process did not hash its inputs.
Rare<Inputs> inputs_of_all(const std::vector<ProgramTrace>& parts) {
  Inputs all;
  for (const ProgramTrace& part : parts) {
    const Rare<Inputs>& one = part.identity.inputs;
    if (!one) return {};
    if (one->gap) return one;
    all.groups.insert(all.groups.end(), one->groups.begin(), one->groups.end());
  }
  const auto key = [](const InputGroup& one) { return std::tuple(one.bytes, one.copies, one.hash); };
  std::sort(all.groups.begin(), all.groups.end(),
            [&](const InputGroup& one, const InputGroup& other) { return key(one) < key(other); });
  return all;
}

// Processes may begin in any order.
Identity identity_of_all(const std::vector<ProgramTrace>& parts) {
  if (parts.size() == 1) return parts.front().identity;
  std::vector<std::string> digests;
  for (const ProgramTrace& part : parts) {
    if (part.identity.gap) return part.identity;
    digests.push_back(part.identity.digest);
  }
  std::sort(digests.begin(), digests.end());
  Identity all{std::string(trace_digest_rules) + content_hash(join(digests, "\n")), {}};
  all.inputs = inputs_of_all(parts);
  return all;
}

void share_anew(std::vector<TracedKernel>& kernels) {
  double all = 0;
  const auto sum = [](const TracedKernel& one) {
    return std::accumulate(one.times.begin(), one.times.end(), 0.0);
  };
  for (const TracedKernel& one : kernels) all += sum(one);
  for (TracedKernel& one : kernels) one.share = all > 0 ? sum(one) / all : 0;
}

ProgramTrace summarise(const ProcessTrace& trace, const StepRule& rule) {
  const FoundSteps found = find_steps(trace, rule);
  ProgramTrace one;
  one.processes = 1;
  one.source = found.source;
  one.range = rule.source == StepSource::nvtx ? rule.range : "";
  one.launches = trace.launches.size();
  one.transfers = trace.transfers.size();
  one.period = found.period;
  one.outside = found.before + found.between + found.after;
  one.bytes = trace.bytes;
  one.cupti = trace.cupti;
  if (found.steps.empty()) {
    one.fault = Cause{CauseCode::trace_without_range, {{"range", printable(rule.range)}}};
    return one;
  }
  Summary summary(trace, found);
  one.steps = summary.times();
  if (found.cut) one.steps.copy.pop_back();
  one.settling = settling_steps(one.steps.kernel);
  drop_first(one.steps, one.settling);
  one.kernels = summary.kernels(one.settling);
  one.identity = identity_of_steps(trace, found);
  if (!one.identity.gap) one.identity.setup = summary.setup();
  if (found.source == StepSource::nvtx) {
    std::vector<double> counts;
    for (const Step& step : found.steps) counts.push_back(static_cast<double>(step.launches.size()));
    one.period = static_cast<std::size_t>(median(std::move(counts)));
  } else if (found.source == StepSource::whole) {
    one.period = one.launches;
  }
  return one;
}

bool has_steps(const ProgramTrace& part) {
  return !part.fault && part.source != StepSource::whole;
}

// A process beside others that have steps: its work is outside of them.
void add_helper(ProgramTrace& all, const ProgramTrace& part) {
  all.launches += part.launches;
  all.transfers += part.transfers;
  all.outside += part.launches;
  all.bytes += part.bytes;
  ++all.helpers;
  all.helper_launches += part.launches;
}

double busy_time(const ProcessTrace& process) {
  return std::accumulate(
      process.launches.begin(), process.launches.end(), 0.0,
      [](double sum, const Launch& one) { return sum + microseconds(one.end - one.start); });
}

ProgramTrace summarise_all(const std::vector<ProcessTrace>& processes, const StepRule& rule) {
  std::vector<ProgramTrace> parts;
  double in_steps = 0, without = 0;  // time of the processes that have steps, and of the others
  for (const ProcessTrace& one : processes) {
    if (one.launches.empty()) continue;
    const ProgramTrace& part = parts.emplace_back(summarise(one, rule));
    (has_steps(part) ? in_steps : without) += busy_time(one);
  }
  const bool stepped = std::any_of(parts.begin(), parts.end(), has_steps);
  // Most of the work has no period, so a small process' period is not the program's.
  if (stepped && rule.source == StepSource::period && without > in_steps)
    return summarise_all(processes, {StepSource::whole, {}});
  const auto helpers = std::stable_partition(
      parts.begin(), parts.end(), [&](const ProgramTrace& part) { return !stepped || has_steps(part); });
  for (auto part = parts.begin(); part != helpers; ++part)
    if (part->fault) return std::move(*part);
  ProgramTrace all;
  const std::vector<ProgramTrace> others(helpers, parts.end());
  parts.erase(helpers, parts.end());
  Identity identity = identity_of_all(parts);
  for (ProgramTrace& part : parts) add(all, std::move(part));
  for (const ProgramTrace& part : others) add_helper(all, part);
  all.identity = std::move(identity);
  return all;
}

}  // namespace

std::size_t settling_steps(const std::vector<double>& sums) {
  const std::size_t half = sums.size() / 2;
  if (half < 2) return 0;
  const std::vector<double> later(sums.begin() + static_cast<std::ptrdiff_t>(half), sums.end());
  const double middle = median(later);
  std::vector<double> away;
  for (const double one : later) away.push_back(std::abs(one - middle));
  const double width = std::max(settled_width * middle, mads * median(std::move(away)));
  std::size_t first = half;
  while (first > 0 && std::abs(sums[first - 1] - middle) <= width) --first;
  return first;
}

ProgramTrace summarise_trace(const std::vector<ProcessTrace>& processes, const StepRule& rule) {
  for (const ProcessTrace& one : processes) {
    if (std::optional<Cause> fault = fault_of(one)) {
      ProgramTrace none;
      none.fault = std::move(fault);
      return none;
    }
  }
  ProgramTrace all = summarise_all(processes, rule);
  if (all.fault) return all;
  if (all.processes == 0) all.fault = Cause{CauseCode::trace_without_launches};
  if (all.processes > 1) share_anew(all.kernels);
  return all;
}

}  // namespace harness::trace
