// Drives a libFuzzer target without libFuzzer: first every seed file, then a fixed number of mutations
// of them. Everything follows from -seed, so a failure is repeated by running the program again.
//
//   fuzz_<name> [-runs=N] [-seed=S] [-timeout=SECONDS] [-dict=FILE] FILE_OR_FOLDER...
//
// The words of the dictionary are inserted like the interesting ones below. Half of the inputs are changed by
// the target's own mutator, where it has one (json_mutator.cpp).
//
// An input that crashes or hangs the target is written to ./fuzz-failure-<run>, which is accepted as
// FILE; a sanitizer's report is treated as a crash. One thread.
#include <fcntl.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) __attribute__((weak));
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers' own name
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace {

constexpr std::size_t largest_input = std::size_t{64} * 1024;
constexpr std::string_view interesting[] = {"0",    "-1",      "1e309", "9223372036854775808",
                                            "NaN",  "null",    "\"",    "'",
                                            "[",    "]",       "{",     "}",
                                            ":",    ",",       "\n",    "\t",
                                            "\r\n", "&a",      "*a",    "- ",
                                            "? ",   "|",       ">",     "\\u0",
                                            "<<",   "/",       "=",     "..",
                                            "%",    "\x1b[0m", "---",   "...",
                                            "#",    "!!",      "~",     " ",
                                            "\xff", "\xc3\xa9"};

struct Options {
  int runs = 2000;
  unsigned seed = 1;
  unsigned timeout = 25;
  std::filesystem::path dictionary = {};
  std::vector<std::filesystem::path> paths;
};

// Data for the signal handlers, which may only make async-signal-safe calls.
const std::string* current_input = nullptr;
int current_run = 0;
unsigned timeout_seconds = 0;

void print(const char* text) {
  [[maybe_unused]] const ssize_t ignored = write(2, text, std::strlen(text));
}

char* print_decimal(char* end, unsigned value) {
  do *--end = static_cast<char>('0' + value % 10);
  while ((value /= 10) != 0);
  return end;
}

void save_current_input() {
  if (current_input == nullptr) return;
  char name[32] = "fuzz-failure-";
  char digits[16] = {};
  std::strcat(name, print_decimal(digits + 15, static_cast<unsigned>(current_run)));
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t ignored = write(file, current_input->data(), current_input->size());
    close(file);
  }
  print(": ");
  print(name);
  print("\n");
  current_input = nullptr;
}

void on_crash(int) {
  print("this input crashed it");
  save_current_input();
  _exit(77);
}

void on_timeout(int) {
  char digits[16] = {};
  print("this input took longer than ");
  print(print_decimal(digits + 15, timeout_seconds));
  print(" s");
  save_current_input();
  _exit(70);
}

void on_sanitizer_report() {
  print("this input crashed it");
  save_current_input();
}

void watch(const Options& options) {
  timeout_seconds = options.timeout;
  signal(SIGALRM, on_timeout);
  signal(SIGABRT, on_crash);  // which sanitizers leave alone
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(on_sanitizer_report);
    return;
  }
  for (const int number : {SIGSEGV, SIGFPE, SIGILL, SIGBUS}) signal(number, on_crash);
}

