// The worker process: reads a job, opens the device, measures case after case, streams messages.
#include "harness/measure/worker/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/catalog/apart.h"
#include "harness/device/host/host_state.h"
#include "harness/device/open.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/schedule/ceiling_cache.h"
#include "harness/measure/worker/build_catalog.h"
#include "harness/measure/worker/leftovers.h"
#include "harness/measure/worker/message_seal.h"
#include "harness/measure/worker/preheat.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr int exit_misused = 64;      // EX_USAGE
constexpr int exit_device_lost = 75;  // EX_TEMPFAIL: the rest needs a fresh process
constexpr int first_free_descriptor = 100;
// Room for the results of many cases (10,000 samples take some 80 kB), so that a busy parent does not delay
// the next case. Linux grants everybody so much (fs.pipe-max-size).
constexpr int pipe_bytes = 1 << 20;

// The pipe to the parent. It is moved away from fd 3 and closed on exec, and fd 3 becomes /dev/null. So
// neither a workload nor a program that it starts can write between the messages.
class MessagePipe {
 public:
  MessagePipe() {
    fd_ = fcntl(message_descriptor, F_DUPFD_CLOEXEC, first_free_descriptor);
    redirect(message_descriptor, O_WRONLY);
    // If the system refuses, the pipe keeps its size.
    [[maybe_unused]] const int granted = fcntl(fd_, F_SETPIPE_SZ, pipe_bytes);
  }
  [[nodiscard]] bool ok() const { return fd_ >= 0; }

  // Seals what follows. The parent then takes nothing else, so it learns of it before a module is loaded.
  void seal(std::string key) {
    if (key.empty()) return;
    seal_.emplace(std::move(key));
    send_line(seal_->seal(seal_begins));
  }

  void send(const Message& message) {
    const std::string line = encode(message);
    send_line(seal_ ? seal_->seal(line) : line);
  }

  static void redirect(int descriptor, int flags) {
    const int null = open("/dev/null", flags | O_CLOEXEC);
    if (null < 0) return;
    dup2(null, descriptor);
    if (null != descriptor) close(null);
  }

 private:
  // Without a parent the process ends at once.
  void send_line(std::string line) const {
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t count = write(fd_, rest.data(), rest.size());
      if (count >= 0)
        rest.remove_prefix(static_cast<std::size_t>(count));
      else if (errno != EINTR)
        _exit(exit_misused);
    }
  }

  int fd_ = -1;
  std::optional<MessageSeal> seal_;
};

