// A fixture for what must hold on each kind of database, "sqlite" and "postgresql" by parameter: an empty
// one for every test; and what to put into it. Skipped where no PostgreSQL server is installed, unless
// HARNESS_REQUIRE_POSTGRES.
#pragma once

#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness/base/files.h"
#include "harness/store/store.h"
#include "postgres_server.h"
#include "tests/model/example_record.h"

namespace harness {

class OnEachDatabase : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "sqlite") {
      url_ = "sqlite:" + (folder_.path() / "results.db").string();
      return;
    }
    server_ = PostgresServer::shared();
    if (server_ == nullptr && std::getenv("HARNESS_REQUIRE_POSTGRES") != nullptr)
      FAIL() << "HARNESS_REQUIRE_POSTGRES is set, but /usr/lib/postgresql holds no server";
    if (server_ == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed (package postgresql)";
    server_->clear();
    url_ = server_->url();
  }

  // SQL on a connection of its own.
  void execute(const std::string& sql) {
    if (server_ != nullptr) return server_->execute("SET search_path = harness; " + sql);
    soci::session session(soci::sqlite3, "dbname=" + (folder_.path() / "results.db").string());
    session << sql;
  }

  std::unique_ptr<Store> open() {
    auto store = Store::open(url_);
    if (!store) throw std::runtime_error(store.error().text());
    return std::move(*store);
  }

  TemporaryFolder folder_;
  PostgresServer* server_ = nullptr;
  std::string url_;
};

// The example as it is when a run starts: nothing measured.
inline Record planned_example(const std::string& id = "6a1f0c3e-0000-4000-8000-000000000001") {
  Record record = example_record();
  record.id = id;
  record.finished.clear();
  for (CaseRecord& one : record.cases) {
    one.processes.clear();
    one.series.clear();
    one.outcome = Outcome::skipped;
    if (!one.reason) one.reason = Cause{CauseCode::not_measured};
  }
  return record;
}

template <class T>
T checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}
inline void checked(const Status& status) {
  if (!status) throw std::runtime_error(status.error().text());
}

}  // namespace harness
