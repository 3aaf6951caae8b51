// A plugin for the command-line tests: a trivial workload (y = 2x) with variants that behave and
// variants that are broken on purpose, one way each.
#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "harness/sdk/registry.h"

namespace {

namespace sdk = harness::sdk;

class Twice : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "twice"; }
  [[nodiscard]] std::string_view summary() const override { return "y = 2x"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::vector<std::int64_t> shape{params.integer("n")};
    return sdk::Problem{
        {{"x", sdk::Role::input, sdk::DType::f32, shape}, {"y", sdk::Role::output, sdk::DType::f32, shape}},
        sdk::Work{static_cast<double>(shape[0]), static_cast<double>(8 * shape[0])},
        sdk::Tolerance{1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = 2 * inputs[0].at(wanted[i]);
  }
};

enum class Way {
  right,
  slow,
  wrong,
  nan,
  unwritten,
  drifts,
  crashes,
  hangs,
  throws,
  prints,
  forks,
  daemons,
  stops,
  held,
  slowed,
  leaves
};

// How many copies of this plugin the process holds, each with another build's variants.
constexpr const char* copies = "TEST_PLUGIN_COPIES";
int copies_loaded() {
  const char* const known = std::getenv(copies);
  return known == nullptr ? 0 : std::atoi(known);
}

// As long as the later commit's, while that one is loaded too; a tenth alone.
void work_slowed() {
#ifdef HARNESS_TEST_NEXT
  usleep(2000);
#else
  usleep(copies_loaded() > 1 ? 2000 : 200);
#endif
}

// Only the later commit's sets a timer, which nobody stops.
void leave_a_timer() {
#ifdef HARNESS_TEST_NEXT
  constexpr itimerval in_an_hour{{0, 0}, {3600, 0}};
  setitimer(ITIMER_PROF, &in_an_hour, nullptr);
#endif
}

// Leaves a process behind, as one of its group or of a session of its own.
void leave_process(bool daemon) {
  if (const pid_t child = fork(); child != 0) {
    if (daemon) waitpid(child, nullptr, 0);
    return;
  }
  if (daemon && (setsid() < 0 || fork() != 0)) _exit(0);
  while (true) pause();
}

// Waits while there is a file `hold` in the test's folder. A file of `held` tells that it waits: the number
// of the job of a Slurm array, else a process id. Only so many processes wait as come behind the number that
// `hold` names.
void wait_while_held() {
  const char* folder = std::getenv("HARNESS_TEST_FOLDER");
  const std::string hold = std::string(folder == nullptr ? "" : folder) + "/hold";
  if (folder == nullptr || access(hold.c_str(), F_OK) != 0) return;
  const char* job = std::getenv("SLURM_ARRAY_TASK_ID");
  const std::string name = job != nullptr ? job : std::to_string(getpid());
  if (const int file = creat((std::string(folder) + "/held/" + name).c_str(), 0600); file >= 0) close(file);
  int passing = 0;
  std::ifstream(hold) >> passing;
  const std::filesystem::directory_iterator all(std::string(folder) + "/held");
  if (std::distance(begin(all), end(all)) <= passing) return;
  while (access(hold.c_str(), F_OK) == 0) usleep(1000);
}

template <Way way>
class Doubler : public sdk::Kernel {
 public:
  Doubler(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : count_(params.integer("n")) {
    if (way == Way::throws) throw std::runtime_error("no memory for the plan");
    if (way == Way::forks || way == Way::daemons) leave_process(way == Way::daemons);
    if (way == Way::stops) kill(getppid(), SIGSTOP);
  }
  void bind(const sdk::Buffers& buffers) override {
    x_ = buffers.as<const float>(0);
    y_ = buffers.as<float>(1);
  }
  void run(sdk::Stream) override {
    ++calls_;
    if (way == Way::crashes) raise(SIGSEGV);
    if (way == Way::slow) usleep(2000);
    if (way == Way::held) wait_while_held();
    if (way == Way::slowed) work_slowed();
    if (way == Way::leaves) leave_a_timer();
    if (way == Way::hangs)
      while (true) pause();
    if (way == Way::prints) {
      std::printf("{\"this is\": \"not the protocol\"}\n");
      std::fprintf(stderr, "a workload that talks\n");
    }
    for (std::int64_t i = 0; i < count_; ++i) y_[i] = 2 * x_[i];
    if (way == Way::wrong) y_[0] += 1;
    if (way == Way::nan) y_[count_ / 2] = std::numeric_limits<float>::quiet_NaN();
    if (way == Way::drifts && calls_ > 3) y_[0] += 1;  // right at first, wrong once warm
  }

 private:
  std::int64_t count_;
  std::int64_t calls_ = 0;
  const float* x_ = nullptr;
  float* y_ = nullptr;
};

class Unwritten final : public sdk::Kernel {
 public:
  Unwritten(const sdk::Params&, const sdk::Problem&, const sdk::DeviceTraits&) {}
  void bind(const sdk::Buffers&) override {}
  void run(sdk::Stream) override {}
};

// Chooses another way in each process, unless it is told one.
class Chooses final : public Doubler<Way::right> {
 public:
  using Doubler::Doubler;
  std::string choose(const sdk::Buffers&) override { return "way " + std::to_string(getpid()); }
  bool take_choice(const std::string& choice) override { return choice.starts_with("way "); }
};

// The same with blocks of a size that is to be tuned.
class Tiled final : public Twice {
 public:
  [[nodiscard]] std::string_view name() const override { return "tiled"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1},
            {"tile", sdk::ParamKind::integer, "elements of a block", {}, {}, 1}};
  }
  [[nodiscard]] std::vector<sdk::MetricSpec> metrics() const override {
    return {{"tile", "", sdk::Better::lower, "the size of a block that ran"}};
  }
};

