#include "harness/store/sql/alert_marks.h"

#include <fmt/format.h>

#include "harness/store/sql/database.h"
#include "harness/store/sql/schema.h"

namespace harness {
namespace {

constexpr std::string_view mark_prefix = "alert:";  // no name that a user chooses has a colon

// A name belongs to one record of a suite and a machine class, so the id is part of it.
std::string name_for(AlertMark mark, const std::string& record) {
  return fmt::format("{}{}:{}", mark_prefix, name_of(mark), record);
}

}  // namespace

std::optional<AlertMark> mark_in(const RecordName& name) {
  for (const auto& [mark, word] : enum_names<AlertMark>)
    if (name.name == name_for(mark, name.run)) return mark;
  return std::nullopt;
}

std::map<std::string, AlertMark> marks_in(const std::vector<RecordName>& names) {
  std::map<std::string, AlertMark> marks;
  for (const RecordName& name : names)
    if (const std::optional<AlertMark> mark = mark_in(name)) marks[name.run] = *mark;
  return marks;
}

Status set_mark(const std::string& url, const std::string& record, std::optional<AlertMark> mark) {
  const auto database = Database::open(url, false);
  if (!database) return fail(database.error());
  if (const Status ready = prepare_schema(**database, NoSchema::is_created); !ready) return ready;
  return (*database)->write([&]() -> Status {
    soci::session& sql = (*database)->sql();
    std::string suite, machine_class;
    sql << "SELECT suite, machine_class FROM runs WHERE id = :id", soci::use(record), soci::into(suite),
        soci::into(machine_class);
    if (!sql.got_data())
      return fail(ErrorKind::missing, fmt::format("no record {} in {}", record, (*database)->name()), "");
    for (const auto& [one, word] : enum_names<AlertMark>) {
      const std::string name = name_for(one, record);
      sql << "DELETE FROM record_names WHERE run = :id AND name = :name", soci::use(record), soci::use(name);
    }
    if (!mark) return {};
    const std::string name = name_for(*mark, record);
    sql << "INSERT INTO record_names (name, suite, machine_class, run) VALUES (:name, :suite, :class, :run)",
        soci::use(name), soci::use(suite), soci::use(machine_class), soci::use(record);
    return {};
  });
}

}  // namespace harness
