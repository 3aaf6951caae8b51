#include "harness/measure/referee/player.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/open.h"
#include "harness/device/sides/sides.h"
#include "harness/measure/case/subject.h"
#include "harness/measure/referee/messages.h"
#include "harness/measure/worker/build_catalog.h"

namespace harness::referee {
namespace {

constexpr int exit_misused = 64;  // EX_USAGE
constexpr int first_free_descriptor = 100;

// Both pipes, moved out of the reach of kernels that print or read.
class Pipes {
 public:
  Pipes()
      : in_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, first_free_descriptor)),
        out_(fcntl(message_descriptor, F_DUPFD_CLOEXEC, first_free_descriptor)) {
    for (const auto& [descriptor, flags] :
         {std::pair{STDIN_FILENO, O_RDONLY}, std::pair{message_descriptor, O_WRONLY}}) {
      const int null = open("/dev/null", flags | O_CLOEXEC);
      if (null < 0) continue;
      dup2(null, descriptor);
      if (null != descriptor) close(null);
    }
  }
  [[nodiscard]] bool ok() const { return in_ >= 0 && out_ >= 0; }

  // std::nullopt: the referee is gone, or needs no more.
  std::optional<std::string> read_line() {
    while (true) {
      if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      std::array<char, 65536> chunk;
      const ssize_t count = read(in_, chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    }
  }

  void answer(std::string line) const {
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t count = write(out_, rest.data(), rest.size());
      if (count >= 0)
        rest.remove_prefix(static_cast<std::size_t>(count));
      else if (errno != EINTR)
        _exit(exit_misused);
    }
  }

 private:
  int in_, out_;
  std::string buffer_;
};

using Done = tl::expected<void, Cause>;

tl::unexpected<Cause> cannot(Cause cause) {
  return tl::unexpected<Cause>(std::move(cause));
}

tl::unexpected<Cause> cannot(const Error& error) {
  Figures figures{{"problem", printable(error.message)}};
  if (!error.advice.empty()) figures.emplace_back("advice", printable(error.advice));
  return cannot(Cause{CauseCode::device_error, std::move(figures)});
}

class Player {
 public:
  Done start(const PlayerStart& start) {
    start_ = start;
    Result<OpenedDevice> opened = open_device(start.device);
    if (!opened)
      return cannot(Cause{CauseCode::device_refused, {{"problem", printable(opened.error().message)}}});
    opened_ = std::move(*opened);
    Result<std::unique_ptr<PlayerSide>> side = open_player_side(start.device);
    if (!side) return cannot(side.error());
    side_ = std::move(*side);
    Result<Catalog> catalog = catalog_of_build(start.build, opened_.module);
    if (!catalog) return cannot(Cause{CauseCode::not_built, {{"why", printable(catalog.error().message)}}});
    catalog_.emplace(std::move(*catalog));
    const sdk::Workload* const workload = catalog_->workload(start.planned.workload);
    if (workload == nullptr)
      return cannot(Cause{CauseCode::no_workload, {{"workload", printable(start.planned.workload)}}});
    start_.planned = as_workload_sees(start.planned, *catalog_);
    variant_ = catalog_->variant(start.planned.workload, start.planned.variant);
    if (variant_ == nullptr)
      return cannot(Cause{
          CauseCode::no_variant,
          {{"workload", printable(start.planned.workload)}, {"variant", printable(start.planned.variant)}}});
    if (variant_->make == nullptr) return cannot(cause_of_absence(*variant_));
    problem_ = workload->problem(start_.planned.params);
    if (variant_->prepare) variant_->prepare(start_.planned.params, opened_.device->traits());
    return make_kernel();
  }

  tl::expected<PlayerReady, Cause> ready() {
    PlayerReady ready;
    const Result<std::string> end = side_->join(start_.start);
    if (!end) return cannot(end.error());
    ready.end = *end;
    ready.tensors = tensors_text(problem_);
    const sdk::Kernel& kernel = *kernels_.front();
    if (const auto tolerance = kernel.tolerance()) ready.tolerance = tolerance->relative;
    ready.workspace_bytes = static_cast<std::int64_t>(kernel.workspace_bytes());
    ready.waits = kernel.synchronises();
    return ready;
  }

  Done open(const PlayerBlock& block) {
    bound_ = 0;
    const Result<std::byte*> memory = side_->open(block.handle, static_cast<std::size_t>(block.bytes));
    if (!memory) return cannot(memory.error());
    sets_.clear();
    for (const std::vector<std::int64_t>& offsets : block.offsets) {
      std::vector<void*>& set = sets_.emplace_back();
      for (const std::int64_t offset : offsets) set.push_back(*memory + offset);
    }
    return {};
  }

  // The first kernel may look for its fastest way, which the others take.
  Done bind(std::size_t count) {
    for (; bound_ < std::min(count, sets_.size()); ++bound_) {
      if (bound_ == kernels_.size())
        if (Done made = make_kernel(); !made) return made;
      sdk::Kernel& kernel = *kernels_[bound_];
      if (Done room = take_workspace(kernel.workspace_bytes()); !room) return room;
      const sdk::Buffers buffers{sets_[bound_], workspaces_.empty() ? nullptr : workspaces_.back()->data()};
      kernel.bind(buffers);
      if (bound_ == 0) choice_ = kernel.choose(buffers);
      if (bound_ > 0 && !choice_.empty()) (void)kernel.take_choice(choice_);
      if (Status called = side_->practise([&](sdk::Stream stream) { kernel.run(stream); }); !called)
        return cannot(called.error());
    }
    return {};
  }

