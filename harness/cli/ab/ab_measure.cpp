#include "harness/cli/ab/ab_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/text.h"
#include "harness/cli/ab/measure_places.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/deciding/look_first.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/output/progress_line.h"
#include "harness/cli/output/rescue.h"
#include "harness/cli/programs/record_keeper.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/measure/schedule/run.h"
#include "harness/report/words/kernel_words.h"
#include "harness/store/git.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/diagnose.h"
#include "harness/verdict/check/settled.h"

namespace harness {

std::uint64_t order_seed(const std::string& uuid) {
  std::uint64_t seed = 0;
  for (const char digit : uuid.substr(0, 8)) {
    int value = 0;
    std::from_chars(&digit, &digit + 1, value, 16);
    seed = seed * 16 + static_cast<std::uint64_t>(value);
  }
  return seed;
}

Record record_of_side(const AbSide& side, const Pairing& pairing, bool partial) {
  Record record;
  record.id = random_uuid();
  record.tool = "harness " HARNESS_VERSION;
  record.suite = side.prepared.plan.suite;
  record.revision = side.here.value_or(Revision{side.commit, {}, false});
  record.started = utc_timestamp();
  record.partial = partial;
  record.pairing = pairing;
  for (const PlannedCase& planned : side.prepared.plan.cases) record.cases.push_back(planned_record(planned));
  return record;
}

void leave_out_the_rest(Record& record, const Plan& plan, const Plan& common) {
  std::set<std::string_view> left_out;
  for (const PlannedCase& planned : plan.cases)
    if (!planned.skip) left_out.insert(planned.id);
  for (const PlannedCase& one : common.cases) left_out.erase(one.id);
  for (CaseRecord& one : record.cases)
    if (left_out.contains(one.id)) one.reason = Cause{CauseCode::only_one_build};
}

AbRecords records_of_both(const AbSide& baseline, const AbSide& current, const AbMeasuring& how) {
  Pairing pairing{random_uuid(), how.pair ? Pairing::Kind::process : Pairing::Kind::session, baseline_side};
  Record before = record_of_side(baseline, pairing, how.partial);
  pairing.side = current_side;
  AbRecords records{std::move(before), record_of_side(current, pairing, how.partial), false};
  if (!how.pair) return records;
  const Plan common = common_plan(baseline.prepared.plan, current.prepared.plan);
  leave_out_the_rest(records.baseline, baseline.prepared.plan, common);
  leave_out_the_rest(records.current, current.prepared.plan, common);
  return records;
}

namespace {

// One for every five that hold both builds.
int processes_alone(int processes) {
  constexpr int of_shared = 5;
  return std::max(1, processes / of_shared);
}

class AbRun {
 public:
  AbRun(Store& store, const AbSide& baseline, const AbSide& current, const AbMeasuring& how,
        AbRecords& records)
      : store_(store),
        sides_{&baseline, &current},
        how_(how),
        line_(how.quiet),
        records_(records),
        seed_(order_seed(records.baseline.pairing.value_or(Pairing{}).id)) {
    for (const std::size_t side : {0, 1}) keepers_[side].emplace(store, record(side));
    if (how.pair)
      common_ = common_plan(baseline.prepared.plan, current.prepared.plan);
    else
      plans_ = {baseline.prepared.plan, current.prepared.plan};
  }

  Result<AbRecords> run() {
    for (Record* record : {&records_.baseline, &records_.current})
      if (record->pairing) record->pairing->alone = how_.pair.has_value();
    for (const Record* record : {&records_.baseline, &records_.current})
      if (const Status begun = store_.begin(*record); !begun) return fail(begun.error());
    if (how_.on_begin) how_.on_begin(records_);
    Result<RunReport> report = RunReport{};
    if (how_.look) {
      const Result<SparedCases> spared = look();
      if (spared)
        report->interrupted = spared->interrupted;
      else
        report = fail(spared.error());
    }
    if (report && !report->interrupted) report = measure(0);
    const Plan plan = plan_at(1);
    if (report && !report->interrupted && how_.pair) report = measure_alone(plan);
    if (report && !report->interrupted && how_.red) report = measure_again();
    if (report && !report->interrupted && how_.pair) report = measure_doubtful_alone(plan);
    if (report && !report->interrupted && how_.movable) report = measure_called_at_places(plan);
    if (report && !report->interrupted && how_.hidden) report = measure_hidden_at_places(plan);
    line_.clear();
    for (std::optional<RecordKeeper>& keeper : keepers_)
      if (const Status written = keeper->write_late(); !written) return fail(rescued_both(written.error()));
    const bool whole = report && !report->interrupted;
    const bool store_failed = keepers_[0]->store_failed() || keepers_[1]->store_failed();
    if (!report && store_failed) return fail(rescued_both(report.error()));
    for (Record* record : {&records_.baseline, &records_.current})
      if (const Status closed = close(*record, whole); !closed) return fail(rescued_both(closed.error()));
    if (!report) return fail(report.error());
    records_.interrupted = report->interrupted;
    return std::move(records_);
  }

