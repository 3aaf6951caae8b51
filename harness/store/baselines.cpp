#include "harness/store/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/model/pin/figures.h"
#include "harness/model/pin/pin_codec.h"
#include "harness/store/baseline/completeness.h"
#include "harness/store/record_file.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

Status check_cases(const Record& record) {
  if (record.finished.empty())
    return fail(ErrorKind::usage, fmt::format("record {} is incomplete", record.id),
                "finish it with `harness run SUITE --continue`, then promote it");
  const auto any = [&](Outcome outcome) {
    return std::find_if(record.cases.begin(), record.cases.end(),
                        [&](const CaseRecord& one) { return one.outcome == outcome; });
  };
  for (const Outcome outcome : {Outcome::incorrect, Outcome::failed, Outcome::timed_out})
    if (const auto bad = any(outcome); bad != record.cases.end())
      return fail(ErrorKind::usage, bad->where,
                  fmt::format("case `{}` is {}", printable(bad->id), name_of(outcome)),
                  "a baseline is a record in which every case that can run was measured and right; "
                  "`harness report` tells why this case was not");
  const std::string again =
      fmt::format("measure the whole suite: `harness run {} --processes {}`, then promote that record",
                  record.suite.file.empty() ? "SUITE" : shell_quoted(record.suite.file), pin_processes);
  if (const auto look = any(Outcome::looked_at); look != record.cases.end())
    return fail(ErrorKind::usage, look->where,
                fmt::format("case `{}` was proven identical, so it has no samples", printable(look->id)),
                again);
  for (const CaseRecord& one : record.cases)
    if (one.outcome == Outcome::measured && !is_complete(one))
      return fail(ErrorKind::usage, one.where,
                  fmt::format("case `{}` was sampled less than the suite asks for", printable(one.id)),
                  again);
  if (any(Outcome::measured) == record.cases.end())
    return fail(ErrorKind::usage, fmt::format("record {} has no measured case", record.id),
                "promote a record from a machine that can run the suite");
  return {};
}

Status check_promotion(const Record& record, const std::string& author, const std::string& reason,
                       bool allow_dirty) {
  if (trim(author).empty())
    return fail(ErrorKind::usage, "a baseline needs an author", "say who decides this: --author NAME");
  if (trim(reason).empty())
    return fail(ErrorKind::usage, "a baseline needs a reason",
                "say why these numbers are the ones to hold: --reason TEXT");
  if (record.revision.dirty && !allow_dirty)
    return fail(
        ErrorKind::usage,
        fmt::format("record {} was measured with uncommitted changes, which nobody can check out again",
                    record.id),
        "commit and measure again, or insist with --allow-dirty");
  if (record.calibration)
    return fail(ErrorKind::usage, fmt::format("record {} is a calibration", record.id),
                "pin what `harness run` measured; a calibration says how much results vary");
  if (record.pairing)
    return fail(
        ErrorKind::usage, fmt::format("record {} is one side of an A/B run", record.id),
        "pin what `harness run` measured; a side of an A/B run is to be compared with its other side");
  if (const Status cases = check_cases(record); !cases) return cases;
  if (const Status name = check_baseline_name("machine class", primary_machine_class(record)); !name)
    return name;
  return check_baseline_name("suite", record.suite.name);
}

}  // namespace

int fewest_processes(const Record& record) {
  int fewest = 0;
  for (const CaseRecord& one : record.cases) {
    const int measured = count_measured(one);
    if (measured > 0 && (fewest == 0 || measured < fewest)) fewest = measured;
  }
  return fewest;
}

const Machine* primary_machine(const Record& record) {
  std::set<std::string> measured;
  for (const CaseRecord& one : record.cases)
    if (one.outcome != Outcome::skipped) measured.insert(one.device);
  const auto find = [&](bool only_measured) -> const Machine* {
    const Machine* last = nullptr;
    for (const auto& [kind, machine] : record.machines) {
      if (only_measured && !measured.contains(kind)) continue;
      if (is_gpu_kind(kind)) return &machine;
      if (last == nullptr || kind != cpu_kind.name) last = &machine;
    }
    return last;
  };
  const Machine* machine = find(true);
  return machine != nullptr ? machine : find(false);
}

std::string primary_machine_class(const Record& record) {
  const Machine* machine = primary_machine(record);
  return machine == nullptr ? "" : machine->machine_class;
}

Status check_baseline_name(const std::string& what, const std::string& name) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorKind::usage,
                fmt::format("{} `{}` cannot name a baseline: {}", what, printable(name), why));
  };
  if (name.empty()) return refuse("it is empty");
  if (name.size() > 200) return refuse("it is longer than 200 bytes");
  if (name.find_first_of("/\\") != std::string::npos) return refuse("it holds a path separator");
  if (name.front() == '.') return refuse("it begins with a dot");
  if (printable(name) != name) return refuse("it holds control characters");
  return {};
}

Status write_reviewed_file(const fs::path& path, const std::string& text) {
  const fs::path aside = fs::path(".harness") / ("promoted-" + random_uuid() + ".json");
  if (const Status written = write_file_atomically(aside, text); !written) return written;
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  fs::rename(aside, path, code);
  if (!code) return {};
  std::error_code ignored;
  fs::remove(aside, ignored);
  if (code == std::errc::cross_device_link) return write_file_atomically(path, text);
  return fail(ErrorKind::environment, Location{path.string()},
              fmt::format("cannot be replaced: {}", code.message()));
}

fs::path baseline_path(const fs::path& folder, const std::string& machine_class, const std::string& suite) {
  return folder / machine_class / (suite + ".json");
}

Result<fs::path> promote(const fs::path& folder, Record record, const std::string& author,
                         const std::string& reason, bool allow_dirty) {
  if (const Status fit = check_promotion(record, author, reason, allow_dirty); !fit) return fail(fit.error());
  Promotion promotion{std::string(trim(author)), std::string(trim(reason)), utc_timestamp()};
  if (record.promotion) {
    Promotion again = promotion;
    again.date = record.promotion->date;
    if (again == *record.promotion) promotion = std::move(again);  // the same pin, written once more
  }
  record.promotion = std::move(promotion);
  record = without_samples(std::move(record));
  const std::string text = encode_pin(record);
  if (const auto readable = decode_pin(text, "record " + record.id); !readable) return fail(readable.error());
  const fs::path path = baseline_path(folder, primary_machine_class(record), record.suite.name);
  if (const Status written = write_reviewed_file(path, text); !written) return fail(written.error());
  return path;
}

Result<std::vector<Baseline>> list_baselines(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code code;
  for (const fs::directory_entry& machine : fs::directory_iterator(folder, code)) {
    if (!machine.is_directory()) continue;
    for (const fs::directory_entry& file : fs::directory_iterator(machine.path(), code))
      if (file.path().extension() == ".json") paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Baseline> baselines;
  for (const fs::path& path : paths) {
    Result<Record> record = read_record(path);
    if (!record) return fail(record.error());
    baselines.push_back(
        {path, path.parent_path().filename().string(), path.stem().string(), std::move(*record)});
  }
  return baselines;
}

}  // namespace harness
