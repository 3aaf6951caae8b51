#include "golden.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness::golden {
namespace {

using Lines = std::vector<std::string>;

// length[i][j]: of the longest common subsequence of a[i..] and b[j..].
std::vector<std::vector<int>> common_lengths(const Lines& a, const Lines& b) {
  std::vector<std::vector<int>> length(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      length[i][j] = a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  return length;
}

Lines edit_script(const Lines& a, const Lines& b) {
  const auto length = common_lengths(a, b);
  Lines script;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      script.push_back("  " + a[i++]);
      ++j;
    } else if (j == b.size() || (i < a.size() && length[i + 1][j] >= length[i][j + 1])) {
      script.push_back("- " + a[i++]);
    } else {
      script.push_back("+ " + b[j++]);
    }
  }
  return script;
}

}  // namespace

std::string line_difference(const std::string& expected, const std::string& actual) {
  constexpr std::size_t around = 2;
  const Lines script = edit_script(split(expected, '\n'), split(actual, '\n'));
  std::string text;
  bool gap = false;
  for (std::size_t i = 0; i < script.size(); ++i) {
    const std::size_t from = i > around ? i - around : 0;
    const std::size_t to = std::min(script.size(), i + around + 1);
    const bool near = std::any_of(script.begin() + static_cast<std::ptrdiff_t>(from),
                                  script.begin() + static_cast<std::ptrdiff_t>(to),
                                  [](const std::string& line) { return line[0] != ' '; });
    if (near) text += (gap ? "  ...\n" : "") + printable(script[i]) + "\n";
    gap = !near;
  }
  return text;
}

testing::AssertionResult matches(const std::string& file, const std::string& actual) {
  const std::string path = std::string(HARNESS_SOURCE_DIR) + "/tests/golden/" + file;
  const char* update = std::getenv("HARNESS_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    const Status written = write_file_atomically(path, actual);
    if (!written) return testing::AssertionFailure() << written.error().text();
    return testing::AssertionSuccess();
  }
  const Result<std::string> expected = read_file(path);
  if (!expected)
    return testing::AssertionFailure()
           << expected.error().text() << "\n(HARNESS_UPDATE_GOLDEN=1 writes golden files)";
  if (*expected == actual) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "tests/golden/" << file << " differs: - expected, + actual\n"
                                     << line_difference(*expected, actual)
                                     << "\nIf the change is meant, run the test with HARNESS_UPDATE_GOLDEN=1 "
                                        "and read the difference before committing.";
}

}  // namespace harness::golden
