#include "harness/cli/farm/element/campaign_worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/farm/element/device_check.h"
#include "harness/cli/farm/element/device_turn.h"
#include "harness/cli/farm/element/measure_task.h"
#include "harness/cli/farm/element/sick_text.h"
#include "harness/cli/farm/next_tasks.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/provenance/tool.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/cause_words.h"
#include "harness/store/store_wait.h"

namespace harness {
namespace {

constexpr Seconds shortest_rest = 0.05, longest_rest = 5;
constexpr double looks_while_waiting = 10;  // so that it ends soon after those it waits for
constexpr double renewals_in_a_lease = 4;
constexpr Seconds no_limit = std::numeric_limits<Seconds>::infinity();
constexpr Seconds longest_turn = 30;

Seconds now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Two tasks of half the cases each, or the task itself where it has one. `results`: of its cases, in order.
std::vector<FarmTask> halves_of(const FarmTask& task, const std::vector<int>& results) {
  if (task.cases < 2) return {task};
  FarmTask one = task, other = task;
  one.cases = task.cases / 2;
  other.first += one.cases;
  other.cases -= one.cases;
  const auto middle = results.begin() + one.cases;
  one.results = std::accumulate(results.begin(), middle, 0);
  other.results = std::accumulate(middle, results.end(), 0);
  return {one, other};
}

// How many results each case of a task has.
std::vector<int> results_by_case(const FarmTask& task, const std::vector<Plan>& plans) {
  std::vector<int> results;
  for (const PlannedCase& one : plans.front().cases)
    results.push_back(static_cast<int>(plans.size()) *
                      (task.processes > 0 ? task.processes : one.sampling.processes));
  return results;
}

std::string name_of_this_element() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}/{}/{}", host.data(), getpid(), random_uuid().substr(0, 8));
}

}  // namespace

CampaignWorker::CampaignWorker(Store& records, FarmStore& store, std::string id, Campaign campaign,
                               WorkOptions options)
    : records_(records),
      store_(store),
      id_(std::move(id)),
      campaign_(std::move(campaign)),
      options_(std::move(options)),
      holder_{name_of_this_element()},
      builds_(campaign_),
      journal_(options_.journal, id_),
      line_(options_.measuring.quiet),
      ending_(std::make_shared<EndingWorkers>()),
      began_(now()) {
  if (options_.device.given() || campaign_.device.empty()) return;
  options_.device.names = campaign_.device;
  options_.device.text = join(campaign_.device, ",");
}

// All elements must measure the same builds.
Status CampaignWorker::check_builds() {
  if (campaign_.tool != this_tool())
    return fail(
        ErrorKind::not_comparable,
        fmt::format("the campaign was planned by {}, and this is {}", printable(campaign_.tool), this_tool()),
        "start the program that planned it, or plan another campaign");
  return builds_.check();
}

// The devices of this element.
Status CampaignWorker::choose() {
  Plan kinds;
  std::set<std::string> seen;
  int largest = 0;
  for (const CampaignSuite& suite : campaign_.suites)
    for (const PlannedCase& one : suite.kinds) {
      largest = std::max(largest, gpus_of(campaign_, one));
      if (seen.insert(one.device).second) kinds.cases.push_back(one);
    }
  const bool wants_gpu = std::any_of(seen.begin(), seen.end(), is_gpu_kind);
  Result<ChosenDevices> chosen = choose_devices({options_.device, wants_gpu, false, false}, {});
  if (!chosen) return fail(chosen.error());
  std::erase_if(chosen->devices, [&](const auto& one) { return !seen.contains(one.first); });
  static_cast<ChosenDevices&>(prepared_) = std::move(*chosen);
  first_gpus_ = gpus_ = std::min(largest, 1);
  most_gpus_ = largest;
  for (const auto& [kind, count] : prepared_.gpus)
    if (seen.contains(kind)) most_gpus_ = std::min(most_gpus_, count.has);
  kinds.suite.name = "campaign " + id_.substr(0, 8);
  prepared_.plan = std::move(kinds);
  for (const std::string& kind : seen)
    if (!prepared_.devices.contains(kind))
      return fail(ErrorKind::environment, fmt::format("the campaign needs a `{}` device", kind),
                  "start elements where one is; `harness doctor` tells what is in the way");
  if (options_.device.names.size() > 1 && largest <= 1)
    return fail(ErrorKind::usage, "an element measures on one device",
                "start an element for each device, each with its own --device");
  return {};
}

