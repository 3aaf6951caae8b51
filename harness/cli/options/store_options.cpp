#include "harness/cli/options/store_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>

#include "harness/cli/options/typed_option.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/store/git.h"

namespace harness {
namespace {

Result<std::string> name_of_suite(const std::string& text) {
  const bool path = text.ends_with(".yaml") || text.ends_with(".yml") || text.find('/') != std::string::npos;
  if (!path) return text;
  const Checked<Suite> suite = load_repository_suite(text);
  if (suite) return suite->identity.name;
  Error error = suite.error().front();
  if (!error.where.file.empty()) error.message = error.where.file + ": " + error.message;
  if (error.advice.empty()) error.advice = "name the suite as its file or as `name` in it";
  return fail(error);
}

}  // namespace

namespace {

// Who may list processes reads the command line, and so do logs of CI.
Result<std::string> url_without_password(const std::string& url) {
  if (without_password(url) == url) return url;
  return fail(
      ErrorKind::usage, fmt::format("{} holds a password, which others can read", without_password(url)),
      "leave it out of the URL; give it in the file ~/.pgpass, one that PGPASSFILE names, or in PGPASSWORD");
}

}  // namespace

CLI::Option* add_suite_option(CLI::App& command, std::string& suite, const std::string& help) {
  return add_typed(command, "--suite", suite, name_of_suite, help)->type_name("NAME|FILE");
}

std::string usual_store() {
  const std::optional<std::filesystem::path> top = top_of_main_tree();
  return top ? (*top / default_store).lexically_normal().string() : default_store;
}

CLI::Option* StoreOption::add_to(CLI::App& command) {
  return add_typed(command, "--store", url, url_without_password,
                   "where records are kept: a file or postgresql://...")
      ->default_str(url)
      ->type_name("URL");
}

SelectOptions SelectionOptions::select() const {
  const auto tell = [](const std::string& remark) {
    static std::set<std::string> told;
    if (told.insert(remark).second) fmt::print(stderr, "note: {}\n", remark);
  };
  return {".", suite, "", "", {}, {}, imports, tell};
}

void SelectionOptions::add_to(CLI::App& command) {
  add_suite_option(command, suite, "only this suite, if a revision has records of several");
  store.add_to(command);
}

}  // namespace harness
