// The baseline: which record of the history a run is held to.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/store/baselines.h"
#include "harness/store/git.h"
#include "harness/store/select_parts.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int ancestor_limit = 1000;

// Where the search for a baseline starts.
struct Start {
  std::string commit;
  std::string name;    // as the user named it
  std::string fork;    // the commit whose merge base with `name` the start is, or ""
  bool itself = true;  // whether a record of this very commit will do

  // "merge base of main and 89abcdef01", "main".
  [[nodiscard]] std::string text() const {
    return fork.empty() ? printable(name)
                        : fmt::format("merge base of {} and {}", printable(name), short_hash(fork));
  }
};

// The merge base; or the named revision itself when the current record's commit is not in this
// repository.
Result<Start> find_start(const std::string& name, const std::string& asked, const Revision& revision,
                         const fs::path& folder) {
  if (revision.commit.empty() || !resolve_revision(folder, revision.commit))
    return Start{asked, name, {}, true};
  const Result<std::string> base = merge_base(folder, asked, revision.commit);
  if (!base) return fail(base.error());
  return Start{*base, name, revision.commit, *base != revision.commit || revision.dirty};
}

struct Wanted {
  std::string suite;
  std::string machine_class;
  std::string device_uuid;
  std::string not_id;  // of the current record, which is never its own baseline
};

Wanted wanted_from(const Selected& current, const SelectOptions& options) {
  const Machine* machine = primary_machine(current.record);
  Wanted wanted{options.suite, options.machine_class, options.device_uuid, current.record.id};
  if (wanted.suite.empty()) wanted.suite = current.record.suite.name;
  if (machine == nullptr) return wanted;
  if (wanted.machine_class.empty()) wanted.machine_class = machine->machine_class;
  if (wanted.device_uuid.empty()) wanted.device_uuid = machine->device_uuid;
  return wanted;
}

// A record that the store has of an ancestor.
struct Measured {
  RunInfo run;
  int distance = 0;

  [[nodiscard]] bool regressed() const { return run.verdict == name_of(Verdict::regressed); }
  [[nodiscard]] bool failed() const { return run.failures > 0 || run.verdict == name_of(Verdict::failed); }
  // A record that was worse than its own baseline would hide that loss from later comparisons.
  [[nodiscard]] bool red() const { return regressed() || failed(); }
};

// A pinned file.
struct Pinned {
  Record record;
  std::string path;
  std::optional<int> distance;  // of the commit that it measured, when that is in the history
};

// The history behind the start of the search, and the candidates in it.
struct History {
  std::vector<Measured> measured;                  // the best of the nearest commit first
  std::unordered_map<std::string, int> distances;  // by commit
};

Result<History> history_of(Store& store, const Start& start, const Wanted& wanted, const fs::path& folder) {
  RunQuery query;
  query.suite = wanted.suite;
  if (!wanted.machine_class.empty()) query.machine_class = wanted.machine_class;
  query.state = RunState::complete;
  query.dirty = false;
  query.calibration = false;
  auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  whole_runs_first(*runs);
  std::map<std::string, std::vector<const RunInfo*>> by_commit;
  for (const RunInfo& run : *runs)
    if (run.id != wanted.not_id) by_commit[run.revision.commit].push_back(&run);
  const auto line = ancestors(folder, start.commit, ancestor_limit);
  if (!line) return fail(line.error());
  History history;
  for (const Ancestor& ancestor : *line) {
    history.distances.emplace(ancestor.commit, ancestor.distance);
    if (ancestor.distance == 0 && !start.itself) continue;
    for (const RunInfo* run : by_commit[ancestor.commit])
      history.measured.push_back({*run, ancestor.distance});
  }
  return history;
}

// The pinned file as it is at the start; nullopt when there is none.
Result<std::optional<Pinned>> find_pinned(const Start& start, const Wanted& wanted, const History& history,
                                          const fs::path& folder) {
  if (!check_baseline_name("machine class", wanted.machine_class) ||
      !check_baseline_name("suite", wanted.suite))
    return std::nullopt;
  const std::string path = baseline_path("baselines", wanted.machine_class, wanted.suite).string();
  const Result<std::string> text = file_at(folder, start.commit, "./" + path);
  if (!text && text.error().kind == ErrorKind::missing) return std::nullopt;
  if (!text) return fail(text.error());
  Pinned pinned;
  pinned.path = path;
  Result<Record> record = decode_record(*text, fmt::format("{} at {}", path, short_hash(start.commit)));
  if (!record) return fail(record.error());
  if (record->id == wanted.not_id) return std::nullopt;
  pinned.record = std::move(*record);
  const auto distance = history.distances.find(pinned.record.revision.commit);
  if (distance != history.distances.end()) pinned.distance = distance->second;
  return pinned;
}

// Counts the records that were left out because they regressed or failed.
class PassedOver {
 public:
  void add(const Measured& one) {
    ++count_;
    regressed_ |= one.regressed();
    failed_ |= !one.regressed();
  }
  void tell(Fact<SourceCode>& found) const {
    if (count_ == 0) return;
    found.figures.emplace_back("passed_over", count_);
    found.figures.emplace_back("regressed", regressed_);
    found.figures.emplace_back("failed", failed_);
  }
  // For the error where no other record is left.
  [[nodiscard]] std::string text() const {
    if (count_ == 0) return {};
    const char* what = regressed_ && failed_ ? "regressed or failed" : regressed_ ? "regressed" : "failed";
    if (count_ == 1) return fmt::format("; 1 record was passed over: it {}", what);
    return fmt::format("; {} records were passed over: they {}", count_, what);
  }