Result<std::vector<DeviceLock>> CampaignWorker::lock() {
  std::set<std::string> shared;
  for (PlannedCase& one : prepared_.plan.cases) {
    one.gpus = std::max(gpus_, 1);
    if (gpus_ > 0 && gpus_of(campaign_, one) == 0) shared.insert(one.device);
  }
  const bool first = checks_ == 0;
  std::optional<Seconds> wait = options_.measuring.wait;
  if (wait && !first) wait = no_limit;
  return lock_devices(prepared_, {wait, std::move(shared), [this, first] {
                                    if (!first) stay();
                                  }});
}

Result<WorkDone> CampaignWorker::work() {
  Result<WorkDone> done = measure_campaign();
  if (!done && done.error().kind != ErrorKind::away &&
      !InterruptGuard::interrupted()) {  // `farm status` tells why nobody measures here
    const BriefPatience brief;
    const std::string& where = done.error().where.file;
    (void)store_.refuse(id_, holder_, (where.empty() ? "" : where + " ") + done.error().message);
  }
  return done;
}

Result<WorkDone> CampaignWorker::measure_campaign() {
  if (const Status may = patiently([&] { return store_.check_rights(id_); }); !may) return fail(may.error());
  if (const Status same = check_builds(); !same) return fail(same.error());
  if (const Status written = journal_.check(); !written)
    fmt::print(stderr, "warning: {}\n  a task that the store cannot take is kept in memory alone\n",
               written.error().text());
  if (const Status chosen = choose(); !chosen) return fail(chosen.error());
  for (PlannedCase& one : prepared_.plan.cases) one.gpus = std::max(most_gpus_, 1);
  auto clocks = lock_clocks(prepared_, options_.clocks);
  if (!clocks) return fail(clocks.error());
  clocks_ = std::move(*clocks);
  const Result<WorkDone> done = take_tasks();
  const Status left = leave();
  if (!done || left) return done;
  return fail(left.error());
}

// Verifies the device first, after the last task, and before it waits for tasks or for more devices.
Result<WorkDone> CampaignWorker::take_tasks() {
  std::optional<Seconds> waits_since;  // for others
  DeviceTurn turn(*ending_, std::min(longest_turn, campaign_.lease / renewals_in_a_lease));
  while (!InterruptGuard::interrupted()) {
    // The lease begins when the device is free, so that no element holds a task while it waits for another's.
    if (const Status kept = turn.keep(gpus_, [this] { return lock(); }); !kept) return fail(kept.error());
    if (const Status sent = send_journal(); !sent) return fail(sent.error());
    const Result<bool> over = is_over_budget();
    if (!over) return fail(over.error());
    const bool last = *over || (options_.tasks && done_ >= *options_.tasks);
    const bool begins = checks_ == 0;
    if (begins || (last && !verified_)) {
      const Result<bool> well = verify();
      if (!well) return fail(well.error());
      if (!*well) return ended(WorkEnd::quarantined);
    }
    // An element that was killed has left its task, and nobody need wait for the end of its lease.
    if (begins && turn.locks_devices())
      if (const auto freed = patiently([&] { return store_.free_tasks_of_device(id_, holder_); }); !freed)
        return fail(freed.error());
    if (last) return ended(*over ? WorkEnd::over_budget : WorkEnd::left_to_others);
    const Result<std::optional<FarmTask>> task = take();
    if (!task) return fail(task.error());
    if (*task) {
      waits_since.reset();
      const bool judges = (*task)->kind == TaskKind::judge;
      gpus_ = judges ? first_gpus_ : (*task)->gpus;
      const Status done = judges ? judge(**task) : measure_and_store(**task);
      if (!done) return fail(done.error());
      continue;
    }
    const Result<Rest> left = look_at_rest();
    if (!left) return fail(left.error());
    if (!verified_) {
      const Result<bool> well = verify();
      if (!well) return fail(well.error());
      if (!*well) return ended(WorkEnd::quarantined);
      continue;
    }
    if (left->next_gpus) {
      gpus_ = *left->next_gpus;
      continue;
    }
    const bool first_turn = std::exchange(gpus_, first_gpus_) == first_gpus_;
    turn.end();
    if (!left->open) return finished();
    if (left->longest > 0) {
      longest_ = left->longest;
      return ended(left->longest < options_.time ? WorkEnd::needs_fresh_time : WorkEnd::needs_more_time);
    }
    // Judging adds tasks, which may be for fewer GPUs. It happens once somebody has measured the rest.
    const bool waited = waits_since && now() - *waits_since >= campaign_.lease;
    if (left->too_large > 0 && (!left->judging || waited))
      return ended(WorkEnd::needs_more_gpus, left->too_large);
    if (!options_.stay && !first_turn) continue;  // a task of the first turn may be free again
    if (!options_.stay) return ended(WorkEnd::left_to_others);
    line_.show("others measure the last tasks");
    if (!waits_since) waits_since = now();
    const Seconds most = std::min(campaign_.lease / renewals_in_a_lease, longest_rest);
    rest(std::min(std::max((now() - *waits_since) / looks_while_waiting, shortest_rest), most));
  }
  return ended(WorkEnd::interrupted);
}