  // Looks at both builds, and leaves out the cases in which both do the same. A look that fails proves
  // nothing: those cases are measured, which tells why.
  Result<SparedCases> look() {
    const auto begin = std::chrono::steady_clock::now();
    std::array<Looks, 2> looks;
    looks_ = &looks;
    const Result<RunReport> report = how_.pair ? share_processes(0) : look_in_turn();
    looks_ = nullptr;
    line_.clear();
    if (looks[0].useless() || looks[1].useless()) return SparedCases{};
    if (!report) return fail(report.error());
    if (report->interrupted) return SparedCases{{}, true, {}};
    const Record looked_at = with_looks(records_.baseline, looks[0]);
    const Record current = with_looks(records_.current, looks[1]);
    const Proofs proofs = proofs_of(looked_at, current);
    std::set<std::string> proven = proofs.proven;
    for (const std::string& id : gated_beyond_proof(proofs, looked_at, current, plan_at(1))) proven.erase(id);
    if (const Status kept = keep(looks, proven); !kept) return fail(kept.error());
    if (looks[1].results.empty()) return SparedCases{};
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "{}\n", report::look_words(proofs, proven.size(), runnable(plan_at(1)), took.count()));
    for (Plan* plan : {&plans_[0], &plans_[1], &common_}) {
      take_decisions(*plan, looked_at);
      std::erase_if(plan->cases, [&](const PlannedCase& one) { return proven.contains(one.id); });
    }
    return SparedCases{std::move(proven), false, proofs.gaps};
  }

 private:
  Status keep(const std::array<Looks, 2>& looks, const std::set<std::string>& proven) {
    for (const std::size_t side : {0, 1})
      if (Status kept = put_spared(*keepers_[side], looks[side], proven, plan_at(side)); !kept) return kept;
    return {};
  }

  Result<RunReport> look_in_turn() {
    for (const std::size_t side : {0, 1}) {
      if (side == 1) take_decisions(plans_[1], with_looks(records_.baseline, (*looks_)[0]));
      const Result<RunReport> report = run_plan(plans_[side], options_of(side, 0));
      if (!report || report->interrupted) return report;
    }
    return RunReport{};
  }

  [[nodiscard]] const Plan& plan_at(std::size_t side) const { return how_.pair ? common_ : plans_[side]; }

  Result<RunReport> measure(int processes_before) {
    if (runnable(plan_at(0)) + runnable(plan_at(1)) == 0) return RunReport{};
    return how_.pair ? share_processes(processes_before) : take_turns(processes_before);
  }

  Result<AbRecords> measured_so_far() {
    AbRecords measured;
    for (const std::size_t side : {0, 1}) {
      Result<Record> stored = store_.load(record(side).id);
      if (!stored) return fail(stored.error());
      (side == 0 ? measured.baseline : measured.current) = std::move(*stored);
    }
    return measured;
  }

  Result<RunReport> measure_again() {
    const Result<AbRecords> measured = measured_so_far();
    if (!measured) return fail(measured.error());
    const std::set<std::string> red = how_.red(*measured);
    if (red.empty()) return RunReport{};
    plans_ = {with_benchmarks(plans_[0], measured->baseline), with_benchmarks(plans_[1], measured->current)};
    for (Plan* plan : {&plans_[0], &plans_[1], &common_}) {
      *plan = plan_of_red(*plan, red);
      take_decisions(*plan, measured->baseline);
    }
    return measure(last_plain_process);
  }

