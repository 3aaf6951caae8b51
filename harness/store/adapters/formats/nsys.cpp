// The SQLite file that `nsys export` makes of a profile. A kernel with its grid and block is a case, its
// launches are the samples. An NVTX range is one, too, called ":TEXT" as `nsys stats` does; its times are the
// host's. So is a CUDA graph that was traced as a whole. Columns that older versions lack count as absent.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "harness/base/text.h"
#include "harness/store/adapters/import_formats.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

// How events of one kind are read: from the newest of the tables "NAME", "NAME_V2", "NAME_V3" that has any.
struct Events {
  const char* table;
  const char* metric;
  // The last two columns: a value of the launch, and a parameter.
  const char *launch, *parameter;
  // Columns that queries can name where the table has them; else they are NULL.
  std::array<const char*, 11> columns;
  // Selects name, start, end (in nanoseconds), device, grid, block, and those two; {0} is the table.
  const char* query;
};
constexpr Events kernels{"CUPTI_ACTIVITY_KIND_KERNEL",
                         "gpu_time",
                         "",
                         "",
                         {"demangledName", "shortName", "deviceId", "gridX", "gridY", "gridZ", "blockX",
                          "blockY", "blockZ", nullptr, nullptr},
                         R"(SELECT names.value, events.start, events."end", events.deviceId,
      events.gridX || 'x' || events.gridY || 'x' || events.gridZ,
      events.blockX || 'x' || events.blockY || 'x' || events.blockZ, NULL, NULL
    FROM {0} AS events
    LEFT JOIN StringIds AS names ON names.id = COALESCE(events.demangledName, events.shortName)
    ORDER BY events.start, events.rowid)"};
constexpr Events graphs{
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "gpu_time",
    "graph",
    "",
    {"deviceId", "graphId"},
    R"(SELECT 'CUDA graph', events.start, events."end", events.deviceId, NULL, NULL, events.graphId, NULL
    FROM {0} AS events ORDER BY events.start, events.rowid)"};
// Copies by their kinds, as `nsys stats` calls them, and by the kinds of memory, which are enums of CUPTI.
constexpr Events copies{
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "gpu_time",
    "memory",
    "bytes",
    {"deviceId", "bytes", "copyKind", "srcKind", "dstKind"},
    R"(SELECT '[CUDA memcpy ' || CASE events.copyKind WHEN 1 THEN 'Host-to-Device' WHEN 2 THEN 'Device-to-Host'
        WHEN 8 THEN 'Device-to-Device' WHEN 10 THEN 'Peer-to-Peer'
        ELSE 'kind ' || COALESCE(events.copyKind, 0) END || ']',
      events.start, events."end", events.deviceId, NULL, NULL,
      CASE events.srcKind WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned' WHEN 3 THEN 'device'
        ELSE events.srcKind END || '-' ||
      CASE events.dstKind WHEN 1 THEN 'pageable' WHEN 2 THEN 'pinned' WHEN 3 THEN 'device'
        ELSE events.dstKind END, events.bytes
    FROM {0} AS events ORDER BY events.start, events.rowid)"};
constexpr Events fills{
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "gpu_time",
    "",
    "bytes",
    {"deviceId", "bytes"},
    R"(SELECT '[CUDA memset]', events.start, events."end", events.deviceId, NULL, NULL, NULL, events.bytes
    FROM {0} AS events ORDER BY events.start, events.rowid)"};
// Ranges by push and pop, 59, and by start and end, 60; an unfinished one has no end. Ranges without a text
// have no name to compare by. The text of event 75 names a domain.
constexpr Events ranges{
    "NVTX_EVENTS",
    "wall_time",
    "",
    "domain",
    {"text", "textId", "domainId"},
    R"(SELECT ':' || COALESCE(events.text, names.value), events.start, events."end", NULL, NULL, NULL, NULL,
      CASE WHEN COALESCE(events.domainId, 0) = 0 THEN NULL ELSE COALESCE(
        (SELECT COALESCE(domain.text, domains.value) FROM {0} AS domain
          LEFT JOIN StringIds AS domains ON domains.id = domain.textId
          WHERE domain.eventType = 75 AND domain.domainId = events.domainId), '#' || events.domainId) END
    FROM {0} AS events
    LEFT JOIN StringIds AS names ON names.id = events.textId
    WHERE events.eventType IN (59, 60) AND events."end" > 0 AND COALESCE(events.text, names.value) IS NOT NULL
    ORDER BY events.start, events.rowid)"};

// More steps than reading any sound file of a size takes, which a file made to last for ever exceeds.
constexpr std::size_t steps_per_byte = 200;
constexpr int steps_per_call = 1 << 16;