// No task is open, also where somebody cancelled the campaign.
Result<WorkDone> CampaignWorker::finished() {
  const auto stored = patiently([&] { return store_.find(id_); });
  if (!stored) return fail(stored.error());
  return ended(stored->cancelled ? WorkEnd::cancelled : WorkEnd::finished);
}

Result<bool> CampaignWorker::is_over_budget() {
  if (campaign_.budget <= 0) return false;
  const Result<Seconds> running = patiently([&] { return store_.running_for(id_); });
  if (!running) return fail(running.error());
  return *running >= campaign_.budget;
}

Result<bool> CampaignWorker::verify() {
  if (const Status same = builds_.check(); !same) return fail(same.error());
  if (checks_ > 0)
    if (const auto there = patiently([&] { return store_.enlist(id_, holder_, false, campaign_.lease); });
        !there)
      return fail(there.error());
  line_.show("checking the device");
  renewed_ = now();
  const auto stays = [this] {
    if (checks_ > 1) stay();
  };
  const Result<DeviceCheck> check = check_device({campaign_, prepared_, ++checks_, stays, ending_});
  line_.clear();
  if (!check) return fail(check.error());
  if (check->interrupted) return true;
  holder_.device = check->device();
  const auto history = patiently([&] { return store_.probes(holder_.device); });
  if (!history) return fail(history.error());
  Record known;
  known.suite = campaign_.suites.front().current().plan.suite;
  for (const CampaignSuite& one : campaign_.suites)
    if (!one.probes.empty()) known.suite = one.current().plan.suite;
  known.machines = check->machines;
  sick_ = sickness_of(campaign_, *check, *history, with_learned(records_, Policy{}, known).learned);
  if (sick_) {
    const auto freed = patiently([&] { return store_.quarantine(id_, holder_, encode(*sick_), records()); });
    return freed ? Result<bool>(false) : fail(freed.error());
  }
  const std::vector<ProbeValue> values = probe_values(campaign_, *check);
  if (const auto kept = patiently([&] { return store_.keep_probes(holder_, values); }); !kept)
    return fail(kept.error());
  const auto well = patiently([&] { return store_.enlist(id_, holder_, true, campaign_.lease); });
  verified_ = well && *well;
  return well;
}

// It lives, and nobody judges before it has verified its device. Called several times a second.
void CampaignWorker::stay() {
  if (now() - renewed_ < campaign_.lease / renewals_in_a_lease) return;
  renewed_ = now();
  const BriefPatience brief;
  (void)store_.enlist(id_, holder_, verified_, campaign_.lease);  // a store that is away says nothing
}

// It lives no longer. Others need not wait for an element that ends without a last look at its device.
Status CampaignWorker::leave() {
  if (sick_ || holder_.device.empty()) return {};
  const BriefPatience brief;
  const Result<bool> left = store_.enlist(id_, holder_, verified_, 0);
  return left || left.error().kind == ErrorKind::away ? Status() : fail(left.error());
}

