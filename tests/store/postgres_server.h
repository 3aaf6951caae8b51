// A private PostgreSQL server from the distribution's package, in a temporary folder, reached through a
// socket there. Asks for a password, so that tests see what becomes of it in messages.
#pragma once

#include <string>
#include <vector>

#include "harness/base/files.h"

namespace harness {

class PostgresServer {
 public:
  // The one server of this test program, started when first asked for; stopped at its end.
  // nullptr when the package is not installed; a failure to start one that is throws.
  static PostgresServer* shared();

  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  static constexpr const char* password = "sec/ret word";
  [[nodiscard]] std::string url() const { return url_with("sec%2Fret%20word"); }
  [[nodiscard]] std::string url_with(const std::string& spelled_password) const;

  // Drops what stores keep there.
  void clear() const;
  // Runs SQL on a connection of its own.
  void execute(const std::string& sql) const;
  void restart();

 private:
  explicit PostgresServer(std::string programs);
  void initialize();
  void start();
  void stop();
  void run(std::vector<std::string> argv) const;

  TemporaryFolder folder_;
  std::string programs_;
  bool running_ = false;
};

}  // namespace harness
