#include "harness/report/words/change/change_cause_words.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

// A figure of a side as it is, whatever its kind.
std::string value_of(const ChangeCause& cause, const std::string& name) {
  for (const Figure& one : cause.figures) {
    if (one.name != name) continue;
    if (const auto* const count = std::get_if<std::int64_t>(&one.value)) return grouped_digits(*count);
    if (const auto* const number = std::get_if<double>(&one.value)) return fmt::format("{:.4g}", *number);
    return std::get<std::string>(one.value);
  }
  return {};
}

std::string sides(const ChangeCause& cause, const std::string& prefix = "") {
  return fmt::format("{} -> {}", value_of(cause, prefix + "baseline"), value_of(cause, prefix + "current"));
}

bool tells(const ChangeCause& cause, const std::string& name) {
  return !value_of(cause, name).empty();
}

std::string of_kernel(const ChangeCause& cause) {
  const std::string name = cause.text("kernel");
  return name.empty() ? std::string() : fmt::format("kernel `{}`: ", name);
}

std::string of_change(const ChangeCause& cause) {
  const double share = cause.number("share");
  return share > 1 ? ", which would explain more than the change"
                   : fmt::format(", which would explain {:.0f} % of the change", share * 100);
}

bool grew(const ChangeCause& cause) {
  return cause.number("current") > cause.number("baseline");
}

std::string shape_words(const ChangeCause& cause) {
  std::vector<std::string> parts;
  if (tells(cause, "grid_baseline")) parts.push_back("grid " + sides(cause, "grid_"));
  if (tells(cause, "block_baseline")) parts.push_back("block " + sides(cause, "block_"));
  if (tells(cause, "shared_baseline"))
    parts.push_back("dynamic shared memory " + sides(cause, "shared_") + " bytes");
  return "it is launched in another shape: " + join(parts, ", ");
}

std::string occupancy_words(const ChangeCause& cause) {
  std::string limit = cause.text("limit");
  if (limit == "shared_memory") limit = "shared memory";
  const char* const unit = limit == "shared memory" ? " bytes a block"
                           : limit == "registers"   ? " a thread"
                                                    : "";
  return fmt::format("{} blocks fit on a multiprocessor at once: {} ({} warps); {} {}{}",
                     grew(cause) ? "more" : "fewer", sides(cause), sides(cause, "warps_"),
                     limit == "blocks" ? "threads" : limit, sides(cause, "limit_"), unit);
}

std::string access_words(const ChangeCause& cause) {
  const std::string how = cause.text("how");
  if (how == "width")
    return fmt::format("an access of global memory moves {} bytes on average: {}",
                       grew(cause) ? "more" : "fewer", sides(cause));
  if (how == "share")
    return fmt::format(
        "its loops have {} accesses of global memory for a hundred arithmetic instructions: {}",
        grew(cause) ? "more" : "fewer", sides(cause));
  const char* const what = how == "shared"         ? "accesses of shared memory"
                           : how == "asynchronous" ? "asynchronous copies to shared memory"
                                                   : "accesses of global memory";
  return fmt::format("{}: {} instructions", what, sides(cause));
}

// The first of many kernels.
std::string few_of(const std::string& names) {
  constexpr std::size_t most = 400;
  if (names.size() <= most) return names;
  const std::size_t end = names.rfind(", ", most);
  return names.substr(0, end == std::string::npos ? most : end) + ", ...";
}

std::string kernels_words(const ChangeCause& cause) {
  std::vector<std::string> parts;
  for (const char* const change : {"added", "removed"})
    if (tells(cause, change)) parts.push_back(fmt::format("{} `{}`", change, few_of(cause.text(change))));
  return "other kernels are launched: " + join(parts, "; ");
}

std::string named_list(const std::string& list) {
  const std::size_t last = list.rfind(", ");
  return last == std::string::npos ? list : list.substr(0, last) + " and " + list.substr(last + 2);
}

std::string nothing_words(const ChangeCause& cause) {
  const std::string equal = cause.text("equal"), other = cause.text("other"), unknown = cause.text("unknown");
  const bool one = equal.find(", ") == std::string::npos && equal != "launches";
  std::string text = "no cause found";
  if (!equal.empty()) text += fmt::format(": {} {} equal", named_list(equal), one ? "is" : "are");
  if (!other.empty())
    text += fmt::format("{} what differs explains little: {}", equal.empty() ? ":" : ";", named_list(other));
  if (!unknown.empty()) text += fmt::format("; nothing is known of {}", named_list(unknown));
  return text;
}

std::string code_words(const ChangeCause& cause) {
  if (!tells(cause, "different")) return "its machine code differs";
  const std::int64_t different = cause.count("different");
  if (different == 0)
    return "its machine code differs in registers, constants or functions that it calls alone";
  return fmt::format("its machine code differs in {}, and no class of them leads",
                     counted(static_cast<std::size_t>(different), "instruction", "instructions"));
}