constexpr const char* profile_again = "profile the program again and let it end by itself";

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

  // The newest table of a name that has rows; "" without one. nsys makes those that it has events for.
  std::string table(const std::string& name) {
    const Statement query = prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND (name = ?1 OR name LIKE ?1 || '\\_V_' "
        "ESCAPE '\\') "
        "ORDER BY name DESC");
    if (!query) return {};
    sqlite3_bind_text(query.get(), 1, name.c_str(), -1, SQLITE_TRANSIENT);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(query.get())) == SQLITE_ROW) {
      std::string found = text_at(query.get(), 0);
      const Statement any = prepare("SELECT 1 FROM \"" + found + "\" LIMIT 1");
      if (!any) return {};
      const int row = sqlite3_step(any.get());
      if (row == SQLITE_ROW) return found;
      if (row != SQLITE_DONE) refuse_as_sqlite();
    }
    if (code != SQLITE_DONE) refuse_as_sqlite();
    return {};
  }

  // Returns whether there were any.
  bool take(const Events& events, ToolFile& read) {
    const std::string found = error_ ? std::string() : table(events.table);
    if (found.empty()) return false;
    const Statement query =
        prepare(view_of(found, events.columns) +
                boost::algorithm::replace_all_copy(std::string(events.query), "{0}", "read"));
    if (!query) return false;
    int code = SQLITE_ROW;
    std::size_t row = 0;
    while (!error_ && (code = sqlite3_step(query.get())) == SQLITE_ROW)
      take_row(query.get(), events, ++row, read);
    if (!error_ && code != SQLITE_DONE) refuse_as_sqlite();
    return row > 0;
  }

  // The models of the GPUs that were used, in the order of their numbers; of all where the file does not tell
  // which those are.
  void take_gpus(ToolFile& read) {
    std::vector<std::pair<std::string, std::string>> models;  // number, name
    std::set<std::string> used;
    each_row("TARGET_INFO_GPU", {"id", "name"},
             [&](sqlite3_stmt* row) { models.emplace_back(text_at(row, 0), text_at(row, 1)); });
    each_row("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId"}, [&](sqlite3_stmt* row) {
      if (devices_.contains(text_at(row, 1))) used.insert(text_at(row, 0));
    });
    const bool is_told = std::any_of(models.begin(), models.end(),
                                     [&](const auto& model) { return used.contains(model.first); });
    std::vector<std::string> names;
    for (const auto& [number, name] : models)
      if (!name.empty() && (!is_told || used.contains(number)) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    if (const std::string all = join(names, ", "); is_utf8(all)) read.field("GPU", all, FieldClass::block);
  }

  // The host, its drivers and the time, as far as the version of nsys tells them.
  void take_session(ToolFile& read) {
    each_row("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](sqlite3_stmt* row) {
      const std::string name = text_at(row, 0), value = text_at(row, 1);
      if (!is_utf8(name) || !is_utf8(value)) return;
      if (name == "Hostname")
        read.host = value;
      else if (to_lower(name).find("driver") != std::string::npos)
        read.field(name, value, FieldClass::warn);
    });
    constexpr std::int64_t longest = 4'000'000'000;  // seconds, so the year 2096
    each_row("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs", "utcTime"}, [&](sqlite3_stmt* row) {
      const auto seconds = static_cast<std::int64_t>(sqlite3_column_int64(row, 0)) / 1'000'000'000;
      if (seconds > 0 && seconds < longest)
        read.date = fmt::format("{:%FT%TZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
      else if (std::string text = text_at(row, 1); is_utf8(text))
        read.date = std::move(text);
    });
  }

  // Why there may be nothing to take.
  std::string advice_if_empty() {
    if (unnamed_ > 0) return profile_again;
    if (!has_tables_of_nsys())
      return "it is a SQLite file of another program; that of nsys is made by `nsys export --type sqlite "
             "PROFILE`";
    return "profile with `nsys profile --trace=cuda,nvtx`";
  }

  [[nodiscard]] std::size_t unnamed() const { return unnamed_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  static int count_steps(void* self) {
    auto& left = static_cast<Export*>(self)->steps_left_;
    left -= std::min<std::size_t>(left, steps_per_call);
    return left == 0 ? 1 : 0;
  }

  bool has_tables_of_nsys() {
    const Statement query = prepare(
        "SELECT 1 FROM sqlite_master WHERE name GLOB 'CUPTI_*' OR name GLOB 'NVTX_*' OR name GLOB "
        "'TARGET_INFO_*' "
        "OR name GLOB 'META_DATA_*'");
    return query && sqlite3_step(query.get()) == SQLITE_ROW;
  }

  // "WITH read AS ..", a view of a table in which columns that it lacks are NULL.
  std::string view_of(const std::string& found, std::span<const char* const> columns) {
    std::string missing;
    for (const char* column : columns) {
      if (column == nullptr) continue;
      const Statement known = prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");
      if (!known) return {};
      sqlite3_bind_text(known.get(), 1, found.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(known.get(), 2, column, -1, SQLITE_STATIC);
      if (sqlite3_step(known.get()) != SQLITE_ROW) missing += fmt::format(", NULL AS {}", column);
    }
    return "WITH read AS (SELECT rowid, *" + missing + " FROM \"" + found + "\") ";
  }

  // The rows of a small table that describes the machine, in its order.
  void each_row(const std::string& name, const std::vector<const char*>& columns,
                const std::function<void(sqlite3_stmt*)>& act) {
    const std::string found = error_ ? std::string() : table(name);
    if (found.empty()) return;
    const Statement query =
        prepare(view_of(found, columns) +
                fmt::format("SELECT {} FROM read ORDER BY rowid", fmt::join(columns, ", ")));
    if (!query) return;
    while (sqlite3_step(query.get()) == SQLITE_ROW) act(query.get());
  }

  static std::string text_at(sqlite3_stmt* row, int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
    return text == nullptr ? std::string() : std::string(text);
  }

  Statement prepare(const std::string& text) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection_.get(), text.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      refuse_as_sqlite();
    return Statement(statement);
  }

  void take_row(sqlite3_stmt* row, const Events& events, std::size_t number, ToolFile& read) {
    const auto where = [&] { return fmt::format("event {} of the table {}", number, events.table); };
    if (sqlite3_column_type(row, 0) == SQLITE_NULL) {
      ++unnamed_;
      return;
    }
    ToolCase known{.name = text_at(row, 0)};
    if (!is_utf8(known.name)) return refuse(where() + " has a name that is not UTF-8");
    const sqlite3_int64 start = sqlite3_column_int64(row, 1), end = sqlite3_column_int64(row, 2);
    if (sqlite3_column_type(row, 1) != SQLITE_INTEGER || sqlite3_column_type(row, 2) != SQLITE_INTEGER)
      return refuse(where() + " has a start or an end that is no whole number");
    if (end < start) return refuse(where() + fmt::format(" starts at {} and ends at {}", start, end));
    static constexpr std::array<const char*, 3> launch{"device", "grid", "block"};
    for (std::size_t i = 0; i < launch.size(); ++i)
      if (std::string value = text_at(row, static_cast<int>(i) + 3); !value.empty() && is_utf8(value))
        known.launch.emplace(launch[i], launch_shape(std::move(value)));
    if (std::string value = text_at(row, 6); !value.empty() && is_utf8(value))
      known.launch.emplace(events.launch, std::move(value));
    if (std::string value = text_at(row, 7); !value.empty() && is_utf8(value))
      known.parameters.emplace(events.parameter, std::move(value));
    if (const auto device = known.launch.find("device"); device != known.launch.end())
      devices_.insert(device->second);
    if (end == start) return ToolFile::end(read.at(known), Outcome::failed, unusable_time(events.metric, 0));
    const auto nanoseconds = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
    ToolFile::append(read.at(known), events.metric, "ns", static_cast<double>(nanoseconds));
  }

  void refuse(std::string message) {
    error_ = Error{ErrorKind::usage, std::move(message), Location{file_}, profile_again};
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
  std::size_t unnamed_ = 0;        // events
  std::set<std::string> devices_;  // numbers of the GPUs of all events
};

// Numbers of graphs count up in a process, so they tell nothing in another: "1 of 2" is the graph of a GPU
// that was launched first.
void number_graphs(ToolFile& read) {
  std::map<std::string, std::vector<CaseRecord*>> graphs_of;  // by GPU, in the order of their first launch
  for (CaseRecord& one : read.cases)
    if (one.tool_case && one.tool_case->launch.contains("graph"))
      graphs_of[one.tool_case->launch["device"]].push_back(&one);
  for (const auto& [device, all] : graphs_of)
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i]->tool_case->launch["graph"] = fmt::format("{} of {}", i + 1, all.size());
}

