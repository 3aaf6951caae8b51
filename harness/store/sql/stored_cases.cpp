#include "harness/store/sql/stored_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/store/baseline/completeness.h"
#include "harness/store/sql/row_batch.h"
#include "harness/store/sql/values.h"

namespace harness {
namespace {

// Counts the results of a case, as count_measured() does; `cases` is the row that is updated.
std::string counts() {
  return fmt::format(
      "measured = (SELECT COUNT(*) FROM results WHERE results.run = cases.run AND results.position = "
      "cases.position AND results.process BETWEEN 1 AND {} AND results.outcome = 'measured'), "
      "failures = (SELECT COUNT(*) FROM results WHERE results.run = cases.run AND results.position = "
      "cases.position AND results.outcome IN ('incorrect', 'failed', 'timed_out'))",
      last_plain_process);
}

constexpr const char* columns = "run, id, device, needed, measured, failures, digest, verdict, waived";

// Reads the rows of a SELECT of `columns`; `use` binds its values.
class CaseReader {
 public:
  CaseReader(soci::session& sql, const std::string& condition, std::initializer_list<const std::string*> use)
      : select_(sql) {
    for (const std::string* value : use) select_.exchange(soci::use(*value));
    for (std::string* column : {&row_.run, &row_.id, &row_.device}) select_.exchange(soci::into(*column));
    for (int* column : {&row_.needed, &row_.measured, &row_.failures}) select_.exchange(soci::into(*column));
    for (std::string* column : {&row_.digest, &row_.verdict}) select_.exchange(soci::into(*column));
    select_.exchange(soci::into(waived_));
    select_.alloc();
    select_.prepare(fmt::format("SELECT {} FROM cases WHERE {}", columns, condition));
    select_.define_and_bind();
  }
  CaseReader(const CaseReader&) = delete;  // the statement keeps references to the members
  CaseReader& operator=(const CaseReader&) = delete;
  ~CaseReader() = default;

  void read_into(std::vector<StoredCase>& found) {
    select_.execute();
    while (select_.fetch()) {
      row_.waived = waived_ != 0;
      found.push_back(row_);
      if (found.back().digest == no_digest) found.back().digest.clear();
    }
  }

 private:
  StoredCase row_;
  int waived_ = 0;
  soci::statement select_;
};

}  // namespace

std::map<std::string, int> positions_of(soci::session& sql, const std::string& run) {
  std::map<std::string, int> positions;
  std::string id;
  int position = 0;
  soci::statement select = (sql.prepare << "SELECT id, position FROM cases WHERE run = :run", soci::use(run),
                            soci::into(id), soci::into(position));
  select.execute();
  while (select.fetch()) positions.emplace(id, position);
  return positions;
}

void count_results(soci::session& sql, const std::string& run, std::span<const int> positions) {
  for (std::size_t begin = 0; begin < positions.size(); begin += rows_a_statement)
    sql << fmt::format(
        "UPDATE cases SET {} WHERE run = :run AND {}", counts(),
        at_positions(positions.subspan(begin, std::min(rows_a_statement, positions.size() - begin)))),
        soci::use(run);
}

void keep_digest(soci::session& sql, const std::string& run, int position, const ProcessResult& result) {
  if (!result.identity) return;
  std::string digest = result.identity->gap ? "" : column_text(result.identity->digest);
  if (digest.empty()) digest = no_digest;
  sql << fmt::format(
      "UPDATE cases SET digest = CASE WHEN digest = '' OR digest = :same THEN :digest ELSE '{}' END WHERE "
      "run = :run AND position = {}",
      no_digest, position),
      soci::use(digest), soci::use(digest), soci::use(run);
}

std::vector<StoredCase> read_cases_of(soci::session& sql, const std::string& run) {
  std::vector<StoredCase> found;
  CaseReader(sql, "run = :run ORDER BY position", {&run}).read_into(found);
  return found;
}

std::vector<StoredCase> read_runs_of_case(soci::session& sql, const std::string& case_id) {
  std::vector<StoredCase> found;
  CaseReader(sql, "id = :id AND (measured > 0 OR failures > 0 OR digest <> '') ORDER BY sequence DESC",
             {&case_id})
      .read_into(found);
  return found;
}

std::vector<StoredCase> read_cases_alike(soci::session& sql, std::span<const CaseDigest> wanted, int limit) {
  std::vector<StoredCase> found;
  std::string id;
  std::string digest;
  CaseReader reader(
      sql,
      fmt::format("id = :id AND digest = :digest AND measured > 0 ORDER BY sequence DESC LIMIT {}", limit),
      {&id, &digest});
  for (const CaseDigest& one : wanted) {
    if (one.digest.empty()) continue;
    id = one.id;
    digest = one.digest;
    reader.read_into(found);
  }
  return found;
}

void spread_verdict(soci::session& sql, const std::string& run, const std::string& verdict) {
  // Only the best or the worst verdict of a record is that of each of its cases, or must be taken to be.
  static constexpr std::array each{Verdict::failed,      Verdict::regressed, Verdict::improved,
                                   Verdict::environment, Verdict::moved,     Verdict::not_worse,
                                   Verdict::unchanged,   Verdict::identical};
  const auto overall = parse_name<Verdict>(verdict);
  const bool of_each = overall && std::find(each.begin(), each.end(), *overall) != each.end();
  const std::string all = of_each ? verdict : "";
  sql << "UPDATE cases SET verdict = :verdict, waived = 0, told_verdict = :told, told_waived = 0 WHERE run = "
         ":run",
      soci::use(all), soci::use(all), soci::use(run);
}

void write_case_verdicts(soci::session& sql, const std::string& run, std::span<const CaseVerdict> cases,
                         JudgedBy by) {
  spread_verdict(sql, run, "");
  std::string one_verdict;
  std::string id;
  int waived = 0;
  soci::statement update = (sql.prepare << fmt::format(
                                "UPDATE cases SET told_verdict = :verdict, told_waived = CAST(:waived AS "
                                "INTEGER){} WHERE run = :run AND id = :case",
                                by == JudgedBy::own_history
                                    ? ", verdict = CAST(:verdict AS TEXT), waived = CAST(:waived AS INTEGER)"
                                    : ""),
                            soci::use(one_verdict, "verdict"), soci::use(waived, "waived"),
                            soci::use(run, "run"), soci::use(id, "case"));
  for (const CaseVerdict& one : cases) {
    one_verdict = name_of(one.verdict);
    waived = one.waived ? 1 : 0;  // NOLINT(clang-analyzer-deadcode.DeadStores): the statement reads it
    id = column_text(one.case_id);
    update.execute(true);
  }
}

}  // namespace harness
