#include "harness/cli/programs/late_results.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/codec.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// A store on a server has no folder.
fs::path folder_of(std::string place) {
  static constexpr std::string_view scheme = "sqlite:";
  if (place.find("://") != std::string::npos) return ".harness";
  if (place.starts_with(scheme)) place.erase(0, scheme.size());
  return fs::path(place).parent_path();
}

}  // namespace

LateResults::LateResults(Store& store, const std::string& id)
    : store_(store), id_(id), file_(folder_of(store.place()) / fmt::format("harness-late-{}.jsonl", id)) {
  std::error_code code;
  any_ = fs::exists(file_, code);
}

Status LateResults::keep(const EncodedResult& result) {
  std::error_code code;
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), code);
  std::ofstream out(file_, std::ios::app | std::ios::binary);
  out << (result.text.empty() ? encode(result.result) : result.text) << '\n';
  out.flush();
  if (!std::exchange(any_, true))
    fmt::print(stderr, "warning: another process has locked {}; results are kept in {} and written later\n",
               printable(store_.place()), printable(file_.string()));
  if (out) return {};
  return fail(ErrorKind::environment, Location{file_.string()},
              fmt::format("cannot be written: {}", std::strerror(errno)));
}

Status LateResults::write() {
  const Result<std::string> text = read_file(file_);
  if (!text) return fail(text.error());
  // A killed run may have written a part of a last line, without its end.
  for (const std::string& line : split(text->substr(0, text->rfind('\n') + 1), '\n')) {
    if (line.empty()) continue;
    const Result<ProcessResult> result = decode_process_result(line, file_.string());
    if (!result) return fail(result.error());
    if (const Status put = store_.put(id_, {*result, line}); !put) return put;
  }
  std::error_code code;
  fs::remove(file_, code);
  any_ = false;
  return {};
}

}  // namespace harness
