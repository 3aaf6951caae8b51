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
#include <set>

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
  for (const double time : placement.samples)
    if (time < 0 && std::isfinite(time) && state.ok())
      state.problem(fmt::format("has a time of {} s; a time is above 0", time));
  if (!state.ok() || placement.samples.empty()) return false;
  if (const std::optional<double> bad = unusable_in(placement.samples))
    ToolFile::end(one, Outcome::failed, unusable_time(std::string(kind.metric), *bad));
  else
    ToolFile::add(one, kind.metric, "s", std::move(placement));
  return true;
}

// An option of NVBench, by the list in its docs/cli_help.md.
enum class Role { selects, writes, locks_clocks, runs_once, times_otherwise };
struct Option {
  std::string_view name;
  Role role;
  bool has_value = true;
};
// Any other option changes how it measures: how long, how often, when it stops.
constexpr std::array<Option, 20> known_options{{{"--benchmark", Role::selects},
                                                {"-b", Role::selects},
                                                {"--axis", Role::selects},
                                                {"-a", Role::selects},
                                                {"--devices", Role::selects},
                                                {"--device", Role::selects},
                                                {"-d", Role::selects},
                                                {"--json", Role::writes},
                                                {"--jsonbin", Role::writes},
                                                {"--csv", Role::writes},
                                                {"--md", Role::writes},
                                                {"--markdown", Role::writes},
                                                {"--quiet", Role::writes, false},
                                                {"-q", Role::writes, false},
                                                {"--color", Role::writes, false},
                                                {"--lock-gpu-clocks", Role::locks_clocks},
                                                {"--lgc", Role::locks_clocks},
                                                {"--profile", Role::runs_once, false},
                                                {"--run-once", Role::runs_once, false},
                                                {"--disable-blocking-kernel", Role::times_otherwise, false}}};

// One word for each state of the clocks; "" for clocks that are not locked.
std::string clocks_of(const std::string& rate) {
  const std::string lower = to_lower(rate);
  if (lower == "reset" || lower == "unlock" || lower == "none") return {};
  if (lower == "tdp") return "base";
  return lower == "maximum" ? "max" : lower;
}

// The arguments of the program, without the files that it writes, and the path of the program apart. A lone
// run is not warmed up; without the kernel that blocks, a time includes the launch.
void take_arguments(const JsonNode& meta, ToolFile& read) {
  const std::vector<std::string> words = meta.find("argv").texts();
  std::vector<std::string> kept, measuring;
  std::string clocks;
  bool once = false, unblocked = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto* const known = std::find_if(known_options.begin(), known_options.end(),
                                           [&](const Option& one) { return one.name == words[i]; });
    const std::size_t first = i;
    if (known == known_options.end()) {
      measuring.push_back(words[i]);
    } else {
      if (known->has_value && i + 1 < words.size()) ++i;
      if (known->role == Role::locks_clocks) clocks = clocks_of(words[i]);
      once |= known->role == Role::runs_once;
      unblocked |= known->role == Role::times_otherwise;
    }
    if (known == known_options.end() || known->role != Role::writes)
      kept.insert(kept.end(), words.begin() + static_cast<std::ptrdiff_t>(first),
                  words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  if (!words.empty()) read.same.emplace("executable", words.front());
  read.same.emplace("options", join(kept, " "));
  read.field("gpu_clocks", clocks, FieldClass::block);
  read.field("runs", once ? "one, not warmed up" : "", FieldClass::block);
  read.field("launches", unblocked ? "timed" : "", FieldClass::block);
  read.field("options", join(measuring, " "), FieldClass::warn);
  const JsonNode version = meta.find("version").find("nvbench");
  const std::string described = text_of(version, "git_version");
  read.field("NVBench", described.empty() ? text_of(version, "git_sha") : described, FieldClass::warn);
}

// The states of a file together.
struct States {
  std::set<std::string> devices;  // numbers of the GPUs that they ran on
  std::string sample;             // "each" time, or a "mean", which a few long times change
};

States look_at(const JsonNode& root) {
  States found;
  bool each = false, mean = false;
  const auto look = [&](const JsonNode& summary) {
    const std::string tag = text_of(summary, "tag");
    for (const Kind& kind : kinds) {
      each |= tag == kind.times && summary.find("data").present();
      mean |= tag == kind.mean;
    }
  };
  root.require("benchmarks").each_element([&](const JsonNode& benchmark) {
    if (const JsonNode states = benchmark.find("states"); !states.is_null())
      states.each_element([&](const JsonNode& state) {
        if (std::string device = text_of(state, "device"); !device.empty())
          found.devices.insert(std::move(device));
        if (const JsonNode summaries = state.find("summaries"); !summaries.is_null())
          summaries.each_element(look);
      });
  });
  if (const JsonNode meta = root.find("meta"); !each && !mean && meta.present() && !meta.is_null())
    for (const std::string& word : meta.find("argv").texts()) each |= word == "--jsonbin";
  found.sample = each ? "each" : "mean";
  return found;
}

// Fields of the GPUs that were used; the file lists all of the machine. The number of multiprocessors tells
// models of one name apart.
void take_devices(const JsonNode& devices, const std::set<std::string>& used, ToolFile& read) {
  static constexpr std::array<std::string_view, 4> model{"name", "sm_version", "number_of_sms", "ecc_state"};
  std::vector<std::pair<std::string, std::vector<std::string>>> fields;  // name, values of GPUs that differ
  devices.each_element([&](const JsonNode& device) {
    if (!used.empty() && !used.contains(text_of(device, "id"))) return;
    for (const auto& [name, value] : scalars_of(device)) {
      auto known =
          std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.first == name; });
      if (known == fields.end()) known = fields.insert(fields.end(), {name, {}});
      if (std::find(known->second.begin(), known->second.end(), value) == known->second.end())
        known->second.push_back(value);
    }
  });
  for (const auto& [name, values] : fields)
    if (name != "id")
      read.field(
          name, join(values, ", "),
          std::find(model.begin(), model.end(), name) != model.end() ? FieldClass::block : FieldClass::info);
}

