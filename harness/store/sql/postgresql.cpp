// Stores on a PostgreSQL server. SOCI loads its backend when the first one is opened, so that the
// program links no PostgreSQL library.
#include <fmt/format.h>
#include <soci/backend-loader.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cstdlib>
#include <mutex>

#include "harness/base/text.h"
#include "harness/store/sql/database.h"
#include "harness/store/sql/postgresql_words.h"
#include "harness/store/store.h"

namespace harness {
namespace {

constexpr const char* backend = "postgresql";

// Any key; the same for everyone who creates or changes our schema.
constexpr long long schema_lock = 0x6861726E657373;

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string digits(text.substr(i + (text[i] == '%' ? 1 : 0), 2));
    const bool escape =
        text[i] == '%' && digits.size() == 2 && isxdigit(digits[0]) != 0 && isxdigit(digits[1]) != 0;
    out += escape ? static_cast<char>(std::strtol(digits.c_str(), nullptr, 16)) : text[i];
    if (escape) i += 2;
  }
  return out;
}

// Only folders named by the installation or by SOCI_BACKENDS_PATH: a library in the working folder may come
// from a checked-out pull request, so it is not loaded.
void trust_no_current_folder() {
  static std::once_flag once;  // the list is SOCI's own and global, and stores open in several threads
  std::call_once(once, [] {
    std::vector<std::string>& paths = soci::dynamic_backends::search_paths();
    std::erase_if(paths, [](const std::string& path) { return path.empty() || path.front() != '/'; });
  });
}

class Postgresql final : public Database {
 public:
  explicit Postgresql(const std::string& url)
      : Database(without_password(url), "BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
        url_(url) {}

  Status connect() {
    try {
      sql_.open(backend, url_for_soci(url_));
      configure();
      return {};
    } catch (const soci::soci_error& error) {
      return fail(explain(error));
    }
  }

  Result<bool> has_schema() override {
    int count = 0;
    sql_ << "SELECT COUNT(to_regclass('harness.harness_schema'))", soci::into(count);
    return count > 0;
  }

  void lock_schema() override {
    sql_ << "SELECT pg_advisory_xact_lock(" << schema_lock << ")";
    sql_ << "CREATE SCHEMA IF NOT EXISTS harness";
  }

  [[nodiscard]] std::string now() const override {
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)";
  }
  [[nodiscard]] std::string moment(const std::string& column) const override {
    return "CAST(NULLIF(" + column + ", '') AS TIMESTAMP WITH TIME ZONE)";
  }
  [[nodiscard]] std::string skip_locked() const override { return " FOR UPDATE SKIP LOCKED"; }

  bool may(const Right& right) override {
    const std::string table = fmt::format("harness.{}", right.table);
    int has = 0;
    const std::string column = *right.column == '\0' ? "" : fmt::format("'{}', ", right.column);
    const char* of = !column.empty()                                 ? "column"
                     : std::string_view(right.privilege) == "DELETE" ? "table"
                                                                     : "any_column";
    sql_ << fmt::format("SELECT CAST(has_{}_privilege('{}', {}'{}') AS INTEGER)", of, table, column,
                        right.privilege),
        soci::into(has);
    return has != 0;
  }
  [[nodiscard]] std::string role() const override { return "CAST(current_user AS TEXT)"; }
  [[nodiscard]] std::string is_role(const std::string& column) const override {
    return fmt::format("EXISTS (SELECT FROM pg_roles WHERE rolname = {} AND pg_has_role(oid, 'MEMBER'))",
                       column);
  }

 protected:
  void configure() override {
    sql_ << "SET client_min_messages = warning";
    sql_ << "SET search_path = harness";
  }

  [[nodiscard]] bool is_busy(const soci::soci_error& error) const override {
    const std::string message = error.get_error_message();
    return message.find("deadlock detected") != std::string::npos ||
           message.find("could not serialize access") != std::string::npos ||
           message.find("\"results_pkey\"") != std::string::npos;  // another writer put the same result
  }

  [[nodiscard]] Error explain(const soci::soci_error& error) const override {
    std::string message = error.get_error_message();
    if (message.find("shared library for backend") != std::string::npos)
      return {ErrorKind::environment,
              "the PostgreSQL library of SOCI is not installed",
              {},
              "install libsoci-postgresql4.0 (Debian; on Ubuntu 24.04 libsoci-postgresql4.0t64), or keep the "
              "store in a file"};
    boost::replace_all(message, url_, name());
    for (const TextRange& range : passwords_in(url_)) {
      const std::string secret = url_.substr(range.begin, range.end - range.begin);
      boost::replace_all(message, secret, "***");
      boost::replace_all(message, percent_decoded(secret), "***");
    }
    const ErrorKind kind = is_server_away(message) ? ErrorKind::away : ErrorKind::environment;
    std::string advice = postgresql_advice(message);
    std::replace_if(
        message.begin(), message.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return {kind, fmt::format("{}: {}", name(), printable(trim(message))), {}, std::move(advice)};
  }

  bool revive() override {
    if (sql_.is_connected()) return false;
    sql_.reconnect();
    configure();
    return true;
  }

 private:
  std::string url_;
};

}  // namespace

Result<std::unique_ptr<Database>> open_postgresql(const std::string& url, bool /*create*/) {
  trust_no_current_folder();
  auto database = std::make_unique<Postgresql>(url);
  if (const Status connected = database->connect(); !connected) return fail(connected.error());
  return database;
}

}  // namespace harness