  // For every five processes that hold both builds, one a side that holds one build alone: there nothing that
  // one build does can slow the other.
  Result<RunReport> measure_alone(Plan plan) {
    const Result<AbRecords> measured = measured_so_far();
    if (!measured) return fail(measured.error());
    for (PlannedCase& one : plan.cases) one.sampling.processes = processes_alone(one.sampling.processes);
    return take_turns_alone(std::move(plan), measured->baseline, 0);
  }

  // As many as hold both, and enough for a verdict, where it hangs on them.
  Result<RunReport> measure_doubtful_alone(const Plan& whole) {
    if (!how_.doubtful) return RunReport{};
    const Result<AbRecords> measured = measured_so_far();
    if (!measured) return fail(measured.error());
    const std::set<std::string> doubtful = how_.doubtful(*measured);
    Plan plan = whole;
    std::erase_if(plan.cases, [&](const PlannedCase& one) { return !doubtful.contains(one.id); });
    for (PlannedCase& one : plan.cases)
      one.sampling.processes =
          std::max(one.sampling.processes, recommended_processes) - processes_alone(one.sampling.processes);
    return take_turns_alone(std::move(plan), measured->baseline, most_processes);
  }

  // `before`: numbers of processes alone that were given away.
  Result<RunReport> take_turns_alone(Plan plan, const Record& decided, int before) {
    std::erase_if(plan.cases, [](const PlannedCase& one) { return one.sampling.processes < 1; });
    if (runnable(plan) == 0) return RunReport{};
    take_decisions(plan, decided);
    std::array<RunOptions, 2> options;
    for (const std::size_t side : {0, 1}) {
      options[side] = options_of(1, last_confirming_process + before);
      options[side].worker_command.clear();
      options[side].pair = how_.pair;
      options[side].alone = side == 0 ? baseline_side : current_side;
      options[side].measure_ceilings = false;
      options[side].on_result = [this, side](const EncodedResult& result) { return take(side, result); };
      options[side].on_machine = [](const std::string&, const Machine&) {};
      options[side].on_progress = [this, side](const Progress& now) { show(side, now); };
    }
    progress_ = {};
    return run_in_turns({plan, options[0]}, {plan, options[1]}, seed_);
  }

  // Results are kept where both builds have them at all places. A failure and Ctrl-C leave the verdicts as
  // they are: all that these need was measured before.
  Result<RunReport> measure_called_at_places(const Plan& plan) {
    const Result<AbRecords> measured = measured_so_far();
    if (!measured) return fail(measured.error());
    const MovableCases cases = how_.movable(*measured);
    if (cases.empty()) return RunReport{};
    if (!how_.pair) {
      for (const auto& [id, one] : cases)
        records_.unshifted.emplace(id, "both builds were measured in processes of their own");
      return RunReport{};
    }
    Result<PlacesMeasured> places = measure_at_places(plan, *measured, cases, shared_options(0));
    if (!places) return fail(places.error());
    records_.unshifted.merge(std::move(places->refused));
    return RunReport{};
  }

  // Apart from the others, so that no kernel of these keeps a file of those from being moved. These pass or
  // are undecided, so Ctrl-C ends the run: the question is open, and no status may say otherwise.
  Result<RunReport> measure_hidden_at_places(const Plan& plan) {
    const Result<AbRecords> measured = measured_so_far();
    if (!measured) return fail(measured.error());
    records_.hidden = how_.hidden(*measured);
    MovableCases& cases = records_.hidden.cases;
    if (!how_.pair) {
      records_.hidden.apart = static_cast<int>(cases.size()) + std::exchange(records_.hidden.left_out, 0);
      cases.clear();
    }
    RunReport report;
    if (cases.empty() || (report.interrupted = InterruptGuard::interrupted())) return report;
    RunOptions options = shared_options(0);
    const std::chrono::duration<double> most(records_.hidden.budget * most_of_budget);
    const auto begin = std::chrono::steady_clock::now();
    options.may_begin = [=] { return std::chrono::steady_clock::now() - begin < most; };
    const Result<PlacesMeasured> places = measure_at_places(plan, *measured, cases, std::move(options));
    if (!places) return fail(places.error());
    report.interrupted = InterruptGuard::interrupted();
    for (const auto& [id, why] : places->refused) records_.hidden.fixed += static_cast<int>(cases.erase(id));
    return report;
  }

