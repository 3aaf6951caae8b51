#include "harness/store/sql/stored_record.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "harness/base/bulk_hash.h"
#include "harness/base/text.h"
#include "harness/model/codec.h"

namespace harness {

Status no_such_record(const Database& database, const std::string& id) {
  return fail(ErrorKind::missing, fmt::format("no record {} in {}", printable(id), database.name()));
}

Status read_stored_plans(Database& database, Record& record, const std::string& id,
                         const std::set<std::string>* wanted) {
  const std::string source = fmt::format("{}: record {}", database.name(), id);
  std::string case_id;
  std::string planned;
  soci::statement select =
      (database.sql().prepare << "SELECT id, planned FROM cases WHERE run = :run ORDER BY position",
       soci::use(id), soci::into(case_id), soci::into(planned));
  select.execute();
  while (select.fetch()) {
    if (wanted != nullptr && !wanted->contains(case_id)) continue;
    Result<CaseRecord> one = decode_case(planned, source);
    if (!one) return fail(one.error());
    record.cases.push_back(std::move(*one));
  }
  return {};
}

namespace {

// The results of a few cases are read case by case; those of many in one pass over all of the run.
constexpr std::size_t few_wanted = 100;

Status read_results(Database& database, Record& record, const std::string& id,
                    const std::set<std::string>* wanted) {
  const std::string source = fmt::format("{}: record {}", database.name(), id);
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < record.cases.size(); ++i) places.emplace(record.cases[i].id, i);
  const bool few = wanted != nullptr && record.cases.size() <= few_wanted;
  std::string case_id;
  std::string text;
  soci::statement select(database.sql());
  select.exchange(soci::use(id));
  if (few) select.exchange(soci::use(case_id));
  std::string found_id, checksum;
  select.exchange(soci::into(found_id));
  select.exchange(soci::into(text));
  select.exchange(soci::into(checksum));
  select.alloc();
  select.prepare(
      fmt::format("SELECT cases.id, results.result, results.checksum FROM cases JOIN results ON "
                  "results.run = cases.run AND results.position = cases.position WHERE cases.run "
                  "= :run {}ORDER BY results.position, results.process",
                  few ? "AND cases.id = :case " : ""));
  select.define_and_bind();
  for (std::size_t i = 0; i < (few ? record.cases.size() : 1); ++i) {
    if (few) case_id = record.cases[i].id;
    select.execute();
    while (select.fetch()) {
      const auto place = places.find(found_id);
      if (place == places.end()) continue;
      if (bulk_hash(text) != checksum)
        return fail(ErrorKind::environment, Location{database.name()},
                    fmt::format("a result of case `{}` in record {} is not as it was stored",
                                printable(found_id), id),
                    "the file or its disk is damaged: measure again, or name a copy of the store");
      Result<ProcessResult> result = decode_process_result(text, source);
      if (!result) return fail(result.error());
      add_result(record.cases[place->second], std::move(*result));
    }
  }
  return {};
}

}  // namespace

Status read_stored_record(Database& database, Record& record, const std::string& id,
                          const std::set<std::string>* wanted) {
  std::string header;
  std::string finished;
  database.sql() << "SELECT header, finished FROM runs WHERE id = :id", soci::use(id), soci::into(header),
      soci::into(finished);
  if (!database.sql().got_data()) return no_such_record(database, id);
  Result<Record> decoded = decode_header(header, fmt::format("{}: record {}", database.name(), id));
  if (!decoded) return fail(decoded.error());
  record = std::move(*decoded);
  record.finished = finished;
  if (wanted != nullptr && wanted->empty()) return {};
  if (const Status loaded = read_stored_plans(database, record, id, wanted); !loaded) return loaded;
  return read_results(database, record, id, wanted);
}

}  // namespace harness