std::vector<std::string> CampaignWorker::records() const {
  std::vector<std::string> ids;
  for (const CampaignSuite& suite : campaign_.suites)
    for (const CampaignSide& side : suite.sides) ids.push_back(side.record);
  return ids;
}

Result<std::optional<FarmTask>> CampaignWorker::take() {
  holder_.gpus = gpus_;
  if (options_.time > 0) holder_.time = std::max(options_.time - (now() - began_), 1e-3);
  // Where nobody knew how long cases take, tasks may be so short that most of their time is spent in starting
  // processes. Not where somebody says how many cases a task has, or how many tasks are measured.
  holder_.elements = campaign_.elements;
  const bool may_join = campaign_.block == 0 && campaign_.budget <= 0 && !options_.tasks;
  holder_.cases = may_join ? next_.most : 0;
  holder_.least_cases = next_.least;
  return patiently([&] { return store_.take(id_, holder_, campaign_.lease); });
}

Result<CampaignWorker::Rest> CampaignWorker::look_at_rest() {
  const auto tasks = patiently([&] { return store_.open_tasks(id_); });
  if (!tasks) return fail(tasks.error());
  Rest rest;
  rest.open = !tasks->empty();
  bool at_hands = false;  // of others
  bool may_come = false;  // a task that this element can measure
  for (const FarmTask& one : *tasks) {
    if (one.kind != TaskKind::measure) {
      rest.judging = true;
      continue;
    }
    const bool at_hand = one.lease > 0, fits = one.gpus <= most_gpus_;
    may_come |= at_hand || fits;
    at_hands |= at_hand;
    if (!at_hand && fits && options_.time > 0 && one.spent > 0 &&
        one.spent >= options_.time - (now() - began_)) {
      rest.longest = std::max(rest.longest, one.spent);
      continue;
    }
    if (at_hand || turn_of(one.gpus) <= turn_of(gpus_)) continue;
    if (!fits)
      rest.too_large = rest.too_large == 0 ? one.gpus : std::min(rest.too_large, one.gpus);
    else if (!rest.next_gpus || turn_of(one.gpus) < turn_of(*rest.next_gpus))
      rest.next_gpus = one.gpus;
  }
  if (may_come) rest.too_large = 0;
  if (at_hands || rest.next_gpus) rest.longest = 0;
  return rest;
}

Status CampaignWorker::send_journal() {
  const Result<int> sent = patiently([&] { return journal_.send(store_); });
  if (!sent) return fail(sent.error());
  done_ += *sent;
  return {};
}

Status CampaignWorker::judge(const FarmTask& task) {
  line_.show("judging");
  const auto tasks = patiently([&] { return store_.tasks(id_); });
  if (!tasks) return fail(tasks.error());
  Campaign whole = campaign_;
  const auto loaded = patiently([&] { return load_cases(store_, id_, whole); });
  if (!loaded) return loaded;
  const auto next = patiently([&] { return next_tasks(records_, whole, *tasks); });
  line_.clear();
  const auto judged =
      next ? patiently([&] { return store_.complete_judging(id_, task.number, *next); }) : fail(next.error());
  if (judged && *judged) return {};
  (void)store_.release(id_, task.number, holder_.name);  // else the lease ends
  return judged ? Status() : fail(judged.error());
}

Status CampaignWorker::measure_and_store(const FarmTask& task) {
  verified_ = false;
  renewed_ = now();
  lost_ = false;
  Result<std::vector<Plan>> plans = patiently([&] { return load_task(store_, id_, campaign_, task); });
  if (!plans) {
    (void)store_.release(id_, task.number, holder_.name);
    return fail(plans.error());
  }
  FarmTask rest = task;
  const double began = now();
  TaskMeasuring how{campaign_, id_, holder_, prepared_, ending_, std::move(*plans)};
  how.load = [this](const std::string& record, const std::set<std::string>& cases) {
    return patiently([&] { return records_.load_cases(record, cases); });
  };
  how.on_progress = [this, &task](const Progress& progress) {
    line_.show(progress, fmt::format("task {}", task.number));
    renew(task);
  };
  how.may_begin = [this] { return !lost_; };
  how.on_part = [&](const MeasuredTask& part, int processes) { rest = keep_part(task, part, processes); };
  Result<std::optional<MeasuredTask>> measured = measure_same_build(how, task);
  line_.clear();
  if (measured && *measured) {
    learn_pace(task, how.plans.front(), std::max(now() - began, (*measured)->seconds));
    tell_failures(**measured);
    const Status stored = store_task(**measured);
    if (!stored) (void)store_.release(id_, task.number, holder_.name);
    return stored;
  }
  // A task that took half of this element's time or more, and moved on by no process, is too large for
  // elements with such a time.
  const Seconds spent = now() - began;
  const bool moved_on = rest.processes_before > task.processes_before;
  if (InterruptGuard::interrupted() && !moved_on)
    (void)store_.give_back(id_, task.number, holder_.name, spent,
                           2 * spent >= now() - began_ ? halves_of(task, results_by_case(task, how.plans))
                                                       : std::vector<FarmTask>{task});
  else if (!lost_)
    (void)store_.release(id_, task.number, holder_.name);  // else the lease ends
  return measured ? Status() : fail(measured.error());
}

