#include "harness/cli/run/judge_run.h"

#include <utility>

#include "harness/cli/ab/judge_beside.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/run/keep_run.h"
#include "harness/store/git.h"
#include "harness/suite/plan/inputs_setting.h"
#include "harness/verdict/check/stands_for.h"

namespace harness {

namespace {

// The baseline that will judge `record`, whose machines are known already.
Result<Selected> baseline_to_be(const RunJob& job, const Record& record) {
  const Result<Selected> current = select_stored(*job.store, record.id);
  if (!current) return fail(current.error());
  const BaselineChoice choice = baseline_of(record, job);
  Result<Selected> baseline = select_baseline(*job.store, choice.name, *current, choice.select);
  if (baseline) choice.adapt(baseline->record);
  return baseline;
}

}  // namespace

Result<SparedCases> spare_identical(const RunJob& job, Record& record) {
  const auto find_baseline = [&](const Record& known) -> Result<Record> {
    Result<Selected> baseline = baseline_to_be(job, known);
    if (!baseline) return fail(baseline.error());
    return std::move(baseline->record);
  };
  return spare_identical({*job.store, job.prepared.plan, job.prepared, job.arguments.measuring.quiet,
                          find_baseline, record.build},
                         record);
}

void measure_as_baseline(RunJob& job) {
  if (job.arguments.against.empty() || job.policy.accept_proposed) return;
  Selected current;  // the facts about it before measuring
  current.record.suite = job.prepared.plan.suite;
  current.record.revision = head_revision(".");
  current.record.machines = job.prepared.machines;
  BaselineChoice choice = baseline_of(current.record, job);
  if (!job.prepared.identities.empty()) choice.select.device_uuid = job.prepared.identities.begin()->second;
  if (const Result<Selected> baseline = select_baseline(*job.store, choice.name, current, choice.select))
    take_settings(job.prepared.plan, baseline->record, find_stated_file);
}

void decide_as_baseline(Plan& plan, const RunJob& job, const Record& record) {
  if (const Result<Selected> baseline = baseline_to_be(job, record)) take_decisions(plan, baseline->record);
}

Result<Continued> continue_cases(const RunJob& job, Record& record) {
  const RunArguments& arguments = job.arguments;
  Continued done;
  if (arguments.against.empty()) return done;
  const Result<Selected> current = select_stored(*job.store, record.id);
  if (!current) return fail(current.error());
  const BaselineChoice choice = baseline_of(record, job);
  Policy complete = with_learned(*job.store, job.policy, record);
  Result<Selected> baseline = select_baseline(*job.store, choice.name, *current, choice.select);
  if (!baseline) return done;
  choice.adapt(baseline->record);
  if (const Status decided = decide_waivers(complete, baseline->source, current->source); !decided)
    return fail(decided.error());
  const Seconds budget = arguments.budget.budget;
  const bool quiet = arguments.measuring.quiet;
  Result<TopUp> undecided = top_up(
      *job.store, record, {job.prepared.plan, job.prepared, baseline->record, complete, budget, quiet});
  if (!undecided) return fail(undecided.error());
  done.undecided = std::move(*undecided);
  if (!done.undecided.interrupted) {
    const Result<Confirming> red =
        confirm_red(*job.store, record,
                    {job.prepared.plan, job.prepared, baseline->record, complete, !arguments.look.no_confirm,
                     budget - done.undecided.took, quiet});
    if (!red) return fail(red.error());
    done.red = *red;
  }
  if (done.interrupted())  // --continue takes it up
    if (const Status kept = job.store->finish(record.id, RunState::interrupted); !kept)
      return fail(kept.error());
  return done;
}

int judge_run(const RunJob& job, const Record& record, const Continued& continued) {
  Store& store = *job.store;
  Result<Selected> current = select_stored(store, record.id);
  if (!current) return report_error(current.error());
  BaselineChoice choice = baseline_of(record, job);
  choice.keep_verdict = true;
  choice.first_passes = true;
  bool judged = false;
  choice.annotate = [&](Comparison& comparison) {
    tell_way(comparison);
    tell(continued, comparison);
    judged = comparison.baseline.found.code != SourceCode::none;
  };
  const Policy policy = with_learned(store, job.policy, current->record);
  const int status = judge_by_baseline(store, choice, std::move(*current), policy, *job.outputs, job.made_by);
  // Without a verdict, what was measured is the answer.
  if (!judged && !job.arguments.output.verbose) show_measured(record, job, true, status);
  return status;
}

std::optional<int> judge_by_base(RunJob& job) {
  const RunArguments& arguments = job.arguments;
  if (arguments.against.empty() || arguments.resume || !arguments.commit.empty()) return std::nullopt;
  AbRequest request = base_request(arguments);
  request.accept_proposed = job.policy.accept_proposed;
  if (request.build.empty()) return std::nullopt;
  Record planned;
  planned.suite = job.prepared.plan.suite;
  const BaselineChoice choice = baseline_of(planned, job);
  const auto base = base_to_build(*job.store, choice, job.prepared, job.policy);
  if (!base) return std::nullopt;
  AbJudging how;
  how.measuring = arguments.measuring;
  how.clocks = arguments.clocks;
  how.look = arguments.look;
  how.policy = job.policy;
  how.partial = is_partial(job.prepared, arguments.plan);
  how.on_measured = [&](const AbRecords& records) {
    return worst_status(keep_file(arguments, records.current), save_as(job, records.current));
  };
  return judge_beside(*job.store, request, *base, job.prepared, std::move(how), *job.outputs, job.made_by);
}

}  // namespace harness