std::string instruction_words(const ChangeCause& cause) {
  const bool leads = tells(cause, "class");
  const std::string where = tells(cause, "a_round") ? " of its innermost loops, for as much work" : "";
  return fmt::format("{} instructions{}: {}{}",
                     leads ? cause.text("class") : named_list(cause.text("classes")), where, sides(cause),
                     leads ? "" : "; none of these classes leads");
}

// The quantity that a counter counts; names of others stand as they are.
std::string counted_by(const std::string& name) {
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"dram__bytes_read.", "bytes read from DRAM"},
      {"dram__bytes_write.", "bytes written to DRAM"},
      {"lts__t_bytes.", "bytes through the L2 cache"},
      {"l1tex__data_bank_conflicts", "bank conflicts"},
      {"smsp__inst_executed.", "instructions"},
      {"smsp__inst_executed_pipe_tensor", "instructions of Tensor Cores"},
      {"smsp__inst_executed_pipe_fp64", "instructions in 64 bit"},
      {"sm__warps_active.", "warps at once"},
      {"smsp__average_warps_issue_stalled_long_scoreboard", "waiting for global memory"},
      {"smsp__average_warps_issue_stalled_short_scoreboard", "waiting for shared memory"},
      {"smsp__average_warps_issue_stalled_barrier", "waiting at barriers"},
      {"smsp__average_warps_issue_stalled_math_pipe", "waiting for arithmetic units"}};
  for (const auto& [mark, told] : known)
    if (name.starts_with(mark)) return told;
  return name;
}

std::string counter_words(const ChangeCause& cause) {
  std::vector<std::string> parts;
  for (const char* const number : {"1", "2", "3"}) {
    const std::string name = cause.text(std::string("name") + number);
    if (name.empty()) continue;
    const double before = cause.number(std::string("baseline") + number),
                 after = cause.number(std::string("current") + number);
    const std::string unit = cause.text(std::string("unit") + number);
    const std::string change = before > 0 ? fmt::format(" {:+.3g} %", (after / before - 1) * 100) : "";
    parts.push_back(fmt::format("{}{} ({:.4g} -> {:.4g}{}{})", counted_by(name), change, before, after,
                                unit.empty() ? "" : " ", unit));
  }
  return "counters of one call that moved most: " + join(parts, ", ");
}

// Where the kernel is launched, if that is known.
std::string caller_words(const ChangeCause& cause) {
  std::vector<std::string> parts;
  if (tells(cause, "caller_python")) parts.push_back("at " + cause.text("caller_python"));
  if (tells(cause, "caller_host")) parts.push_back(fmt::format("by `{}`", cause.text("caller_host")));
  if (tells(cause, "caller_range"))
    parts.push_back(fmt::format("in the range `{}`", cause.text("caller_range")));
  if (parts.empty()) return {};
  return fmt::format("; `{}` is launched {}", cause.text("caller_kernel"), join(parts, ", "));
}

// Without the kernel.
std::string what(const ChangeCause& cause) {
  switch (cause.code) {
    case ChangeCauseCode::clock:
      return fmt::format("the clock of the multiprocessors: {} GHz", sides(cause)) + of_change(cause);
    case ChangeCauseCode::memory_clock:
      return fmt::format("the clock of the memory: {} MHz", sides(cause)) + of_change(cause);
    case ChangeCauseCode::choice: return "the variant chose another algorithm: " + sides(cause);
    case ChangeCauseCode::tuned: return "other tuned values: " + sides(cause);
    case ChangeCauseCode::inputs:
      return fmt::format("it works on other inputs: {} bytes from the host differ", value_of(cause, "bytes"));
    case ChangeCauseCode::library:
      return fmt::format("another version of {}: {}", cause.text("library"), sides(cause));
    case ChangeCauseCode::driver:
      return fmt::format("another driver: {} {}", cause.text("field"), sides(cause));
    case ChangeCauseCode::compiler:
      return fmt::format("another compiler: {} {}", cause.text("field"), sides(cause));
    case ChangeCauseCode::settings:
      return fmt::format("the machine differs: {} {}", cause.text("field"), sides(cause));
    case ChangeCauseCode::host_code: return "its machine code on the CPU differs";
    case ChangeCauseCode::outside_kernels:
      return fmt::format(
          "the time lies outside of the kernels: these take {} us of a call, and the call {} us",
          sides(cause, "kernels_"), sides(cause));
    case ChangeCauseCode::kernels: return kernels_words(cause);
    case ChangeCauseCode::launches: return "launches a call: " + sides(cause);
    case ChangeCauseCode::launch_shape: return shape_words(cause);
    case ChangeCauseCode::local_memory:
      return fmt::format(
          "local memory of a thread, for spilled registers or an indexed array: {} bytes{}", sides(cause),
          tells(cause, "accesses_baseline") ? fmt::format(", {} instructions", sides(cause, "accesses_"))
                                            : "");
    case ChangeCauseCode::occupancy: return occupancy_words(cause);
    case ChangeCauseCode::memory_access: return access_words(cause);
    case ChangeCauseCode::unrolling:
      return fmt::format(
          "loops are unrolled {}: their innermost bodies have {} instructions, and the kernel {} that work",
          cause.count("work_current") > cause.count("work_baseline") ? "more" : "less", sides(cause),
          sides(cause, "work_"));
    case ChangeCauseCode::instructions: return instruction_words(cause);
    case ChangeCauseCode::machine_code: return code_words(cause);
    case ChangeCauseCode::arguments:
      return cause.text("kernel").empty()
                 ? "launches get other arguments, or come in another order; code and shapes are equal"
                 : "it gets other arguments";
    case ChangeCauseCode::moved:
      return fmt::format(
          "time moved between kernels: `{}` takes {:.4g} us less of a call, and `{}` {:.4g} us more",
          cause.text("from"), cause.number("less"), cause.text("to"), cause.number("more"));
    case ChangeCauseCode::counters: return counter_words(cause);
    case ChangeCauseCode::none_found: return nothing_words(cause);
    case ChangeCauseCode::not_known:
      return fmt::format("no cause is known: the records do not tell {} of both sides",
                         named_list(cause.text("unknown")));
  }
  return {};
}

