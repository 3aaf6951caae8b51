#include "harness/base/named_file.h"

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {

Result<std::string> read_named_file(const std::filesystem::path& path,
                                    const std::vector<std::string>& extensions, std::uintmax_t limit) {
  Result<std::string> text = read_file(path, limit);
  if (text || text.error().kind != ErrorKind::missing) return text;
  const auto near = nearest_file(path, extensions);
  return fail(ErrorKind::usage, text.error().where, text.error().message,
              near ? "did you mean " + shell_quoted(*near) + "?" : "");
}

}  // namespace harness
