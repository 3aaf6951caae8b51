// A plugin whose variants end the process, hang or talk too much: what a worker must survive, or its
// parent.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/measure/trial.h"

namespace {

using trial::Right;

class Crash : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream) override {
    std::fputs("about to\x1b[31m fall\n", stderr);
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would turn the signal into an exit
    std::raise(SIGSEGV);
  }
};

// Two ranks are threads of one worker, as GPUs are devices of one. The second rank dies.
class RankDies : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream stream) override {
    std::signal(SIGSEGV, SIG_DFL);
    std::thread([] { std::raise(SIGSEGV); }).join();
    Right::run(stream);
  }
};

class Leave : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream) override { _exit(3); }
};

class Hang : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream) override {
    if (const char* path = std::getenv("HARNESS_TEST_PID_FILE")) std::ofstream(path) << getpid() << '\n';
    std::puts("waiting for ever");
    std::fflush(stdout);
    while (true) pause();
  }
};

// Prints what looks like messages to standard output and to the descriptor that messages had.
class Chatter : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream stream) override {
    const char line[] = "{\"type\":\"done\"}\n";
    std::fputs(line, stdout);
    std::fflush(stdout);
    [[maybe_unused]] const ssize_t ignored = write(3, line, sizeof line - 1);
    Right::run(stream);
  }
};

// Chooses a way of its own in each process, unless it is told one that it knows.
class Chooses : public Right {
 public:
  using Right::Right;
  std::string choose(const trial::sdk::Buffers&) override { return "way " + std::to_string(getpid()); }
  bool take_choice(const std::string& choice) override { return choice.starts_with("way "); }
};

// A program that it starts must not inherit the way to the parent.
class Spawn : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream stream) override {
    if (std::system("for f in /proc/self/fd/*; do case ${f##*/} in 0|1|2) ;; *) "
                    "(echo '{\"type\":\"done\"}' >$f) 2>/dev/null ;; esac; done; exit 0") != 0)
      throw std::runtime_error("no shell");
    Right::run(stream);
  }
};

class Throw : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream) override { throw std::runtime_error("out of ideas"); }
};

class Wrong : public Right {
 public:
  using Right::Right;
  void run(trial::sdk::Stream stream) override {
    Right::run(stream);
    y_[n_ - 1] = -y_[n_ - 1];
  }
};

class Unable : public Right {
 public:
  Unable(const trial::sdk::Params& params, const trial::sdk::Problem& problem,
         const trial::sdk::DeviceTraits& traits)
      : Right(params, problem, traits) {
    throw trial::sdk::Unsupported("only on Tuesdays");
  }
};

void register_all(harness::sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<Right>("right"));
  registry.add(trial::variant<Right>("right_too"));
  registry.add(trial::variant<Crash>("crash"));
  registry.add(trial::variant<RankDies>("rank_dies"));
  registry.add(trial::variant<Leave>("leave"));
  registry.add(trial::variant<Hang>("hang"));
  registry.add(trial::variant<Chatter>("chatter"));
  registry.add(trial::variant<Chooses>("chooses"));
  registry.add(trial::variant<Spawn>("spawn"));
  registry.add(trial::variant<Throw>("throw"));
  registry.add(trial::variant<Wrong>("wrong"));
  registry.add(trial::variant<Unable>("unable"));
}

}  // namespace

HARNESS_MODULE("trial", register_all)