void run_one(const std::string& input, int run) {
  // A copy of exactly this size on the heap, so that a sanitizer sees a read past its end.
  std::vector<std::uint8_t> bytes(input.begin(), input.end());
  bytes.shrink_to_fit();
  current_input = &input;
  current_run = run;
  alarm(timeout_seconds);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  alarm(0);
  current_input = nullptr;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words, unsigned seed)
      : seeds_(std::move(seeds)), words_(std::move(words)), random_(seed) {
    words_.insert(words_.end(), std::begin(interesting), std::end(interesting));
  }

  std::string next() {
    std::string text = pick(seeds_);
    const bool own = LLVMFuzzerCustomMutator != nullptr && below(2) == 0;
    for (std::size_t left = 1 + below(4); left > 0; --left) own ? mutate_by_target(text) : mutate(text);
    if (text.size() > largest_input) text.resize(largest_input);
    return text;
  }

  void mutate(std::string& text) {
    switch (below(8)) {
      case 0: return flip_bit(text);
      case 1: return text.resize(below(text.size() + 1));
      case 2: return void(text.erase(below(text.size() + 1), 1 + below(16)));
      case 3: return insert(text, pick(words_));
      case 4: return splice(text, pick(seeds_));
      case 5: return repeat(text, piece(text, "\n"));
      case 6: return repeat(text, piece(text, " \n\t,:{}[]\"/="));
      default: return swap_pieces(text);
    }
  }

 private:
  void mutate_by_target(std::string& text) {
    const std::size_t size = text.size();
    text.resize(std::max(largest_input, size));
    text.resize(LLVMFuzzerCustomMutator(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size(),
                                        static_cast<unsigned>(random_())));
  }

  void flip_bit(std::string& text) {
    if (text.empty()) return;
    char& byte = text[below(text.size())];
    byte = static_cast<char>(byte ^ (1 << below(8)));
  }

  void insert(std::string& text, std::string_view added) { text.insert(below(text.size() + 1), added); }

  void splice(std::string& text, const std::string& other) {
    text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size() + 1));
  }

  // A run of characters that ends before one of `ends`, as [start, end].
  struct Piece {
    std::size_t start, length;
  };
  Piece piece(const std::string& text, const char* ends) {
    const std::size_t middle = below(text.size() + 1);
    const std::size_t before = middle == 0 ? std::string::npos : text.find_last_of(ends, middle - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find_first_of(ends, start);
    return {start, (end == std::string::npos ? text.size() : end + 1) - start};
  }

  void repeat(std::string& text, Piece of) {
    const std::string copy = text.substr(of.start, of.length);
    const std::size_t times = below(10) == 0 ? 1 + below(200) : 1;  // now and then: deep nesting, long lists
    std::string added;
    for (std::size_t i = 0; i < times && text.size() + added.size() < largest_input; ++i) added += copy;
    text.insert(of.start, added);
  }

  void swap_pieces(std::string& text) {
    const Piece first = piece(text, "\n ");
    const std::string moved = text.substr(first.start, first.length);
    text.erase(first.start, first.length);
    insert(text, moved);
  }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::vector<std::string> seeds_;
  std::vector<std::string> words_;
  std::mt19937_64 random_;
};

Mutator* current_mutator = nullptr;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The words of a dictionary of libFuzzer: "text" or name="text", one a line, # for comments.
std::vector<std::string> read_dictionary(const std::filesystem::path& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find('"'), end = line.rfind('"');
    if (line.starts_with('#') || end <= begin) continue;
    std::string word;
    for (std::size_t at = begin + 1; at < end; ++at) {
      if (line[at] == '\\' && line[at + 1] == 'x') {
        word += static_cast<char>(std::strtol(line.substr(at + 2, 2).c_str(), nullptr, 16));
        at += 3;
        continue;
      }
      if (line[at] == '\\') ++at;
      word += line[at];
    }
    words.push_back(std::move(word));
  }
  return words;
}

// In the order of their names, whatever the file system says.
std::vector<std::string> read_seeds(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const std::filesystem::path& file : files) seeds.push_back(contents(file));
  return seeds;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&] {
      return static_cast<int>(std::strtol(argv[i] + argument.find('=') + 1, nullptr, 10));
    };
    if (argument.starts_with("-runs="))
      options.runs = number();
    else if (argument.starts_with("-seed="))
      options.seed = static_cast<unsigned>(number());
    else if (argument.starts_with("-timeout="))
      options.timeout = static_cast<unsigned>(number());
    else if (argument.starts_with("-dict="))
      options.dictionary = argument.substr(6);
    else
      options.paths.emplace_back(argument);
  }
  return options;
}

}  // namespace

// For targets with their own mutator, which libFuzzer gives this function otherwise.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  std::string text(reinterpret_cast<const char*>(data), size);
  current_mutator->mutate(text);
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::vector<std::string> seeds = read_seeds(options.paths);
  if (seeds.empty()) {
    std::fprintf(stderr, "usage: %s [-runs=N] [-seed=S] [-timeout=SECONDS] FILE_OR_FOLDER...\n", argv[0]);
    return 2;
  }
  watch(options);
  int run = 0;
  run_one("", run++);
  for (const std::string& seed : seeds) run_one(seed, run++);
  Mutator mutator(seeds, read_dictionary(options.dictionary), options.seed);
  current_mutator = &mutator;
  for (int i = 0; i < options.runs; ++i) run_one(mutator.next(), run++);
  std::printf("%d inputs, %zu of them seeds: no crash, no hang\n", run, seeds.size());
  return 0;
}
