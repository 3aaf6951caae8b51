#include "harness/report/words/note_words.h"

#include <fmt/format.h>

#include "harness/base/units.h"

namespace harness::report {
namespace {

std::string on_gates(const Note& note) {
  return fmt::format(
      "the launch gate of {} of {} samples opened on its deadline of {:g} s, so launch latency may be in "
      "them; "
      "if run() waits for the device, let synchronises() return true, else raise gate_deadline",
      note.count("samples"), note.count("of"), note.number("deadline"));
}

std::string on_widths(const Note& note) {
  return fmt::format(
      "in {} of {} placements the interval of the mean was still wider than {:g} % after {} samples (up to "
      "{:.2g} %); raise `max` of `samples`, or allow a wider one",
      note.count("placements"), note.count("of"), note.number("width") * 100, note.count("samples"),
      note.number("widest") * 100);
}

std::string on_sets(const Note& note) {
  return fmt::format(
      "{} sets of buffers fit in the cache together, so calls that take turns with them are not cold; {}",
      note.count("sets"),
      note.text("cache") == "cold" ? "give shorter batches (`batch_nodes`)" : "use `cache: cold`");
}

std::string on_missing_metric(const Note& note, std::string_view why) {
  return fmt::format("metric `{}` is missing: {}", note.text("metric"), why);
}

std::string on_energy(const Note& note) {
  std::string text = fmt::format(
      "energy by {} steps of the counter, {:.0f} ms apart, over {} calls in {:.2f} s at {:.0f} W; reading it "
      "took {:.1f} ms, so it is known to {:.2f} %",
      note.count("steps"), note.number("interval") * 1e3, note.count("calls"), note.number("seconds"),
      note.number("watts"), note.number("reading") * 1e3, note.number("open") * 100);
  if (note.number("idle_watts") > 0) text += fmt::format("; idle power {:.0f} W", note.number("idle_watts"));
  if (note.number("idle") >= 1e-3)
    text += fmt::format("; pauses, {:.1f} % of the time, are left out", note.number("idle") * 100);
  return text;
}

std::string on_cap(const Note& note) {
  std::string text = fmt::format("without pauses the device drew {:.0f} W of the {:.0f} W that it may draw",
                                 note.number("watts"), note.number("cap"));
  const double boost = note.number("boost"), sustained = note.number("sustained");
  if (boost > 0)
    text += fmt::format(", and a call took {}, {:+.1f} % against samples", format_seconds(sustained),
                        (sustained / boost - 1) * 100);
  return text;
}

// Why there is no energy or no sustained time.
std::string without_energy(const Note& note) {
  switch (note.code) {
    case NoteCode::metric_without_counter:
      return on_missing_metric(
          note,
          "no counter of energy can be read on this device; measure on a whole NVIDIA GPU "
          "(no MIG slice) whose driver is found, or leave the metric out of `metrics`");
    case NoteCode::metric_beside_others:
      return on_missing_metric(
          note, fmt::format("{} other process{} used the device; end them, or wait", note.count("processes"),
                            note.count("processes") == 1 ? "" : "es"));
    case NoteCode::metric_beside_unknown:
      return on_missing_metric(note,
                               "the driver does not tell whether other processes used the device; run where "
                               "nvidia-smi lists processes");
    case NoteCode::metric_of_long_calls:
      return on_missing_metric(
          note, fmt::format("a call takes {}, and the window has room for calls of up to {}; use a smaller "
                            "problem",
                            format_seconds(note.number("seconds")), format_seconds(note.number("most"))));
    case NoteCode::metric_of_one_gpu:
      return on_missing_metric(
          note, fmt::format("the case uses {} GPUs; ask for it in cases of one GPU", note.count("gpus")));
    case NoteCode::energy_stands:
      return on_missing_metric(
          note, fmt::format("the counter of energy made fewer than {} steps in {:.1f} s; measure on another "
                            "GPU, or leave the metric out of `metrics`",
                            note.count("needs"), note.number("seconds")));
    case NoteCode::energy_went_back:
      return on_missing_metric(note, "the counter of energy went back; measure again");
    case NoteCode::energy_unseen:
      return on_missing_metric(note, fmt::format("the counter's steps span {:.2f} of {:.2f} s; measure again",
                                                 note.number("seconds"), note.number("of")));
    case NoteCode::energy_bent:
      return on_missing_metric(
          note, fmt::format("a call used {:.4g} J in the window's first half and {:.4g} J in its second; let "
                            "the machine come to rest, or lock its clock",
                            note.number("first"), note.number("second")));
    case NoteCode::idle_power_unknown:
      return on_missing_metric(
          note,
          fmt::format("pauses took {:.1f} % of the time, and the power of the idle device is not known, "
                      "as its counter made too few steps in {:.1f} s; let run() not wait for the device",
                      note.number("idle") * 100, note.number("seconds")));
    default: return "?";
  }
}

std::string on_steps(const Note& note) {
  std::string text = fmt::format("{} steps of {} launches, found by {}", note.count("steps"),
                                 note.count("launches"), note.text("source"));
  if (note.count("processes") > 1) text += fmt::format(" in {} processes", note.count("processes"));
  if (note.count("settling") > 0) text += fmt::format("; {} settling steps left out", note.count("settling"));
  if (note.count("outside") > 0) text += fmt::format("; {} launches outside of them", note.count("outside"));
  if (note.count("helpers") > 0)
    text += fmt::format(", {} of them in {} other process{}", note.count("helper_launches"),
                        note.count("helpers"), note.count("helpers") == 1 ? "" : "es");
  return text;
}

std::string ungated(std::string_view why) {
  return fmt::format(
      "timed without a launch gate, because this process {}: launch latency is included, so keep no time of "
      "this run",
      why);
}

std::string on_tool(const Note& note) {
  const std::string tool = note.text("tool"), variable = note.text("variable");
  return ungated(
      fmt::format("runs under {} ({} is set), which lets kernels run one at a time", tool, variable));
}

std::string on_unknown(const CounterFact& fact) {
  const std::string nearest = fact.text("nearest");
  return "this GPU has no such counter" +
         (nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest));
}

std::string on_counters(const Note& note) {
  const auto why = fact_in<CounterCode>(note.figures, "why");
  return fmt::format("no value of {}: {}", note.text("counters"), why ? words(*why) : "?");
}

std::string without_processes(const Note& note) {
  switch (note.code) {
    case NoteCode::told: return note.text("text");
    case NoteCode::forced_gates: return on_gates(note);
    case NoteCode::ungated_by_tool: return on_tool(note);
    case NoteCode::ungated_by_debugger: return ungated("runs under a debugger, which may stop kernels");
    case NoteCode::ungated_by_blocking:
      return ungated("runs with CUDA_LAUNCH_BLOCKING, which makes the host wait for every kernel");
    case NoteCode::ungated_by_waiting:
      return "timed without a launch gate, because run() waits for the device: launch latency is included";
    case NoteCode::plain_streams:
      return "timed on streams that wait for the default stream, because a call of run() could not be "
             "captured "
             "(it queues work there, waits, allocates or fails); such times differ more between processes";
    case NoteCode::out_of_time:
      return fmt::format("max_time of {:g} s ended sampling after {} of {} samples; raise it for more",
                         note.number("max_time"), note.count("samples"), note.count("of"));
    case NoteCode::wide_intervals: return on_widths(note);
    case NoteCode::samples_retaken:
      return fmt::format("{} samples were taken again, because longer batches of calls took no longer",
                         note.count("samples"));
    case NoteCode::sets_fit_in_cache: return on_sets(note);
    case NoteCode::not_recorded:
      return fmt::format("timed call by call, because its calls could not be recorded as a batch: {}",
                         note.text("problem"));
    case NoteCode::bent_batches:
      return fmt::format(
          "batches of {} calls lie up to {:.1f} % off a straight line, so their slope is not the time of a "
          "call alone; give other `batch_nodes`",
          note.text("calls"), note.number("off_line") * 100);
    case NoteCode::cramped_placements:
      return fmt::format(
          "in {} of {} placements the device had no room for old and new buffers and padding at once, so the "
          "buffers' addresses may have varied less than usual",
          note.count("placements"), note.count("of"));
    case NoteCode::clock_unsteady:
      return fmt::format(
          "in a process the device's clock was not steady to {:g} % after {:g} s of preheating: let the "
          "machine come to rest, lock its clock, or raise `preheat`",
          note.number("tolerance") * 100, note.number("after"));
    case NoteCode::metric_untold:
      return on_missing_metric(note,
                               "this device does not tell it; measure on another device, or take it out of "
                               "`metrics`");
    case NoteCode::metric_without_clock:
      return on_missing_metric(note, "this device does not tell its clock");
    case NoteCode::metric_of_two_builds:
      return on_missing_metric(note,
                               "two builds in one process cannot be told apart; `harness run` measures it");
    case NoteCode::metric_of_single_calls:
      return on_missing_metric(note, "a batch launches all its calls at once");
    case NoteCode::metric_without_counter:
    case NoteCode::metric_beside_others:
    case NoteCode::metric_beside_unknown:
    case NoteCode::metric_of_long_calls:
    case NoteCode::metric_of_one_gpu:
    case NoteCode::energy_stands:
    case NoteCode::energy_went_back:
    case NoteCode::energy_unseen:
    case NoteCode::energy_bent:
    case NoteCode::idle_power_unknown: return without_energy(note);
    case NoteCode::energy_unflushed:
      return "calls without pauses find the cache as the calls before have left it, while samples find it "
             "cold; "
             "for the same of both, time in batches (`timing: batch`) or ask for `cache: hot`";
    case NoteCode::energy_window: return on_energy(note);
    case NoteCode::power_and_cap: return on_cap(note);
    case NoteCode::metric_unreported:
      return on_missing_metric(note, "neither the workload nor the variant reported it");
    case NoteCode::trace_overhead:
      return fmt::format("{:.2f} s with the trace, {:.2f} s without it: {:+.1f} %", note.number("traced"),
                         note.number("untraced"),
                         (note.number("traced") / note.number("untraced") - 1) * 100);
    case NoteCode::steps_found: return on_steps(note);
    case NoteCode::kernels_unseen: return fmt::format("its kernels are not known: {}", note.text("problem"));
    case NoteCode::known_look:
      return fmt::format("not run: the record {} is of the same build{}", note.text("record").substr(0, 8),
                         note.count("unread") != 0 ? "" : " and has its launches");
    case NoteCode::counters_missing: return on_counters(note);
  }
  return "?";
}

}  // namespace

std::string words(const Note& note) {
  const std::int64_t others = note.count("other_processes");
  if (others == 0) return without_processes(note);
  return fmt::format("{} ({} process{} with other figures)", without_processes(note), others,
                     others == 1 ? "" : "es");
}

std::string words(const CounterFact& fact) {
  switch (fact.code) {
    case CounterCode::looked_up: return "looked up for " + fact.text("chip");
    case CounterCode::not_asked: return "no profiler was asked";
    case CounterCode::unknown_chip: return "the chip is not known here";
    case CounterCode::no_module: return "this build has no CUDA module";
    case CounterCode::unloadable_module: return "the CUDA module cannot be loaded: " + fact.text("problem");
    case CounterCode::other_module: return "the CUDA module is of another build";
    case CounterCode::no_counters: return "this device has no hardware counters";
    case CounterCode::no_profiler: return "the libcupti found has no Range Profiler";
    case CounterCode::unknown_counter: return on_unknown(fact);
    case CounterCode::not_finite: return "the profiler's value is not a number";
    case CounterCode::refused: return fact.text("problem");
  }
  return "?";
}

}  // namespace harness::report
