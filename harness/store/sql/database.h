// Database: one connection, and everything in which SQLite and PostgreSQL differ. SQL that both
// understand is in sql_store.cpp and schema.cpp. One thread owns a Database.
#pragma once

#include <soci/soci.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// A right on a table of ours: "INSERT", "UPDATE" or "DELETE"; "": to some of its columns.
struct Right {
  const char* table;
  const char* privilege;
  const char* column = "";
};

class Database {
 public:
  // A URL as Store::open() takes it. Connects; does not look at the schema. Without `create`, a file
  // that is not there is ErrorKind::missing.
  static Result<std::unique_ptr<Database>> open(const std::string& url, bool create);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  virtual ~Database() = default;

  [[nodiscard]] soci::session& sql() { return sql_; }
  // The URL without its password, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }

  // Runs `body` in one transaction: committed on success, else rolled back. It runs again after a conflict
  // with another writer or a lost connection, so it must start from scratch. It is an error when the place
  // written to is gone by now.
  Status write(const std::function<Status()>& body) {
    const Status written = transaction(begin_write_, body);
    const Status kept = check_place();
    return kept ? written : kept;
  }
  // The same for reading: every statement of `body` sees the same moment.
  Status read(const std::function<Status()>& body) { return transaction(begin_read_, body); }

  // Whether our schema is there; called in a transaction. When it is not: an error if the place
  // belongs to something else.
  virtual Result<bool> has_schema() = 0;
  // Called in the transaction that creates the schema: one process at a time.
  virtual void lock_schema() {}
  // Makes what was committed safe against a power failure, where a commit does not already.
  virtual void flush() {}
  // SQL for its clock, in seconds since 1970.
  [[nodiscard]] virtual std::string now() const = 0;
  // SQL for the moment that a column of UTC text (2026-11-20T05:40:00Z) tells.
  [[nodiscard]] virtual std::string moment(const std::string& column) const { return column; }
  // Behind a SELECT that chooses rows to update: leaves out rows that another transaction is updating.
  [[nodiscard]] virtual std::string skip_locked() const { return {}; }
  // Whether the user has the right; called in a transaction.
  virtual bool may(const Right& /*right*/) { return true; }
  // SQL for the name of the user's role, "" where there are no roles.
  [[nodiscard]] virtual std::string role() const { return "''"; }
  // SQL for whether the user is the role in `column`, or a member of it.
  [[nodiscard]] virtual std::string is_role(const std::string& /*column*/) const { return "1 = 1"; }
  // Gives back the room of what was removed, where the database does not do so by itself.
  virtual void shrink() {}

 protected:
  Database(std::string name, const char* begin_write, const char* begin_read)
      : name_(std::move(name)), begin_write_(begin_write), begin_read_(begin_read) {}

  // Whether the database is still where others find it: a file can be deleted while it is open.
  virtual Status check_place() { return {}; }
  // Settings of a fresh connection.
  virtual void configure() = 0;
  // Whether trying again may help.
  [[nodiscard]] virtual bool is_busy(const soci::soci_error& error) const = 0;
  [[nodiscard]] virtual Error explain(const soci::soci_error& error) const = 0;
  // Whether a new connection was made because the old one was lost.
  virtual bool revive() { return false; }

  // Runs `step`, again while `is_busy`, for at most half a minute.
  Status patiently(const std::function<Status()>& step);

  soci::session sql_;

 private:
  Status transaction(const char* begin, const std::function<Status()>& body);
  void roll_back();

  std::string name_;
  const char* begin_write_;
  const char* begin_read_;
};

// Where passwords stand in a URL: between the user's colon and the last "@", and after "password=".
struct TextRange {
  std::size_t begin;
  std::size_t end;
};
std::vector<TextRange> passwords_in(const std::string& url);

// One kind of database, by the scheme of its URLs. A new one is a file and a row in database.cpp.
Result<std::unique_ptr<Database>> open_sqlite(const std::string& path, bool create);
Result<std::unique_ptr<Database>> open_postgresql(const std::string& url, bool create);

}  // namespace harness
