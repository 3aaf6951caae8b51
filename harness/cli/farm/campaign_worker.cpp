#include "harness/cli/farm/campaign_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/measure_into.h"
#include "harness/cli/programs/record_keeper.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/run.h"
#include "harness/model/device_kinds.h"
#include "harness/store/store_wait.h"

namespace harness {
namespace {

constexpr Seconds between_tries = 1, longest_rest = 5;
constexpr double renewals_in_a_lease = 4;

Seconds now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string name_of_this_element() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}/{}/{}", host.data(), getpid(), random_uuid().substr(0, 8));
}

// The cases of the task, as one side has them.
Plan part_of(const Plan& whole, const FarmTask& task) {
  Plan part{whole.suite, whole.modules, {}, whole.counters};
  const auto first = whole.cases.begin() + task.first;
  part.cases.assign(first, first + task.cases);
  return part;
}

}  // namespace

CampaignWorker::CampaignWorker(FarmStore& store, std::string id, Campaign campaign, WorkOptions options)
    : store_(store),
      id_(std::move(id)),
      campaign_(std::move(campaign)),
      options_(std::move(options)),
      name_(name_of_this_element()),
      journal_(options_.journal, id_),
      line_(options_.measuring.quiet) {
  if (options_.device.given() || campaign_.device.empty()) return;
  options_.device.names = campaign_.device;
  options_.device.text = join(campaign_.device, ",");
}

// All elements must measure the same builds.
Status CampaignWorker::check_builds() const {
  if (campaign_.tool != this_tool())
    return fail(
        ErrorKind::usage,
        fmt::format("the campaign was planned by {}, and this is {}", printable(campaign_.tool), this_tool()),
        "start the program that planned it, or plan another campaign");
  for (const CampaignSuite& suite : campaign_.suites)
    for (const CampaignSide& side : suite.sides)
      if (identity_of_files({side.files.begin(), side.files.end()}) != side.identity)
        return fail(ErrorKind::usage, Location{side.program},
                    "is not the build that the campaign was planned with, or a file of it is missing",
                    "mount the build where it was planned and leave it alone, or plan another campaign");
  return {};
}

// The devices of this element.
Status CampaignWorker::choose() {
  Plan kinds;
  std::set<std::string> seen;
  for (const CampaignSuite& suite : campaign_.suites)
    for (const PlannedCase& one : suite.current().plan.cases)
      if (seen.insert(one.device).second) kinds.cases.push_back(one);
  const bool wants_gpu = std::any_of(seen.begin(), seen.end(), is_gpu_kind);
  Result<ChosenDevices> chosen = choose_devices({options_.device, wants_gpu, false}, {});
  if (!chosen) return fail(chosen.error());
  static_cast<ChosenDevices&>(prepared_) = std::move(*chosen);
  kinds.suite.name = "campaign " + id_.substr(0, 8);
  prepared_.plan = std::move(kinds);
  for (const std::string& kind : seen)
    if (!prepared_.devices.contains(kind))
      return fail(ErrorKind::environment, fmt::format("the campaign needs a `{}` device", kind),
                  "start elements where one is; `harness doctor` tells what is in the way");
  if (!prepared_.side_by_side.empty())
    return fail(ErrorKind::usage, "an element measures on one device",
                "start an element for each device, each with its own --device");
  return {};
}

Result<WorkDone> CampaignWorker::work() {
  if (const Status same = check_builds(); !same) return fail(same.error());
  if (const Status chosen = choose(); !chosen) return fail(chosen.error());
  auto clocks = lock_clocks(prepared_, options_.clocks);
  if (!clocks) return fail(clocks.error());
  clocks_ = std::move(*clocks);
  while (!InterruptGuard::interrupted()) {
    if (options_.tasks && done_ >= *options_.tasks) return WorkDone{WorkEnd::left_to_others, done_};
    if (const Status sent = send_journal(); !sent) return fail(sent.error());
    // The lease begins when the device is free, so that no element holds a task while it waits for another's.
    const auto locks = lock_devices(prepared_, options_.measuring.wait);
    if (!locks) return fail(locks.error());
    const Result<std::optional<FarmTask>> task = take();
    if (!task) return fail(task.error());
    if (*task) {
      if (const Status stored = measure_and_store(**task); !stored) return fail(stored.error());
      continue;
    }
    const Result<bool> open = any_open();
    if (!open) return fail(open.error());
    if (!*open) return WorkDone{WorkEnd::finished, done_};
    if (!options_.stay) return WorkDone{WorkEnd::left_to_others, done_};
    line_.show("others measure the last tasks");
    rest(std::min(campaign_.lease / renewals_in_a_lease, longest_rest));
  }
  return WorkDone{WorkEnd::interrupted, done_};
}

template <class Ask>
auto CampaignWorker::patiently(Ask ask) -> decltype(ask()) {
  const Seconds end = now() + options_.patience;
  for (bool told = false;; told = true) {
    auto answer = ask();
    if (answer || answer.error().kind != ErrorKind::environment || now() >= end ||
        InterruptGuard::interrupted())
      return answer;
    if (!told) fmt::print(stderr, "waiting for the store: {}\n", answer.error().text());
    rest(between_tries);
  }
}

