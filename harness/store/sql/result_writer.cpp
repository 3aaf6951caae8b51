#include "harness/store/sql/result_writer.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "harness/base/bulk_hash.h"
#include "harness/base/text.h"
#include "harness/store/sql/row_batch.h"
#include "harness/store/sql/stored_cases.h"
#include "harness/store/sql/values.h"

namespace harness {
namespace {

constexpr std::size_t many_results = 16;  // for which all cases of a record are read at once

struct ResultRow {
  std::string run;
  int position = 0;
  int process = 0;
  std::string outcome, text, checksum;
};

Result<std::string> text_of(const EncodedResult& encoded) {
  if (!encoded.text.empty()) return encoded.text;  // it came from a worker and was read already
  std::string text = encode(encoded.result);
  const auto readable =
      decode_process_result(text, "result of case `" + printable(encoded.result.case_id) + "`");
  if (!readable) return fail(readable.error());
  return text;
}

// Whether the record has a result already of one of these cases and processes. By position alone: for a list
// of pairs PostgreSQL may compare each with every result of the record.
bool holds_some(soci::session& sql, const std::string& id, const ResultsOfCases& results) {
  bool found = false;
  for_each_batch(results, [&](const std::string& positions, const std::string&) {
    int position = 0, process = 0;
    soci::statement select =
        (sql.prepare << "SELECT position, process FROM results WHERE run = :run AND " + positions,
         soci::use(id), soci::into(position), soci::into(process));
    select.execute();
    while (select.fetch()) found |= results.contains({position, process});
  });
  return found;
}

}  // namespace

int ResultWriter::position_of(const std::string& id, const std::string& case_id) {
  if (known_run_ == id) {
    const auto found = known_.find(case_id);
    return found == known_.end() ? -1 : found->second;
  }
  int position = -1;
  database_.sql() << "SELECT position FROM cases WHERE run = :run AND id = :case", soci::use(id),
      soci::use(case_id), soci::into(position);
  return database_.sql().got_data() ? position : -1;
}

Status ResultWriter::put(const std::string& id, std::span<const EncodedResult> results) {
  soci::session& sql = database_.sql();
  if (results.size() >= many_results && known_run_ != id) {
    known_ = positions_of(sql, id);
    known_run_ = id;
  }
  std::map<std::pair<int, int>, ResultRow> rows;  // the last of each case and process
  ResultsOfCases values;
  for (const EncodedResult& encoded : results) {
    const ProcessResult& result = encoded.result;
    Result<std::string> text = text_of(encoded);
    if (!text) return fail(text.error());
    const int position = position_of(id, column_text(result.case_id));
    if (position < 0)
      return fail(ErrorKind::missing, fmt::format("record {} in {} has no case `{}`", printable(id),
                                                  database_.name(), printable(result.case_id)));
    const std::pair key(position, result.process);
    std::string checksum = bulk_hash(*text);
    rows[key] = {id,
                 position,
                 result.process,
                 std::string(name_of(result.outcome)),
                 std::move(*text),
                 std::move(checksum)};
    values[key] = &result;
  }
  std::vector<ResultRow> in_order;
  std::set<int> positions;
  for (auto& [key, row] : rows) {
    positions.insert(key.first);
    in_order.push_back(std::move(row));
  }
  // A role that may only insert writes what is not there yet.
  const bool replaces = holds_some(sql, id, values);
  const char* instead = replaces ? "ON CONFLICT (run, position, process) DO UPDATE SET outcome = "
                                   "excluded.outcome, result = excluded.result, checksum = "
                                   "excluded.checksum"
                                 : "";
  insert_rows<ResultRow>(sql, "results (run, position, process, outcome, result, checksum)", 6, instead,
                         in_order, [](soci::statement& insert, ResultRow& row) {
                           insert.exchange(soci::use(row.run));
                           insert.exchange(soci::use(row.position));
                           insert.exchange(soci::use(row.process));
                           insert.exchange(soci::use(row.outcome));
                           insert.exchange(soci::use(row.text));
                           insert.exchange(soci::use(row.checksum));
                         });
  if (replaces) remove_values(sql, id, values);
  write_values(sql, id, values);
  count_results(sql, id, std::vector<int>(positions.begin(), positions.end()));
  for (const auto& [key, result] : values) keep_digest(sql, id, key.first, *result);
  return {};
}

}  // namespace harness
