// The file that a program with NVBench writes for --jsonbin, with its samples in files of 32-bit floats
// beside it. With --json there are no samples: the mean of a state is its one sample.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

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
  if (summary.ok() && (code != std::errc{} || end != text.data() + text.size()))
    summary.problem(fmt::format("has the value `{}`, which is no number", printable(text)));
  return value;
}

// A file of numbers. It lies in a folder beside `file`, wherever the program was started.
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
    numbers.push_back(static_cast<double>(std::bit_cast<float>(word)));
  }
  return numbers;
}

// The first value that is no time.
std::optional<double> unusable_in(const std::vector<double>& times) {
  for (const double time : times)
    if (!(time > 0) || !std::isfinite(time)) return time;
  return std::nullopt;
}

// Returns whether the state has times of this kind.
bool take_kind(const JsonNode& state, const Kind& kind, const std::string& file, CaseRecord& one) {
  Placement placement;
  std::optional<double> mean;
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
  if (placement.samples.empty() && mean) placement.samples = {*mean};
  if (!state.ok() || placement.samples.empty()) return false;
  if (const std::optional<double> bad = unusable_in(placement.samples))
    ToolFile::end(one, Outcome::failed, unusable_time(std::string(kind.metric), *bad));
  else
    ToolFile::add(one, kind.metric, "s", std::move(placement));
  return true;
}

// The arguments of the program, without the files that it writes, and the path of the program apart.
void take_arguments(const JsonNode& meta, ToolFile& read) {
  const std::vector<std::string> words = meta.find("argv").texts();
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == 0) {
      read.same.emplace("executable", words[i]);
      continue;
    }
    if ((words[i] == "--lock-gpus" || words[i] == "--lgc") && i + 1 < words.size())
      read.field("gpu_clocks", words[i + 1], FieldClass::block);
    static constexpr std::array<std::string_view, 5> outputs{"--json", "--jsonbin", "--csv", "--md",
                                                             "--markdown"};
    if (std::find(outputs.begin(), outputs.end(), words[i]) != outputs.end())
      ++i;
    else
      kept.push_back(words[i]);
  }
  read.same.emplace("options", join(kept, " "));
}

// Fields of a GPU in the file. Its number of multiprocessors tells models of one name apart.
void take_device(const JsonNode& device, ToolFile& read) {
  static constexpr std::array<std::string_view, 4> model{"name", "sm_version", "number_of_sms", "ecc_state"};
  const std::string id = text_of(device, "id");
  for (const auto& [name, value] : scalars_of(device)) {
    const bool is_model = std::find(model.begin(), model.end(), name) != model.end();
    if (name != "id")
      read.field(id == "0" ? name : fmt::format("{} of GPU {}", name, id), value,
                 is_model ? FieldClass::block : FieldClass::info);
  }
}

void take_state(const JsonNode& state, const std::string& name, const std::string& file, ToolFile& read) {
  const std::string values = state.require("name").text();
  const ToolCase known{.name = values.empty() ? name : fmt::format("{}/{}", name, values)};
  if (state.ok() && read.has(known))
    state.problem(
        fmt::format("has the name `{}`, which came before", printable(known.name)),
        "values of an axis that round to one text share a name: give them as text, by add_string_axis");
  if (!state.ok()) return;
  CaseRecord& one = read.at(known);
  const std::string reason = text_of(state, "skip_reason");
  if (reason.starts_with("Unexpected error: "))  // as NVBench marks a state that threw
    return ToolFile::end(one, Outcome::failed, cause_with_why(CauseCode::tool_failed, printable(reason)));
  if (state.find("is_skipped").flag() || !reason.empty())
    return ToolFile::end(one, Outcome::skipped, cause_with_why(CauseCode::tool_skipped, printable(reason)));
  bool timed = false;
  if (!state.find("summaries").is_null())
    for (const Kind& kind : kinds) timed |= take_kind(state, kind, file, one);
  if (state.ok() && !timed)
    ToolFile::end(one, Outcome::failed,
                  cause_with_why(CauseCode::tool_failed, "the state was not skipped, and has no time"));
}

void take_nvbench(const JsonNode& benchmark, const std::string& file, ToolFile& read) {
  const std::string name = name_of(benchmark.require("name"));
  const JsonNode states = benchmark.find("states");
  if (states.is_null()) return;
  states.each_element([&](const JsonNode& state) { take_state(state, name, file, read); });
}

Checked<ToolFile> read_nvbench(std::string_view text, const std::string& file, const ToolQuestions&) {
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    if (const JsonNode meta = root.find("meta"); meta.present() && !meta.is_null())
      take_arguments(meta, into);
    if (const JsonNode devices = root.find("devices"); devices.size() > 0 && !devices.is_null())
      devices.each_element([&](const JsonNode& device) { take_device(device, into); });
    root.require("benchmarks").each_element([&](const JsonNode& one) { take_nvbench(one, file, into); });
  });
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat nvbench_format;
const ImportFormat nvbench_format{"nvbench", "JSON of NVBench: BINARY --jsonbin FILE, or --json FILE",
                                  is_nvbench, read_nvbench};

}  // namespace harness