std::string side_text(std::int64_t value) {
  return grouped_digits(value);
}

}  // namespace

std::string words(const ChangeCause& cause) {
  return of_kernel(cause) + what(cause) + caller_words(cause);
}

std::vector<std::string> cause_words(const ComparisonRow& row) {
  std::vector<std::string> lines;
  if (row.causes == nullptr) return lines;
  for (const ChangeCause& one : row.causes->found) {
    const bool alone = one.code == ChangeCauseCode::none_found || one.code == ChangeCauseCode::not_known;
    const char* const label = alone ? "" : lines.empty() ? "cause: " : "also: ";
    lines.push_back(label + words(one));
  }
  return lines;
}

std::string code_title(const CodeSides& sides) {
  const std::string renamed =
      sides.baseline_name == sides.current_name ? "" : fmt::format(" (was `{}`)", sides.baseline_name);
  return fmt::format("machine code of `{}`{} on {}", sides.current_name, renamed, sides.architecture);
}

std::vector<SideFigure> differing_figures(const CodeSides& sides) {
  std::vector<SideFigure> all;
  const auto add = [&](std::string name, std::int64_t before, std::int64_t after) {
    if (before != after) all.push_back({std::move(name), before, after});
  };
  const KernelFigures &old = sides.baseline.figures, &now = sides.current.figures;
  add("registers a thread", old.registers, now.registers);
  add("local memory, bytes a thread", old.stack_bytes, now.stack_bytes);
  add("static shared memory, bytes a block", old.shared_bytes, now.shared_bytes);
  add("constants, bytes", old.constant_bytes, now.constant_bytes);
  add("instructions", old.instructions, now.instructions);
  for (const auto& [kind, name] : enum_names<InstructionClass>) {
    const auto i = static_cast<std::size_t>(kind);
    add(fmt::format("{} instructions", name), old.by_class[i], now.by_class[i]);
  }
  for (std::size_t i = 0; i < access_widths; ++i)
    add(fmt::format("accesses of {} bytes of global memory", 1 << i), sides.baseline.global_by_width[i],
        sides.current.global_by_width[i]);
  add("innermost loops", sides.baseline.loops, sides.current.loops);
  add("instructions of innermost loops", sides.baseline.loop_instructions, sides.current.loop_instructions);
  return all;
}

std::vector<Table> code_tables(const ChangeCauses& causes) {
  std::vector<Table> tables;
  for (const CodeSides& one : causes.code) {
    if (one.architecture.empty() || one.same) continue;
    Grid grid;
    grid.columns = {{"baseline", Align::left}, {"current", Align::left}};
    Section figures{"figures", Paint::faint, {}};
    for (const SideFigure& figure : differing_figures(one))
      figures.rows.push_back({figure.name, {{side_text(figure.baseline)}, {side_text(figure.current)}}});
    if (!figures.rows.empty()) grid.sections.push_back(std::move(figures));
    Section lines{fmt::format("{} differ, as far as operations and numbers tell",
                              counted(static_cast<std::size_t>(one.different), "line", "lines")),
                  Paint::faint,
                  {}};
    for (const CodeLine& line : one.lines) {
      const bool differs = line.baseline != line.current;
      const Paint paint = differs ? Paint::strong : Paint::faint;
      lines.rows.push_back({differs    ? "!="
                            : line.gap ? "..."
                                       : "=",
                            {{line.baseline, paint}, {line.current, paint}}});
    }
    if (!lines.rows.empty()) grid.sections.push_back(std::move(lines));
    if (!grid.sections.empty()) tables.push_back({code_title(one), std::move(grid)});
  }
  return tables;
}

}  // namespace harness::report
