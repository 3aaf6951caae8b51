#include "harness/cli/options/import_options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

#include "harness/base/text.h"
#include "harness/cli/options/typed_option.h"

namespace harness {
namespace {

Result<NamedSession> parse_session(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign != std::string::npos && sign > 0 && sign + 1 < word.size())
    return NamedSession{word.substr(0, sign), word.substr(sign + 1)};
  return fail(ErrorKind::usage, fmt::format("`{}` is not NAME=FILES", printable(word)),
              "such as --session monday='mon/*.json'");
}

Result<int> parse_exit(const std::string& word) {
  int status = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), status);
  if (code == std::errc{} && end == word.data() + word.size() && status >= 0 && status < 256) return status;
  return fail(ErrorKind::usage, fmt::format("`{}` is no exit status", printable(word)),
              "write a number from 0 to 255");
}

}  // namespace

void add_import_options(CLI::App& command, ImportOptions& options) {
  command
      .add_option("--case", options.questions.case_name,
                  "name of the case in files of trtexec, which tell none")
      ->type_name("NAME");
  command
      .add_option("--unit", options.questions.unit,
                  "unit of the times in files of plain cargo bench, which tell none")
      ->type_name("UNIT");
  add_words(
      command, "--session",
      [&options](const std::string& word) -> Status {
        auto session = parse_session(word);
        if (!session) return fail(session.error());
        options.merge.sessions.push_back(std::move(*session));
        return {};
      },
      "files of one session, where files are of several hosts or days; repeat it")
      ->take_all()
      ->type_name("NAME=FILES");
  add_words(
      command, "--same",
      [&options](const std::string& word) -> Status {
        for (const std::string& one : split(word, ',')) options.merge.may_differ[one];
        return {};
      },
      "files hold starts of one thing although this differs in them: executable, options, host, date, ...; "
      "repeat "
      "it")
      ->take_all()
      ->type_name("WHAT");
  add_words(
      command, "--success-exit",
      [&options](const std::string& word) -> Status {
        const auto status = parse_exit(word);
        if (!status) return fail(status.error());
        options.questions.success_exits.insert(*status);
        return {};
      },
      "exit status, beside 0, of a run of hyperfine that succeeded; repeat it")
      ->take_all()
      ->type_name("STATUS");
}

}  // namespace harness