void CampaignWorker::learn_pace(const FarmTask& task, const Plan& plan, Seconds took) {
  int processes = 1;
  for (const PlannedCase& one : plan.cases) processes = std::max(processes, one.sampling.processes);
  next_ = next_task_after(task.cases, took / processes);
}

// Stores what an interrupted task has of each of its cases, and returns the task without it.
FarmTask CampaignWorker::keep_part(const FarmTask& task, const MeasuredTask& part, int processes) {
  FarmTask rest = task;
  int results = 0;
  for (const MeasuredSide& side : part.sides) results += static_cast<int>(side.results.size());
  rest.processes_before += processes;
  rest.processes = task.results * processes / results - processes;
  rest.results -= results;
  const Status same = builds_.check();
  const Result<bool> kept = same ? store_.complete_part(part, processes, rest) : fail(same.error());
  return kept && *kept ? rest : task;
}

// The builds before the task and behind it are those that were planned, or its results are not used.
Result<std::optional<MeasuredTask>> CampaignWorker::measure_same_build(const TaskMeasuring& how,
                                                                       const FarmTask& task) {
  if (const Status same = builds_.check(); !same) return fail(same.error());
  Result<std::optional<MeasuredTask>> measured = measure_task(how, task);
  if (const Status same = builds_.check(); !same) return fail(same.error());
  return measured;
}

// Results that failed decide the verdict as in any run. A campaign may take hours until then.
void CampaignWorker::tell_failures(const MeasuredTask& task) {
  int results = 0, failed = 0;
  const ProcessResult* first = nullptr;
  for (const MeasuredSide& side : task.sides)
    for (const auto& [result, text] : side.results) {
      ++results;
      if (result.outcome != Outcome::incorrect && result.outcome != Outcome::failed &&
          result.outcome != Outcome::timed_out)
        continue;
      ++failed;
      if (first == nullptr) first = &result;
    }
  failed_ += failed;
  if (first == nullptr) return;
  fmt::print(stderr, "task {}: {} of {} results failed or are wrong; the first: {}: {}\n", task.number,
             failed, results, printable(first->case_id),
             first->reason ? report::words(*first->reason) : std::string(name_of(first->outcome)));
}

Status CampaignWorker::store_task(const MeasuredTask& task) {
  (void)store_.enlist(id_, holder_, false, campaign_.lease);  // nobody judges before the device is verified
  const Result<bool> first = store_.complete(task);
  if (first) {
    done_ += *first ? 1 : 0;
    return {};
  }
  const ErrorKind kind = first.error().kind;
  if (kind != ErrorKind::environment && kind != ErrorKind::away) return fail(first.error());
  const Status kept = journal_.keep(task);
  fmt::print(stderr, "the store cannot take task {}, which is kept in {}\n", task.number,
             kept ? journal_.folder().string() : "memory: " + kept.error().text());
  return {};  // the journal is sent before the next task is taken
}

// Called several times a second.
void CampaignWorker::renew(const FarmTask& task) {
  if (lost_ || now() - renewed_ < campaign_.lease / renewals_in_a_lease) return;
  renewed_ = now();
  const BriefPatience brief;
  const Result<bool> mine = store_.renew(id_, task.number, holder_.name, campaign_.lease);
  lost_ = mine && !*mine;  // a store that is away says nothing
}

}  // namespace harness
