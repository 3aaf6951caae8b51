#include "harness/report/words/diagnostic_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/plan.h"
#include "harness/report/row_change.h"

namespace harness::report {
namespace {

constexpr const char* find_other_users =
    "Find out which (nvidia-smi, or top on a CPU), and measure again without them.";
constexpr const char* batch_advice =
    "Time it as a batch in a CUDA graph (`timing: batch` in the suite), or make the case longer.";

// "baseline: " where the fact is about one side.
std::string side_of(const Told& told) {
  return told.has("side") ? told.text("side") + ": " : std::string();
}

std::string bytes_text(double bytes) {
  return format_si(bytes, "B");
}

std::string budget_text(double seconds) {
  return seconds == 0 ? "0 s" : format_seconds(seconds);
}

// "4 of 25 placements of the baseline and 0 of 25 of the current side".
std::string placements_of_both(const Told& told) {
  return fmt::format("{} of {} placements of the baseline and {} of {} of the current side",
                     told.count("baseline"), told.count("baseline_known"), told.count("current"),
                     told.count("current_known"));
}

std::string throttled(const Told& told) {
  const char* advice =
      told.value("alike") > 0 ? "The power limit is part of what this case costs; lock the clock below it to "
                                "compare the code alone."
      : told.value("power_cap") > 0
          ? "Perhaps the code draws more power now. To compare the code alone, lock the clock below the cap "
            "(nvidia-smi -lgc)."
          : "Let the device cool, check its fans and neighbours, and measure again.";
  return fmt::format("throttled: the device lowered its clock ({}) in {}. {}", told.text("reasons"),
                     placements_of_both(told), advice);
}

std::string throttled_run(const Told& told) {
  std::string consequence = "That is few enough for a verdict.";
  if (told.value("beyond") > 0)
    consequence = fmt::format("A verdict allows {}{}.", told.percent("tolerated", "{:g}"),
                              told.value("power_cap") > 0 ? ", unless the other side does the same" : "");
  return fmt::format("throttled: the device lowered its clock ({}) in {} of {} placements, {} samples. {}",
                     told.text("reasons"), told.count("throttled"), told.count("known"),
                     told.count("samples"), consequence);
}

std::string shared(const Told& told, const std::string& placements) {
  return fmt::format("contaminated: up to {} used the device in {}. {}",
                     told.counted("most", "other process", "other processes"), placements, find_other_users);
}

std::string shifted(const Told& told, const char* what, const char* unit, const char* advice) {
  return fmt::format("{} went from {} to {} {}. {}", what, told.count("baseline"), told.count("current"),
                     unit, advice);
}

std::string slowing(const Told& told) {
  return fmt::format("{}within a placement the samples change by {} from the first quarter to the last. {}",
                     side_of(told), told.percent("change", "{:+.2f}"),
                     told.value("change") < 0
                         ? "Warm up longer (`warmup`)."
                         : "The device heats up or throttles; take fewer samples, or pause.");
}

std::string quantised(const Told& told) {
  const std::string side = told.text("side") == "both" ? "both sides" : told.text("side");
  return fmt::format(
      "{}: the times come in steps of {}{}, {} of a sample, more than the margin. Time batches of calls "
      "(`timing: batch` on a GPU), or make the case longer.",
      side, told.number("step", "{:.4g}"), after_number(told.text("unit")), told.percent("share", "{:.1f}"));
}

std::string spread(const Told& told) {
  const bool more = told.value("ratio") > 1;  // current over baseline
  const auto times = [](double ratio) { return fmt::format("{:.1f}", std::max(ratio, 1 / ratio)); };
  return fmt::format(
      "{} varied {} times as much as {} (sd between processes {} -> {}). {}",
      more ? "The current side" : "The baseline", told.number("ratio", times),
      more ? "the baseline" : "this run", told.percent("baseline"), told.percent("current"),
      more ? "Something differs per process (autotuning?), or the machine is busier; p95 shows the cost."
           : "The machine was quieter, or something no longer differs per process.");
}

std::string outliers(const Told& told) {
  return fmt::format(
      "The share of far outliers went from {} to {} of samples: a slow or fast mode {}. The trimmed mean "
      "does "
      "not show it; look at p95 and p99.",
      told.percent("baseline", "{:.1f}"), told.percent("current", "{:.1f}"),
      told.value("change") > 0 ? "appeared" : "disappeared");
}

std::string launch_bound(const Told& told) {
  return fmt::format(
      "launch-bound: a call of {} us between two events is mostly the cost of the events and the launch{}. "
      "{}",
      told.number("us", "{:.3g}"),
      told.has("step_us") ? fmt::format(", and comes in steps of {} us", told.number("step_us", "{:.3g}"))
                          : "",
      batch_advice);
}

// The two times, and their explanation.
std::string times_differ(const Told& told, const std::string& why) {
  return fmt::format("{}a call takes {} us by events and {} us by the profiler's sum over its kernels. {}",
                     side_of(told), told.number("events_us", "{:.4g}"), told.number("kernels_us", "{:.4g}"),
                     why);
}

std::string launch_gaps(const Told& told) {
  return times_differ(
      told, fmt::format(
                "{}There are gaps between the {} launches, {} us each: fuse them, or launch them as one CUDA "
                "graph.",
                told.has("pair_us") ? fmt::format("Two events around a call cost {} us (control). ",
                                                  told.number("pair_us", "{:.2f}"))
                                    : "",
                told.count("launches"), told.number("gap_us", "{:.2f}")));
}

std::string traffic(const Told& told) {
  const std::string moved =
      fmt::format("{} read, {} written", told.number("read", bytes_text), told.number("written", bytes_text));
  if (!told.has("declared")) return fmt::format("A call moves through DRAM: {}.", moved);
  const double times = (told.value("read") + told.value("written")) / told.value("declared");
  return fmt::format("A call moves {:.2f} times the declared {} through DRAM: {}.", times,
                     told.number("declared", bytes_text), moved);
}

std::string control(const Told& told) {
  return fmt::format(
      "control: an empty call takes {} us by itself and {} us in a batch; nothing is subtracted.{}",
      told.number("call_us", "{:.3g}"), told.number("batched_us", "{:.3g}"),
      told.value("advise") > 0
          ? " A call this short is mostly the cost of timing by itself: use `timing: batch`."
          : "");
}

std::string unusable_sample(const Told& told) {
  const std::string left_out =
      told.value("left_out") > 0
          ? fmt::format(" {} left out.", told.counted("left_out", "sample is", "samples are"))
          : std::string();
  return fmt::format("Process {} holds a sample of {}{}. A sample must be finite, and a time above 0.{}",
                     told.count("process"), told.number("value", "{}"), after_number(told.text("unit")),
                     left_out);
}

std::string above_ceiling(const Told& told) {
  return fmt::format(
      "{} of the measured {} ceiling: the declared {} exceed what is executed, or the data stays in a cache.",
      told.percent("share", "{:.0f}"), told.text("bound"),
      told.text("bound") == "memory" ? "bytes" : "FLOPs");
}

// A suite asks for a margin below 100 %.
constexpr double largest_percentage = 0.99;

std::string more_processes(const Told& told) {
  if (told.value("processes") <= most_processes)
    return fmt::format("Measure about {} processes a side to decide it.", told.count("processes"));
  return "More processes than a suite may ask for would be needed to decide it. Make the case longer, or the "
         "machine quieter.";
}

// A margin among the figures, a share unless another figure names its unit.
std::string margin_of(const Told& told, const std::string& name) {
  const std::string unit = name + "_unit";
  return told.has(unit) ? margin_words(told.value(name), told.text(unit)) : told.percent(name);
}

// In the metric's own unit.
std::string wider_unit_margin(const Told& told) {
  const std::string unit = told.text("margin_unit");
  const double settled = told.value("settled");
  const double step = std::pow(10.0, std::floor(std::log10(std::max(settled, 1e-300))) - 1);
  return fmt::format(
      "It varies by {} between processes, too much for a margin of {}. With {} processes give its metric "
      "`margin: {:g} {}` in the suite.",
      margin_words(std::round(told.value("sd") / step) * step, unit), margin_of(told, "margin"),
      told.count("processes"), std::ceil(settled / step) * step, unit);
}

std::string wider_margin(const Told& told) {
  if (told.has("margin_unit")) return wider_unit_margin(told);
  const std::string varies = fmt::format("It varies by {} between processes, too much for a margin of {}.",
                                         told.percent("sd", "{:.1f}"), told.percent("margin"));
  if (!(told.value("settled") <= largest_percentage))
    return varies + " No margin would do: make the case longer, or the machine quieter.";
  return fmt::format(
      "{} With {} processes give it `gate: {{margin: {}%}}` in the suite, or make the case longer.", varies,
      told.count("processes"),
      told.number("settled", [](double share) { return fmt::format("{:.0f}", std::ceil(share * 100)); }));
}

// "suites/waivers.yaml:3".
std::string waiver_place(const Told& told) {
  return to_string(Location{told.text("file"), static_cast<int>(told.value("line")), 0});
}

// The gate that the change asks for, and what counts instead.
std::string gate_proposed(const Told& told) {
  constexpr const char* advice = "have it reviewed, and pass `--accept-proposed`";
  if (told.value("informative") != 0)
    return fmt::format("The change makes this metric informative, which does not count: {}.", advice);
  if (told.value("margin") > told.value("counted_margin") ||
      told.has("margin_unit") != told.has("counted_margin_unit"))
    return fmt::format("The change asks for a margin of {}. It does not count, {} does: {}.",
                       margin_of(told, "margin"), margin_of(told, "counted_margin"), advice);
  if (told.value("alpha") < told.value("counted_alpha"))
    return fmt::format("The change asks for an alpha of {}. It does not count, {} does: {}.",
                       told.percent("alpha", "{:.4g}"), told.percent("counted_alpha", "{:.4g}"), advice);
  return fmt::format("The change accepts more throttled placements, which does not count: {}.", advice);
}

std::string waiver_expired(const Told& told) {
  const std::string issue = told.text("issue");
  return fmt::format(
      "The waiver at {} expired on {}, so this fails again. Fix it, or renew the waiver with its reason "
      "({}{}).",
      waiver_place(told), told.text("expires"), told.text("reason"), issue.empty() ? "" : ", " + issue);
}

}  // namespace

std::string words(const Diagnostic& diagnostic) {
  return words(diagnostic.code, Told(diagnostic.figures));
}

std::string words(DiagnosticCode code, const Told& told) {
  switch (code) {
    case DiagnosticCode::empty_processes:
      return fmt::format("{}process {} holds no samples and does not count.", side_of(told),
                         told.text("processes"));
    case DiagnosticCode::forced_gates:
      return fmt::format(
          "{}the launch gate of {} of {} samples opened on its deadline, so they may include launch latency. "
          "Raise gate_deadline, or time the workload without a gate if it synchronises inside.",
          side_of(told), told.count("forced"), told.count("samples"));
    case DiagnosticCode::zero_variance:
      return fmt::format(
          "{}all {} processes gave exactly the same value: the metric is deterministic, or its clock is too "
          "coarse. If it is a time, batch several calls a sample.",
          side_of(told), told.count("processes"));
    case DiagnosticCode::modes:
      return fmt::format(
          "{}the processes fall into {} groups {} apart ({} of them). Something differs per process "
          "(autotuning, clocks, memory placement); fix it.",
          side_of(told), told.count("groups"), told.percent("gap"), told.text("counts"));
    case DiagnosticCode::drift:
      return fmt::format(
          "{}drift: the processes changed by {} from the first to the last. Let the device settle "
          "(`preheat`).",
          side_of(told), told.percent("change", "{:+.2f}"));
    case DiagnosticCode::correlated:
      return fmt::format(
          "{}neighbouring processes are correlated (lag-1 autocorrelation {}), so the interval is too "
          "narrow. "
          "Look for another load, or for clocks that step.",
          side_of(told), told.number("lag", "{:.2f}"));
    case DiagnosticCode::slowing: return slowing(told);
    case DiagnosticCode::quantised: return quantised(told);
    case DiagnosticCode::few_processes:
      return fmt::format("A side has only {}, so small changes stay unseen. Measure at least {}.",
                         told.counted("processes", "process", "processes"), told.count("recommended"));
    case DiagnosticCode::spread: return spread(told);
    case DiagnosticCode::noisier:
      return fmt::format(
          "noisier than similar cases: processes vary by {}, cases of this length by {}. It is judged by its "
          "own spread alone.",
          told.percent("sd", "{:.2f}"), told.percent("usual", "{:.2f}"));
    case DiagnosticCode::outliers: return outliers(told);
    case DiagnosticCode::clock_shift:
      return fmt::format(
          "clock shift: the device clock went from {} to {} GHz, and the cycles changed by only {}. Check "
          "power, temperature and clock limits before blaming the code.",
          told.number("baseline", "{:.3f}"), told.number("current", "{:.3f}"),
          told.percent("cycles", "{:+.2f}"));
    case DiagnosticCode::tick_bound:
      return fmt::format("tick-bound: a call of {} us is only {} ticks of the events' clock ({} ns). {}",
                         told.number("us", "{:.3g}"), told.count("ticks"),
                         told.number("tick_us", "{:g}", 1000), batch_advice);
    case DiagnosticCode::launch_bound: return launch_bound(told);
    case DiagnosticCode::overlapping:
      return fmt::format(
          "kernels overlap: their times add up to {} times the time in which any of them runs. That time "
          "decides, and the times of kernels inform.",
          told.number("times", "{:.2f}"));
    case DiagnosticCode::throttled: return throttled(told);
    case DiagnosticCode::throttled_run: return throttled_run(told);
    case DiagnosticCode::shared_device: return shared(told, placements_of_both(told));
    case DiagnosticCode::measured_again:
      return fmt::format(
          "{} of the {} processes measured a regression again. The value here is of all; the verdict tells "
          "those that found the regression from those that confirm it.",
          told.count("again"), told.count("of"));
    case DiagnosticCode::shared_run:
      return shared(told, fmt::format("{} of {} placements", told.count("shared"), told.count("known")));
    case DiagnosticCode::temperature:
      return shifted(told, "The temperature", "C",
                     told.value("moved") > 0
                         ? "A warmer chip leaks and throttles more: measure both sides equally warm before "
                           "blaming the code."
                         : "The verdict stands, but the machine was in another state.");
    case DiagnosticCode::power:
      return shifted(told, "The power drawn", "W",
                     "More work a second draws more power. The same work at less power points to clocks or "
                     "limits.");
    case DiagnosticCode::driver_clock:
      return shifted(told, "The driver's SM clock", "MHz",
                     "Compare it with the change of the time before blaming the code.");
    case DiagnosticCode::other_gpu:
      return fmt::format("measured on another GPU of the model ({} -> {}): its times are shown, not judged.",
                         told.text("baseline"), told.text("current"));
    case DiagnosticCode::other_kernels:
      return fmt::format(
          "{}process {} launched other kernels than process {}: something is chosen anew in each process "
          "(autotuning, heuristics). Fix the choice. The kernels shown are those of process {}.",
          side_of(told), told.text("processes"), told.count("first"), told.count("first"));
    case DiagnosticCode::recompiled:
      return fmt::format("The machine code differs, but not the time, of `{}`.", told.text("kernels"));
    case DiagnosticCode::same_code_moved:
      return "environment alarm: the machine code of every kernel is identical on both sides, but the time "
             "changed. Check clocks, driver, inputs and placement before blaming the code.";
    case DiagnosticCode::events_gate:
      return times_differ(
          told,
          "The launch gate opened on its deadline, so the events include launch latency: raise "
          "gate_deadline.");
    case DiagnosticCode::events_clock:
      return times_differ(
          told, "The device lowered its clock while samples were taken, and the profiler ran later.");
    case DiagnosticCode::events_gaps: return launch_gaps(told);
    case DiagnosticCode::events_pair:
      return times_differ(told,
                          fmt::format("Two events around a call cost {} us (control): time a short kernel "
                                      "by a batch of calls.",
                                      told.number("pair_us", "{:.2f}")));
    case DiagnosticCode::events_unseen:
      return times_differ(told,
                          "One launch has no gaps: there is work that the profiler does not see, or launch "
                          "latency. Time a short kernel by a batch of calls.");
    case DiagnosticCode::kernels_overlap:
      return times_differ(told, "Kernels overlap on several streams, or the profiler slows them down.");
    case DiagnosticCode::kernels_slowed:
      return times_differ(
          told, "The profiler slows the kernel down, or found the caches and the clock in another state.");
    case DiagnosticCode::traffic: return traffic(told);
    case DiagnosticCode::control: return control(told);
    case DiagnosticCode::unusable_sample: return unusable_sample(told);
    case DiagnosticCode::some_zeros:
      return "Some samples are 0: the centre is that of the processes without a 0.";
    case DiagnosticCode::no_speedup:
      return fmt::format("There is no speedup: the reference `{}` holds no samples.", told.text("reference"));
    case DiagnosticCode::above_ceiling: return above_ceiling(told);
    case DiagnosticCode::tuned_to: return fmt::format("It ran with {}.", told.text("values"));
    case DiagnosticCode::tuned_otherwise:
      return fmt::format("Its tuned parameters were {} in the baseline and are {} now.",
                         told.text("baseline"), told.text("current"));
    case DiagnosticCode::more_processes: return more_processes(told);
    case DiagnosticCode::wider_margin: return wider_margin(told);
    case DiagnosticCode::zero_margin:
      return "With a margin of 0 % nothing that varies can be unchanged. Give this metric a margin above 0, "
             "or "
             "make it `informative`.";
    case DiagnosticCode::near_margin:
    case DiagnosticCode::near_margin_unpaired:
      return fmt::format(
          "The change is close to the margin of {}, so more processes will hardly decide it. Choose another "
          "margin{}.",
          margin_of(told, "margin"),
          code == DiagnosticCode::near_margin ? "" : ", or measure both versions together with `harness ab`");
    case DiagnosticCode::sessions_dominate:
      return fmt::format(
          "More processes cannot decide this: sessions and devices alone differ by {}, too much for a margin "
          "of "
          "{}. Measure both versions together with `harness ab`, or widen the margin.",
          told.percent("sd"), told.percent("margin"));
    case DiagnosticCode::more_shared:
      return fmt::format(
          "Measure at least {} processes that run both builds. `harness report` tells why the others lack "
          "one.",
          told.count("processes"));
    case DiagnosticCode::last_look_taken:
      return fmt::format(
          "Its last look, at {} processes, is taken; more processes of this run would not count. Measure "
          "again "
          "with `--looks` that go further.",
          told.count("look"));
    case DiagnosticCode::looks_futile:
      return fmt::format("Up to {} processes would probably not decide this, so measuring stopped.",
                         told.count("look"));
    case DiagnosticCode::baseline_fixed:
      return fmt::format(
          "The baseline has only {} processes; that limits precision. Measure it again with `--processes "
          "{}`, or "
          "measure both versions together.",
          told.count("processes"), told.count("look"));
    case DiagnosticCode::budget_ended:
      return fmt::format("The budget of {} ended before its look at {} processes.",
                         told.number("budget", budget_text), told.count("look"));
    case DiagnosticCode::informative_now:
      return "This metric decided in the baseline and is informative now.";
    case DiagnosticCode::margin_loosened:
      return fmt::format("The margin of this case was {} in the baseline and is {} now.",
                         margin_of(told, "baseline"), margin_of(told, "current"));
    case DiagnosticCode::alpha_loosened:
      return fmt::format("alpha was {} in the baseline and is {} now.", told.percent("baseline", "{:.4g}"),
                         told.percent("current", "{:.4g}"));
    case DiagnosticCode::gate_proposed: return gate_proposed(told);
    case DiagnosticCode::sampling_proposed:
      return fmt::format(
          "The change asks for weaker settings ({}). They do not count, the baseline's do: have it reviewed, "
          "and pass `--accept-proposed`.",
          told.text("settings"));
    case DiagnosticCode::tolerance_proposed:
      return fmt::format(
          "The change widens the tolerance from {:.3g} to {:.3g}. The error of {:.3g} is within both.",
          told.value("baseline"), told.value("current"), told.value("error"));
    case DiagnosticCode::own_tolerance:
      return fmt::format(
          "It was checked with a tolerance of its own, {:.3g}; other cases of its point with "
          "{:.3g}.",
          told.value("tolerance"), told.value("usual"));
    case DiagnosticCode::waiver_expired: return waiver_expired(told);
    case DiagnosticCode::waiver_no_ratio:
      return fmt::format(
          "The waiver at {} does not cover it: a change from 0 has no ratio to compare with the ceiling of "
          "{}.",
          waiver_place(told), told.percent("ceiling"));
    case DiagnosticCode::waiver_exceeded:
      return fmt::format(
          "The waiver at {} covers up to {}, and this may be {} worse (the far end of the interval). Fix "
          "it{}.",
          waiver_place(told), told.percent("ceiling"), told.percent("worst"),
          told.value("worst") < largest_percentage ? ", measure more processes, or raise the ceiling"
                                                   : " or measure more processes");
    case DiagnosticCode::renamed_to:
      return fmt::format(
          "This looks like a rename: the new case `{}` has the same parameters. The two were not compared; "
          "promote a new baseline once the name is final.",
          told.text("case"));
    case DiagnosticCode::renamed_from:
      return fmt::format("This looks like a rename of `{}`, which is gone.", told.text("case"));
  }
  return "?";
}

}  // namespace harness::report
