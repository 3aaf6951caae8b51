// The SQLite file that `nsys export` makes of a profile. A kernel is a case, its launches are the samples.
// An NVTX range is one, too, called ":TEXT" as `nsys stats` does; its times are the host's.
#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <optional>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/one_process.h"

namespace harness {
namespace {

// A table of the file: its columns are name, start and end of an event in nanoseconds, in order.
struct Events {
  const char* table;
  const char* metric;
  const char* query;
};
constexpr Events kernels{"CUPTI_ACTIVITY_KIND_KERNEL", "gpu_time",
                         R"(SELECT names.value, events.start, events."end"
    FROM CUPTI_ACTIVITY_KIND_KERNEL AS events
    LEFT JOIN StringIds AS names ON names.id = events.demangledName
    ORDER BY events.start, events.rowid)"};
// Ranges by push and pop, 59, and by start and end, 60; an unfinished one has no end.
constexpr Events ranges{"NVTX_EVENTS", "wall_time",
                        R"(SELECT ':' || COALESCE(events.text, names.value), events.start, events."end"
    FROM NVTX_EVENTS AS events
    LEFT JOIN StringIds AS names ON names.id = events.textId
    WHERE events.eventType IN (59, 60) AND events."end" > 0
    ORDER BY events.start, events.rowid)"};

// More steps than reading any sound file of a size takes, which a file made to last for ever exceeds.
constexpr std::size_t steps_per_byte = 200;
constexpr int steps_per_call = 1 << 16;

template <auto function>
struct Call {
  template <class T>
  void operator()(T* object) const {
    function(object);
  }
};
using Connection = std::unique_ptr<sqlite3, Call<sqlite3_close>>;
using Statement = std::unique_ptr<sqlite3_stmt, Call<sqlite3_finalize>>;

class Export {
 public:
  Export(std::string_view text, const std::string& file)
      : file_(file), steps_left_(text.size() * steps_per_byte + steps_per_call) {
    sqlite3* opened = nullptr;
    sqlite3_open(":memory:", &opened);
    connection_.reset(opened);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_progress_handler(opened, steps_per_call, &Export::count_steps, this);
    // Only read, so the text stays as it is.
    auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    const auto size = static_cast<sqlite3_int64>(text.size());
    if (sqlite3_deserialize(opened, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
      refuse_as_sqlite();
  }

  // Whether the file has a table: nsys makes those that it has events for.
  bool has(const char* table) {
    const Statement query = prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
    if (!query) return false;
    sqlite3_bind_text(query.get(), 1, table, -1, SQLITE_STATIC);
    const int found = sqlite3_step(query.get());
    if (found != SQLITE_ROW && found != SQLITE_DONE) refuse_as_sqlite();
    return found == SQLITE_ROW;
  }

  void take(const Events& events, OneProcess& process) {
    if (error_ || !has(events.table)) return;
    const Statement query = prepare(events.query);
    if (!query) return;
    int code = SQLITE_ROW;
    for (std::size_t row = 1; !error_ && (code = sqlite3_step(query.get())) == SQLITE_ROW; ++row)
      take_row(query.get(), events, row, process);
    if (!error_ && code != SQLITE_DONE) refuse_as_sqlite();
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  static int count_steps(void* self) {
    auto& left = static_cast<Export*>(self)->steps_left_;
    left -= std::min<std::size_t>(left, steps_per_call);
    return left == 0 ? 1 : 0;
  }

  Statement prepare(const char* text) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection_.get(), text, -1, &statement, nullptr) != SQLITE_OK) refuse_as_sqlite();
    return Statement(statement);
  }

  void take_row(sqlite3_stmt* row, const Events& events, std::size_t number, OneProcess& process) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
    const auto where = [&] { return fmt::format("event {} of the table {}", number, events.table); };
    if (name == nullptr) return refuse(where() + " has no name in StringIds");
    if (!is_utf8(name)) return refuse(where() + " has a name that is not UTF-8");
    const sqlite3_int64 start = sqlite3_column_int64(row, 1), end = sqlite3_column_int64(row, 2);
    if (sqlite3_column_type(row, 1) != SQLITE_INTEGER || sqlite3_column_type(row, 2) != SQLITE_INTEGER)
      return refuse(where() + " has a start or an end that is no whole number");
    if (end <= start) return refuse(where() + fmt::format(" starts at {} and ends at {}", start, end));
    const auto nanoseconds = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
    process.append(name, events.metric, "ns", static_cast<double>(nanoseconds));
  }

  void refuse(std::string message) {
    error_ = Error{ErrorKind::usage, std::move(message), Location{file_},
                   "profile the program again and let it end by itself"};
  }
  void refuse_as_sqlite() {
    if (!error_)
      error_ =
          Error{ErrorKind::usage,
                fmt::format("cannot be read as an export of nsys: {}", sqlite3_errmsg(connection_.get())),
                Location{file_}, "make it anew with `nsys export --type sqlite PROFILE`"};
  }

  std::string file_;
  std::size_t steps_left_;
  Connection connection_;
  std::optional<Error> error_;
};

bool is_nsys(std::string_view text) {
  return text.starts_with("SQLite format 3");
}

Checked<Record> read_nsys(std::string_view text, const std::string& file) {
  Export events(text, file);
  OneProcess process;
  events.take(kernels, process);
  events.take(ranges, process);
  if (events.error()) return fail_checked(*events.error());
  return std::move(process).finish(file);
}

}  // namespace

extern const ImportFormat nsys_format;
const ImportFormat nsys_format{
    "nsys", "SQLite of Nsight Systems: nsys profile --trace=cuda,nvtx --export=sqlite -o NAME COMMAND",
    is_nsys, read_nsys};

}  // namespace harness