// The name of a state begins with its GPU, "Device=0 N=1", which is how it was launched.
ToolCase case_of(const std::string& benchmark, const std::string& sample, const JsonNode& state) {
  std::string values = state.require("name").text();
  ToolCase known{.name = benchmark, .parameters = {{"sample", sample}}};
  const std::string device = text_of(state, "device"), prefix = "Device=" + device;
  if (!device.empty() && (values == prefix || values.starts_with(prefix + " "))) {
    known.launch["device"] = device;
    values.erase(0, std::min(values.size(), prefix.size() + 1));
  }
  if (!values.empty()) known.name += "/" + values;
  return known;
}

void take_state(const JsonNode& state, const std::string& name, const std::string& sample,
                const std::string& file, ToolFile& read) {
  const ToolCase known = case_of(name, sample, state);
  if (state.ok() && read.has(known))
    state.problem(fmt::format("has the name `{}`, which came before", printable(known.name)),
                  "run each benchmark once, whatever its options (-b); values of an axis that round to one "
                  "text share a "
                  "name: give them as text, by add_string_axis");
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

void take_nvbench(const JsonNode& benchmark, const std::string& sample, const std::string& file,
                  ToolFile& read) {
  const std::string name = name_of(benchmark.require("name"));
  const JsonNode states = benchmark.find("states");
  if (states.is_null()) return;
  states.each_element([&](const JsonNode& state) { take_state(state, name, sample, file, read); });
}

Checked<ToolFile> read_nvbench(std::string_view text, const std::string& file, const ToolQuestions&) {
  Checked<ToolFile> read = read_json(text, file, [&](const JsonNode& root, ToolFile& into) {
    const States states = look_at(root);
    if (const JsonNode meta = root.find("meta"); meta.present() && !meta.is_null())
      take_arguments(meta, into);
    if (const JsonNode devices = root.find("devices"); devices.size() > 0 && !devices.is_null())
      take_devices(devices, states.devices, into);
    root.require("benchmarks").each_element([&](const JsonNode& one) {
      take_nvbench(one, states.sample, file, into);
    });
    into.forget_lone("device");
  });
  return read ? with_cases(std::move(*read), file) : read;
}

}  // namespace

extern const ImportFormat nvbench_format;
const ImportFormat nvbench_format{"nvbench", "JSON of NVBench: BINARY --jsonbin FILE, or --json FILE",
                                  is_nvbench, read_nvbench};

}  // namespace harness