// Standard input, moved out of the reach of workloads like the other pipe: a line with the job, then end of
// file once the previous worker has left the device.
class JobPipe {
 public:
  JobPipe() : fd_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, first_free_descriptor)) {
    MessagePipe::redirect(STDIN_FILENO, O_RDONLY);
  }

  [[nodiscard]] std::string read_job() const {
    std::string text;
    while (text.find('\n') == std::string::npos && read_more(text)) {
    }
    return text;
  }

  void wait_for_turn() const {
    std::string rest;
    while (read_more(rest)) {
    }
  }

 private:
  bool read_more(std::string& text) const {
    std::array<char, 65536> chunk;
    ssize_t count = 0;
    do count = read(fd_, chunk.data(), chunk.size());
    while (count < 0 && errno == EINTR);
    if (count > 0) text.append(chunk.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  int fd_ = -1;
};

// The reason that a person reads; the location matters when it is a plugin's file.
std::string reason_of(const Error& error) {
  const std::string where = to_string(error.where);
  return printable(fmt::format("{}{}{}{}{}", where, where.empty() ? "" : ": ", error.message,
                               error.advice.empty() ? "" : "; ", error.advice));
}

Result<Catalog> catalog_for(const Job& job, const OpenedDevice& opened) {
  Result<Catalog> catalog = Catalog::load_built_in();
  if (!catalog) return catalog;
  if (opened.module != nullptr)
    if (const Status added = catalog->add(*opened.module); !added) return fail(added.error());
  for (const std::string& module : job.modules)
    if (const Status loaded = catalog->load_module(module); !loaded) return fail(loaded.error());
  return catalog;
}

struct PairedCatalogs {
  Catalog baseline;
  Catalog current;
};

Result<PairedCatalogs> catalogs_for(const PairedBuilds& pair, const OpenedDevice& opened,
                                    const std::vector<std::string>& of_program) {
  Result<Catalog> baseline = catalog_of_build(pair.baseline, opened.module);
  if (!baseline) return fail(baseline.error());
  Result<Catalog> current = catalog_of_build(pair.current, opened.module);
  if (!current) return fail(current.error());
  const auto files = [](const BuildModules& build) {
    std::vector<std::string> all = build.plugins;
    for (const std::string& one : {build.kernels, build.cuda})
      if (!one.empty()) all.push_back(one);
    return LoadedBuild{build.root, all};
  };
  if (const Status apart = check_apart(files(pair.baseline), files(pair.current), of_program); !apart)
    return fail(apart.error());
  return PairedCatalogs{std::move(*baseline), std::move(*current)};
}

// Not kept: it is of these GPUs, takes milliseconds, and another process may use the link.
void add_link(Machine& machine, Device& device) {
  const Result<double> link = device.sensors().measure_link();
  if (!link)
    machine.fields.push_back(
        {"link", printable(fmt::format("not measured: {}", link.error().message)), FieldClass::info});
  else if (*link > 0)
    machine.ceilings[link_ceiling] = *link;
}

Machine machine_of(Device& device, const Job& job) {
  Machine machine = device.sensors().fingerprint();
  if (!job.measure_ceilings) return machine;
  add_ceilings(machine, device, CeilingCache::usual(job.device, machine));
  add_link(machine, device);
  return machine;
}

// Calls `change` for the result in a message, or for both of a pair.
template <class Change>
void for_each_result(Message& message, Change change) {
  if (auto* result = std::get_if<ProcessResult>(&message)) change(*result);
  if (auto* pair = std::get_if<PairResult>(&message)) change(pair->baseline), change(pair->current);
}

void note_unsteady(Message& message, const PreheatLimits& limits) {
  const Note note{NoteCode::clock_unsteady,
                  {{"tolerance", limits.tolerance}, {"after", std::max(limits.least, limits.most)}}};
  for_each_result(message, [&](ProcessResult& result) { result.notes.push_back(note); });
}

// The time that a process spends before its first case. A record keeps it with that case.
class StartUp {
 public:
  // From `entered` on the host's clock, which a device that runs has too; a script's begins at 0.
  StartUp(Device& device, Seconds entered) : device_(device), last_(std::min(entered, device.timer().now())) {
    end("process_start");
  }
  // Ends the phase that began when the last one ended.
  void end(std::string_view name) {
    const Seconds now = device_.timer().now();
    phases_.push_back({std::string(name), now - std::exchange(last_, now)});
  }
  void tell(Message& message) {
    for_each_result(message, [&](ProcessResult& result) {
      result.phases.insert(result.phases.begin(), phases_.begin(), phases_.end());
    });
    phases_.clear();
  }

 private:
  Device& device_;
  Seconds last_;
  std::vector<Phase> phases_;
};

Seconds host_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// An error that is no fault of the device: the parent quotes it from the worker's log.
int misused(const Error& error) {
  fmt::print(stderr, "{}\n", reason_of(error));
  return exit_misused;
}

// Measures one case; the message to send, and whether the device may be lost.
using Measure = std::function<std::pair<Message, bool>(const PlannedCase&, Carried&)>;

std::pair<Message, bool> told(ProcessResult result) {
  const bool suspect = result.outcome == Outcome::failed;
  return {std::move(result), suspect};
}

std::pair<Message, bool> told(PairResult result) {
  const bool suspect =
      result.baseline.outcome == Outcome::failed || result.current.outcome == Outcome::failed;
  return {std::move(result), suspect};
}

// The first variable that a case added, changed or removed.
std::optional<std::string> changed_setting(const std::map<std::string, std::string>& before,
                                           const std::map<std::string, std::string>& after) {
  for (const auto* one : {&before, &after})
    for (const auto& [name, value] : *one) {
      const auto was = before.find(name);
      const auto is = after.find(name);
      if (was == before.end() || is == after.end() || was->second != is->second) return name;
    }
  return std::nullopt;
}

// Tells how a case has changed its process; std::nullopt: nothing that lasts.
std::optional<Cause> done_to_process(const std::map<std::string, std::string>& settings, Leftovers& leftovers,
                                     InputCache& inputs) {
  if (const std::optional<std::string> changed = changed_setting(settings, environment::settings()))
    return Cause{CauseCode::environment_changed, {{"variable", printable(*changed)}}};
  if (const std::optional<Leftover> left = leftovers.look([&] { inputs.settle(); }))
    return Cause{CauseCode::left_behind, {{"what", left->what}, {"name", printable(left->name)}}};
  return std::nullopt;
}

// A result that is known to be wrong stays so.
void fail_for(ProcessResult& result, const Cause& cause) {
  if (result.outcome != Outcome::measured && result.outcome != Outcome::looked_at) return;
  result.outcome = Outcome::failed;
  result.reason = cause;
  result.series.clear();
}

std::vector<std::string> modules_of(const Job& job) {
  std::vector<std::string> all = job.modules;
  if (!job.pair) return all;
  for (const BuildModules* build : {&job.pair->baseline, &job.pair->current}) {
    all.insert(all.end(), build->plugins.begin(), build->plugins.end());
    for (const std::string& one : {build->kernels, build->cuda})
      if (!one.empty()) all.push_back(one);
  }
  return all;
}

// Works from the open device to the last message. Returns the exit status.
int work(const Job& job, Device& device, StartUp& start_up, const Measure& measure, MessagePipe& pipe) {
  const Scope suite = device.profiler().range("suite " + job.suite);
  pipe.send(Hello{job.device, machine_of(device, job)});
  start_up.end("process_fingerprint");
  const HostState host = read_host();
  const PreheatLimits limits = job.look ? PreheatLimits{} : preheat_of(job.cases);
  Scope preheating = device.profiler().range("preheat");
  const Result<Preheated> warm = preheat(device, limits);
  preheating.end();
  if (!warm) {
    pipe.send(Refusal{reason_of(warm.error())});
    return EXIT_SUCCESS;
  }
  start_up.end("process_preheat");
  const std::size_t kept_bytes = kept_memory_limit(host.memory_available, host.memory_limit);
  Carried carried{.inputs = InputCache(kept_bytes), .outputs = HostOutputs(kept_bytes)};
  carried.warmth.worked(device.timer().now(), warm->clock_ghz);
  std::random_device random;
  carried.nonce = std::uint64_t{random()} << 32 | random();
  carried.audit_draw = job.audit_draw;
  // A plug-in's or a script's workloads may not like other threads.
  carried.works_ahead = is_gpu_device(job.device) && job.modules.empty();
  const auto settings = environment::settings();
  Leftovers leftovers(modules_of(job));
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    const PlannedCase& planned = job.cases[i];
    carried.next = std::span(job.cases).subspan(i + 1);
    carried.inputs.settle();                     // this time belongs to no case
    fmt::print(stderr, "{}\n", case_separator);  // what is printed from here on is this case's
    std::fflush(stderr);
    pipe.send(Begin{planned.id});
    auto [result, suspect] = measure(planned, carried);
    if (!warm->steady) note_unsteady(result, limits);
    const std::optional<Cause> done = done_to_process(settings, leftovers, carried.inputs);
    if (done) for_each_result(result, [&](ProcessResult& one) { fail_for(one, *done); });
    for_each_result(result, [&](ProcessResult& one) { one.device_uuid = job.device_uuid; });
    start_up.tell(result);
    pipe.send(result);
    // An error of the device outlives its case: what follows needs a process that has not seen it.
    if (done || (suspect && !device.timer().synchronize())) return exit_device_lost;
  }
  pipe.send(Done{});
  return EXIT_SUCCESS;
}

}  // namespace