  Result<PlacesMeasured> measure_at_places(Plan plan, const AbRecords& measured, const MovableCases& cases,
                                           RunOptions options) {
    take_decisions(plan, measured.baseline);
    Result<PlacesMeasured> places =
        measure_places(std::move(plan), *how_.pair, cases, std::move(options), seed_);
    if (!places) return places;
    records_.unshifted.merge(std::move(places->unshifted));
    for (const std::size_t side : {0, 1})
      for (const EncodedResult& one : places->results[side])
        if (const Status kept = keepers_[side]->put(one); !kept) return fail(kept.error());
    return places;
  }

  // This program measures, with the modules of both builds in it.
  RunOptions shared_options(int processes_before) {
    RunOptions options = options_of(1, processes_before);
    options.worker_command.clear();
    options.pair = how_.pair;
    options.on_baseline = [this](const EncodedResult& result) { return take(0, result); };
    options.on_machine = [this](const std::string& kind, const Machine& machine) {
      for (const std::size_t side : {0, 1}) know(side, kind, machine);
    };
    options.on_progress = [this](const Progress& now) { line_.show(now); };
    options.order_seed = seed_;
    return options;
  }

  Result<RunReport> share_processes(int processes_before) {
    return run_plan(common_, shared_options(processes_before));
  }

  Result<RunReport> take_turns(int processes_before) {
    const RunOptions baseline = options_of(0, processes_before), current = options_of(1, processes_before);
    return run_in_turns({plans_[0], baseline}, {plans_[1], current}, seed_);
  }

  Status take(std::size_t side, const EncodedResult& result) {
    if (looks_ == nullptr) return keepers_[side]->put(result);
    return keep_look((*looks_)[side], result);
  }

  [[nodiscard]] Error rescued_both(Error error) const {
    return rescued(records_.current, rescued(records_.baseline, std::move(error)));
  }

  // Each build's own program measures it, in its worktree.
  RunOptions options_of(std::size_t side, int processes_before) {
    RunOptions options;
    options.look = looks_ != nullptr;
    options.processes_before = processes_before;
    options.devices = sides_[side]->prepared.devices;
    options.peers = peer_names(sides_[side]->prepared);
    for (const auto& [kind, machine] : record(side).machines) options.ceilings[kind] = machine.ceilings;
    options.worker_command = {sides_[side]->program.string(), "worker"};
    options.worker_folder = sides_[side]->folder;
    options.on_result = [this, side](const EncodedResult& result) { return take(side, result); };
    options.on_case = [this, side](const PlannedCase& planned) { return keepers_[side]->add_case(planned); };
    read_programs(options);
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
    both.total =
        progress_[side].total + (progress_[1 - side].total > 0 ? progress_[1 - side].total : now.total);
    both.left = both.done == 0 ? 0
                               : both.elapsed / static_cast<double>(both.done) *
                                     static_cast<double>(both.total - both.done);
    line_.show(both);
  }

  // Ends a record and reads it back from the store.
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
  AbRecords& records_;
  std::uint64_t seed_;
  std::array<Plan, 2> plans_;              // the cases that are left, when they take turns
  Plan common_;                            // the same, when both share processes
  std::array<Looks, 2>* looks_ = nullptr;  // receive the results of a look
  std::array<Progress, 2> progress_;
  std::array<std::optional<RecordKeeper>, 2> keepers_;  // of records_
};

}  // namespace

Result<AbRecords> measure_both(Store& store, const AbSide& baseline, const AbSide& current,
                               const AbMeasuring& how) {
  AbRecords records = records_of_both(baseline, current, how);
  return AbRun(store, baseline, current, how, records).run();
}

Result<SparedCases> look_at_both(Store& store, const AbSide& baseline, const AbSide& current,
                                 const AbMeasuring& how, AbRecords& records) {
  return AbRun(store, baseline, current, how, records).look();
}

}  // namespace harness
