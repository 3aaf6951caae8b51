#include "harness/device/code/captured_graphs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace harness {
namespace {

using Kind = DriverCall::Kind;

// A copy from the host reads when the graph is launched, memory that is taken in a graph is taken then, and
// events with flags may be of work outside.
bool acts_at_launch(const DriverCall& call) {
  if (call.kind != Kind::order) return !call.content.empty();
  const auto has_flags = [](const auto& figure) { return figure.first == "flags" && figure.second != 0; };
  return !call.words.empty() || std::ranges::any_of(call.figures, has_flags);
}

}  // namespace

void CapturedGraphs::forget() {
  *this = {};
}

void CapturedGraphs::begin_capture(std::uint64_t stream) {
  unclear_ = stream_.has_value();  // of two captures at once neither is known
  stream_ = stream;
  calls_.clear();
}

void CapturedGraphs::end_capture(std::uint64_t stream, std::uint64_t graph) {
  const bool known = stream_ == stream && !std::exchange(unclear_, false) && graph != 0;
  stream_.reset();
  graphs_.erase(graph);
  if (known) graphs_.emplace(graph, std::move(calls_));
  calls_.clear();
}

bool CapturedGraphs::instantiate(std::uint64_t graph, std::uint64_t executable, std::uint64_t flags) {
  executables_.erase(executable);
  const auto found = graphs_.find(graph);
  if (found != graphs_.end()) executables_.insert_or_assign(executable, Executable{found->second, flags});
  return found != graphs_.end();
}

bool CapturedGraphs::update(std::uint64_t graph, std::uint64_t executable) {
  const auto found = executables_.find(executable);
  return found != executables_.end() && instantiate(graph, executable, found->second.flags);
}

void CapturedGraphs::destroy(std::uint64_t handle) {
  graphs_.erase(handle);
  executables_.erase(handle);
}

CapturedGraphs::Place CapturedGraphs::take(const DriverCall& call) {
  if (!stream_ || (call.kind == Kind::order && !call.stream)) return Place::outside;
  if (call.stream != stream_ || acts_at_launch(call)) {
    unclear_ = true;
    return Place::unclear;
  }
  calls_.push_back(call);
  return Place::captured;
}

std::optional<std::vector<DriverCall>> CapturedGraphs::launched(std::uint64_t executable,
                                                                std::uint64_t stream) const {
  const auto found = executables_.find(executable);
  if (found == executables_.end()) return std::nullopt;
  Calls calls{{Kind::order, "cuGraphLaunch", stream}};
  calls.front().figures = {{"calls", std::ssize(found->second.calls)},
                           {"flags", static_cast<std::int64_t>(found->second.flags)}};
  for (DriverCall call : found->second.calls) {
    call.stream = stream;
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace harness
