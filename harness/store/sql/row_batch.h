// insert_rows: many rows by few statements, because each statement is a round trip to a server. Used inside
// store/ only.
#pragma once

#include <fmt/format.h>
#include <soci/soci.h>

#include <algorithm>
#include <span>
#include <string>

namespace harness {

inline constexpr std::size_t rows_a_statement = 200;  // of 8 values at most: SQLite takes 32,766 in all

// "(first), (second)..." of so many rows of so many placeholders.
std::string placeholders(std::size_t rows, int columns);

// INSERT INTO `into` VALUES rows `behind`. `bind` gives a statement the `columns` values of a row, which must
// stay where they are.
template <class Row, class Bind>
void insert_rows(soci::session& sql, const std::string& into, int columns, const std::string& behind,
                 std::span<Row> rows, Bind bind) {
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_a_statement) {
    const std::size_t count = std::min(rows_a_statement, rows.size() - begin);
    soci::statement insert(sql);
    for (Row& row : rows.subspan(begin, count)) bind(insert, row);
    insert.alloc();
    insert.prepare(fmt::format("INSERT INTO {} VALUES {} {}", into, placeholders(count, columns), behind),
                   soci::details::st_one_time_query);
    insert.define_and_bind();
    insert.execute(true);
  }
}

// SQL: "position BETWEEN 1 AND 3 AND position IN (1, 2, 3)"; of at least one. For the list alone, PostgreSQL
// without statistics of a new table reads all positions of a run.
std::string at_positions(std::span<const int> positions);

}  // namespace harness
