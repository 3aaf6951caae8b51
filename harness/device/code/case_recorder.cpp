#include "harness/device/code/case_recorder.h"

#include <algorithm>
#include <utility>

#include "harness/device/code/call_identity.h"

namespace harness {
namespace {

using Kind = DriverCall::Kind;

// Whether a call writes memory that outlives its case: neither the harness' nor the case's own.
bool outlives(const DriverCall& call, const CallHistory& history, const std::vector<AddressRange>& buffers) {
  if ((call.kind != Kind::copy && call.kind != Kind::fill) || call.words.empty()) return false;
  const Word& to = call.words.front();
  if (history.own.contains(to.id)) return false;
  return std::none_of(buffers.begin(), buffers.end(),
                      [&](const AddressRange& one) { return one.contains(to.value); });
}

}  // namespace

void CaseRecorder::begin_case() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, side] : sides_) {
    const CallHistory& history = side.history;
    const std::set<std::uint64_t> modules = launched_modules(history);
    for (const std::vector<DriverCall>* calls : calls_of(history))
      for (const DriverCall& call : *calls)
        if (outlives(call, history, side.buffers)) {
          left_behind_[name].push_back({call, modules});
          left_behind_[name].back().call.host = 0;  // a later case may have a tensor there
        }
  }
  sides_.clear();
  graphs_.forget();
  side_.clear();
  part_ = Part::none;
}

void CaseRecorder::turn(std::string_view side) {
  const std::lock_guard lock(mutex_);
  side_ = side;
}

Scope CaseRecorder::record(Part part) {
  const Part outer = part_.exchange(part);
  return Scope([this, outer] { part_ = outer; });
}

void CaseRecorder::add(DriverCall call) {
  const std::lock_guard lock(mutex_);
  if (!recording()) return;
  switch (graphs_.take(call)) {
    case CapturedGraphs::Place::captured: return;
    case CapturedGraphs::Place::unclear: return not_followed(call.name);
    case CapturedGraphs::Place::outside: return keep(std::move(call));
  }
}

void CaseRecorder::keep(DriverCall call) {
  CallHistory& history = current().history;
  switch (part_.load()) {
    case Part::none: return;
    case Part::before: history.before.push_back(std::move(call)); return;
    case Part::one: history.one.push_back(std::move(call)); return;
    case Part::next: history.next.push_back(std::move(call)); return;
  }
}

void CaseRecorder::not_followed(std::string_view name) {
  current().history.gaps.push_back({CauseCode::call_not_followed, {{"call", std::string(name)}}});
}

void CaseRecorder::begin_capture(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  graphs_.begin_capture(stream);
}

void CaseRecorder::end_capture(std::uint64_t stream, std::uint64_t graph) {
  const std::lock_guard lock(mutex_);
  graphs_.end_capture(stream, graph);
}

void CaseRecorder::instantiate(std::string_view name, std::uint64_t graph, std::uint64_t executable,
                               std::uint64_t flags) {
  const std::lock_guard lock(mutex_);
  if (!graphs_.instantiate(graph, executable, flags)) not_followed(name);
}

void CaseRecorder::update(std::string_view name, std::uint64_t graph, std::uint64_t executable) {
  const std::lock_guard lock(mutex_);
  if (!graphs_.update(graph, executable)) not_followed(name);
}

void CaseRecorder::launch(std::string_view name, std::uint64_t executable, std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  std::optional<std::vector<DriverCall>> calls = graphs_.launched(executable, stream);
  if (!calls) return not_followed(name);
  for (DriverCall& call : *calls) {
    // A graph that is launched into a capture becomes a part of it.
    const CapturedGraphs::Place place = graphs_.take(call);
    if (place == CapturedGraphs::Place::unclear) return not_followed(name);
    if (place == CapturedGraphs::Place::outside) keep(std::move(call));
  }
}

void CaseRecorder::destroy_graph(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  graphs_.destroy(handle);
}

void CaseRecorder::forget_graphs() {
  const std::lock_guard lock(mutex_);
  graphs_.forget();
}

void CaseRecorder::add_own(std::uint64_t allocation) {
  const std::lock_guard lock(mutex_);
  if (recording()) current().history.own.insert(allocation);
}

void CaseRecorder::add_gap(Cause gap) {
  const std::lock_guard lock(mutex_);
  if (recording()) current().history.gaps.push_back(std::move(gap));
}

CallHistory CaseRecorder::history() const {
  const std::lock_guard lock(mutex_);
  CallHistory history;
  if (const auto found = sides_.find(side_); found != sides_.end()) history = found->second.history;
  if (const auto found = left_behind_.find(side_); found != left_behind_.end())
    history.earlier = found->second;
  return history;
}

void CaseRecorder::tell_buffers(std::vector<AddressRange> buffers) {
  const std::lock_guard lock(mutex_);
  current().buffers = std::move(buffers);
}

}  // namespace harness
