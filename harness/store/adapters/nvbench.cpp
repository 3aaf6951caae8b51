// The file that a program with NVBench writes for --jsonbin, with its samples in files of 32-bit floats
// beside it. With --json there are no samples: the mean of a state is its one sample.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

// Tags of the summaries of a state for one kind of measurement, whose times are in seconds.
struct Kind {
  std::string_view metric, times, clocks, mean;
};
constexpr std::array<Kind, 2> kinds{
    {{"gpu_time", "nv/json/bin:nv/cold/sample_times", "nv/json/freqs-bin:nv/cold/sample_freqs",
      "nv/cold/time/gpu/mean"},
     {"wall_time", "nv/json/bin:nv/cpu_only/sample_times", "", "nv/cpu_only/time/cpu/mean"}}};

bool is_nvbench(std::string_view text) {
  return begins_as_json(text, "{", {"devices", "sm_version"}) ||
         begins_as_json(text, "{", {"meta", "nvbench"});
}

// The value of a summary's datum, a text in the file.
std::string datum(const JsonNode& summary, std::string_view name) {
  std::string found;
  summary.require("data").each_element([&](const JsonNode& one) {
    if (one.require("name").text() == name) found = one.require("value").text();
  });
  if (found.empty()) summary.problem(fmt::format("has no `{}` in its data", name));
  return found;
}

double number_of(const JsonNode& summary) {
  const std::string text = datum(summary, "value");
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (summary.ok() && (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)))
    summary.problem(fmt::format("has the value `{}`, which is no number", printable(text)));
  return value;
}

// A file of numbers above 0. It lies in a folder beside `file`, wherever the program was started.
std::vector<double> numbers_beside(const JsonNode& summary, const std::string& file) {
  const fs::path named = datum(summary, "filename"), folder = named.parent_path().filename();
  if (summary.ok() && (folder.empty() || folder == ".." || folder == "." || named.filename().empty()))
    summary.problem(
        fmt::format("has the file name `{}`, which is not FOLDER/FILE", printable(named.string())));
  if (!summary.ok()) return {};
  const fs::path path = fs::path(file).parent_path() / folder / named.filename();
  const Result<std::string> bytes = read_file(path);
  if (!bytes) {
    summary.problem(fmt::format("names a file that cannot be read: {}", printable(path.string())),
                    "keep the folder that --jsonbin makes beside its JSON file");
    return {};
  }
  const std::string size = datum(summary, "size");
  if (fmt::format("{}", bytes->size() / 4) != size || bytes->size() % 4 != 0) {
    summary.problem(fmt::format("names {} of {} bytes, where {} numbers of 4 bytes are expected",
                                printable(path.string()), bytes->size(), printable(size)));
    return {};
  }
  std::vector<double> numbers;
  numbers.reserve(bytes->size() / 4);
  for (std::size_t at = 0; at < bytes->size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;) word = word << 8 | static_cast<unsigned char>((*bytes)[at + i]);
    const auto number = static_cast<double>(std::bit_cast<float>(word));
    if (!(number > 0) || !std::isfinite(number)) {
      summary.problem(fmt::format("names {}, where the number at byte {} is {}; expected one above 0",
                                  printable(path.string()), at, number));
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

void take_kind(const JsonNode& state, const Kind& kind, const std::string& id, const std::string& file,
               OneProcess& process) {
  Placement placement;
  double mean = 0;
  state.find("summaries").each_element([&](const JsonNode& summary) {
    const std::string tag = summary.require("tag").text();
    if (tag == kind.times && summary.find("data").present())
      placement.samples = numbers_beside(summary, file);
    else if (tag == kind.mean)
      mean = number_of(summary);
    else if (!kind.clocks.empty() && tag == kind.clocks && summary.find("data").present())
      if (const std::vector<double> hertz = numbers_beside(summary, file); !hertz.empty())
        placement.clock_ghz =
            std::accumulate(hertz.begin(), hertz.end(), 0.0) / static_cast<double>(hertz.size()) / 1e9;
  });
  if (placement.samples.empty() && mean > 0) placement.samples = {mean};
  if (state.ok() && !placement.samples.empty()) process.add(id, kind.metric, "s", std::move(placement));
}

void take_nvbench(const JsonNode& benchmark, const std::string& file, OneProcess& process) {
  const std::string name = benchmark.require("name").text();
  const JsonNode states = benchmark.find("states");
  if (states.is_null()) return;
  states.each_element([&](const JsonNode& state) {
    if (state.find("is_skipped").flag()) return;
    const std::string values = state.require("name").text();
    const std::string id = values.empty() ? name : fmt::format("{}/{}", name, values);
    if (process.has(id)) state.problem(fmt::format("has the name `{}`, which came before", printable(id)));
    for (const Kind& kind : kinds)
      if (state.ok() && !state.find("summaries").is_null()) take_kind(state, kind, id, file, process);
  });
}

Checked<Record> read_nvbench(std::string_view text, const std::string& file) {
  return read_json(text, file, [&](const JsonNode& root, OneProcess& process) {
    if (const JsonNode devices = root.find("devices"); devices.size() > 0 && !devices.is_null())
      devices.each_element([&](const JsonNode& device) {
        add_fields(process.machine, device, {"name", "sm_version"});
      });
    root.require("benchmarks").each_element([&](const JsonNode& one) { take_nvbench(one, file, process); });
  });
}

}  // namespace

extern const ImportFormat nvbench_format;
const ImportFormat nvbench_format{"nvbench", "JSON of NVBench: BINARY --jsonbin FILE, or --json FILE",
                                  is_nvbench, read_nvbench};

}  // namespace harness
