#include "harness/store/tuned_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/tuning/tuned_fields.h"
#include "harness/schema/formats.h"
#include "harness/store/baselines.h"

namespace harness {
namespace fs = std::filesystem;

std::string encode_tuned(const TunedSuite& tuned) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::tuned);
  write_fields(json, Described<TunedSuite>::fields, tuned);
  json.close();
  return json.take() + "\n";
}

Result<TunedSuite> decode_tuned(std::string_view text, const std::string& source) {
  const auto reader = JsonReader::parse(text, {source});
  if (!reader) return fail(reader.error());
  (*reader)->expect_format(formats::tuned);
  TunedSuite tuned;
  read_fields((*reader)->root(), Described<TunedSuite>::fields, tuned);
  return (*reader)->finish(std::move(tuned));
}

fs::path tuned_path(const fs::path& folder, const std::string& machine_class, const std::string& suite) {
  return folder / machine_class / "tuned" / (suite + ".json");
}

Result<TunedSuite> read_tuned(const fs::path& folder, const std::string& machine_class,
                              const std::string& suite) {
  const fs::path path = tuned_path(folder, machine_class, suite);
  std::error_code code;
  if (!fs::exists(path, code)) return TunedSuite{suite, machine_class, {}};
  const Result<std::string> text = read_file(path);
  if (!text) return fail(text.error());
  Result<TunedSuite> tuned = decode_tuned(*text, path.string());
  if (!tuned) {
    Error error = tuned.error();
    error.advice = "restore it from git, or remove it and run `harness tune` again";
    return fail(std::move(error));
  }
  if (tuned->suite == suite && tuned->machine_class == machine_class) return tuned;
  return fail(ErrorKind::usage, Location{path.string()},
              fmt::format("is of suite `{}` and class `{}`", printable(tuned->suite),
                          printable(tuned->machine_class)),
              "values of another class are not for this machine: remove the file, and run `harness tune`");
}

Result<fs::path> pin_tuned(const fs::path& folder, const TunedSuite& tuned) {
  for (const auto& [what, name] :
       {std::pair("machine class", tuned.machine_class), std::pair("suite", tuned.suite)})
    if (const Status fit = check_baseline_name(what, name); !fit) return fail(fit.error());
  Result<TunedSuite> all = read_tuned(folder, tuned.machine_class, tuned.suite);
  if (!all) return fail(all.error());
  for (const TunedCase& one : tuned.cases) {
    std::erase_if(all->cases, [&](const TunedCase& old) { return old.id == one.id; });
    all->cases.push_back(one);
  }
  std::sort(all->cases.begin(), all->cases.end(),
            [](const TunedCase& one, const TunedCase& other) { return one.id < other.id; });
  fs::path path = tuned_path(folder, tuned.machine_class, tuned.suite);
  if (const Status written = write_reviewed_file(path, encode_tuned(*all)); !written)
    return fail(written.error());
  return path;
}

}  // namespace harness