 private:
  int count_ = 0;
  bool regressed_ = false;
  bool failed_ = false;
};

// The candidates, in the order in which they are taken.
class Search {
 public:
  Search(const Start& start, const Wanted& wanted, const History& history)
      : start_(start), wanted_(wanted), history_(history) {}

  // The nearest record that did not fail or regress; nullptr when there is none.
  [[nodiscard]] const Measured* nearest(bool same_device) const {
    for (const Measured& one : history_.measured)
      if (!one.red() && (!same_device || is_same(one.run))) return &one;
    return nullptr;
  }

  [[nodiscard]] Result<Selected> stored(Store& store, const Measured& chosen, bool same_device) const {
    Result<Record> record = store.load(chosen.run.id);
    if (!record) return fail(record.error());
    PassedOver passed;
    for (const Measured* one = history_.measured.data(); one != &chosen; ++one)
      if (one->red() && (!same_device || is_same(one->run))) passed.add(*one);
    Fact<SourceCode> found = source(SourceCode::ancestor);
    passed.tell(found);
    return make_selected(std::move(*record), std::move(found), chosen.distance);
  }

  [[nodiscard]] Selected pinned(Pinned pin) const {
    const bool same_device = is_same_device(pin);
    PassedOver passed;
    for (const Measured& one : history_.measured)
      if (one.red() && (!same_device || is_same(one.run)) && one.run.id != pin.record.id &&
          (!pin.distance || one.distance < *pin.distance))
        passed.add(one);
    Fact<SourceCode> found = source(SourceCode::pinned);
    found.figures.emplace_back("path", pin.path);
    found.figures.emplace_back("commit", start_.commit);
    passed.tell(found);
    return make_selected(std::move(pin.record), std::move(found));
  }

  [[nodiscard]] bool is_same_device(const Pinned& pin) const {
    const Machine* machine = primary_machine(pin.record);
    return (machine == nullptr ? "" : machine->device_uuid) == wanted_.device_uuid;
  }

  [[nodiscard]] std::string all_passed_over() const {
    PassedOver passed;
    for (const Measured& one : history_.measured) passed.add(one);  // all of them are red
    return passed.text();
  }

 private:
  [[nodiscard]] bool is_same(const RunInfo& run) const { return run.device_uuid == wanted_.device_uuid; }

  [[nodiscard]] Fact<SourceCode> source(SourceCode code) const {
    Fact<SourceCode> found{code, {{"name", start_.name}}};
    if (!start_.fork.empty()) found.figures.emplace_back("fork", start_.fork);
    return found;
  }

  const Start& start_;
  const Wanted& wanted_;
  const History& history_;
};

// A record of the same device comes before a nearer one of another device, because those two could hardly be
// compared. A pin of the same device counts as of the commit that it measured.
Result<std::optional<Selected>> choose(Store& store, const Search& search,
                                       Result<std::optional<Pinned>> pinned) {
  const Measured* same = search.nearest(true);
  if (!pinned && same != nullptr) {  // a broken file from the past blocks nobody who can do without it
    Result<Selected> found = search.stored(store, *same, true);
    if (found) found->source.found.figures.emplace_back("pin_error", pinned.error().message);
    return found;
  }
  if (!pinned) return fail(pinned.error());
  std::optional<Pinned>& pin = *pinned;
  const bool pin_of_same = pin && search.is_same_device(*pin);
  if (same != nullptr) {
    const bool pin_is_nearer = pin_of_same && pin->distance && *pin->distance < same->distance;
    if (!pin_is_nearer) return search.stored(store, *same, true);
  }
  if (pin_of_same) return search.pinned(std::move(*pin));
  if (const Measured* other = search.nearest(false)) return search.stored(store, *other, false);
  if (pin) return search.pinned(std::move(*pin));
  return std::nullopt;
}

// Where nothing was found, and what to measure instead.
Error no_baseline(const Start& start, const Wanted& wanted, const std::string& name, const Selected& current,
                  const std::string& passed_over, const fs::path& folder) {
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
      fmt::format("no record of suite `{}` on {} {}, and none pinned there{}", printable(wanted.suite),
                  wanted.machine_class.empty() ? "this machine" : printable(wanted.machine_class), place,
                  passed_over),
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
  const Result<History> history = history_of(store, *start, wanted, folder);
  if (!history) return fail(history.error());
  const Search search(*start, wanted, *history);
  Result<std::optional<Selected>> found =
      choose(store, search, find_pinned(*start, wanted, *history, folder));
  if (!found) return fail(found.error());
  if (!*found) return fail(no_baseline(*start, wanted, name, current, search.all_passed_over(), folder));
  return std::move(**found);
}

Result<Selected> find_baseline(Store& store, const std::string& name, const Selected& current,
                               const SelectOptions& options) {
  if (auto named = select_certain(store, name, SideKind::baseline, options)) return std::move(*named);
  const Result<std::string> asked = resolve_revision(folder_of(options), name);
  if (asked) return search_history(store, name, *asked, current, options);
  if (auto named = select_other(store, name, SideKind::baseline, options)) return std::move(*named);
  return fail(asked.error());
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

}  // namespace harness
