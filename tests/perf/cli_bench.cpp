// links: Threads::Threads
// The program as a person or a CI job starts it: from exec to exit, with its largest resident set beside
// the time (rss_mb). Budgets on a small machine: `harness --version` 10 ms, `harness list` of a suite with
// 1,000 cases 100 ms, and 100 MB for any of them. Build type Release, or the numbers mean nothing.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

// One start of the program with its output thrown away.
struct Finished {
  bool ok = false;
  double largest_resident_bytes = 0;
};

Finished start_and_wait(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return {};
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) return {};
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, static_cast<double>(usage.ru_maxrss) * 1024};
}

void time_program(benchmark::State& state, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HARNESS_BINARY_DIR "/bin/harness");
  double largest = 0;
  for (auto _ : state) {
    const Finished finished = start_and_wait(arguments);
    largest = std::max(largest, finished.largest_resident_bytes);
    if (!finished.ok) {
      state.SkipWithError("the program did not start or did not exit with status 0");
      return;
    }
  }
  state.counters["rss_mb"] = largest / 1e6;
}

// 1,000 cases: two variants at 500 points, every case with a reference.
class LargeSuite {
 public:
  LargeSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "cli_bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    std::ofstream(path()) << "version: 2\n"
                             "name: large\n"
                             "cases:\n"
                             "  - workload: linear_gelu\n"
                             "    variants: [threads_unfused, threads_fused]\n"
                             "    reference: threads_unfused\n"
                             "    axes:\n"
                             "      dtype: [f32, bf16]\n"
                             "      m: [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]\n"
                             "      n: [1, 8, 64, 512, 4096]\n"
                             "      k: [1, 8, 64, 512, 4096]\n";
  }
  ~LargeSuite() { std::filesystem::remove_all(folder_); }
  LargeSuite(const LargeSuite&) = delete;
  LargeSuite& operator=(const LargeSuite&) = delete;
  [[nodiscard]] std::string path() const { return (folder_ / "large.yaml").string(); }

 private:
  std::filesystem::path folder_;
};

void print_version(benchmark::State& state) {
  time_program(state, {"--version"});
}
BENCHMARK(print_version)->UseRealTime()->Unit(benchmark::kMillisecond);

void list_1000_cases(benchmark::State& state) {
  const LargeSuite suite;
  time_program(state, {"list", suite.path()});
}
BENCHMARK(list_1000_cases)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
