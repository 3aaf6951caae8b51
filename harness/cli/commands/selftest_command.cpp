// `harness selftest`: how often the rule that decides is wrong, by simulation, or by A/A on this machine.
#include <fmt/format.h>
#include <limits>

#include <algorithm>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/progress_line.h"
#include "harness/cli/programs/measure_session.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents.h"
#include "harness/study/selftest.h"
#include "harness/suite/load_suite.h"

namespace harness {
namespace {

constexpr int exit_above_limit = 1;

// The default suite of --aa: short cases for each kind of device.
constexpr const char* own_suite = R"(version: 2
name: selftest
defaults:
  sampling: {processes: 10, placements: 2, samples: 20, warmup: 2, preheat: 20ms, max_time: 200ms, timeout: 30s}
cases:
  - workload: linear_gelu
    variants: [threads_unfused, threads_fused]
    axes: {dtype: f32, m: 33, n: 65, k: 127}
    sampling: {cache: hot}
  - workload: linear_gelu
    variants: [cublas_unfused, cublaslt_epilogue]
    axes: {dtype: f16, m: 512, n: 1024, k: 1024}
)";

struct SelftestArguments {
  bool aa = false;
  SessionOptions session;
  SelftestOptions options;
  OutputOptions output;
};

int report(const SelftestArguments& arguments, const SelftestReport& made) {
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::selftest_document(made), format, style);
      },
      passes(made) ? exit_ok : exit_above_limit);
}

int stopped() {
  fmt::print(stderr, "interrupted: nothing of a selftest is kept\n");
  return exit_interrupted;
}

// Measures a suite once and compares random halves of its processes.
int compare_halves(const SelftestArguments& arguments) {
  SessionOptions session = arguments.session;
  const TemporaryFolder scratch;
  const bool own = session.suite.empty();
  if (own) {
    session.suite = (scratch.path() / "selftest.yaml").string();
    if (const Status written = write_file_atomically(session.suite, own_suite); !written)
      return report_error(written.error());
  }
  if (const auto suite = load_suite(session.suite); !suite) return report_errors(suite.error());
  const InterruptGuard guard;
  fmt::print(stderr, "measuring {}\n", own ? "a small suite" : printable(session.suite));
  auto record = measure_session(session);
  if (!record) return report_error(record.error());
  if (!*record) return stopped();
  SelftestReport made;
  made.seed = arguments.options.seed;
  made.splits = arguments.options.splits;
  made.runs.push_back(halves_of({**record}, arguments.options));
  if (made.runs.front().processes == 0)
    return report_error(
        {ErrorKind::missing,
         fmt::format("no halves can be compared: each needs {} processes of every case that decides",
                     Policy{}.min_processes),
         {},
         "measure more with `--processes 10`, and see what `harness list` says of the suite"});
  return report(arguments, made);
}

// The options with `processes` a side; not given: the default plans. A lower number than the minimum lowers
// the minimum.
SelftestOptions with_processes(SelftestOptions options, const std::optional<int>& processes) {
  if (!processes) return options;
  options.plans = {{*processes}, {*processes, {}, true}};
  options.min_processes = std::min(options.min_processes, *processes);
  options.min_shared_processes = std::min(options.min_shared_processes, *processes);
  return options;
}

int simulate(SelftestOptions options, const SelftestArguments& arguments) {
  const InterruptGuard guard;
  ProgressLine line(false);
  options.on_progress = [&](std::size_t done, std::size_t all) {
    line.show(fmt::format("[{}/{}] simulated suites", done, all));
    return !InterruptGuard::interrupted();
  };
  const std::optional<SelftestReport> made = selftest(options);
  line.clear();
  return made ? report(arguments, *made) : stopped();
}

int selftest_command(const SelftestArguments& arguments) {
  const std::vector<std::string> read =
      arguments.session.suite.empty() ? std::vector<std::string>{} : std::vector{arguments.session.suite};
  if (const Status checked = check_outputs(arguments.output, {"", read}); !checked)
    return report_error(checked.error());
  if (!arguments.aa && (arguments.session.device.given() || !arguments.session.filter.patterns.empty() ||
                        !arguments.session.modules.files.empty()))
    return report_error({ErrorKind::usage,
                         "a simulation measures nothing",
                         {},
                         "--device, --filter and --module go with --aa"});
  if (arguments.aa) return compare_halves(arguments);
  return simulate(with_processes(arguments.options, arguments.session.processes), arguments);
}

}  // namespace

void add_selftest(Commands& commands) {
  auto& [command, declared] = commands.add(
      "selftest", "Simulate how often verdicts are wrong, or measure it on this machine", selftest_command);
  SelftestArguments& arguments = declared;  // clang 14 lets no lambda refer to a structured binding
  command
      .add_option("--seed", arguments.options.seed,
                  "seed of the random numbers; the same seed gives the same report")
      ->capture_default_str()
      ->check(whole_number(0, std::numeric_limits<long long>::max()));
  command
      .add_option("--splits", arguments.options.splits,
                  "simulated suites per row, or random halves with --aa")
      ->capture_default_str()
      ->check(whole_number(1, 1'000'000));
  command
      .add_option_function<std::vector<std::string>>(
          "--aa",
          [&arguments](const std::vector<std::string>& given) {
            arguments.aa = true;
            if (!given.empty()) arguments.session.suite = given.front();
          },
          "instead measure this suite here, or a small one, and compare random halves of its processes")
      ->expected(0, 1)
      ->type_name("SUITE");
  command
      .add_option("--processes", arguments.session.processes,
                  "simulated processes a side; default: several plans. With --aa: worker processes for each "
                  "case; default: the suite's")
      ->check(whole_number(2, 10000))
      ->type_name("P");
  arguments.session.filter.add_to(command);
  arguments.session.modules.add_to(command);
  arguments.session.device.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "Exit status: 0 no rate lies above its limit, 1 one does (99 % sure), 2 usage, 4 nothing to compare,\n"
      "130 interrupted. A verdict needs 5 processes a side, or 3 with both builds. `--min-processes 3` of\n"
      "other commands lowers that. `--processes 3 --splits 2000` simulates the cost, and fails: of cases\n"
      "that have two modes and are slower by the margin, 9 % pass instead of 5 %.");
  add_examples(command,
               {"harness selftest --seed 7 --splits 200", "harness selftest --aa suite.yaml --processes 20"});
}

}  // namespace harness
