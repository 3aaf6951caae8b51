#include "harness/device/trace/step_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/bulk_hash.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/code/kernel_launches.h"

namespace harness::trace {
namespace {

std::string hash_of(const Shape& shape) {
  return bulk_hash(fmt::format(
      "{} {} {} {} {} {} {} {} {} {}", shape.name, shape.code, fmt::join(shape.grid, "x"),
      fmt::join(shape.block, "x"), fmt::join(shape.cluster, "x"), shape.registers, shape.static_shared_bytes,
      shape.dynamic_shared_bytes, shape.local_bytes, fmt::join(shape.settings, " ")));
}

// A text without an end: a step may have ten million launches, so it is hashed on the way.
class LongText {
 public:
  void add(std::string_view more) {
    constexpr std::size_t longest = std::size_t{1} << 16;
    text_ += more;
    if (text_.size() >= longest) text_ = bulk_hash(text_);
  }
  template <class... Numbers>
  void add_numbers(Numbers... numbers) {
    for (const std::uint64_t one : {static_cast<std::uint64_t>(numbers)...})
      add({reinterpret_cast<const char*>(&one), sizeof one});
  }
  [[nodiscard]] std::string digest() const {
    return std::string(trace_digest_rules) + content_hash(bulk_hash(text_));
  }

 private:
  std::string text_;
};

class StepText {
 public:
  explicit StepText(const ProcessTrace& trace) : trace_(trace) {
    for (const Shape& one : trace.shapes) shapes_.push_back(hash_of(one));
    add_text(trace.machine);
  }

  // By the host's calls. The gap where something is unknown.
  std::optional<Cause> add(const Step& work) {
    add_numbers(work.launches.size(), work.transfers.size());
    auto copy = work.transfers.begin();
    for (const std::uint32_t i : work.launches) {
      const Launch& launch = trace_.launches[i];
      for (; copy != work.transfers.end() && trace_.transfers[*copy].correlation < launch.correlation; ++copy)
        add(trace_.transfers[*copy]);
      if (std::optional<Cause> gap = gap_of(launch)) return gap;
      add_text(shapes_[launch.shape]);
      add_numbers(lane(launch.device, launch.stream));
      text_.add_numbers(launch.given);
      const auto words = trace_.words.find(launch.given);
      frame_.add_numbers(words == trace_.words.end() ? launch.given : words->second.size());
    }
    for (; copy != work.transfers.end(); ++copy) add(trace_.transfers[*copy]);
    return std::nullopt;
  }
  // The calls that put streams in order, by what they are between: so many launches of the host before.
  void add_order(std::uint32_t last) {
    std::size_t before = 0;
    for (const Ordered& one : trace_.ordered) {
      if (one.correlation > last) break;
      while (before < trace_.launches.size() && trace_.launches[before].correlation < one.correlation)
        ++before;
      add_numbers(one.what, before);
    }
  }
  [[nodiscard]] std::string digest() const { return text_.digest(); }
  [[nodiscard]] std::string frame() const { return frame_.digest(); }

 private:
  void add_text(std::string_view more) {
    text_.add(more);
    frame_.add(more);
  }
  template <class... Numbers>
  void add_numbers(Numbers... numbers) {
    text_.add_numbers(numbers...);
    frame_.add_numbers(numbers...);
  }

  std::size_t lane(std::uint32_t device, std::uint32_t stream) {
    return lanes_.try_emplace({device, stream}, lanes_.size()).first->second;
  }

  void add(const Transfer& one) {
    add_numbers(one.fill ? 1 : 0, static_cast<int>(one.way), one.size, one.value,
                lane(one.device, one.stream));
  }

  [[nodiscard]] std::optional<Cause> gap_of(const Launch& launch) const {
    const Shape& shape = trace_.shapes[launch.shape];
    const auto of_kernel = [&](CauseCode code) {
      return Cause{code, {{"kernel", printable(demangled(shape.name))}}};
    };
    if (shape.code.empty() && launch.node == 0 && (!trace_.by_handle || launch.given == 0))
      return of_kernel(CauseCode::code_unknown);
    if (launch.node != 0 && launch.given == 0) return of_kernel(CauseCode::graph_launched);
    if (launch.given == 0) return of_kernel(CauseCode::arguments_unread);
    return std::nullopt;
  }

