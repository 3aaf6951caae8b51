#include "harness/report/words/examination_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/clock_reason.h"
#include "harness/report/numbers.h"
#include "harness/report/words/cause_words.h"

namespace harness::report {
namespace {

constexpr std::int64_t mib = 1 << 20, gib = 1 << 30;
constexpr std::string_view not_known = "unknown";

bool tells(const Observation& finding, std::string_view figure) {
  return std::any_of(finding.figures.begin(), finding.figures.end(),
                     [&](const Figure& one) { return one.name == figure; });
}

bool is_set(const Observation& finding, std::string_view figure) {
  return finding.count(figure) != 0;
}

std::string text_or(const Observation& finding, std::string_view figure, std::string_view otherwise) {
  std::string text = finding.text(figure);
  return text.empty() ? std::string(otherwise) : text;
}

std::string cause_words(const Observation& finding, std::string_view figure) {
  const auto cause = fact_in<CauseCode>(finding.figures, figure);
  return cause ? words(*cause) : std::string(not_known);
}

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

std::string memory_text(std::int64_t bytes) {
  return bytes >= gib ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) / gib)
                      : fmt::format("{} MiB", bytes / mib);
}

std::string megahertz(const Observation& finding, std::string_view figure) {
  return tells(finding, figure) ? fmt::format("{:.0f} MHz", finding.number(figure)) : std::string(not_known);
}