bool is_nsys(std::string_view text) {
  return text.starts_with("SQLite format 3");
}

Checked<ToolFile> read_nsys(std::string_view text, const std::string& file, const ToolQuestions&) {
  Export events(text, file);
  ToolFile read;
  const bool any_kernels = events.take(kernels, read);
  const bool any_graphs = events.take(graphs, read);
  events.take(copies, read);
  events.take(fills, read);
  events.take(ranges, read);
  events.take_gpus(read);
  events.take_session(read);
  const std::string advice = read.cases.empty() && !events.error() ? events.advice_if_empty() : "";
  if (events.error()) return fail_checked(*events.error());
  number_graphs(read);
  read.forget_lone("device");
  if (any_graphs && !any_kernels)
    read.remarks.emplace_back(
        "CUDA graphs were traced as a whole; `nsys profile --cuda-graph-trace=node` traces their kernels");
  if (events.unnamed() > 0)
    read.remarks.push_back(
        fmt::format("{} events have no name in StringIds and are left out", events.unnamed()));
  return with_cases(std::move(read), file, advice);
}

}  // namespace

extern const ImportFormat nsys_format;
const ImportFormat nsys_format{
    "nsys", "SQLite of Nsight Systems: nsys profile --trace=cuda,nvtx --export=sqlite -o NAME COMMAND",
    is_nsys, read_nsys};

}  // namespace harness
