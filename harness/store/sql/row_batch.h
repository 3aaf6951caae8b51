// RowInserter: many rows by few statements, because each statement is a round trip to a server. Used inside
// store/ only.
#pragma once

#include <fmt/format.h>
#include <soci/soci.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace harness {

inline constexpr std::size_t rows_a_statement = 200;  // of 8 values at most: SQLite takes 32,766 in all

// "(first), (second)..." of so many rows of so many placeholders. SQLite looks up each name among all others,
// so that theirs have none; PostgreSQL's need one.
std::string placeholders(const soci::session& sql, std::size_t rows, int columns);

// INSERT INTO `into` VALUES rows `behind`, of any number of rows. `bind` gives a statement the `columns`
// values of a row. All full batches share a prepared statement.
template <class Row, class Bind>
class RowInserter {
 public:
  RowInserter(soci::session& sql, std::string into, int columns, std::string behind, Bind bind)
      : sql_(sql), into_(std::move(into)), behind_(std::move(behind)), columns_(columns), bind_(bind) {}

  void add(Row row) {
    rows_[count_] = std::move(row);
    if (++count_ < rows_a_statement) return;
    if (!full_) prepare(full_.emplace(sql_), soci::details::st_repeatable_query);
    full_->execute(true);
    count_ = 0;
  }

  // Inserts the rest.
  void finish() {
    if (count_ == 0) return;
    soci::statement rest(sql_);
    prepare(rest, soci::details::st_one_time_query);
    rest.execute(true);
    count_ = 0;
  }

 private:
  void prepare(soci::statement& insert, soci::details::statement_type type) {
    for (std::size_t i = 0; i < count_; ++i) bind_(insert, rows_[i]);
    insert.alloc();
    insert.prepare(
        fmt::format("INSERT INTO {} VALUES {} {}", into_, placeholders(sql_, count_, columns_), behind_),
        type);
    insert.define_and_bind();
  }

  soci::session& sql_;
  std::string into_, behind_;
  int columns_;
  Bind bind_;
  std::vector<Row> rows_ = std::vector<Row>(rows_a_statement);
  std::size_t count_ = 0;
  std::optional<soci::statement> full_;
};

template <class Row, class Bind>
void insert_rows(soci::session& sql, const std::string& into, int columns, const std::string& behind,
                 std::span<Row> rows, Bind bind) {
  RowInserter<Row, Bind> inserter(sql, into, columns, behind, bind);
  for (Row& row : rows) inserter.add(std::move(row));
  inserter.finish();
}

// SQL: "position BETWEEN 1 AND 3 AND position IN (1, 2, 3)"; of at least one. For the list alone, PostgreSQL
// without statistics of a new table reads all positions of a run.
std::string at_positions(std::span<const int> positions);

}  // namespace harness
