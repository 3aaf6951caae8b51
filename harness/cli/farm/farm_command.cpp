// `harness farm`: a campaign is planned into tasks, elements measure them, and the whole is judged.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/farm/campaign_tasks.h"
#include "harness/cli/farm/campaigns/campaign_owner.h"
#include "harness/cli/farm/campaigns/manage_campaigns.h"
#include "harness/cli/farm/element/ask_patiently.h"
#include "harness/cli/farm/element/campaign_worker.h"
#include "harness/cli/farm/judge_campaign.h"
#include "harness/cli/farm/plan_campaign.h"
#include "harness/cli/farm/slurm_script.h"
#include "harness/cli/options/typed_option.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents.h"
#include "harness/report/numbers.h"
#include "harness/report/words/examination_words.h"

namespace harness {
namespace {

struct FarmPlanArguments {
  CampaignRequest request;
  SlurmRequest slurm;  // without a script: none is wanted
};

int farm_plan(const FarmPlanArguments& arguments) {
  SlurmRequest slurm = arguments.slurm;
  slurm.elements = arguments.request.elements;
  if (!slurm.script.empty()) {
    if (const Status safe = check_slurm_request(slurm); !safe) return report_error(safe.error());
    if (const Status writable = check_writable(slurm.script); !writable)
      return report_error(writable.error());
  }
  CampaignRequest request = arguments.request;
  request.time = time_in_job(slurm.options);
  const InterruptGuard guard;
  const auto planned = plan_campaign(request);
  if (!planned) {
    const int status = report_errors(planned.error());
    return InterruptGuard::interrupted() ? exit_interrupted : status;
  }
  if (!*planned) return exit_interrupted;
  const PlannedCampaign& made = **planned;
  int results = 0;
  for (const FarmTask& task : made.tasks) results += task.results;
  if (!slurm.script.empty()) {
    const std::string script = slurm_script(slurm, made, arguments.request.store.url);
    Status ready = write_file_atomically(slurm.script, script);
    if (ready) ready = check_slurm_script(slurm.script);
    if (!ready) {
      if (const auto farm = FarmStore::open(arguments.request.store.url))
        (void)(*farm)->cancel(made.stored.id);
      return report_error(ready.error());
    }
  }
  for (const std::string& one : made.left_out) fmt::print(stderr, "left out: {}\n", printable(one));
  const auto tasks = std::count_if(made.tasks.begin(), made.tasks.end(),
                                   [](const FarmTask& one) { return one.kind == TaskKind::measure; });
  const auto cases_that = [](std::size_t count, const char* one, const char* many) {
    return count == 0 ? "" : "; " + report::counted(count, one, many);
  };
  const Seconds expected = expected_time(made.campaign);
  fmt::print("campaign {}: {}, {}{}{}{}\n", made.stored.id,
             report::counted(static_cast<std::size_t>(tasks), "task", "tasks"),
             report::counted(static_cast<std::size_t>(results), "result", "results"),
             cases_that(made.spared, "case is proven identical", "cases are proven identical"),
             cases_that(made.left_out.size(), "case is left out", "cases are left out"),
             expected > 0 ? fmt::format("; about {} on {}, by the times of earlier records",
                                        report::coarse_duration(expected / made.campaign.elements),
                                        report::counted(static_cast<std::size_t>(made.campaign.elements),
                                                        "device", "devices"))
                          : "");
  return exit_ok;
}

struct FarmArguments {
  std::string campaign;  // how its id begins, or ""
  StoreOption store;
  WorkOptions work;
  std::string journal;
  bool leave = false;
  PolicyOptions policy;
  OutputOptions output;
};

struct OpenFarm {
  std::unique_ptr<Store> store;
  std::unique_ptr<FarmStore> farm;
  OpenCampaign open;
};

Result<OpenFarm> open_farm(const FarmArguments& arguments) {
  auto store = Store::open_existing(arguments.store.url);
  if (!store) return fail(store.error());
  auto farm = FarmStore::open(arguments.store.url);
  if (!farm) return fail(farm.error());
  Result<OpenCampaign> open = open_campaign(**farm, arguments.campaign);
  if (!open) return fail(open.error());
  if (arguments.campaign.empty())
    if (const Status own = check_owner(open->stored, owner_here()); !own) return fail(own.error());
  return OpenFarm{std::move(*store), std::move(*farm), std::move(*open)};
}

int farm_work(const FarmArguments& arguments, const CommandLine& /*line*/) {
  const InterruptGuard guard(SecondSignal::ends_children);
  // A job that is interrupted while its store is away is queued again as any other.
  const auto failed = [](const Error& error) {
    const int status = report_error(error);
    return InterruptGuard::interrupted() ? exit_interrupted : status;
  };
  const Result<OpenFarm> farm = ask_patiently(arguments.work.patience, [&] { return open_farm(arguments); });
  if (!farm) return failed(farm.error());
  WorkOptions options = arguments.work;
  options.journal = arguments.journal;
  options.stay = !arguments.leave;
  CampaignWorker worker(*farm->store, *farm->farm, farm->open.stored.id, farm->open.campaign,
                        std::move(options));
  const Result<WorkDone> done = worker.work();
  if (!done) return failed(done.error());
  if (done->end == WorkEnd::quarantined)
    return report_error(
        {ErrorKind::environment,
         fmt::format("{} is in quarantine: {}", printable(done->device),
                     done->sick ? report::words(*done->sick) : "another element found it sick"),
         {},
         "others measure its tasks; look after it with `harness doctor`"});
  fmt::print("{} measured here{}; {}\n",
             report::counted(static_cast<std::size_t>(done->tasks), "task is", "tasks are"),
             done->failed > 0 ? fmt::format(", {} of their results failed or are wrong", done->failed) : "",
             done->end == WorkEnd::finished         ? "the campaign is finished"
             : done->end == WorkEnd::cancelled      ? "the campaign was cancelled"
             : done->end == WorkEnd::over_budget    ? "the budget is used up"
             : done->end == WorkEnd::left_to_others ? "others may measure the rest"
             : done->end == WorkEnd::needs_more_gpus
                 ? fmt::format("the rest needs {} GPUs at once, which `--device` must name", done->gpus)
             : done->end == WorkEnd::needs_fresh_time ? "the time that is left is too short for the rest"
             : done->end == WorkEnd::needs_more_time
                 ? fmt::format("a task was measured for {} and did not end; give elements more time",
                               report::coarse_duration(done->longest))
                 : "interrupted, and the task at hand is given back");
  if (done->end == WorkEnd::needs_more_time) return exit_missing;
  return done->end == WorkEnd::interrupted || done->end == WorkEnd::needs_fresh_time ? exit_interrupted
                                                                                     : exit_ok;
}

int farm_status(const FarmArguments& arguments, const CommandLine& /*line*/) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<OpenFarm> farm = open_farm(arguments);
  if (!farm) return report_error(farm.error());
  const Result<FarmProgress> progress = progress_of(*farm->store, farm->open);
  if (!progress) return report_error(progress.error());
  const auto render = [&](Format format, const Style& style) {
    return harness::render(report::farm_document(*progress), format, style);
  };
  return emit(arguments.output, render, exit_ok);
}

int farm_judge(const FarmArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  Result<OpenFarm> farm = open_farm(arguments);
  if (!farm) return report_error(farm.error());
  if (farm->open.stored.cancelled)
    return report_error({ErrorKind::missing,
                         fmt::format("campaign {} was cancelled", farm->open.stored.id),
                         {},
                         "plan another campaign"});
  if (const Status judged = judge_rest(*farm->store, *farm->farm, farm->open); !judged)
    return report_error(judged.error());
  if (const std::size_t open = farm->open.open_tasks(); open > 0)
    return report_error({ErrorKind::missing,
                         fmt::format("{} of {} not done yet", open,
                                     report::counted(farm->open.tasks.size(), "task is", "tasks are")),
                         {},
                         "do them with `harness farm work`; `harness farm status` tells who does"});
  if (const std::size_t checking = farm->open.unverified_elements(); checking > 0)
    return report_error(
        {ErrorKind::missing,
         fmt::format("all tasks are measured, but {} still to check {}",
                     report::counted(checking, "element has", "elements have"),
                     checking == 1 ? "its device" : "their devices"),
         {},
         "`harness farm status` tells which; wait until they end, or until the lease of a killed one ends"});
  if (const Status closed = close_records(*farm->store, *farm->farm, farm->open); !closed)
    return report_error(closed.error());
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const Campaign& campaign = farm->open.campaign;
  const Reproduction made_by(line, arguments.store, {}, campaign.against);
  SuiteOutputs outputs(arguments.output, line.text(), campaign.suites.size());
  for (const CampaignSuite& suite : campaign.suites)
    outputs.conclude_suite(suite.current().plan.suite.name,
                           judge_suite(*farm->store, farm->open, suite, arguments.policy, outputs, made_by));
  return outputs.finish();
}

void add_plan_to(Commands& below) {
  auto& [command, arguments] = below.add("plan", "Plan a campaign: suites in tasks, in a store", farm_plan);
  CampaignRequest& request = arguments.request;
  request.sides.plan.add_several_to(command, request.suites);
  request.store.add_to(command);
  CLI::Option* const against =
      command
          .add_option("--against", request.against, "judge by the stored baseline of this revision or @NAME")
          ->type_name("REV|FILE");
  CLI::Option* const before =
      command
          .add_option("--baseline-build", request.sides.baseline_build,
                      "folder of a finished build that is measured with the current one, and judges it")
          ->type_name("DIR")
          ->excludes(against);
  CLI::Option* const after = command
                                 .add_option("--current-build", request.sides.current_build,
                                             "folder of the build to judge; give both options or neither")
                                 ->type_name("DIR")
                                 ->needs(before);
  before->needs(after);
  request.look.add_to(command);
  request.looks.add_to(command);
  request.measuring.add_to(command);
  add_choice(command, "--pair", request.pair, "as in `harness ab`: how both builds are measured together")
      ->needs(before);
  command
      .add_option("--stage", request.stage,
                  "measure copies of the builds, which are kept by their contents in this folder")
      ->type_name("DIR");
  command
      .add_option("--block", request.block, "most cases of a task; else 24, and more where they are short")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  add_typed(command, "--lease", request.lease, parse_duration,
            "an element that says nothing for so long loses its task, e.g. 2m")
      ->default_str("2m")
      ->type_name("DURATION");
  add_typed(
      command, "--budget", request.budget, parse_duration,
      "time of the whole campaign on its devices, e.g. 20m: measures the cases that promise most, and names "
      "the others; default: as long as it takes")
      ->type_name("DURATION");
  CLI::Option* const slurm =
      command.add_option("--slurm", arguments.slurm.script, "also write a script that submits jobs to Slurm")
          ->type_name("FILE");
  command
      .add_option(
          "--sbatch", arguments.slurm.options,
          "an option of sbatch for these jobs, without dashes; repeat it: partition=gpu, account=perf, "
          "time=2:00:00, cpus-per-task=16")
      ->needs(slurm)
      ->allow_extra_args(false)
      ->type_name("OPTION");
  command
      .add_option("--slurm-inside", arguments.slurm.inside,
                  "a command that starts each element, as `apptainer exec --nv image.sif`")
      ->needs(slurm)
      ->type_name("COMMAND");
  command
      .add_option(
          "--elements", request.elements,
          "devices that will measure: tasks are cut so that all end at about the same time, --slurm starts a "
          "job for each, and --budget counts on all")
      ->capture_default_str()
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  command.footer(
      "Prints the campaign's id. A campaign of one build is measured on one device. One of two builds may "
      "be\n"
      "measured on many: each task has both.");
  add_examples(command, {"harness farm plan suite.yaml --against main",
                         "harness farm plan suite.yaml --against main --slurm farm.sh --elements 4"});
}

}  // namespace

