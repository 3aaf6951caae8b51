#include "harness/cli/programs/run_logged.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t last_lines = 5;
constexpr Seconds slice = 0.02;  // between looks at the signals

}  // namespace

std::string tail_of(const fs::path& log) {
  const std::vector<std::string> lines = split(trim(read_file(log).value_or("")), '\n');
  const std::size_t first = lines.size() > last_lines ? lines.size() - last_lines : 0;
  std::vector<std::string> last;
  for (std::size_t i = first; i < lines.size(); ++i)
    if (!trim(lines[i]).empty()) last.push_back(printable(trim(lines[i])));
  return join(last, " | ");
}

// Runs a command with its output in `log`; std::nullopt when Ctrl-C ended it.
Result<std::optional<Exit>> run_logged(const Command& wanted, const fs::path& log,
                                       const WhileRunning& while_running) {
  Command command = wanted;
  command.environment[environment::no_defaults] = "1";
  command.dies_with_parent = true;
  const auto begin = std::chrono::steady_clock::now();
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0) return fail(ErrorKind::environment, Location{log.string()}, "cannot be written");
  Result<Child> child = Child::start(command, {out, out});
  close(out);
  if (!child) return fail(child.error());
  child->end_input();
  InterruptGuard::watch(child->pid());
  while (!child->has_ended(slice)) {
    if (InterruptGuard::interrupted()) {
      child->kill_group();
      InterruptGuard::unwatch(child->pid());
      child->wait();
      return std::nullopt;
    }
    if (while_running)
      while_running(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  InterruptGuard::unwatch(child->pid());
  const Exit exit = child->wait();
  if (InterruptGuard::interrupted()) return std::nullopt;
  return exit;
}

}  // namespace harness