  const ProcessTrace& trace_;
  std::vector<std::string> shapes_;  // hashes
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> lanes_;
  LongText text_;   // with the arguments
  LongText frame_;  // without their words
};

std::string hex_of(const std::array<std::uint32_t, 4>& content) {
  return fmt::format("{:08x}", fmt::join(content, ""));
}

// The groups with the most bytes; the others are one.
std::vector<InputGroup> largest_groups(std::map<std::int64_t, InputGroup> by_size) {
  constexpr std::size_t most_groups = 64;
  std::vector<InputGroup> groups;
  for (auto& [bytes, group] : by_size) groups.push_back(std::move(group));
  if (groups.size() > most_groups) {
    const auto total = [](const InputGroup& one) { return one.bytes * one.copies; };
    std::stable_sort(groups.begin(), groups.end(), [&](const InputGroup& one, const InputGroup& other) {
      return total(one) > total(other);
    });
    InputGroup rest;
    for (auto one = groups.begin() + most_groups - 1; one != groups.end(); ++one) {
      rest.copies += one->copies;
      rest.hash += fmt::format("{} {}\n", one->bytes, one->hash);
    }
    groups.resize(most_groups - 1);
    groups.push_back(std::move(rest));
  }
  for (InputGroup& one : groups) one.hash = content_hash(one.hash);
  return groups;
}

std::optional<Cause> inputs_gap(const ProcessTrace& trace, std::uint64_t uncalled) {
  const auto figure = [](std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); };
  if (trace.shared > 0) return Cause{CauseCode::inputs_shared, {{"bytes", figure(trace.shared)}}};
  if (!trace.unhashed.empty()) return Cause{CauseCode::inputs_unhashed, {{"why", printable(trace.unhashed)}}};
  if (uncalled > 0) return Cause{CauseCode::inputs_uncalled, {{"bytes", figure(uncalled)}}};
  return std::nullopt;
}

Inputs inputs_of(const ProcessTrace& trace, std::uint32_t last) {
  std::map<std::int64_t, InputGroup> by_size;
  std::uint64_t uncalled = 0;
  for (const Transfer& one : trace.transfers) {
    if (one.fill || one.way != Way::to_device || one.correlation > last) continue;
    if (one.content == decltype(one.content){}) uncalled += one.size;
    const auto bytes = static_cast<std::int64_t>(one.size);
    InputGroup& group = by_size[bytes];
    group.bytes = bytes;
    ++group.copies;
    group.hash += hex_of(one.content);
  }
  Inputs inputs;
  inputs.gap = inputs_gap(trace, uncalled);
  if (!inputs.gap) inputs.groups = largest_groups(std::move(by_size));
  return inputs;
}

}  // namespace

std::uint32_t last_call(const ProcessTrace& trace, const FoundSteps& found) {
  std::uint32_t last = 0;
  for (const Step& step : found.steps) {
    if (!step.launches.empty()) last = std::max(last, trace.launches[step.launches.back()].correlation);
    if (!step.transfers.empty()) last = std::max(last, trace.transfers[step.transfers.back()].correlation);
  }
  return last;
}

Step work_beside(const ProcessTrace& trace, const FoundSteps& found) {
  const std::uint32_t last = last_call(trace, found);
  std::vector<bool> launched(trace.launches.size()), copied(trace.transfers.size());
  for (const Step& step : found.steps) {
    for (const std::uint32_t i : step.launches) launched[i] = true;
    for (const std::uint32_t i : step.transfers) copied[i] = true;
  }
  Step beside;
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i)
    if (!launched[i] && trace.launches[i].correlation <= last) beside.launches.push_back(i);
  for (std::uint32_t i = 0; i < trace.transfers.size(); ++i) {
    const Transfer& one = trace.transfers[i];
    if (!copied[i] && one.correlation <= last && (one.fill || one.way != Way::to_host))
      beside.transfers.push_back(i);
  }
  return beside;
}

Identity identity_of_steps(const ProcessTrace& trace, const FoundSteps& found) {
  if (!trace.unread.empty())
    return {{}, Cause{CauseCode::launches_unseen, {{"problem", printable(trace.unread)}}}};
  StepText text(trace);
  if (const std::optional<Cause> gap = text.add(work_beside(trace, found))) return {{}, gap};
  for (const Step& step : found.steps) {
    if (const std::optional<Cause> gap = text.add(step)) return {{}, gap};
  }
  const std::uint32_t last = last_call(trace, found);
  text.add_order(last);
  Identity identity{text.digest(), {}, text.frame()};
  if (trace.hashed) identity.inputs = inputs_of(trace, last);
  return identity;
}

}  // namespace harness::trace
