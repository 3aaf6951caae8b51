// The form of URLs that SOCI passes on, and the meaning of errors of libpq and PostgreSQL; used by
// postgresql.cpp and its tests only. Pure.
#pragma once

#include <string>

namespace harness {

// The URL as SOCI passes it on unchanged: with a parameter. SOCI 4.0.3 takes all text as KEY=VALUE, and adds
// a "=" to one that has none, so that the database's name ends in it.
std::string url_for_soci(const std::string& url);

// Whether waiting may cure the error: nobody listens, the connection was lost, time ran out, the server
// starts or ends, or all of its connections are taken. Texts of libpq and PostgreSQL 15, in English.
bool is_server_away(const std::string& message);

// Advice on an error, or "".
std::string postgresql_advice(const std::string& message);

}  // namespace harness