  Done look() {
    if (const Status alive = side_->look(); !alive) return cannot(alive.error());
    return {};
  }

  Done order(std::vector<std::size_t> sets) {
    for (const std::size_t set : sets)
      if (set >= bound_) return cannot(Cause{CauseCode::worker_out_of_protocol, {{"message", "order"}}});
    order_ = std::move(sets);
    return {};
  }

  Done play(int number) {
    const Status played = side_->play(number / plays_a_stream, [&](sdk::Stream stream) {
      for (const std::size_t set : order_) kernels_[set]->run(stream);
    });
    if (!played) return cannot(played.error());
    return {};
  }

 private:
  static constexpr int plays_a_stream = 2;  // its two batches of a round

  Done make_kernel() {
    auto kernel = variant_->make(start_.planned.params, problem_, opened_.device->traits());
    if (!kernel) return cannot(Cause{CauseCode::no_kernel});
    kernels_.push_back(std::move(kernel));
    return {};
  }

  // All sets share one: their calls follow each other.
  Done take_workspace(std::size_t bytes) {
    if (bytes == 0 || (!workspaces_.empty() && workspaces_.back()->bytes() >= bytes)) return {};
    Result<std::unique_ptr<Buffer>> memory = opened_.device->memory().allocate(bytes);
    if (!memory) return cannot(memory.error());
    workspaces_.push_back(std::move(*memory));
    return {};
  }

  PlayerStart start_;
  OpenedDevice opened_;
  std::unique_ptr<PlayerSide> side_;
  std::optional<Catalog> catalog_;
  const sdk::Variant* variant_ = nullptr;
  sdk::Problem problem_;
  std::vector<std::unique_ptr<Buffer>> workspaces_;  // earlier kernels may be bound to earlier ones
  std::vector<std::vector<void*>> sets_;
  std::vector<std::unique_ptr<sdk::Kernel>> kernels_;  // of each set
  std::size_t bound_ = 0;
  std::string choice_;
  std::vector<std::size_t> order_;
};

std::optional<std::vector<std::size_t>> numbers_of(std::string_view text) {
  std::vector<std::size_t> numbers;
  for (const std::string& word : split(text, ' ')) {
    std::size_t number = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (code != std::errc() || end != word.data() + word.size()) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

tl::unexpected<Cause> out_of_protocol(std::string_view line) {
  return cannot(Cause{CauseCode::worker_out_of_protocol,
                      {{"message", printable(std::string(line.substr(0, line.find(' '))))}}});
}

tl::expected<std::string, Cause> answer_to(Player& player, std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, space);
  const std::string_view rest = line.substr(std::min(space + 1, line.size()));
  const auto unreadable = [](const Error& error) {
    return cannot(Cause{CauseCode::worker_unintelligible, {{"problem", printable(error.message)}}});
  };
  if (word == "start") {
    const Result<PlayerStart> start = decode_player_start(rest);
    if (!start) return unreadable(start.error());
    if (const Done started = player.start(*start); !started) return cannot(started.error());
    const auto ready = player.ready();
    if (!ready) return cannot(ready.error());
    return "ready " + encode(*ready);
  }
  if (word == "open") {
    const Result<PlayerBlock> block = decode_player_block(rest);
    if (!block) return unreadable(block.error());
    if (const Done opened = player.open(*block); !opened) return cannot(opened.error());
    return "opened";
  }
  std::optional<std::vector<std::size_t>> numbers = numbers_of(rest);
  if (!numbers || numbers->empty()) return out_of_protocol(line);
  const std::size_t first = numbers->front();
  Done done;
  if (word == "bind") {
    done = player.bind(first);
    if (!done) return cannot(done.error());
    return "bound";
  }
  if (word == "order") {
    numbers->erase(numbers->begin());
    done = player.order(std::move(*numbers));
    if (!done) return cannot(done.error());
    return fmt::format("ordered {}", first);
  }
  if (word == "play") {
    done = player.play(static_cast<int>(first));
    if (!done) return cannot(done.error());
    return fmt::format("played {}", first);
  }
  if (word == "look") {
    done = player.look();
    if (!done) return cannot(done.error());
    return fmt::format("looked {}", first);
  }
  return out_of_protocol(line);
}

// A kernel may throw.
tl::expected<std::string, Cause> guarded_answer(Player& player, std::string_view line) {
  try {
    return answer_to(player, line);
  } catch (const sdk::Unsupported& unsupported) {
    return cannot(Cause{CauseCode::unsupported, {{"why", printable(unsupported.what())}}});
  } catch (const std::exception& exception) {
    return cannot(Cause{CauseCode::threw, {{"what", printable(exception.what())}}});
  } catch (...) {
    return cannot(Cause{CauseCode::threw});
  }
}

}  // namespace

int run_player() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  Pipes pipes;
  if (!pipes.ok()) {
    fmt::print(
        stderr,
        "harness worker --player is started by `harness referee`, which gives it a pipe on descriptor {}\n",
        message_descriptor);
    return exit_misused;
  }
  // Never destroyed: what a build leaves behind may hang at its end.
  auto* const player = new Player;
  while (const std::optional<std::string> line = pipes.read_line()) {
    const auto answer = guarded_answer(*player, *line);
    pipes.answer(answer ? *answer : "cannot " + encode_trouble(answer.error()));
  }
  _exit(EXIT_SUCCESS);
}

}  // namespace harness::referee
