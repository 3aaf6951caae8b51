// The baseline: which cases of which records a run is held to.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/store/baseline/candidates.h"
#include "harness/store/baseline/eligible.h"
#include "harness/store/baseline/pool.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/store/select_parts.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// The candidates of one device.
Candidates of_device(const Candidates& all, const std::string& uuid) {
  Candidates same{{}, 0, all.pinned, all.pin_error};
  for (std::size_t i = 0; i < all.all.size(); ++i) {
    if (all.all[i].run.device_uuid != uuid) continue;
    same.all.push_back(all.all[i]);
    same.ancestors += i < all.ancestors ? 1 : 0;
  }
  return same;
}

// The devices of the candidates but for `but`: those of stored records first, the nearest first.
std::vector<std::string> other_devices(const Candidates& all, const std::string& but) {
  std::vector<std::string> found;
  for (const bool pinned : {false, true})
    for (const Candidate& one : all.all)
      if ((one.pin != nullptr) == pinned && one.run.device_uuid != but &&
          std::find(found.begin(), found.end(), one.run.device_uuid) == found.end())
        found.push_back(one.run.device_uuid);
  return found;
}

// One search for a baseline.
class Search {
 public:
  Search(Store& store, const Start& start, const Wanted& wanted, const SelectOptions& options)
      : store_(store), start_(start), wanted_(wanted), options_(options) {}

