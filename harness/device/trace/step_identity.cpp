#include "harness/device/trace/step_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
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
    return std::string(gpu_digest_rules) + content_hash(bulk_hash(text_));
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
  std::optional<Cause> add(const Step& step) {
    add_numbers(step.launches.size(), step.transfers.size());
    auto copy = step.transfers.begin();
    for (const std::uint32_t i : step.launches) {
      const Launch& launch = trace_.launches[i];
      for (; copy != step.transfers.end() && trace_.transfers[*copy].correlation < launch.correlation; ++copy)
        add(trace_.transfers[*copy]);
      if (std::optional<Cause> gap = gap_of(launch)) return gap;
      add_text(shapes_[launch.shape]);
      add_numbers(lane(launch.device, launch.stream));
      text_.add_numbers(launch.given);
      const auto words = trace_.words.find(launch.given);
      frame_.add_numbers(words == trace_.words.end() ? launch.given : words->second.size());
    }
    for (; copy != step.transfers.end(); ++copy) add(trace_.transfers[*copy]);
    return std::nullopt;
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
    if (shape.code.empty()) return of_kernel(CauseCode::code_unknown);
    if (launch.node != 0) return of_kernel(CauseCode::graph_launched);
    if (launch.given == 0) return of_kernel(CauseCode::arguments_unread);
    return std::nullopt;
  }

  const ProcessTrace& trace_;
  std::vector<std::string> shapes_;  // hashes
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> lanes_;
  LongText text_;   // with the arguments
  LongText frame_;  // without their words
};

// A kernel that ran beside one of another stream of its GPU. The host's time decides which run together.
std::optional<Cause> overlap(const ProcessTrace& trace, const Step& step) {
  struct Lane {
    std::uint64_t until = 0;  // the last end
    std::uint32_t stream = 0;
  };
  const auto streams = [&](std::uint32_t i) {
    return std::pair(trace.launches[i].device, trace.launches[i].stream);
  };
  if (std::all_of(step.launches.begin(), step.launches.end(),
                  [&](std::uint32_t i) { return streams(i) == streams(step.launches.front()); }))
    return std::nullopt;
  std::vector<std::uint32_t> by_start = step.launches;
  std::sort(by_start.begin(), by_start.end(), [&](std::uint32_t one, std::uint32_t other) {
    return trace.launches[one].start < trace.launches[other].start;
  });
  std::map<std::uint32_t, Lane> last;  // by GPU
  for (const std::uint32_t i : by_start) {
    const Launch& launch = trace.launches[i];
    Lane& lane = last[launch.device];
    if (launch.start < lane.until && launch.stream != lane.stream)
      return Cause{CauseCode::streams_overlap,
                   {{"kernel", printable(demangled(trace.shapes[launch.shape].name))}}};
    if (launch.end > lane.until) lane = {launch.end, launch.stream};
  }
  return std::nullopt;
}

}  // namespace

Identity identity_of_steps(const ProcessTrace& trace, const FoundSteps& found) {
  if (!trace.unread.empty())
    return {{}, Cause{CauseCode::launches_unseen, {{"problem", printable(trace.unread)}}}};
  StepText text(trace);
  for (const Step& step : found.steps) {
    if (const std::optional<Cause> gap = text.add(step)) return {{}, gap};
    if (const std::optional<Cause> gap = overlap(trace, step)) return {{}, gap};
  }
  return {text.digest(), {}, text.frame()};
}

}  // namespace harness::trace
