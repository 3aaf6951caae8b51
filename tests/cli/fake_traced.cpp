// A program under the trace, without CUDA: writes the file that libharness_trace.so would write, of steps
// that a script tells. Without HARNESS_TRACE_FOLDER it writes nothing, as without the trace.
//
//   fake_traced SCRIPT STEPS
//
// Each line of the script is a launch of a step, "NAME GRID NANOSECONDS [CODE [GIVEN [WORD...]]]", or "copy
// NANOSECONDS [TEXT]" from the host, of this text; ? is another one in each start, and - one whose call
// nobody saw. CODE is a hash of its machine code, and GIVEN a number for its arguments, whose words may
// follow: numbers, or ? for one that each start has another of. Others are "hold NAME", "drop RECORDS",
// "unfinished", "unread WHY", "unhashed WHY", "shared BYTES", and "child SCRIPT", which starts this program
// again. "setup GIVEN" tells the arguments of the launch before the steps.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "harness/device/trace/trace_writer.h"

namespace {

using namespace harness::trace;

struct Line {
  std::string word;
  std::string rest;
};

std::vector<Line> read(const char* script) {
  std::vector<Line> lines;
  std::ifstream file(script);
  Line line;
  while (file >> line.word && std::getline(file, line.rest)) lines.push_back(line);
  return lines;
}

int number_of_start(const char* script) {
  const std::string name = std::string(script) + ".starts";
  int start = 0;
  std::ifstream(name) >> start;
  std::ofstream(name) << start + 1;
  return start;
}

class Steps {
 public:
  // Starts differ by at most 0.02 %, as they do on a GPU.
  Steps(TraceWriter& writer, int start)
      : writer_(writer), start_(start), noise_(1 + 0.0001 * (start * 7 % 5 - 2)) {}

  void play(const Line& line) {
    std::istringstream rest(line.rest);
    if (line.word == "copy") {
      double ns = 0;
      std::string text = "same";
      rest >> ns >> text;
      return copy(ns, text);
    }
    std::uint32_t grid = 1;
    double ns = 0;
    std::string code;
    std::uint32_t given = 0;
    rest >> grid >> ns >> code >> given;
    launch(line.word, grid, ns, code);
    if (given > 0) give(given, rest);
  }
  // The hash of the words is their sum.
  void give(std::uint32_t given, std::istream& rest) {
    std::vector<std::uint32_t> words;
    for (std::string word; rest >> word;)
      words.push_back(word == "?" ? static_cast<std::uint32_t>(start_)
                                  : static_cast<std::uint32_t>(std::stoul(word)));
    const Asked asked{correlation_, given, std::accumulate(words.begin(), words.end(), 0U)};
    writer_.asked({&asked, 1});
    if (!words.empty()) writer_.words(asked.low | std::uint64_t{asked.high} << 32, words);
  }
  void launch(const std::string& name, std::uint32_t grid, double ns, const std::string& code = "") {
    ShapeRecord shape;
    shape.name = writer_.text(name);
    shape.code = writer_.text(code);
    shape.grid[0] = grid;
    shape.grid[1] = shape.grid[2] = shape.block[1] = shape.block[2] = 1;
    shape.block[0] = 256;
    LaunchRecord record;
    record.shape = writer_.shape(shape);
    record.start = clock_;
    record.end = clock_ + static_cast<std::uint64_t>(ns * noise_);
    record.correlation = ++correlation_;
    writer_.launch(record);
    clock_ = record.end + 50;
  }
  void copy(double ns, const std::string& text) {
    TransferRecord record;
    record.way = static_cast<std::uint8_t>(Way::to_device);
    record.size = 4096;
    record.start = clock_;
    record.end = clock_ + static_cast<std::uint64_t>(ns);
    record.correlation = ++correlation_;
    writer_.transfer(record);
    clock_ = record.end;
    if (text == "-") return;
    const Content content{correlation_,
                          {1 + (text == "?" ? static_cast<std::uint32_t>(start_)
                                            : static_cast<std::uint32_t>(std::hash<std::string>()(text)))}};
    if (hashes_) writer_.contents({&content, 1});
  }
  template <class Work>
  void range(const std::string& name, const Work& work) {
    RangeRecord record;
    record.begin = clock_;
    record.first = correlation_;
    work();
    record.last = correlation_;
    record.end = clock_;
    record.name = writer_.text(name);
    writer_.range(record);
  }

 private:
  TraceWriter& writer_;
  bool hashes_ = std::string_view(std::getenv("HARNESS_TRACE_CONTENTS")) == "on";
  int start_;
  double noise_;
  std::uint64_t clock_ = 1000;
  std::uint32_t correlation_ = 0;
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::vector<Line> lines = read(words[1]);
  for (const Line& one : lines) {
    if (one.word != "child") continue;
    const std::string script = one.rest.substr(1);
    if (fork() == 0) execl(words[0], words[0], script.c_str(), words[2], nullptr);
    wait(nullptr);
  }
  const char* folder = std::getenv("HARNESS_TRACE_FOLDER");
  if (folder == nullptr) return 0;
  TraceWriter writer;
  const std::string path = std::string(folder) + "/" + std::to_string(getpid()) + "-1.trace";
  if (!writer.open(path.c_str(), static_cast<std::uint32_t>(getpid()), static_cast<std::uint32_t>(getppid())))
    return 3;
  std::uint64_t dropped = 0;
  bool ended = true;
  std::string setup = "7";
  std::vector<Line> launches;
  for (const Line& one : lines) {
    if (one.word == "hold")
      writer.fact(FactCode::refused_by, one.rest.substr(1));
    else if (one.word == "drop")
      dropped = std::stoull(one.rest);
    else if (one.word == "unread")
      writer.fact(FactCode::unread, one.rest.substr(1));
    else if (one.word == "unhashed")
      writer.fact(FactCode::unhashed, one.rest.substr(1));
    else if (one.word == "shared")
      writer.fact(FactCode::shared, one.rest.substr(1));
    else if (one.word == "setup")
      setup = one.rest;
    else if (one.word == "unfinished")
      ended = false;
    else if (one.word != "child")
      launches.push_back(one);
  }
  Steps steps(writer, number_of_start(words[1]));
  steps.play({"setup", "1 9000 code_s " + setup});
  for (int i = 0; i < static_cast<int>(std::strtol(words[2], nullptr, 10)); ++i)
    steps.range("step", [&] {
      for (const Line& one : launches) steps.play(one);
    });
  if (std::string_view(std::getenv("HARNESS_TRACE_CONTENTS")) == "on") writer.fact(FactCode::hashed, "4096");
  writer.tally(dropped, 0, ended);
  return 0;
}
