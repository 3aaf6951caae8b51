#include "harness/store/layered_store.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/store/history.h"

namespace harness {
namespace {

class LayeredStore final : public Store {
 public:
  LayeredStore(std::unique_ptr<Store> own, std::unique_ptr<Store> shared)
      : own_(std::move(own)), shared_(std::move(shared)) {}

  [[nodiscard]] std::string place() const override { return own_->place(); }

  Status begin(const Record& header) override { return own_->begin(header); }
  Status add_case(const std::string& id, const CaseRecord& planned) override {
    return change(id, [&] { return own_->add_case(id, planned); });
  }
  Status update_header(const Record& header) override {
    return change(header.id, [&] { return own_->update_header(header); });
  }
  Status put(const std::string& id, const EncodedResult& result) override {
    return change(id, [&] { return own_->put(id, result); });
  }
  Status finish(const std::string& id, RunState state) override {
    return change(id, [&] { return own_->finish(id, state); });
  }
  Status set_verdicts(const std::string& id, const std::string& verdict, std::span<const CaseVerdict> cases,
                      JudgedBy by) override {
    return change(id, [&] { return own_->set_verdicts(id, verdict, cases, by); });
  }
  Result<bool> may_judge() override { return own_->may_judge(); }
  Status set_verdict(const std::string& id, const std::string& verdict) override {
    return change(id, [&] { return own_->set_verdict(id, verdict); });
  }
  Status set_name(const std::string& id, const std::string& name) override {
    return change(id, [&] { return own_->set_name(id, name); });
  }
  Status remove(std::span<const std::string> ids) override {
    for (const std::string& id : ids)
      if (const Status ours = change(id, [] { return Status(); }); !ours) return ours;
    return own_->remove(ids);
  }
  Status put_records(std::span<const Record> records) override { return own_->put_records(records); }

  Result<Record> load(const std::string& id) override {
    return in_its_store(id, [&](Store& store) { return store.load(id); });
  }
  Result<Record> load_cases(const std::string& id, const std::set<std::string>& cases) override {
    return in_its_store(id, [&](Store& store) { return store.load_cases(id, cases); });
  }
  Result<std::vector<StoredCase>> cases_of(const std::string& run) override {
    return in_its_store(run, [&](Store& store) { return store.cases_of(run); });
  }
  Result<CaseRecord> planned_case(const std::string& id, const std::string& case_id) override {
    return in_its_store(id, [&](Store& store) { return store.planned_case(id, case_id); });
  }

  Result<std::vector<StoredCase>> runs_of_case(const std::string& case_id) override {
    return of_both<StoredCase>([&](Store& store) { return store.runs_of_case(case_id); });
  }
  Result<std::vector<StoredCase>> cases_alike(std::span<const CaseDigest> wanted, int limit) override {
    return of_both<StoredCase>([&](Store& store) { return store.cases_alike(wanted, limit); });
  }
  Result<std::vector<RunInfo>> list(const RunQuery& query) override {
    return of_both<RunInfo>([&](Store& store) { return store.list(query); });
  }

  Result<StoredHistory> history(const RunQuery& query) override {
    Result<StoredHistory> history = own_->history(query);
    if (!history) return history;
    Result<StoredHistory> older = shared_->history(query);
    if (!older) return older;
    for (const StoredRun& run : older->runs) read_.insert(run.info.id);
    const std::size_t newer = history->runs.size();
    for (StoredSeries& one : older->series) one.run += newer;
    append(history->runs, std::move(older->runs));
    append(history->series, std::move(older->series));
    return history;
  }

  Result<std::vector<std::vector<CaseValues>>> values_of(std::span<const std::string> runs,
                                                         const std::string& device) override {
    auto values = own_->values_of(runs, device);
    if (!values) return values;
    auto theirs = shared_->values_of(runs, device);
    if (!theirs) return theirs;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if ((*values)[i].empty()) {
        (*values)[i] = std::move((*theirs)[i]);
        read_.insert(runs[i]);
      }
    return values;
  }

