// Errors of libpq and PostgreSQL, by the texts of version 15 as a client got them.
#include "harness/store/sql/postgresql_words.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(PostgresqlUrl, HasAParameterForSoci) {
  EXPECT_EQ(url_for_soci("postgresql://me@db/perf"), "postgresql://me@db/perf?application_name=harness");
  EXPECT_EQ(url_for_soci("postgresql://me@db/perf?"), "postgresql://me@db/perf?application_name=harness");
  EXPECT_EQ(url_for_soci("postgresql://me@db/perf?sslmode=require"),
            "postgresql://me@db/perf?sslmode=require");
}

const std::string connecting = "Cannot establish connection to the database.\n";

TEST(PostgresqlErrors, OfAServerThatIsAwayMayBeWaitedFor) {
  for (const char* text :
       {"connection to server at \"127.0.0.1\", port 5432 failed: Connection refused\n\tIs the server "
        "running on "
        "that host and accepting TCP/IP connections?",
        "connection to server on socket \"/run/.s.PGSQL.5432\" failed: No such file or directory\n\tIs the "
        "server "
        "running locally and accepting connections on that socket?",
        "connection to server at \"db\" (10.0.0.1), port 5432 failed: timeout expired",
        "connection to server at \"db\" (10.0.0.1), port 5432 failed: FATAL:  the database system is "
        "starting up",
        "connection to server at \"db\" (10.0.0.1), port 5432 failed: FATAL:  sorry, too many clients "
        "already",
        "could not translate host name \"db\" to address: Temporary failure in name resolution"})
    EXPECT_TRUE(is_server_away(connecting + text)) << text;
  for (const char* text : {"FATAL:  terminating connection due to administrator command\nserver closed the "
                           "connection unexpectedly",
                           "server closed the connection unexpectedly", "no connection to the server",
                           "SSL connection has been closed unexpectedly"})
    EXPECT_TRUE(is_server_away(text)) << text;
}

TEST(PostgresqlErrors, OfARefusalAreNotWaitedFor) {
  for (const char* text :
       {"connection to server at \"db\" (10.0.0.1), port 5432 failed: FATAL:  password authentication failed "
        "for "
        "user \"ci\"",
        "connection to server at \"db\" (10.0.0.1), port 5432 failed: fe_sendauth: no password supplied",
        "connection to server at \"db\" (10.0.0.1), port 5432 failed: server does not support SSL, but SSL "
        "was "
        "required",
        "connection to server at \"db\" (10.0.0.1), port 5432 failed: FATAL:  database \"perf\" does not "
        "exist",
        "could not translate host name \"nowhere\" to address: Name or service not known"})
    EXPECT_FALSE(is_server_away(connecting + text)) << text;
  EXPECT_FALSE(is_server_away("ERROR:  permission denied for table results"));
}

TEST(PostgresqlErrors, OfOneAddressThatAnsweredCount) {
  EXPECT_FALSE(
      is_server_away(connecting +
                     "connection to server at \"localhost\" (::1), port 5432 failed: Connection refused\n"
                     "connection to server at \"localhost\" (127.0.0.1), port 5432 failed: FATAL:  "
                     "password authentication failed for user \"ci\""));
}

TEST(PostgresqlErrors, HaveAdviceOfTheirOwn) {
  EXPECT_NE(postgresql_advice(connecting + "FATAL:  password authentication failed for user \"ci\"")
                .find("PGPASSFILE"),
            std::string::npos);
  EXPECT_NE(postgresql_advice(connecting + "failed: Connection refused").find("runs"), std::string::npos);
  EXPECT_NE(postgresql_advice("ERROR:  permission denied for table runs").find("roles.sql"),
            std::string::npos);
  EXPECT_EQ(postgresql_advice("ERROR:  division by zero"), "");
}

}  // namespace
}  // namespace harness