// Tells the size that it works with. 7 is unsupported, and with 13 the result is wrong.
class Blocks final : public Doubler<Way::right> {
 public:
  Blocks(const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : Doubler(params, problem, traits), tile_(params.integer("tile")) {
    if (tile_ == 7) throw sdk::Unsupported("no blocks of 7");
  }
  void bind(const sdk::Buffers& buffers) override {
    Doubler::bind(buffers);
    y_ = buffers.as<float>(1);
  }
  void run(sdk::Stream stream) override {
    wait_while_held();
    Doubler::run(stream);
    if (tile_ == 13) y_[0] += 1;
  }
  void report(sdk::MetricSink& sink) const override { sink.report("tile", static_cast<double>(tile_)); }

 private:
  std::int64_t tile_;
  float* y_ = nullptr;
};

// The same by a call that says that it uses several GPUs.
class Shared final : public Twice {
 public:
  [[nodiscard]] std::string_view name() const override { return "shared"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1},
            {"gpus", sdk::ParamKind::integer, "GPUs of a call", {}, {}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    sdk::Problem problem = Twice::problem(params);
    problem.gpus = static_cast<int>(params.integer("gpus"));
    return problem;
  }
};

HARNESS_WORKLOAD(twice, Twice)
HARNESS_WORKLOAD(tiled, Tiled)
HARNESS_WORKLOAD(shared, Shared)
HARNESS_VARIANT(shared, on_gpus, cuda, "for the stand-in of the CUDA module", Doubler<Way::right>)
HARNESS_VARIANT(tiled, blocks, cpu, "works in blocks", Blocks)
HARNESS_VARIANT(twice, right, cpu, "as it should be", Doubler<Way::right>)
#ifdef HARNESS_TEST_NEXT  // the plugin of a later commit, for A/B runs
HARNESS_VARIANT(twice, also_right, cpu, "no longer right", Doubler<Way::wrong>)
HARNESS_VARIANT(twice, added, cpu, "a new one", Doubler<Way::right>)
#else
HARNESS_VARIANT(twice, also_right, cpu, "another that is right", Doubler<Way::right>)
#endif
HARNESS_VARIANT(twice, chooses, cpu, "has several ways", Chooses)
HARNESS_VARIANT(twice, slow, cpu, "sleeps two milliseconds a call", Doubler<Way::slow>)
HARNESS_VARIANT(twice, wrong, cpu, "one element is off by one", Doubler<Way::wrong>)
HARNESS_VARIANT(twice, nan, cpu, "one element is not a number", Doubler<Way::nan>)
HARNESS_VARIANT(twice, unwritten, cpu, "writes nothing", Unwritten)
HARNESS_VARIANT(twice, drifts, cpu, "wrong from the fourth call on", Doubler<Way::drifts>)
HARNESS_VARIANT(twice, crashes, cpu, "segmentation fault", Doubler<Way::crashes>)
HARNESS_VARIANT(twice, hangs, cpu, "never returns", Doubler<Way::hangs>)
HARNESS_VARIANT(twice, held, cpu, "waits while the test holds it", Doubler<Way::held>)
HARNESS_VARIANT(twice, slowed, cpu, "slow while a later commit's is loaded", Doubler<Way::slowed>)
HARNESS_VARIANT(twice, leaves, cpu, "a later commit's leaves a timer", Doubler<Way::leaves>)
HARNESS_VARIANT(twice, throws, cpu, "cannot be built", Doubler<Way::throws>)
HARNESS_VARIANT(twice, prints, cpu, "writes to standard output", Doubler<Way::prints>)
HARNESS_VARIANT(twice, forks, cpu, "leaves a child behind", Doubler<Way::forks>)
HARNESS_VARIANT(twice, daemons, cpu, "leaves a daemon behind", Doubler<Way::daemons>)
HARNESS_VARIANT(twice, stops, cpu, "stops its parent", Doubler<Way::stops>)

void register_all(sdk::Registry& registry) {
  if (const char* way = std::getenv("TEST_PLUGIN_LOADS"); way != nullptr) {
    if (*way == 'c') raise(SIGSEGV);
    _exit(0);
  }
  setenv(copies, std::to_string(copies_loaded() + 1).c_str(), 1);
  register_workload_twice(registry);
  register_workload_tiled(registry);
  register_workload_shared(registry);
  register_variant_shared_on_gpus(registry);
  register_variant_tiled_blocks(registry);
  register_variant_twice_right(registry);
  register_variant_twice_also_right(registry);
#ifdef HARNESS_TEST_NEXT
  register_variant_twice_added(registry);
#endif
  register_variant_twice_chooses(registry);
  register_variant_twice_slow(registry);
  register_variant_twice_wrong(registry);
  register_variant_twice_nan(registry);
  register_variant_twice_unwritten(registry);
  register_variant_twice_drifts(registry);
  register_variant_twice_crashes(registry);
  register_variant_twice_hangs(registry);
  register_variant_twice_held(registry);
  register_variant_twice_slowed(registry);
  register_variant_twice_leaves(registry);
  register_variant_twice_throws(registry);
  register_variant_twice_prints(registry);
  register_variant_twice_forks(registry);
  register_variant_twice_daemons(registry);
  register_variant_twice_stops(registry);
}

}  // namespace

HARNESS_MODULE("command-line test plugin", register_all)
