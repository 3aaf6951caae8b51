// Stores in a SQLite file.
#include <fcntl.h>
#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>

#include <unistd.h>
#include <filesystem>
#include <optional>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/sql/database.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

// Primary result codes of SQLite, https://www.sqlite.org/rescode.html; the low byte of extended ones.
int code_of(const soci::soci_error& error) {
  const auto* sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  return sqlite == nullptr ? 0 : sqlite->result() & 0xFF;
}

// The name under which SQLite opens a file for reading alone (https://www.sqlite.org/uri.html). Readers of a
// write-ahead log need its files beside the store. Where there are none and none can be made, nobody writes.
std::string read_only_name(const std::string& path) {
  std::string name = "file:";
  for (const char letter : fs::absolute(path).string())
    name += letter == '%' || letter == '?' || letter == '#' ? fmt::format("%{:02x}", letter)
                                                            : std::string(1, letter);
  std::error_code code;
  const bool has_log = fs::exists(path + "-wal", code) && fs::file_size(path + "-wal", code) > 0;
  const bool can_share = fs::exists(path + "-shm", code) && ::access((path + "-shm").c_str(), R_OK) == 0;
  return name + (has_log || can_share ? "?mode=ro" : "?mode=ro&immutable=1");
}

// A file that is there and may not be written, or lies where no file can be made.
bool may_only_be_read(const std::string& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return false;
  const fs::path folder = fs::absolute(path).parent_path();
  const auto may_write = [](const fs::path& place) {
    return ::faccessat(AT_FDCWD, place.c_str(), W_OK, AT_EACCESS) == 0;
  };
  return !may_write(path) || !may_write(folder);
}

class Sqlite final : public Database {
 public:
  // Writers take their lock at the start. A reader that becomes a writer cannot wait for another writer, so
  // it would fail.
  explicit Sqlite(const std::string& path) : Database(path, "BEGIN IMMEDIATE", "BEGIN"), path_(path) {}

  Status connect() {
    return patiently([&]() -> Status {
      if (sql_.is_connected()) sql_.close();
      read_only_ = may_only_be_read(path_);
      sql_.open(soci::sqlite3,
                fmt::format("dbname=\"{}\" timeout=1", read_only_ ? read_only_name(path_) : path_));
      configure();
      place_ = place_now();
      return {};
    });
  }

  Result<bool> has_schema() override {
    int ours = 0;
    int all = 0;
    sql_ << "SELECT COUNT(*), COUNT(CASE WHEN name = 'harness_schema' THEN 1 END) FROM sqlite_master",
        soci::into(all), soci::into(ours);
    if (ours == 0 && all > 0)
      return fail(ErrorKind::usage, Location{name()}, "is a database of another program",
                  "name another file with --store; a new one is made there");
    return ours > 0;
  }

  // Copies the write-ahead log into the file, which syncs both.
  void flush() override {
    if (read_only_) return;
    try {
      sql_ << "PRAGMA wal_checkpoint(PASSIVE)";
    } catch (const soci::soci_error&) {  // a reader is in the way; the commit itself is done
    }
  }

  [[nodiscard]] std::string now() const override { return "((julianday('now') - 2440587.5) * 86400.0)"; }

  void shrink() override {
    try {
      sql_ << "VACUUM";
    } catch (const soci::soci_error&) {  // another process uses the file; SQLite reuses the space
    }
    flush();
  }

 protected:
  Status check_place() override {
    const Place now = place_now();
    if (!place_) place_ = now;
    if (now == place_) return {};
    return fail(ErrorKind::environment, Location{path_},
                "was deleted or replaced while it was written to, so nothing of it is kept",
                "leave the store alone while something is measured, or name another place with --store");
  }

  // With a write-ahead log and NORMAL, a killed process loses nothing that it committed; a power
  // failure may lose the last commits and never breaks the file. No sync during a measurement.
  // SQLite itself waits no longer than patiently() looks at its clock.
  void configure() override {
    int waits = 0;
    sql_ << "PRAGMA busy_timeout = 50", soci::into(waits);
    if (read_only_) return;
    std::string mode;
    sql_ << "PRAGMA journal_mode = WAL", soci::into(mode);
    sql_ << "PRAGMA synchronous = NORMAL";
    sql_ << "PRAGMA foreign_keys = ON";
  }

  [[nodiscard]] bool is_busy(const soci::soci_error& error) const override {
    const int code = code_of(error);
    return code == SQLITE_BUSY || code == SQLITE_LOCKED;
  }

  [[nodiscard]] Error explain(const soci::soci_error& error) const override {
    const auto because = [&](std::string what, std::string advice) {
      return Error{ErrorKind::environment, std::move(what), Location{path_}, std::move(advice)};
    };
    switch (code_of(error)) {
      case SQLITE_NOTADB:
        return because("is not a SQLite database, or is damaged",
                       "move it away, or name another file with --store; a new store is made there");
      case SQLITE_CORRUPT:
        return because("is damaged",
                       fmt::format("save what it holds with `sqlite3 {} .recover`, then move it away",
                                   shell_quoted(path_)));
      case SQLITE_CANTOPEN:
      case SQLITE_READONLY:
      case SQLITE_PERM:
        return because("cannot be written",
                       "check the permissions of the file and of its folder, or name "
                       "another place with --store");
      case SQLITE_FULL: return because("cannot grow: the disk is full", "free some space");
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        return {ErrorKind::away, "is locked by another process", Location{path_},
                "end the process that holds it, then try again"};
      case SQLITE_IOERR:
        return because(fmt::format("failed to read or write: {}", error.get_error_message()),
                       "check that its disk works and has free space");
      default: return because(error.get_error_message(), {});
    }
  }

 private:
  // Device and inode; nothing where there is no such file, as for a store in memory.
  using Place = std::optional<std::pair<dev_t, ino_t>>;

  [[nodiscard]] Place place_now() const {
    struct stat found {};
    if (::stat(path_.c_str(), &found) != 0) return std::nullopt;
    return std::pair(found.st_dev, found.st_ino);
  }

  std::string path_;
  Place place_;
  bool read_only_ = false;
};

// A store is a cache of measurements, not a source file: git is told to leave its folder alone.
void hide_from_git(const fs::path& folder) {
  if (folder.filename() != ".harness" || fs::exists(folder / ".gitignore")) return;
  (void)write_file_atomically(folder / ".gitignore", "*\n");
}

}  // namespace

Result<std::unique_ptr<Database>> open_sqlite(const std::string& path, bool create) {
  if (path.empty())
    return fail(ErrorKind::usage, "the store has no file name",
                "give a file, for example .harness/results.db");
  if (path.find_first_of("\"\n") != std::string::npos || path.find('\0') != std::string::npos)
    return fail(ErrorKind::usage, "the store's file name holds a quotation mark or a control character",
                "name another file with --store");
  std::error_code code;
  if (fs::is_directory(path, code))
    return fail(ErrorKind::usage, Location{path}, "is a folder, not a store", "name a file in it");
  if (!create && !fs::exists(path, code))
    return fail(ErrorKind::missing, Location{path}, "there is no store here",
                "`harness run` makes one; if it is elsewhere, name it with --store");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) {
    fs::create_directories(folder, code);
    if (!fs::is_directory(folder))
      return fail(ErrorKind::environment, Location{folder.string()},
                  fmt::format("the store's folder cannot be made: {}", code.message()),
                  "check the permissions, or name another place with --store");
    hide_from_git(folder);
  }
  auto database = std::make_unique<Sqlite>(path);
  if (const Status connected = database->connect(); !connected) return fail(connected.error());
  return database;
}

}  // namespace harness
