// target/criterion/BENCHMARK/new/sample.json, which criterion writes in a plain `cargo bench`, with
// benchmark.json beside it, which has the name. Each sample is the time of some iterations.
//
// sample.json does not tell the unit; a custom measurement counts in another one than nanoseconds. raw.csv
// beside it tells it where it holds these samples (it can be left from an earlier run); else the user says.
// The folder of a benchmark that was not run stays, and only the date of its file tells.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/known_units.h"
#include "harness/store/adapters/read_csv.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* wildcard = "'target/criterion/**/new/sample.json'";

bool is_cargo_bench(std::string_view text) {
  return begins_as_json(text, "{", {"iters", "times"});
}

// The unit in raw.csv, if its lines are these samples.
std::string unit_beside(const fs::path& folder, const std::vector<double>& times,
                        const std::vector<double>& counts) {
  const Result<std::string> text = read_file(folder / "raw.csv");
  if (!text) return {};
  constexpr std::size_t value = 5, unit = 6, count = 7, columns = 8;
  std::string found;
  std::size_t lines = 0;
  bool same = true;
  each_line(*text, [&](std::string_view line, int number) {
    std::vector<std::string> fields;
    if (number == 1 || trim(line).empty()) return;
    same = same && split_csv(line, fields) && fields.size() == columns && lines < times.size() &&
           fields[value] == fmt::format("{:.1f}", times[lines]) &&
           trim(fields[count]) == fmt::format("{:.0f}", counts[lines]) &&
           (found.empty() || found == fields[unit]);
    if (same) found = fields[unit];
    ++lines;
  });
  return same && lines == times.size() ? found : std::string();
}

std::string date_of(const fs::path& file) {
  std::error_code code;
  const auto written = fs::last_write_time(file, code);
  if (code) return {};
  const auto time = std::chrono::file_clock::to_sys(written).time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return fmt::format("{:%FT%TZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// The name of the benchmark, as it stands in benchmark.json.
Result<std::string> name_beside(const fs::path& folder) {
  const std::string path = (folder / "benchmark.json").string();
  const Result<std::string> text = read_file(path);
  if (!text)
    return fail(ErrorKind::usage, Location{path}, "cannot be read; it names the benchmark of sample.json",
                fmt::format("keep the folders that criterion wrote: harness import {}", wildcard));
  const auto reader = JsonReader::parse(*text, {path, 1});
  if (!reader) return fail(reader.error());
  const JsonNode root = (*reader)->root();
  std::string name = name_of(root.require("full_id"));
  return (*reader)->finish(std::move(name));
}

Checked<ToolFile> read_cargo_bench(std::string_view text, const std::string& file,
                                   const ToolQuestions& questions) {
  const fs::path folder = fs::path(file).parent_path();
  const Result<std::string> name = name_beside(folder);
  if (!name) return fail_checked(name.error());
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    const JsonNode times = root.require("times"), iterations = root.require("iters");
    if (!root.ok()) return;
    CaseRecord& one = into.at(*name);
    std::vector<double> samples = times_of(times, one);
    const std::vector<double> counts = iterations.numbers();
    if (counts.size() != times.size())
      times.problem(fmt::format("has {} numbers, but `iters` has {}", times.size(), counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (!(counts[i] >= 1) || !std::isfinite(counts[i]))
        iterations.element(i).problem("is no number of iterations");
    if (!root.ok() || samples.empty()) return;
    std::string unit = unit_beside(folder, samples, counts);
    if (unit.empty()) unit = questions.unit;
    if (unit.empty())
      return times.problem("have no unit in the file",
                           "say it: `--unit ns` unless the benchmark has a measurement of its own");
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] /= counts[i];
    ToolFile::add(one, time_unit(unit) ? "wall_time" : unit, unit, {std::move(samples)});
  });
  if (!read) return read;
  read->suite = "criterion";
  read->date = date_of(file);
  // "base" or another name: the samples of another run.
  read->same.emplace("folder", folder.filename().string());
  return with_cases(std::move(*read), file);
}

}  // namespace

extern const ImportFormat cargo_bench_format;
const ImportFormat cargo_bench_format{"cargo_bench",
                                      "samples of criterion: cargo bench, then "
                                      "target/criterion/**/new/sample.json",
                                      is_cargo_bench, read_cargo_bench};

}  // namespace harness
