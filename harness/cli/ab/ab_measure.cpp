#include "harness/cli/ab/ab_measure.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>
#include <string_view>

#include "harness/base/text.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/progress_line.h"
#include "harness/measure/schedule/run.h"
#include "harness/store/git.h"
#include "harness/verdict/check/settled.h"

namespace harness {
namespace {

// The order of the turns follows from the pairing's id, which both records keep: the same for ever.
std::uint64_t order_seed(const std::string& uuid) {
  std::uint64_t seed = 0;
  for (const char digit : uuid.substr(0, 8)) {
    int value = 0;
    std::from_chars(&digit, &digit + 1, value, 16);
    seed = seed * 16 + static_cast<std::uint64_t>(value);
  }
  return seed;
}

Record new_record(const AbSide& side, const Pairing& pairing, bool partial) {
  Record record;
  record.id = random_uuid();
  record.tool = "harness " HARNESS_VERSION;
  record.suite = side.prepared.plan.suite;
  record.revision.commit = side.commit;
  record.started = utc_timestamp();
  record.partial = partial;
  record.pairing = pairing;
  for (const PlannedCase& planned : side.prepared.plan.cases) record.cases.push_back(planned_record(planned));
  return record;
}

class AbRun {
 public:
  AbRun(Store& store, const AbSide& baseline, const AbSide& current, const AbMeasuring& how)
      : store_(store), sides_{&baseline, &current}, how_(how), line_(how.quiet) {
    const Pairing pairing{random_uuid(), how.pair ? Pairing::Kind::process : Pairing::Kind::session};
    seed_ = order_seed(pairing.id);
    records_ = {new_record(baseline, pairing, how.partial), new_record(current, pairing, how.partial), false};
    if (!how.pair) return;
    common_ = common_plan(baseline.prepared.plan, current.prepared.plan);
    leave_out_the_rest(records_.baseline, baseline.prepared.plan);
    leave_out_the_rest(records_.current, current.prepared.plan);
  }

  Result<AbRecords> run() {
    for (const Record* record : {&records_.baseline, &records_.current})
      if (const Status begun = store_.begin(*record); !begun) return fail(begun.error());
    if (how_.on_begin) how_.on_begin(records_);
    const Result<RunReport> report = how_.pair ? share_processes() : take_turns();
    line_.clear();
    const bool whole = report && !report->interrupted;
    for (Record* record : {&records_.baseline, &records_.current})
      if (const Status closed = close(*record, whole); !closed) return fail(closed.error());
    if (!report) return fail(report.error());
    records_.interrupted = report->interrupted;
    return std::move(records_);
  }

 private:
  // A case that only one build has is not measured, and its record says so.
  void leave_out_the_rest(Record& record, const Plan& plan) const {
    std::set<std::string_view> left_out;
    for (const PlannedCase& planned : plan.cases)
      if (!planned.skip) left_out.insert(planned.id);
    for (const PlannedCase& common : common_.cases) left_out.erase(common.id);
    for (CaseRecord& one : record.cases)
      if (left_out.contains(one.id)) one.reason = Cause{CauseCode::only_one_build};
  }

  // This program measures, with the modules of both builds in it.
  Result<RunReport> share_processes() {
    RunOptions options = options_of(1);
    options.worker_command.clear();
    options.pair = how_.pair;
    options.on_baseline = [this](const EncodedResult& result) {
      return store_.put(records_.baseline.id, result);
    };
    options.on_machine = [this](const std::string& kind, const Machine& machine) {
      for (const std::size_t side : {0, 1}) know(side, kind, machine);
    };
    options.on_progress = [this](const Progress& now) { line_.show(now); };
    options.order_seed = seed_;
    return run_plan(common_, options);
  }

  Result<RunReport> take_turns() {
    const RunOptions baseline = options_of(0), current = options_of(1);
    return run_in_turns({sides_[0]->prepared.plan, baseline}, {sides_[1]->prepared.plan, current}, seed_);
  }

  // Each build's own program measures it, standing in its worktree.
  RunOptions options_of(std::size_t side) {
    RunOptions options;
    options.devices = sides_[side]->prepared.devices;
    options.worker_command = {sides_[side]->program.string(), "worker"};
    options.worker_folder = sides_[side]->folder;
    options.on_result = [this, side](const EncodedResult& result) {
      return store_.put(record(side).id, result);
    };
    options.on_machine = [this, side](const std::string& kind, const Machine& machine) {
      know(side, kind, machine);
    };
    options.on_progress = [this, side](const Progress& now) { show(side, now); };
    return options;
  }

  void know(std::size_t side, const std::string& kind, const Machine& machine) {
    Machine& known = record(side).machines[kind] = machine;
    if (const auto facts = how_.facts.find(kind); facts != how_.facts.end())
      known.fields.insert(known.fields.end(), facts->second.begin(), facts->second.end());
    if (const Status kept = store_.update_header(record(side)); !kept) report_error(kept.error());
  }

  Record& record(std::size_t side) { return side == 0 ? records_.baseline : records_.current; }

  void show(std::size_t side, const Progress& now) {
    progress_[side] = now;
    Progress both = now;
    both.done = progress_[0].done + progress_[1].done;
    both.total = 0;
    for (const AbSide* one : sides_)
      for (const PlannedCase& planned : one->prepared.plan.cases)
        both.total += !planned.skip ? static_cast<std::size_t>(planned.sampling.processes) : 0;
    both.left = both.done == 0 ? 0
                               : both.elapsed / static_cast<double>(both.done) *
                                     static_cast<double>(both.total - both.done);
    line_.show(both);
  }

  // Ends a record and reads it back as it is kept.
  Status close(Record& record, bool whole) {
    if (whole) {
      record.finished = utc_timestamp();
      if (const Status kept = store_.update_header(record); !kept) return kept;
    }
    const Status finished = store_.finish(record.id, whole ? RunState::complete : RunState::interrupted);
    if (!finished) return finished;
    Result<Record> stored = store_.load(record.id);
    if (!stored) return fail(stored.error());
    record = std::move(*stored);
    return {};
  }

  Store& store_;
  std::array<const AbSide*, 2> sides_;
  const AbMeasuring& how_;
  ProgressLine line_;
  AbRecords records_;
  std::uint64_t seed_ = 0;
  Plan common_;  // where both share processes
  std::array<Progress, 2> progress_;
};

}  // namespace

Result<AbRecords> measure_both(Store& store, const AbSide& baseline, const AbSide& current,
                               const AbMeasuring& how) {
  return AbRun(store, baseline, current, how).run();
}

}  // namespace harness