  Result<std::vector<RecordName>> names() override {
    Result<std::vector<RecordName>> names = own_->names();
    if (!names) return names;
    Result<std::vector<RecordName>> older = shared_->names();
    if (!older) return older;
    const auto key = [](const RecordName& one) { return std::tie(one.name, one.suite, one.machine_class); };
    std::set<std::tuple<std::string, std::string, std::string>> taken;
    for (const RecordName& one : *names) taken.insert(key(one));
    for (RecordName& one : *older)
      if (!taken.contains(key(one))) names->push_back(std::move(one));
    return names;
  }

  Status keep_what_was_read() {
    RunQuery complete;
    complete.state = RunState::complete;
    complete.count_results = false;
    const Result<std::vector<RunInfo>> runs = shared_->list(complete);
    if (!runs) return fail(runs.error());
    for (auto run = runs->rbegin(); run != runs->rend(); ++run) {  // the order in which they were begun
      if (!read_.contains(run->id)) continue;
      const Result<bool> kept = has(*own_, run->id);
      if (!kept) return fail(kept.error());
      if (*kept) continue;
      if (const Status copied = copy(*run); !copied) return copied;
    }
    return {};
  }

 private:
  Status copy(const RunInfo& run) {
    const Result<Record> record = shared_->load(run.id);
    if (!record) return fail(record.error());
    if (const Status put = own_->put_record(*record); !put) return put;
    const Result<std::vector<StoredCase>> cases = shared_->cases_of(run.id);
    if (!cases) return fail(cases.error());
    std::vector<CaseVerdict> verdicts;
    for (const StoredCase& one : *cases)
      if (const auto verdict = parse_name<Verdict>(one.verdict))
        verdicts.push_back({one.id, *verdict, one.waived});
    if (run.verdict.empty()) return {};
    return own_->set_verdicts(run.id, run.verdict, verdicts, JudgedBy::own_history);
  }

  template <typename T>
  static void append(std::vector<T>& to, std::vector<T>&& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  template <typename T, typename Read>
  Result<std::vector<T>> of_both(Read read) {
    Result<std::vector<T>> found = read(*own_);
    if (!found) return found;
    Result<std::vector<T>> older = read(*shared_);
    if (!older) return older;
    append(*found, std::move(*older));
    return found;
  }

  // Whether a store has the record with exactly this id.
  static Result<bool> has(Store& store, const std::string& id) {
    RunQuery query;
    query.id_prefix = id;
    query.count_results = false;
    const Result<std::vector<RunInfo>> runs = store.list(query);
    if (!runs) return fail(runs.error());
    for (const RunInfo& run : *runs)
      if (run.id == id) return true;
    return false;
  }

  template <typename Read>
  std::invoke_result_t<Read, Store&> in_its_store(const std::string& id, Read read) {
    const Result<bool> ours = has(*own_, id);
    if (!ours) return fail(ours.error());
    if (!*ours) read_.insert(id);
    return read(*ours ? *own_ : *shared_);
  }

  template <typename Write>
  Status change(const std::string& id, Write write) {
    if (began_ == id) return write();
    const Result<bool> theirs = has(*shared_, id);
    if (!theirs) return fail(theirs.error());
    if (*theirs)
      return fail(ErrorKind::usage,
                  fmt::format("record {} is in {}, which is only read", id, shared_->place()),
                  "leave out --keep-in, or name a record that was made with it");
    began_ = id;
    return write();
  }

  std::unique_ptr<Store> own_;
  std::unique_ptr<Store> shared_;
  std::string began_;           // the record that is known not to be in `shared_`
  std::set<std::string> read_;  // records of `shared_`
};

}  // namespace

std::unique_ptr<Store> layered(std::unique_ptr<Store> own, std::unique_ptr<Store> shared) {
  return std::make_unique<LayeredStore>(std::move(own), std::move(shared));
}

Result<std::unique_ptr<Store>> open_layered(const std::string& own_url, const std::string& shared_url) {
  Result<std::unique_ptr<Store>> own = Store::open(own_url);
  if (!own) return own;
  Result<std::unique_ptr<Store>> shared = Store::open_read_only(shared_url);
  if (!shared && shared.error().kind == ErrorKind::missing)
    shared = Store::empty(without_password(shared_url));
  if (!shared) return shared;
  return layered(std::move(*own), std::move(*shared));
}

Status keep_what_was_read(Store& store) {
  auto* both = dynamic_cast<LayeredStore*>(&store);
  return both == nullptr ? Status() : both->keep_what_was_read();
}

}  // namespace harness
