// Many rows by few statements: all full batches share a prepared one.
#include "harness/store/sql/row_batch.h"

#include <gtest/gtest.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <sstream>

namespace harness {
namespace {

struct Row {
  int place = 0;
  std::string text;
};

// How many statements were prepared for so many rows, once they are there in order.
int statements_for(int rows) {
  soci::session sql(soci::sqlite3, ":memory:");
  sql << "CREATE TABLE lines (place INTEGER PRIMARY KEY, text TEXT NOT NULL)";
  std::vector<Row> all;
  for (int i = 0; i < rows; ++i) all.push_back({i, std::string(40, static_cast<char>('a' + i % 26))});
  std::ostringstream log;
  sql.set_log_stream(&log);
  insert_rows<Row>(sql, "lines (place, text)", 2, "", all, [](soci::statement& insert, Row& row) {
    insert.exchange(soci::use(row.place));
    insert.exchange(soci::use(row.text));
  });
  sql.set_log_stream(nullptr);
  int found = 0, wrong = 0;
  sql << "SELECT COUNT(*) FROM lines", soci::into(found);
  sql << "SELECT COUNT(*) FROM lines WHERE unicode(text) <> 97 + place % 26 OR length(text) <> 40",
      soci::into(wrong);
  EXPECT_EQ(found, rows);
  EXPECT_EQ(wrong, 0);
  int statements = 0;
  const std::string text = log.str();
  for (std::size_t at = text.find("INSERT"); at != std::string::npos; at = text.find("INSERT", at + 1))
    ++statements;
  return statements;
}

// With names the time to prepare a statement is quadratic in its values.
TEST(Placeholders, HaveNoNamesInSqlite) {
  const soci::session sql(soci::sqlite3, ":memory:");
  EXPECT_EQ(placeholders(sql, 2, 3), "(?, ?, ?), (?, ?, ?)");
}

TEST(RowInserter, PreparesOneStatementForAllFullBatches) {
  const int batch = static_cast<int>(rows_a_statement);
  EXPECT_EQ(statements_for(0), 0);
  EXPECT_EQ(statements_for(1), 1);
  EXPECT_EQ(statements_for(batch), 1);
  EXPECT_EQ(statements_for(batch + 1), 2);
  EXPECT_EQ(statements_for(50 * batch), 1);
  EXPECT_EQ(statements_for(50 * batch + 7), 2);
}

}  // namespace
}  // namespace harness