void CampaignWorker::rest(Seconds duration) const {
  const Seconds end = now() + duration;
  while (now() < end && !InterruptGuard::interrupted())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

Result<std::optional<FarmTask>> CampaignWorker::take() {
  return patiently([&] { return store_.take(id_, name_, campaign_.lease); });
}

Result<bool> CampaignWorker::any_open() {
  const auto tasks = patiently([&] { return store_.tasks(id_); });
  if (!tasks) return fail(tasks.error());
  return std::any_of(tasks->begin(), tasks->end(), [](const FarmTask& one) { return !one.done; });
}

Status CampaignWorker::send_journal() {
  const Result<int> sent = patiently([&] { return journal_.send(store_); });
  if (!sent) return fail(sent.error());
  done_ += *sent;
  return {};
}

Status CampaignWorker::measure_and_store(const FarmTask& task) {
  task_ = task;
  renewed_ = now();
  lost_ = false;
  machine_accepted_ = {};
  const Result<std::optional<MeasuredTask>> measured = measure(task);
  line_.clear();
  if (measured && *measured) return store_task(**measured);
  if (!lost_) (void)store_.release(id_, task.number, name_);  // else the lease ends
  return measured ? Status() : fail(measured.error());
}

Status CampaignWorker::store_task(const MeasuredTask& task) {
  const Result<bool> first = store_.complete(task);
  if (first) {
    done_ += *first ? 1 : 0;
    return {};
  }
  if (first.error().kind != ErrorKind::environment) return fail(first.error());
  if (const Status kept = journal_.keep(task); !kept) return kept;
  fmt::print(stderr, "the store is away; task {} is kept in {}\n", task.number, journal_.folder().string());
  return {};  // the journal is sent before the next task is taken
}

Result<std::optional<MeasuredTask>> CampaignWorker::measure(const FarmTask& task) {
  const CampaignSuite& suite = campaign_.suites.at(static_cast<std::size_t>(task.suite));
  MeasuredTask measured{id_, task.number, name_, {}};
  for (const CampaignSide& side : suite.sides) measured.sides.push_back({side.record, {}, {}});
  const Plan current = part_of(suite.current().plan, task);
  Result<RunReport> report;
  if (suite.sides.size() == 1 || suite.pair) {
    report = run_plan(current, options_of(suite, measured, suite.sides.size() - 1));
  } else {
    const Plan baseline = part_of(suite.sides[0].plan, task);
    const RunOptions before = options_of(suite, measured, 0), after = options_of(suite, measured, 1);
    report = run_in_turns({baseline, before}, {current, after}, suite.seed);
  }
  if (!machine_accepted_) return fail(machine_accepted_.error());
  if (!report) return fail(report.error());
  if (report->interrupted || report->ended) return std::nullopt;
  int results = 0;
  for (const MeasuredSide& side : measured.sides) {
    results += static_cast<int>(side.results.size());
    for (const PlannedCase& one : current.cases)
      if (!side.machines.contains(one.device))
        return fail(ErrorKind::environment,
                    fmt::format("{}: the device could not be opened, so that task {} is not measured",
                                prepared_.devices.at(one.device), task.number),
                    "`harness doctor` tells what is in the way");
  }
  if (results != task.results)
    return fail(ErrorKind::internal,
                fmt::format("task {} has {} results, not {}", task.number, results, task.results));
  return measured;
}

RunOptions CampaignWorker::options_of(const CampaignSuite& suite, MeasuredTask& measured, std::size_t side) {
  RunOptions options;
  const auto put = [this, &suite, &measured](std::size_t of, EncodedResult result) -> Status {
    if (!machine_accepted_) return machine_accepted_;
    MeasuredSide& into = measured.sides[of];
    if (suite.sides.size() > 1) {  // its device is one of several
      const Plan& plan = suite.sides[of].plan;
      const auto planned =
          std::find_if(plan.cases.begin() + task_.first, plan.cases.begin() + task_.first + task_.cases,
                       [&](const PlannedCase& one) { return one.id == result.result.case_id; });
      if (planned == plan.cases.begin() + task_.first + task_.cases)
        return fail(ErrorKind::internal, fmt::format("a result of {}, which is not of the task",
                                                     printable(result.result.case_id)));
      result.result.device_uuid = into.machines[planned->device].device_uuid;
      result.text.clear();
    }
    into.results.push_back(std::move(result));
    return {};
  };
  options.devices = prepared_.devices;
  options.order_seed = suite.pair ? suite.seed : options.order_seed;
  options.on_result = [put, side](EncodedResult result) { return put(side, std::move(result)); };
  if (suite.pair) {
    options.pair = suite.pair;
    options.on_baseline = [put](EncodedResult result) { return put(0, std::move(result)); };
  } else {
    options.worker_command = {suite.sides[side].program, "worker"};
  }
  options.worker_folder = suite.sides[side].folder;
  options.on_machine = [this, &suite, &measured, side](const std::string& kind, const Machine& machine) {
    know(suite, measured.sides[side], kind, machine);
    if (suite.pair) know(suite, measured.sides[0], kind, machine);
  };
  options.on_progress = [this](const Progress& progress) {
    line_.show(progress, fmt::format("task {}", task_.number));
    renew();
  };
  options.may_begin = [this] { return !lost_; };
  read_programs(options);
  return options;
}

void CampaignWorker::know(const CampaignSuite& suite, MeasuredSide& side, const std::string& kind,
                          const Machine& seen) {
  Machine machine = seen;
  complete(machine, kind, prepared_);
  const auto wanted = suite.devices.find(kind);
  if (wanted != suite.devices.end() && wanted->second != machine.device_uuid)
    machine_accepted_ = fail(
        ErrorKind::not_comparable,
        fmt::format("the campaign is measured on {}, and this is {}", wanted->second, machine.device_uuid),
        "measure one build on the device that it was planned for; plan two builds to use several devices");
  side.machines[kind] = std::move(machine);
}

// Called several times a second.
void CampaignWorker::renew() {
  if (lost_ || now() - renewed_ < campaign_.lease / renewals_in_a_lease) return;
  renewed_ = now();
  const BriefPatience brief;
  const Result<bool> mine = store_.renew(id_, task_.number, name_, campaign_.lease);
  lost_ = mine && !*mine;  // a store that is away says nothing
}

}  // namespace harness