// 130001 -> "13.0 update 1". CUDA 12 and earlier count differently.
std::string cupti_version(const std::string& number) {
  int version = 0;
  std::from_chars(number.data(), number.data() + number.size(), version);
  if (version < 100'000) return number;
  const int update = version % 100;
  return fmt::format("{}.{}{}", version / 10'000, version / 100 % 100,
                     update == 0 ? "" : fmt::format(" update {}", update));
}

std::string driver_words(const Observation& finding) {
  if (!tells(finding, "version")) return "none";
  std::string words = text_or(finding, "version", not_known);
  if (is_set(finding, "loaded"))
    words += is_set(finding, "open_module") ? ", open kernel module" : ", proprietary kernel module";
  return words;
}

std::string nvml_words(const Observation& finding) {
  if (is_set(finding, "started")) return "answers";
  return is_set(finding, "library") ? "does not start" : "not found";
}

std::string memory_words(const Observation& finding) {
  return memory_text(finding.count("bytes")) +
         (is_set(finding, "is_limit") ? " is the control group's limit" : " available");
}

std::string gpu_words(const Observation& finding) {
  if (tells(finding, "uuid")) return finding.text("uuid");
  return tells(finding, "name") ? text_or(finding, "name", not_known) : "none found";
}

std::string application_clock_words(const Observation& finding) {
  std::string words = megahertz(finding, "mhz");
  if (tells(finding, "usual_mhz")) words += ", not the usual " + megahertz(finding, "usual_mhz");
  return words;
}

std::string clock_lock_words(const Observation& finding) {
  if (!tells(finding, "gpu")) return "none by harness";
  return fmt::format("process {} (since {}) locked the SM clock of {} at {} MHz{}", finding.count("process"),
                     printable(finding.text("since")), printable(finding.text("gpu")), finding.count("mhz"),
                     is_set(finding, "held") ? ", and measures" : " and left it behind");
}

std::string power_limit_words(const Observation& finding) {
  std::string words = fmt::format("{:.0f} W", finding.number("watts"));
  if (tells(finding, "usual_watts"))
    words += fmt::format(", lowered from {:.0f} W", finding.number("usual_watts"));
  return words;
}

std::string temperature_words(const Observation& finding) {
  return fmt::format("{:.0f} C, slows down at {}", finding.number("celsius"),
                     tells(finding, "slowdown_celsius")
                         ? fmt::format("{:.0f} C", finding.number("slowdown_celsius"))
                         : "an unknown temperature");
}

std::string ecc_words(const Observation& finding) {
  std::string words = on_or_off(is_set(finding, "on"));
  if (tells(finding, "on_after_reset"))
    words += fmt::format(", {} after a reset", on_or_off(is_set(finding, "on_after_reset")));
  return words;
}

std::string compute_mode_words(const Observation& finding) {
  constexpr std::array<const char*, 4> names{"default", "exclusive thread", "prohibited",
                                             "exclusive process"};
  const auto mode = static_cast<std::size_t>(finding.count("mode"));
  return mode < names.size() ? names.at(mode) : std::to_string(mode);
}

std::string process_words(const Observation& finding) {
  if (!tells(finding, "process")) return "none";
  return fmt::format(
      "process {}, {}, {}", finding.count("process"),
      text_or(finding, "name", "its name is not visible here"),
      tells(finding, "bytes") ? fmt::format("{} MiB", finding.count("bytes") / mib) : "memory unknown");
}

std::string cupti_words(const Observation& finding) {
  if (!tells(finding, "version")) return "not found";
  return fmt::format("{} ({})", cupti_version(finding.text("version")), finding.text("path"));
}

std::string counters_words(const Observation& finding) {
  if (!tells(finding, "restricted")) return "access unknown";
  if (!is_set(finding, "restricted")) return "for everybody";
  return fmt::format("for administrators only, which this process is{}",
                     is_set(finding, "allowed") ? "" : " not");
}

std::string disk_words(const Observation& finding) {
  if (!tells(finding, "folder")) return "in a database";
  if (!tells(finding, "bytes")) return fmt::format("{}: unknown", finding.text("folder"));
  return fmt::format("{} free in {}", memory_text(finding.count("bytes")), finding.text("folder"));
}

std::string ceiling_words(const Observation& finding, std::string_view unit) {
  std::string words = format_si(finding.number("per_second"), unit);
  if (const double expected = finding.number("expected"); expected > 0)
    words += fmt::format(", {:.0f} % of the {} that its class reaches at least",
                         100 * finding.number("per_second") / expected, format_si(expected, unit));
  return words;
}

std::string counted_cases(std::int64_t count) {
  return fmt::format("{} case{}", count, count == 1 ? "" : "s");
}

std::string slow_machine_advice(const Observation& finding, std::string_view unit) {
  return fmt::format(
      "the machine is slow, not a kernel: look at clocks, power limit, temperature and other processes above "
      "before blaming code (expected: {})",
      format_si(finding.number("expected"), unit));
}

// Another text than the name of a reason stays as it is.
std::string clock_reason_words(const std::string& reason) {
  const auto known = parse_name<ClockReason>(reason);
  if (!known) return reason;
  switch (*known) {
    case ClockReason::clock_setting: return "a clock that was set by hand";
    case ClockReason::power_cap: return "the power limit";
    case ClockReason::hardware_slowdown: return "a slowdown in hardware (temperature or power)";
    case ClockReason::sync_boost: return "another GPU that it is coupled with (sync boost)";
    case ClockReason::thermal: return "its temperature";
    case ClockReason::hardware_thermal: return "its temperature (a slowdown in hardware)";
    case ClockReason::power_brake: return "the power brake of the server";
    case ClockReason::display: return "a clock that a display needs";
  }
  return reason;
}

std::string clock_event_advice(const Observation& finding) {
  if (parse_name<ClockReason>(finding.text("reason")) == ClockReason::clock_setting)
    return "somebody set or locked a clock: nvidia-smi -rac and -rgc undo it";
  return finding.fitness == Fitness::warn
             ? "measure when it is gone: a GPU at rest has no reason for a low clock but being idle"
             : "the GPU protects itself: let it cool, look at its fans, power supply and neighbours";
}

std::string cupti_advice(const Observation& finding) {
  const std::string error = finding.text("error");
  return "no kernel times and counters without it: put the toolkit's libcupti.so.13 on LD_LIBRARY_PATH" +
         (error.empty() ? "" : " (" + error + ")");
}

// For a finding that is not ok.
std::string advice_for(const Observation& finding) {
  switch (finding.code) {
    case Check::governor:
      return "the clock of the CPU follows its load: cpupower frequency-set -g performance";
    case Check::turbo:
      return "CPU times depend on temperature and neighbours: switch it off (intel_pstate/no_turbo, "
             "cpufreq/boost) for CPU cases";
    case Check::smt:
      return "two threads share a core: write off to /sys/devices/system/cpu/smt/control for CPU cases";
    case Check::load:
      return fmt::format(
          "other processes use {:.1f} CPUs: find them with top, and measure when they are done",
          finding.number("cpus"));
    case Check::virtualisation:
      return "the hypervisor gives time to others: expect wider spreads of CPU cases, or use a whole machine";
    case Check::cpu_limit:
      return "the control group stops the process once it has used its share: raise the container's CPU "
             "limit, or pin CPUs instead";
    case Check::memory:
      return "inputs and references are kept in memory: free some, or raise the container's limit";
    case Check::tracer: return "a debugger or tracer stops what it watches: measure without it";
    case Check::driver:
      return "install the NVIDIA driver; in a container, start it with the GPU (--gpus all)";
    case Check::nvml:
      return "clocks, power, temperature and other processes cannot be watched: make the driver's "
             "libnvidia-ml.so.1 available (in a container, the `utility` capability)";
    case Check::cublas:
      return "variants that use it cannot run: put the toolkit's libraries on LD_LIBRARY_PATH";
    case Check::gpu:
      return tells(finding, "uuid") ? "NVML does not know it, so that its state cannot be watched"
                                    : "check nvidia-smi and CUDA_VISIBLE_DEVICES";
    case Check::application_clock: return "somebody set it: nvidia-smi -rac brings the usual one back";
    case Check::clock_events: return clock_event_advice(finding);
    case Check::clock_lock: return "undo it: harness doctor --unlock-clocks";
    case Check::power_limit:
      return fmt::format("results compare only with others at this limit: nvidia-smi -pl {:.0f}",
                         finding.number("usual_watts"));
    case Check::temperature:
      return "let it cool, and look at its fans and neighbours: it is about to slow down";
    case Check::ecc:
      return tells(finding, "on_after_reset")
                 ? "results before and after the reset do not compare: reset the GPU now, or set it back "
                   "with "
                   "nvidia-smi -e"
                 : "results compare only with others without ECC: nvidia-smi -e 1, then reset the GPU";
    case Check::mig:
      return "slices share clocks and power with their neighbours: nvidia-smi -mig 0 for a whole GPU";
    case Check::persistence:
      return "the driver unloads between processes, which costs time and forgets settings: nvidia-smi -pm 1";
    case Check::compute_mode:
      return finding.fitness == Fitness::unfit
                 ? "no process may use this GPU: nvidia-smi -c 0"
                 : "a run fails while any other process has the GPU: nvidia-smi -c 0";
    case Check::other_processes:
      return fmt::format("it shares the GPU with what is measured: wait for it, or end process {}",
                         finding.count("process"));
    case Check::gate:
      return "a spinning thread occupies an SM while work is queued: see that HARNESS_CUDA_GATE is not set, "
             "and that the driver supports stream memory operations";
    case Check::cupti: return cupti_advice(finding);
    case Check::cupti_holder:
      return is_set(finding, "injected")
                 ? "CUDA_INJECTION64_PATH loads it into every CUDA process, where it slows work down and "
                   "keeps "
                   "others from CUPTI: unset it"
                 : "only one may use CUPTI at a time: end that tool, or leave kernel times out";
    case Check::counters:
      return "hardware counters will be null: run as root (CAP_PERFMON in a container), or load the driver "
             "with NVreg_RestrictProfilingToAdminUsers=0";
    case Check::disk_space:
      return tells(finding, "bytes") ? "make room, or keep the store elsewhere with --store"
                                     : "see that the folder of the store exists and can be written to";
    case Check::ceilings:
      return tells(finding, "in_use")
                 ? "ask again when that run has ended"
                 : "without them no share of what the machine can do is shown; see the notes of a run";
    case Check::device:
      return "nothing can be measured on it until this is solved; `harness list --devices` shows the devices";
    case Check::copy: return slow_machine_advice(finding, "B/s");
    case Check::matrix_product: return slow_machine_advice(finding, "FLOP/s");
    case Check::cases: return "see the reasons below, and harness list";
    case Check::skipped: return "they are left out of every result and comparison made here";
    default:
      return "measure all the same, and see how far the results of one build differ: `harness calibrate`";
  }
}

}  // namespace