int run_worker() {
  const Seconds entered = host_clock();
  // The worker dies with its parent, however that dies. A parent that died before this line has closed the
  // pipes.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  MessagePipe pipe;
  if (!pipe.ok()) {
    fmt::print(stderr, "harness worker is started by `harness run`, which gives it a pipe on descriptor {}\n",
               message_descriptor);
    return exit_misused;
  }
  const JobPipe input;
  std::string text = input.read_job();
  Result<Job> job = decode_job(text);
  if (!job) return misused(job.error());
  std::fill(text.begin(), text.end(), '\0');  // the key lies only in the seal
  pipe.seal(std::exchange(job->key, {}));     // an older parent sends none
  Result<OpenedDevice> opened = open_device(job->device, {.peers = job->peers, .hides_others = true});
  const std::vector<std::string> of_program = loaded_libraries();  // and the device's module
  input.wait_for_turn();
  if (!opened) {
    pipe.send(Refusal{reason_of(opened.error())});
    return EXIT_SUCCESS;
  }
  Device& device = *opened->device;
  if (job->pair && !job->alone.empty()) {
    const bool first = job->alone == baseline_side;
    const Result<Catalog> catalog =
        catalog_of_build(first ? job->pair->baseline : job->pair->current, opened->module);
    if (!catalog) {
      pipe.send(Refusal{reason_of(catalog.error())});
      return EXIT_SUCCESS;
    }
    const auto measure = [&](const PlannedCase& planned, Carried& carried) {
      return told(measure_alone(device, *catalog, job->alone, planned, job->process, carried));
    };
    StartUp start_up(device, entered);
    return work(*job, device, start_up, measure, pipe);
  }
  if (job->pair) {
    const Result<PairedCatalogs> pair = catalogs_for(*job->pair, *opened, of_program);
    if (!pair) {
      pipe.send(Refusal{reason_of(pair.error())});
      return EXIT_SUCCESS;
    }
    const auto measure = [&](const PlannedCase& planned, Carried& carried) {
      const auto& one_case = job->counters ? counters_of_pair : job->look ? look_at_pair : measure_pair;
      return told(one_case(device, pair->baseline, pair->current, planned, job->process, carried));
    };
    StartUp start_up(device, entered);
    return work(*job, device, start_up, measure, pipe);
  }
  const Result<Catalog> catalog = catalog_for(*job, *opened);
  if (!catalog) return misused(catalog.error());
  const auto measure = [&](const PlannedCase& planned, Carried& carried) {
    if (job->counters) return told(counters_of_case(device, *catalog, planned, job->process, carried));
    if (job->look) return told(look_at_case(device, *catalog, planned, job->process, carried));
    return told(measure_case(device, *catalog, planned, job->process, carried));
  };
  StartUp start_up(device, entered);
  return work(*job, device, start_up, measure, pipe);
}

}  // namespace harness
