// The output of a program with Google Benchmark for --benchmark_format=json. One file is one process. A
// repetition runs the whole function again, allocations included, so it is a placement; its one sample is the
// mean of its iterations. Aggregates ("_mean", "_median", "_BigO") are left out.
//
// Up to 1.8 the library divides real_time by the number of threads, since 1.9 it does not
// (benchmark_runner.cc). The file names the library's version since 1.8.4, and what builds tell instead: ""
// without CMake, or the version of the repository that holds a copy. So times of several threads carry what
// they count.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr const char* own_names =
    "give each a name of its own: ->Name(\"...\"), or BENCHMARK_CAPTURE; or choose one with "
    "--benchmark_filter";

constexpr const char* only_aggregates =
    "their samples are gone: leave out --benchmark_report_aggregates_only and ->ReportAggregatesOnly()";

// The first key of the object is one of the two that the library writes.
bool is_google_benchmark(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('{')) return false;
  text = trim(text.substr(1));
  const auto has = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
  return (text.starts_with("\"context\"") && (has("\"num_cpus\"") || has("\"real_time\""))) ||
         (text.starts_with("\"benchmarks\"") && has("\"real_time\""));
}

// The meaning of real_time of several threads in a file of version "v1.8.5". A file may have no such member.
std::string time_of_threads(const std::optional<std::string>& version) {
  constexpr const char *divided = "divided by threads", *whole = "not divided";
  if (!version) return divided;
  const std::size_t digit = version->find_first_of("0123456789");
  int major = 0, minor = 0;
  if (digit != std::string::npos) {
    const char *begin = version->data() + digit, *end = version->data() + version->size();
    const auto [dot, code] = std::from_chars(begin, end, major);
    if (code == std::errc{} && dot != end) std::from_chars(dot + 1, end, minor);
  }
  if (major == 1 && minor == 8) return divided;
  if (major == 1 && minor > 8) return whole;
  return fmt::format("unknown: the library's version is `{}`", *version);
}

// "3" of "BM_x/real_time/threads:3": the library writes it last. An argument may have that name, too.
std::string threads_in(std::string_view name) {
  constexpr std::string_view mark = "/threads:";
  const std::size_t at = name.rfind(mark);
  const std::string_view rest = at == std::string_view::npos ? "1" : name.substr(at + mark.size());
  return std::string(rest.substr(0, rest.find('/')));
}

class GoogleBenchmarkReader {
 public:
  explicit GoogleBenchmarkReader(ToolFile& read) : read_(read) {}

  void take(const JsonNode& root) {
    if (const JsonNode context = root.find("context"); context.present()) take_context(context);
    const JsonNode benchmarks = root.require("benchmarks");
    benchmarks.each_element([&](const JsonNode& one) { count_aggregates(one); });
    count_old_aggregates();
    benchmarks.each_element([&](const JsonNode& one) { take_benchmark(one); });
    for (const auto& [name, means] : aggregates_) {
      if (families_.contains(name)) continue;
      if (measured_ == 0)
        benchmarks.problem(fmt::format("holds `{}` only as aggregates", printable(name)), only_aggregates);
      else  // ->ReportAggregatesOnly() of one benchmark says nothing of the others
        ToolFile::end(read_.at(name), Outcome::skipped,
                      cause_with_why(CauseCode::tool_skipped,
                                     "its samples are gone: the file holds only its aggregates"));
    }
    for (const auto& [name, expected] : repeated_)
      if (const int found = found_.at(name); found != expected)
        benchmarks.problem(
            fmt::format("holds {} of {} repetitions of `{}`", found, expected, printable(name)),
            "let the program end by itself, and keep its file as it is");
    if (!unusable_cpu_times_.empty())
      read_.remarks.push_back(fmt::format(
          "`cpu_time` of `{}`{} is 0 or no number, and left out: the system's clock is too coarse",
          printable(unusable_cpu_times_.front()),
          unusable_cpu_times_.size() > 1 ? fmt::format(" and {} others", unusable_cpu_times_.size() - 1)
                                         : ""));
  }

