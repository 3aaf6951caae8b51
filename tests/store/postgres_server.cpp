#include "postgres_server.h"

#include <grp.h>
#include <pwd.h>
#include <soci/soci.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "harness/base/process.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// The folder of the newest installed version's programs, or "".
std::string installed_programs() {
  std::vector<fs::path> found;
  std::error_code code;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", code))
    if (fs::exists(version.path() / "bin/initdb") && fs::exists(version.path() / "bin/pg_ctl"))
      found.push_back(version.path() / "bin");
  return found.empty() ? "" : std::max_element(found.begin(), found.end())->string();
}

}  // namespace

PostgresServer* PostgresServer::shared() {
  static const std::unique_ptr<PostgresServer> server = [] {
    const std::string programs = installed_programs();
    return std::unique_ptr<PostgresServer>(programs.empty() ? nullptr : new PostgresServer(programs));
  }();
  return server.get();
}

PostgresServer::PostgresServer(std::string programs) : programs_(std::move(programs)) {
  initialize();
  start();
}

PostgresServer::~PostgresServer() {
  if (running_) stop();
}

// PostgreSQL refuses to run as root; then it runs as nobody, who is given the folder.
void PostgresServer::run(std::vector<std::string> argv) const {
  if (geteuid() == 0) argv.insert(argv.begin(), {"runuser", "-u", "nobody", "--"});
  const auto output = run_command({argv, folder_.path(), {{"LC_ALL", "C"}}});
  if (!output) throw std::runtime_error(output.error().text());
  if (!output->exit.ok()) throw std::runtime_error(argv.back() + ": " + output->out + output->err);
}

void PostgresServer::initialize() {
  if (const passwd* nobody = getpwnam("nobody"); geteuid() == 0 && nobody != nullptr)
    if (chown(folder_.path().c_str(), nobody->pw_uid, nobody->pw_gid) != 0)
      throw std::runtime_error("the server's folder cannot be given away");
  const fs::path file = folder_.path() / "password";
  if (!write_file_atomically(file, std::string(password) + "\n"))
    throw std::runtime_error("no password file");
  run({programs_ + "/initdb", "--no-sync", "--auth=scram-sha-256", "--username=harness", "--encoding=UTF8",
       "--locale=C", "--pwfile=" + file.string(), "--pgdata=" + (folder_.path() / "data").string()});
}

void PostgresServer::start() {
  const std::string folder = folder_.path().string();
  run({programs_ + "/pg_ctl", "--wait", "--pgdata=" + folder + "/data", "--log=" + folder + "/log",
       "--options=-c listen_addresses= -c fsync=off -k " + folder, "start"});
  running_ = true;
}

void PostgresServer::stop() {
  running_ = false;
  run({programs_ + "/pg_ctl", "--pgdata=" + (folder_.path() / "data").string(), "--mode=immediate", "stop"});
}

void PostgresServer::restart() {
  stop();
  start();
}

std::string PostgresServer::url_with(const std::string& spelled_password) const {
  return "postgresql://harness:" + spelled_password + "@/postgres?host=" + folder_.path().string();
}

void PostgresServer::execute(const std::string& sql) const {
  soci::session session("postgresql", url());
  session << "SET client_min_messages = warning";
  session << sql;
}

void PostgresServer::clear() const {
  execute("DROP SCHEMA IF EXISTS harness CASCADE");
}

}  // namespace harness