  // A record of the same device comes before a nearer one of another device, because those two could hardly
  // be compared. nullopt when nothing in the history can judge.
  Result<std::optional<Selected>> choose(const Candidates& all, const Record& current) {
    auto found = on_device(of_device(all, wanted_.device_uuid), &current);
    if (!found || *found) return found;
    // A broken file from the past blocks nobody who can do without it.
    if (all.pin_error) return fail(*all.pin_error);
    for (const std::string& uuid : other_devices(all, wanted_.device_uuid)) {
      found = on_device(of_device(all, uuid), nullptr);
      if (!found || *found) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] const PassedOver& passed_over() const { return passed_over_; }

 private:
  // On the bench of `current` if somebody measured there, else on that of the nearest candidate, which will
  // not be comparable.
  Result<std::optional<Selected>> on_device(const Candidates& candidates, const Record* current) {
    if (candidates.all.empty()) return std::nullopt;
    CandidateCases cases(store_, candidates.all);
    std::vector<Bench> benches;
    if (current != nullptr && !current->machines.empty())
      benches.push_back({current->machines, current->estimator});
    const Record& nearest = cases.header(0);
    benches.push_back({nearest.machines, nearest.estimator});
    for (const Bench& bench : benches) {
      EligibleCases eligible(cases, candidates, bench, options_.passes);
      const auto pooled = pool_cases(cases, eligible, eligible.find());
      if (!cases.status()) return fail(cases.status().error());
      if (pooled) return selected(*pooled, candidates, eligible.passed_over());
      note(eligible.passed_over());
    }
    return std::nullopt;
  }

  [[nodiscard]] Selected selected(const PooledBaseline& pooled, const Candidates& candidates,
                                  const PassedOver& passed_over) const {
    const Candidate& nearest = candidates.all[pooled.nearest];
    const bool pinned = nearest.pin != nullptr;
    Fact<SourceCode> found{pinned ? SourceCode::pinned : SourceCode::ancestor, {{"name", start_.name}}};
    if (!start_.fork.empty()) found.figures.emplace_back("fork", start_.fork);
    if (pinned) {
      found.figures.emplace_back("path", candidates.pinned->path);
      found.figures.emplace_back("commit", start_.commit);
    }
    passed_over.tell(found);
    if (pooled.records.size() > 1) {
      found.figures.emplace_back("pooled", pooled.records.size());
      found.figures.emplace_back("least", pooled.least);
      found.figures.emplace_back("most", pooled.most);
    }
    if (candidates.pin_error) found.figures.emplace_back("pin_error", candidates.pin_error->message);
    Selected side = make_selected(pooled.record, std::move(found), pinned ? 0 : nearest.distance);
    if (pooled.records.size() > 1) side.source.records = pooled.records;
    return side;
  }

  void note(const PassedOver& more) {
    passed_over_.records.insert(more.records.begin(), more.records.end());
    passed_over_.regressed |= more.regressed;
    passed_over_.failed |= more.failed;
    passed_over_.undecided |= more.undecided;
    passed_over_.incomplete |= more.incomplete;
  }

  Store& store_;
  const Start& start_;
  const Wanted& wanted_;
  const SelectOptions& options_;
  PassedOver passed_over_;
};

// Where nothing was found, and what to measure instead.
Error no_baseline(const Start& start, const Wanted& wanted, const std::string& name, const Selected& current,
                  const std::string& passed_over, const fs::path& folder, const std::string& store) {
  const std::string& suite_file = current.record.suite.file;
  const std::string suite = suite_file.empty() ? "SUITE" : shell_quoted(suite_file);
  const std::string hash = short_hash(start.commit);
  std::string place = fmt::format("at {} ({}) or before it", hash, start.text());
  std::string wanted_commit = hash;
  if (!start.itself) {
    const bool head = resolve_revision(folder, "HEAD").value_or("") == start.commit;
    const std::string who = head ? "HEAD" : "it";
    place = means_working_tree(name)
                ? fmt::format("before {} (HEAD itself)", hash)
                : fmt::format("before {} ({} is on `{}` itself)", hash, who, printable(name));
    wanted_commit += "~1";
    if (!resolve_revision(folder, wanted_commit)) wanted_commit.clear();
  }
  Error error{
      ErrorKind::missing,
      fmt::format("no record of suite `{}` on {} {} in {}, and none pinned there{}", printable(wanted.suite),
                  wanted.machine_class.empty() ? "this machine" : printable(wanted.machine_class), place,
                  store, passed_over),
      {},
      {}};
  if (!wanted_commit.empty())
    error.advice =
        fmt::format("measure it: check out {}, rebuild, and run `harness run {}`; or ", wanted_commit, suite);
  error.advice += "pin one: `harness baseline promote`";
  if (is_shallow(folder))
    error.advice += "; this clone is shallow, older records may fit once `git fetch --unshallow` has run";
  return error;
}

Result<Selected> search_history(Store& store, const std::string& name, const std::string& asked,
                                const Selected& current, const SelectOptions& options) {
  const fs::path folder = folder_of(options);
  const Result<Start> start = find_start(name, asked, current.record.revision, folder);
  if (!start) return fail(start.error());
  const Wanted wanted = wanted_from(current, options);
  const Result<Candidates> candidates = candidates_of(store, *start, wanted, folder);
  if (!candidates) return fail(candidates.error());
  Search search(store, *start, wanted, options);
  Result<std::optional<Selected>> found = search.choose(*candidates, current.record);
  if (!found) return fail(found.error());
  if (!*found)
    return fail(
        no_baseline(*start, wanted, name, current, search.passed_over().text(), folder, store.place()));
  return std::move(**found);
}

Result<Selected> find_baseline(Store& store, const std::string& name, const Selected& current,
                               const SelectOptions& options) {
  SelectOptions of_suite = options;
  const Machine* machine = primary_machine(current.record);
  if (of_suite.suite.empty()) of_suite.suite = current.record.suite.name;
  if (of_suite.machine_class.empty() && machine != nullptr) of_suite.machine_class = machine->machine_class;
  if (auto named = select_saved(store, name, SideKind::baseline, of_suite)) return std::move(*named);
  if (auto named = select_certain(store, name, SideKind::baseline, options)) return std::move(*named);
  const Result<std::string> asked = resolve_revision(folder_of(options), name);
  if (asked) return search_history(store, name, *asked, current, options);
  if (auto named = select_other(store, name, SideKind::baseline, options)) return std::move(*named);
  return fail(no_side(name, asked.error()));
}

}  // namespace

Result<Selected> select_baseline(Store& store, const std::string& name, const Selected& current,
                                 const SelectOptions& options) {
  Result<Selected> found = find_baseline(store, name, current, options);
  if (found && !found->record.id.empty() && found->record.id == current.record.id)
    return fail(ErrorKind::usage,
                fmt::format("baseline and current are one record, {}: this compares the record with itself",
                            printable(found->record.id)),
                "name another baseline");
  return found;
}

bool is_first_here(Store& store, const std::string& name, const Selected& current,
                   const SelectOptions& options) {
  if (select_certain(store, name, SideKind::baseline, options)) return false;
  const fs::path folder = folder_of(options);
  const Result<std::string> asked = resolve_revision(folder, name);
  if (!asked || is_shallow(folder)) return false;
  const Result<Start> start = find_start(name, *asked, current.record.revision, folder);
  if (!start || start->itself) return false;
  const Wanted wanted = wanted_from(current, options);
  const Result<Candidates> candidates = candidates_of(store, *start, wanted, folder);
  return candidates && of_device(*candidates, wanted.device_uuid).all.empty();
}

}  // namespace harness
