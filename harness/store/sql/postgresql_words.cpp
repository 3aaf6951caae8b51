#include "harness/store/sql/postgresql_words.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/base/text.h"

namespace harness {
namespace {

template <std::size_t count>
bool has_one_of(std::string_view text, const std::array<const char*, count>& phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](const char* phrase) { return text.find(phrase) != std::string_view::npos; });
}

// The server says so before it ends a connection that it may accept later.
constexpr std::array refused_for_a_while{"the database system is", "too many clients", "connection slots are",
                                         "terminating connection", "too many connections for"};

constexpr std::array lost_connection{"Connection refused",
                                     "accepting connections on that socket",
                                     "timeout expired",
                                     "timed out",
                                     "No route to host",
                                     "Network is unreachable",
                                     "Temporary failure in name resolution",
                                     "Connection reset by peer",
                                     "Broken pipe",
                                     "closed the connection unexpectedly",
                                     "connection has been closed unexpectedly",
                                     "SSL SYSCALL error",
                                     "no connection to the server",
                                     "could not receive data from server",
                                     "could not send data to server",
                                     "Session is not connected",
                                     "canceling statement due to"};

}  // namespace

std::string url_for_soci(const std::string& url) {
  if (url.find('=') != std::string::npos) return url;
  const bool has_query = url.find('?') != std::string::npos;
  return url + (has_query ? (url.back() == '?' ? "" : "&") : "?") + "application_name=harness";
}

bool is_server_away(const std::string& message) {
  bool away = has_one_of(message, lost_connection);
  for (const std::string& line : split(message, '\n')) {
    if (line.find("FATAL:") == std::string::npos) continue;
    if (!has_one_of(line, refused_for_a_while)) return false;  // of a host that answered, whatever others did
    away = true;
  }
  return away;
}

std::string postgresql_advice(const std::string& message) {
  if (message.find("permission denied") != std::string::npos)
    return "the user's role may not do that; share/harness/roles.sql of an installation lists the roles";
  if (is_server_away(message)) return "check that the server runs and that the URL names its host and port";
  if (has_one_of(message, std::array{"password authentication failed", "no password supplied"}))
    return "check the user that the URL names, and its password in ~/.pgpass, in the file that PGPASSFILE "
           "names, or in PGPASSWORD";
  if (has_one_of(message, std::array{"SSL", "certificate"}))
    return "check sslmode and the certificates that the URL names";
  if (message.find("Cannot establish connection") != std::string::npos)
    return "check the host, port, user and database that the URL names";
  return "";
}

}  // namespace harness
