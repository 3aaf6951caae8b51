#include "harness/store/baseline/candidate_cases.h"

#include <algorithm>

#include "harness/store/baseline/completeness.h"

namespace harness {
namespace {

// This many candidates are read with all of their cases. After that few cases are still open, and they are
// read case by case.
constexpr std::size_t most_whole_reads = 4;

// This many of the newest runs with a digest are read. Some may be of other branches.
constexpr int most_alike = 32;

// A pinned case was reviewed: it is complete and was accepted.
StoredCase state_of(const CaseRecord& one, const std::string& run) {
  StoredCase state{run, one.id, one.device};
  state.measured = count_measured(one);
  state.needed = std::max(state.measured, 1);
  state.failures = one.outcome == Outcome::measured || one.outcome == Outcome::skipped ? 0 : 1;
  if (AgreedDigest found = agreed_digest(one); !found.unread) state.digest = std::move(found.digest);
  state.verdict = name_of(Verdict::unchanged);
  return state;
}

}  // namespace

const Record& CandidateCases::header(std::size_t candidate) {
  const Candidate& one = candidates_[candidate];
  if (one.pin != nullptr) return *one.pin;
  std::optional<Record>& header = known_[candidate].header;
  if (!header) header = taken(store_.load_cases(one.run.id, {}));
  return *header;
}

void CandidateCases::read_states(std::size_t candidate) {
  const Candidate& one = candidates_[candidate];
  Known& known = known_[candidate];
  if (known.read) return;
  known.read = true;
  std::vector<StoredCase> states;
  if (one.pin != nullptr)
    for (const CaseRecord& pinned : one.pin->cases) states.push_back(state_of(pinned, one.run.id));
  else
    states = taken(store_.cases_of(one.run.id));
  for (StoredCase& state : states) {
    known.order.push_back(state.id);
    known.states.insert_or_assign(state.id, std::move(state));
  }
}

const std::vector<std::string>& CandidateCases::planned(std::size_t candidate) {
  read_states(candidate);
  return known_[candidate].order;
}

const std::unordered_map<std::string, std::size_t>& CandidateCases::places() {
  if (places_.empty())
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].pin == nullptr) places_.emplace(candidates_[i].run.id, i);
  return places_;
}

void CandidateCases::read_column(const std::string& id) {
  if (!columns_.insert(id).second) return;
  for (StoredCase& state : taken(store_.runs_of_case(id)))
    if (const auto place = places().find(state.run); place != places().end())
      known_[place->second].states.emplace(id, std::move(state));
}

const StoredCase* CandidateCases::find(std::size_t candidate, const std::string& id) {
  const bool pinned = candidates_[candidate].pin != nullptr;
  if (!known_[candidate].read && !pinned && whole_reads_ >= most_whole_reads)
    read_column(id);
  else if (!known_[candidate].read) {
    read_states(candidate);
    whole_reads_ += pinned ? 0 : 1;
  }
  const auto& states = known_[candidate].states;
  const auto found = states.find(id);
  return found == states.end() ? nullptr : &found->second;
}

std::map<std::string, std::vector<std::size_t>> CandidateCases::alike(std::span<const CaseDigest> wanted) {
  std::map<std::string, std::vector<std::size_t>> found;
  const auto add = [&](const std::vector<StoredCase>& rows) {
    for (const StoredCase& row : rows) {
      const auto place = places().find(row.run);
      if (place == places().end() || !row.complete()) continue;
      known_[place->second].states.insert_or_assign(row.id, row);
      found[row.id].push_back(place->second);
    }
  };
  const std::vector<StoredCase> rows = taken(store_.cases_alike(wanted, most_alike));
  add(rows);
  // If other branches filled the limit, reads without it.
  std::map<std::string, int> counts;
  for (const StoredCase& row : rows) ++counts[row.id];
  std::vector<CaseDigest> crowded;
  for (const CaseDigest& one : wanted)
    if (!found.contains(one.id) && counts[one.id] >= most_alike) crowded.push_back(one);
  if (!crowded.empty())
    add(taken(store_.cases_alike(crowded, static_cast<int>(candidates_.size()) + 100'000)));
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].pin == nullptr) continue;
    for (const CaseDigest& one : wanted) {
      const StoredCase* state = find(i, one.id);
      if (state != nullptr && state->digest == one.digest && state->complete()) found[one.id].push_back(i);
    }
  }
  for (auto& [id, places] : found) std::sort(places.begin(), places.end());
  return found;
}

const CaseRecord* CandidateCases::record(const CaseAt& one) const {
  const auto known = known_.find(one.candidate);
  if (known == known_.end()) return nullptr;
  const auto found = known->second.records.find(one.id);
  return found == known->second.records.end() ? nullptr : &found->second;
}

void CandidateCases::load(std::span<const CaseAt> cases) {
  std::map<std::size_t, std::set<std::string>> missing;
  for (const CaseAt& one : cases)
    if (record(one) == nullptr) missing[one.candidate].insert(one.id);
  for (const auto& entry : missing) {
    const Candidate& from = candidates_[entry.first];
    const std::set<std::string>& ids = entry.second;
    std::vector<CaseRecord> read;
    if (from.pin != nullptr)
      std::copy_if(from.pin->cases.begin(), from.pin->cases.end(), std::back_inserter(read),
                   [&](const CaseRecord& one) { return ids.contains(one.id); });
    else
      read = taken(store_.load_cases(from.run.id, ids)).cases;
    for (CaseRecord& one : read) known_[entry.first].records.insert_or_assign(one.id, std::move(one));
  }
}

}  // namespace harness