std::string words(const Observation& finding) {
  switch (finding.code) {
    case Check::cpu:
      return fmt::format("{}, {} of {} CPUs usable", finding.text("model"), finding.count("usable"),
                         finding.count("online"));
    case Check::governor: return text_or(finding, "governors", not_known);
    case Check::isolated_cpus: return text_or(finding, "cpus", "none");
    case Check::load: return fmt::format("{:.2f}", finding.number("cpus"));
    case Check::kernel:
    case Check::container:
    case Check::tracer: return text_or(finding, "name", not_known);
    case Check::virtualisation: return is_set(finding, "virtual_machine") ? "virtual machine" : "none seen";
    case Check::cpu_limit: return fmt::format("{:.2f} CPUs", finding.number("cpus"));
    case Check::memory: return memory_words(finding);
    case Check::driver: return driver_words(finding);
    case Check::nvml: return nvml_words(finding);
    case Check::cuda_driver:
    case Check::cuda_runtime:
    case Check::nvcc:
    case Check::toolkit:
    case Check::vbios: return text_or(finding, "version", not_known);
    case Check::architectures: return text_or(finding, "names", not_known);
    case Check::cublas: return text_or(finding, "version", "not found");
    case Check::gpu: return gpu_words(finding);
    case Check::uuid: return text_or(finding, "uuid", not_known);
    case Check::pci_bus: return text_or(finding, "bus", not_known);
    case Check::sm_clock:
    case Check::memory_clock:
      return fmt::format("{} now, {} at most", megahertz(finding, "now_mhz"),
                         megahertz(finding, "highest_mhz"));
    case Check::application_clock: return application_clock_words(finding);
    case Check::clock_events:
      return tells(finding, "reason") ? "held down by " + clock_reason_words(finding.text("reason")) : "none";
    case Check::clock_lock: return clock_lock_words(finding);
    case Check::power: return fmt::format("{:.0f} W", finding.number("watts"));
    case Check::power_limit: return power_limit_words(finding);
    case Check::temperature: return temperature_words(finding);
    case Check::ecc: return ecc_words(finding);
    case Check::turbo:
    case Check::smt:
    case Check::mig:
    case Check::persistence: return on_or_off(is_set(finding, "on"));
    case Check::compute_mode: return compute_mode_words(finding);
    case Check::other_processes: return process_words(finding);
    case Check::gate: return finding.text("kind");
    case Check::cupti: return cupti_words(finding);
    case Check::cupti_holder: return text_or(finding, "name", "none seen");
    case Check::counters: return counters_words(finding);
    case Check::disk_space: return disk_words(finding);
    case Check::ceilings:
      return tells(finding, "in_use") ? "not measured: " + finding.text("in_use") : "not measured";
    case Check::device: return cause_words(finding, "obstacle");
    case Check::measured: return finding.text("when") + ", kept; --fresh measures anew";
    case Check::copy: return ceiling_words(finding, "B/s");
    case Check::matrix_product: return ceiling_words(finding, "FLOP/s");
    case Check::cases:
      return fmt::format("{} of {} can be measured here", finding.count("measured"), finding.count("of"));
    case Check::skipped:
      return fmt::format("{}: {}", counted_cases(finding.count("cases")), cause_words(finding, "reason"));
    case Check::devices: return "processes take turns on " + finding.text("names");
  }
  return {};
}

std::string advice(const Observation& finding) {
  return finding.fitness == Fitness::ok ? std::string() : advice_for(finding);
}

std::string words(const Sickness& why) {
  switch (why.code) {
    case SickCode::throttled:
      return fmt::format("it held its clock down in {} of {} placements ({})", why.count("placements"),
                         why.count("of"), why.text("reason"));
    case SickCode::busy:
      return fmt::format("{} other {} used it", why.count("processes"),
                         why.count("processes") == 1 ? "process" : "processes");
    case SickCode::moved:
      return fmt::format("{} moved by {} from its {} earlier sessions on it, and the limit is {}",
                         why.text("case"), signed_percent(why.number("change")), why.count("runs"),
                         plain_percent(why.number("limit")));
    case SickCode::unfit: return fmt::format("`harness doctor` finds it unfit: {}", why.text("check"));
  }
  return "?";
}

std::string sick_words(const Figures& figures) {
  const auto why = fact_in<SickCode>(figures, "why");
  return why ? words(*why) : "?";
}

}  // namespace harness::report
