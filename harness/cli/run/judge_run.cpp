#include "harness/cli/run/judge_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "harness/cli/ab/judge_beside.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/run/keep_run.h"
#include "harness/report/words/kernel_words.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/proof.h"

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

// Looks once more at variants that chose another way to work than the baseline's: now they work as it did.
Status look_with_its_choices(const RunJob& job, Record& record, const Record& baseline, Looks& looks) {
  Plan plan = job.prepared.plan;
  take_decisions(plan, baseline);
  std::erase_if(plan.cases, [&](const PlannedCase& one) {
    const auto found = looks.results.find(one.id);
    return one.choice.empty() || found == looks.results.end() || found->second.result.choice == one.choice;
  });
  if (plan.cases.empty()) return {};
  Result<Looks> again = look_at(*job.store, record, plan, job.prepared, job.arguments.measuring.quiet);
  if (!again) return fail(again.error());
  looks.took += again->took;
  looks.interrupted = again->interrupted;
  for (auto& [id, result] : again->results) looks.results.insert_or_assign(id, std::move(result));
  return {};
}

}  // namespace

Result<SparedCases> spare_identical(const RunJob& job, Record& record) {
  Result<Looks> looks =
      look_at(*job.store, record, job.prepared.plan, job.prepared, job.arguments.measuring.quiet);
  if (!looks) return fail(looks.error());
  if (looks->interrupted) return SparedCases{{}, true};
  // A continued run may hold looks already.
  const Record looked_at = with_looks(record, *looks);
  if (std::none_of(looked_at.cases.begin(), looked_at.cases.end(), was_looked_at)) return SparedCases{};
  const Result<Selected> baseline = baseline_to_be(job, record);
  if (!baseline) return SparedCases{};
  if (Status looked = look_with_its_choices(job, record, baseline->record, *looks); !looked)
    return fail(looked.error());
  if (looks->interrupted) return SparedCases{{}, true};
  const Proofs proofs = proofs_of(baseline->record, with_looks(record, *looks));
  SparedCases spared{proofs.proven};
  for (const std::string& id : gated_beyond_proof(spared.ids, baseline->record, job.prepared.plan))
    spared.ids.erase(id);
  RecordKeeper keeper(*job.store, record);
  if (const Status kept = put_spared(keeper, *looks, spared.ids, job.prepared.plan); !kept)
    return fail(kept.error());
  if (const Status written = keeper.write_late(); !written) return fail(written.error());
  fmt::print(stderr, "{}\n",
             report::look_words(proofs, spared.ids.size(), runnable(job.prepared.plan), looks->took));
  return spared;
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
  choice.annotate = [&](Comparison& comparison) {
    tell_way(comparison);
    tell(continued, comparison);
  };
  const Policy policy = with_learned(store, job.policy, current->record);
  return judge_by_baseline(store, choice, std::move(*current), policy, *job.outputs, job.made_by);
}

std::optional<int> judge_by_base(RunJob& job) {
  const RunArguments& arguments = job.arguments;
  if (arguments.against.empty() || arguments.resume || !arguments.commit.empty()) return std::nullopt;
  const AbRequest request = base_request(arguments);
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