 private:
  // Further members come from --benchmark_context.
  void take_context(const JsonNode& context) {
    static const std::map<std::string, FieldClass, std::less<>> kinds{
        {"library_build_type", FieldClass::block},
        {"library_version", FieldClass::warn},
        {"num_cpus", FieldClass::warn},
        {"cpu_scaling_enabled", FieldClass::warn},
        {"aslr_enabled", FieldClass::warn},
        {"executable", FieldClass::warn},
        {"host_name", FieldClass::info},
        {"mhz_per_cpu", FieldClass::info}};
    for (const auto& [name, value] : scalars_of(context)) {
      if (name == "date")
        read_.date = value;
      else if (name == "host_name")
        read_.host = value;
      else if (name == "library_version")
        version_ = value;
      else if (name == "executable")
        read_.same.emplace(name, value);
      if (name == "dry_run" && value == "true")
        context.find(name).problem("is true: each benchmark ran once, which is no measurement",
                                   "leave out --benchmark_dry_run");
      if (name == "date" || name == "json_schema_version") continue;
      const auto kind = kinds.find(name);
      read_.field(name, value, kind == kinds.end() ? kind_of_field(name) : kind->second);
    }
    take_load(context);
    take_caches(context);
  }

  // The processors that other processes took when the program started. On a quiet host it says nothing.
  void take_load(const JsonNode& context) {
    const JsonNode load = context.find("load_avg");
    if (!load.present() || load.is_null() || load.size() == 0) return;
    const double now = load.element(0).number(), cpus = context.find("num_cpus").number(1);
    if (now > cpus / 4) read_.field("load", fmt::format("{:.1f} on {:g} CPUs", now, cpus), FieldClass::warn);
  }

  void take_caches(const JsonNode& context) {
    std::vector<std::string> sizes;
    const JsonNode caches = context.find("caches");
    if (!caches.present() || caches.is_null()) return;
    caches.each_element([&](const JsonNode& one) {
      sizes.push_back(
          fmt::format("L{} {} {}", text_of(one, "level"), text_of(one, "type"), text_of(one, "size")));
    });
    read_.field("caches", join(sizes, ", "), FieldClass::warn);
  }

  // Old versions mark aggregates by their names alone.
  void count_aggregates(const JsonNode& benchmark) {
    const std::string name = benchmark.find("name").text();
    const bool complexity = benchmark.find("big_o").present() || benchmark.find("rms").present();
    if (complexity) return;  // a fit over all arguments, called as the family
    if (benchmark.find("run_type").text("iteration") != "iteration") {
      ++aggregates_[benchmark.find("run_name").text(name)];
      return;
    }
    if (!benchmark.find("run_type").present()) old_names_.insert(name);
  }

  // Old versions write the mean of repetitions, and their standard deviation with it.
  void count_old_aggregates() {
    constexpr std::string_view mean = "_mean";
    for (const std::string& name : old_names_)
      if (name.ends_with(mean))
        if (const std::string base = name.substr(0, name.size() - mean.size());
            old_names_.contains(base + "_stddev"))
          ++aggregates_[base];
  }

  [[nodiscard]] bool is_old_aggregate(const JsonNode& benchmark, const std::string& name) const {
    if (benchmark.find("big_o").present() || benchmark.find("rms").present()) return true;
    if (benchmark.find("run_type").present()) return false;
    const auto ends = [&](std::string_view what) {
      return name.ends_with(what) && aggregates_.contains(name.substr(0, name.size() - what.size()));
    };
    return ends("_mean") || ends("_median") || ends("_stddev") || ends("_cv");
  }

  // Two families can have one name, and then only their place in the file tells them apart, which a filter
  // changes.
  void check_name(const JsonNode& benchmark, const std::string& name) {
    const std::string family = text_of(benchmark, "family_index"),
                      repetition = text_of(benchmark, "repetition_index");
    const auto [known, fresh] = families_.emplace(name, family);
    const bool again = !repetitions_.emplace(name, repetition).second;
    const auto means = aggregates_.find(name);
    const bool old_repetition = repetition.empty() && means != aggregates_.end() && means->second == 1;
    if (known->second != family || (again && !old_repetition))
      benchmark.problem(fmt::format("is called `{}`, as another benchmark in the file is", printable(name)),
                        own_names);
  }