void add_farm(Commands& commands) {
  CLI::App& group =
      commands.add_group("farm", "Measure suites on many devices: plan, work, status, judge, list");
  Commands below = commands.below(group);
  add_plan_to(below);
  add_campaign_commands(below);

  const auto arguments = std::make_shared<FarmArguments>();
  const auto add = [&](const char* name, const char* about,
                       int (*run)(const FarmArguments&, const CommandLine&)) {
    CLI::App& command = below.add(name, about, arguments, run);
    command.add_option("campaign", arguments->campaign,
                       "how its id begins; default: the newest, if it is yours");
    arguments->store.add_to(command);
    return &command;
  };
  CLI::App& work = *add("work", "Measure tasks of a campaign until none is left", farm_work);
  arguments->work.device.add_to(work);
  arguments->journal = ".harness/farm";
  work.add_option("--journal", arguments->journal, "folder on local disk for tasks while the store is away")
      ->capture_default_str()
      ->type_name("DIR");
  work.add_flag("--leave", arguments->leave, "end when no task is free, though others measure some");
  work.add_option("--tasks", arguments->work.tasks, "end after so many tasks")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("N");
  add_typed(work, "--time", arguments->work.time, parse_duration,
            "how long this element has until somebody ends it, e.g. 1h: it begins no task that took longer")
      ->type_name("DURATION");
  add_typed(work, "--patience", arguments->work.patience, parse_duration,
            "how long to wait for a store that is away, e.g. 10m")
      ->default_str("10m")
      ->type_name("DURATION");
  arguments->work.measuring.add_to(work);
  arguments->work.clocks.add_to(work);
  work.footer(
      "Exit status: 0 nothing is left, 2 usage or a device that cannot be used, 4 another machine or build\n"
      "than the campaign's, 75 the store is away, 130 interrupted: the task at hand is given back.");
  add_examples(work, {"harness farm work --leave"});

  CLI::App& status = *add("status", "Show how far a campaign is", farm_status);
  arguments->output.add_to(status);
  add_examples(status, {"harness farm status"});
  CLI::App& judge = *add("judge", "Judge a finished campaign; the exit status is the verdict", farm_judge);
  arguments->policy.add_to(judge);
  arguments->output.add_to(judge);
  arguments->output.add_verbose_to(judge);
  judge.footer("Exit status: that of run --against, and 4 while a task is not measured.");
  add_examples(judge, {"harness farm judge --report markdown=verdict.md"});
}

}  // namespace harness
