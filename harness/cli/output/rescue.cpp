#include "harness/cli/output/rescue.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/codec.h"

namespace harness {
namespace fs = std::filesystem;

Error rescued(const Record& record, Error error) {
  std::size_t results = 0;
  for (const CaseRecord& one : record.cases) results += one.processes.size();
  if (results == 0) return error;
  const std::string text = encode(record);
  const std::string name = fmt::format("harness-rescue-{}.json", record.id);
  for (const fs::path& folder : {fs::path("."), temporary_folder()}) {
    const std::string path = (folder / name).lexically_normal().string();
    if (!write_file_atomically(path, text)) continue;
    error.message += fmt::format("; its {} results are saved in {}", results, path);
    const std::string look = fmt::format("`harness report {}` shows them", shell_quoted(path));
    error.advice = error.advice.empty() ? look : error.advice + "; " + look;
    return error;
  }
  error.message += fmt::format("; its {} results are lost, no file can be written either", results);
  return error;
}

}  // namespace harness