  void take_benchmark(const JsonNode& benchmark) {
    if (benchmark.find("run_type").text("iteration") != "iteration") return;
    const JsonNode named =
        benchmark.find("run_name").present() ? benchmark.find("run_name") : benchmark.require("name");
    const std::string name = name_of(named);
    if (!benchmark.ok() || is_old_aggregate(benchmark, name)) return;
    check_name(benchmark, name);
    ++found_[name];
    if (const JsonNode repetitions = benchmark.find("repetitions"); repetitions.present())
      repeated_[name] = std::max(1, repetitions.integer<int>(1, 0));  // 0: version 1.5 without repetitions
    std::string threads = threads_in(name);
    const std::string told = text_of(benchmark, "threads");
    if (told == "1") threads = told;  // an argument is called so
    if (!told.empty() && told != threads)
      benchmark.find("threads").problem(
          fmt::format("is {}, and its name says {}", printable(told), printable(threads)));
    if (!benchmark.ok()) return;
    ToolCase known{.name = name};
    if (threads != "1") known.parameters["real_time"] = time_of_threads(version_);
    CaseRecord& one = read_.at(known);
    if (benchmark.find("error_occurred").flag())
      return ToolFile::end(
          one, Outcome::failed,
          cause_with_why(CauseCode::tool_failed, printable(text_of(benchmark, "error_message"))));
    if (benchmark.find("skipped").flag())
      return ToolFile::end(
          one, Outcome::skipped,
          cause_with_why(CauseCode::tool_skipped, printable(text_of(benchmark, "skip_message"))));
    take_times(benchmark, one, name);
  }

  void take_times(const JsonNode& benchmark, CaseRecord& one, const std::string& name) {
    const JsonNode unit = benchmark.require("time_unit");
    if (benchmark.ok() && !time_unit(unit.text())) unit.problem("is no unit of time");
    const std::optional<double> real = time_of(benchmark.require("real_time"), one);
    if (!benchmark.ok() || !real) return;
    ToolFile::add(one, "wall_time", unit.text(), {{*real}});
    ++measured_;
    const JsonNode cpu = benchmark.find("cpu_time");
    if (!cpu.present()) return;
    const double used = cpu.number();
    if (used < 0) cpu.problem(fmt::format("is {}; a time is above 0", used));
    if (!(used > 0) || !std::isfinite(used)) {  // 0: below the tick of the system's clock
      unusable_cpu_times_.push_back(name);
      return;
    }
    // With UseManualTime() the program times a part of itself, and its CPU time is of all.
    ToolFile::add(one, "cpu_time", unit.text(), {{used}}).informs =
        (name + "/").find("/manual_time/") != std::string::npos;
  }

  ToolFile& read_;
  int measured_ = 0;
  std::optional<std::string> version_;           // nullopt: the file has no member for it
  std::set<std::string> old_names_;              // without `run_type`
  std::vector<std::string> unusable_cpu_times_;  // of these benchmarks
  std::map<std::string, int> aggregates_;        // by name: of which there is a mean
  std::map<std::string, int> repeated_, found_;  // repetitions by name: as each tells, and as there are
  std::map<std::string, std::string> families_;
  std::set<std::pair<std::string, std::string>> repetitions_;
};

Checked<ToolFile> read_google_benchmark(std::string_view text, const std::string& file,
                                        const ToolQuestions&) {
  Checked<ToolFile> read = read_json(
      text, file, [](const JsonNode& root, ToolFile& into) { GoogleBenchmarkReader(into).take(root); });
  if (!read) return read;
  return with_cases(std::move(*read), file, "no benchmark ran; does --benchmark_filter match any?");
}

}  // namespace

extern const ImportFormat google_benchmark_format;
const ImportFormat google_benchmark_format{
    "google_benchmark", "JSON of Google Benchmark: BINARY --benchmark_out=FILE --benchmark_out_format=json",
    is_google_benchmark, read_google_benchmark};

}  // namespace harness
