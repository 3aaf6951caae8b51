#include "harness/measure/referee/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "harness/base/text.h"
#include "harness/measure/case/subject.h"
#include "harness/measure/referee/drawn.h"
#include "harness/measure/referee/messages.h"
#include "harness/measure/referee/player_process.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/model/device_kinds.h"

namespace harness::referee {
namespace {

constexpr int baseline = 0, current = 1;
constexpr int most_sets = 256;
constexpr int sets_to_try = 4;
constexpr int tries = 3;
constexpr int most_forced = 3;  // gates, before batches become shorter
constexpr int batches_a_hold = 4;
constexpr Seconds least_hold = 0.5e-3, most_hold = 3e-3;
constexpr Seconds opening_deadline = 120;
// Memory of one player's buffers.
constexpr double most_gpu_bytes = 16e9, most_host_bytes = 256e6;

// Why a match cannot go on.
struct Trouble {
  int player = -1;  // whose fault it is; -1: nobody's
  Cause cause;
  bool wrong = false;  // a result is
  bool lost = false;   // so is the device
};
template <class T>
using Or = tl::expected<T, Trouble>;
using Step = Or<void>;

tl::unexpected<Trouble> stop(Trouble trouble) {
  return tl::unexpected<Trouble>(std::move(trouble));
}

Cause cause_of(const Error& error) {
  Figures figures{{"problem", printable(error.message)}};
  if (!error.advice.empty()) figures.emplace_back("advice", printable(error.advice));
  return {CauseCode::cannot_be_timed, std::move(figures)};
}

Cause cannot_be_played(const std::string& problem, const std::string& advice = {}) {
  return cause_of(Error{ErrorKind::environment, problem, {}, advice});
}

// Buffers lie as in SharedBlocks.
std::size_t stride_of(std::size_t bytes) {
  const std::size_t step = bytes >= (std::size_t{1} << 20) ? std::size_t{2} << 20 : 512;
  return (std::max<std::size_t>(bytes, 1) + step - 1) / step * step;
}

std::size_t set_bytes(const sdk::Problem& problem) {
  std::size_t bytes = 0;
  for (const sdk::TensorSpec& tensor : problem.tensors) bytes += stride_of(tensor.bytes());
  return bytes;
}

// The memory that one player works on.
struct Field {
  RefereeSide::Block block;
  std::vector<std::vector<std::byte*>> sets;  // addresses of the tensors
  PlayerBlock message;
};

Result<Field> make_field(RefereeSide& side, const sdk::Problem& problem, int sets) {
  auto block = side.share(set_bytes(problem) * static_cast<std::size_t>(sets));
  if (!block) return fail(block.error());
  Field field{std::move(*block), {}, {}};
  field.message = {field.block.handle, static_cast<std::int64_t>(field.block.memory->bytes()), {}};
  auto* const base = static_cast<std::byte*>(field.block.memory->data());
  // Large tensors first, each at a multiple of 2 MiB; then the small ones.
  std::vector<std::vector<std::size_t>> offsets(static_cast<std::size_t>(sets),
                                                std::vector<std::size_t>(problem.tensors.size()));
  std::size_t next = 0;
  for (const bool large : {true, false})
    for (auto& set : offsets)
      for (std::size_t i = 0; i < set.size(); ++i) {
        const std::size_t bytes = problem.tensors[i].bytes();
        if ((bytes >= (std::size_t{1} << 20)) == large) set[i] = std::exchange(next, next + stride_of(bytes));
      }
  for (const auto& set : offsets) {
    field.message.offsets.emplace_back(set.begin(), set.end());
    std::vector<std::byte*>& addresses = field.sets.emplace_back();
    for (const std::size_t offset : set) addresses.push_back(base + offset);
  }
  return field;
}

class Match {
 public:
  Match(const Arena& arena, const PlannedCase& planned, const MatchOptions& options, RefereedCase& result)
      : arena_(arena),
        planned_(as_workload_sees(planned, arena.catalog)),
        options_(options),
        result_(result) {}

  Step play() {
    if (Step known = describe(); !known) return known;
    if (Step met = meet_players(); !met) return met;
    if (Step ready = take_field(sets_to_try); !ready) return ready;
    const Or<Seconds> call = try_out({1, sets_to_try});
    if (!call) return stop(call.error());
    const int pairs = choose_pairs(*call);
    const Seconds left = std::max(options_.budget - used_, 0.0);
    BatchLengths lengths = choose_lengths({*call, drawing_, left, most_sets_here()});
    Seconds until = options_.budget - left;
    for (int pair = 0; pair < pairs && !InterruptGuard::interrupted();) {
      if (lengths.longer <= lengths.shorter) return stop({-1, cannot_be_queued()});
      if (pair > 0)
        if (Step met = meet_players(); !met) return met;
      if (Step ready = take_field(lengths.longer); !ready) return ready;
      until += left / pairs;
      const Or<bool> played =
          play_rounds(lengths, choose_rounds(lengths, drawing_) * (pair + 1) / pairs, until);
      if (!played) return stop(played.error());
      if (*played) {
        ++pair;
        continue;
      }
      lengths = {std::max(1, lengths.shorter / 2), lengths.longer / 2};
      rounds_.clear();
      until = options_.budget - left;
      pair = 0;
    }
    if (rounds_.size() < static_cast<std::size_t>(least_rounds) && !InterruptGuard::interrupted())
      return stop({-1, too_long(lengths)});
    rule(result_, rounds_, lengths, pairs, options_.judging);
    return {};
  }

  void tell(RefereedCase& result) const {
    result.checked = checked_;
    result.device_s = used_;
    result.drawing_s = drawing_in_all_;
  }

  void dismiss_players() {
    for (auto& player : players_) player.reset();
  }

 private:
  static Cause cannot_be_queued() {
    return cannot_be_played("its calls wait for the device, or cannot be queued before it begins");
  }

  [[nodiscard]] Cause too_long(const BatchLengths& lengths) const {
    return cannot_be_played(fmt::format("{} rounds of {} and {} calls take longer than the budget of {:g} s",
                                        least_rounds, lengths.shorter, lengths.longer, options_.budget),
                            "give more with --budget, or make the case smaller");
  }

  Step describe() {
    if (planned_.program)
      return stop({-1, cannot_be_played("a program is no kernel that a referee can play",
                                        "judge programs with `harness ab`")});
    workload_ = arena_.catalog.workload(planned_.workload);
    if (workload_ == nullptr)
      return stop({baseline, {CauseCode::no_workload, {{"workload", printable(planned_.workload)}}}});
    try {
      problem_ = workload_->problem(planned_.params);
    } catch (const sdk::Unsupported& unsupported) {
      return stop({-1, {CauseCode::unsupported, {{"why", printable(unsupported.what())}}}});
    } catch (const std::exception& exception) {
      return stop({baseline, {CauseCode::threw, {{"what", printable(exception.what())}}}});
    }
    const bool elsewhere = std::any_of(problem_.tensors.begin(), problem_.tensors.end(),
                                       [](const sdk::TensorSpec& tensor) { return tensor.gpu != 0; });
    if (problem_.gpus > 1 || elsewhere)
      return stop(
          {-1, cannot_be_played("it uses several GPUs or memory of the host", "judge it with `harness ab`")});
    return {};
  }

  Or<std::string> ask(int player, const std::string& line, std::string_view wanted, Seconds deadline) {
    auto answer = players_[static_cast<std::size_t>(player)]->ask(line, wanted, deadline);
    if (!answer) return stop({player, answer.error()});
    return std::move(*answer);
  }
  Or<std::string> ask(int player, const std::string& line, std::string_view wanted) {
    return ask(player, line, wanted, planned_.sampling.timeout);
  }

  // Two fresh processes, in place of those before.
  Step meet_players() {
    dismiss_players();
    for (const int player : {baseline, current}) {
      Result<PlayerProcess> process = PlayerProcess::start(arena_.player_command);
      if (!process) return stop({-1, cause_of(process.error())});
      players_[static_cast<std::size_t>(player)].emplace(std::move(*process));
      const BuildModules& build = player == baseline ? arena_.builds.baseline : arena_.builds.current;
      const PlayerStart start{arena_.device_name, build, planned_, arena_.side.start_handle()};
      const Or<std::string> answer = ask(player, "start " + encode(start), "ready", opening_deadline);
      if (!answer) return stop(answer.error());
      const Result<PlayerReady> ready = decode_player_ready(*answer);
      if (!ready)
        return stop(
            {player, {CauseCode::worker_unintelligible, {{"problem", printable(ready.error().message)}}}});
      if (ready->tensors != tensors_text(problem_)) return stop({player, {CauseCode::other_tensors}});
      if (ready->waits) return stop({-1, cannot_be_queued()});
      // The baseline's numeric contract holds for both: a wider one of the current build is not accepted.
      if (player == baseline && ready->tolerance) problem_.tolerance.relative = *ready->tolerance;
      if (const Status met = arena_.side.meet(player, ready->end); !met)
        return stop({-1, cause_of(met.error())});
      players_[static_cast<std::size_t>(player)]->rest();
    }
    return {};
  }

  [[nodiscard]] int most_sets_here() const {
    const double most = is_gpu_device(arena_.device_name) ? most_gpu_bytes : most_host_bytes;
    const double sets = most / static_cast<double>(set_bytes(problem_));
    return std::clamp(static_cast<int>(std::min(sets, 1e6)), 2, most_sets);
  }

  // New buffers for both players, which bind a kernel to each set.
  Step take_field(int sets) {
    const std::vector<Drawn> practice = draw_hand(1);
    if (failed_drawing_) return stop(*failed_drawing_);
    std::array<std::optional<Field>, 2> before;  // until the players have closed it
    for (const int player : {baseline, current}) {
      std::optional<Field>& place = fields_[static_cast<std::size_t>(player)];
      std::swap(place, before[static_cast<std::size_t>(player)]);
      Result<Field> field = make_field(arena_.side, problem_, sets);
      if (!field) return stop({-1, cause_of(field.error())});
      place.emplace(std::move(*field));
    }
    masters_.clear();
    if (Step brought = bring(practice); !brought) return brought;
    for (const int player : {baseline, current}) {
      PlayerProcess& process = *players_[static_cast<std::size_t>(player)];
      const Field& field = *fields_[static_cast<std::size_t>(player)];
      process.wake();
      if (const auto opened = ask(player, "open " + encode(field.message), "opened"); !opened)
        return stop(opened.error());
      // A kernel's first call finds inputs that it can work on.
      std::vector<SharedWrite> writes;
      for (const auto& set : field.sets) add_writes(set, 0, poison, writes);
      const Play only_writes{player,
                             0,
                             writes,
                             {},
                             [&] { return play_nothing(player); },
                             planned_.sampling.timeout,
                             [&] { return look_at(player); }};
      std::vector<std::uint64_t> none;
      const auto written = arena_.side.time(only_writes, none);
      if (!written) return stop(trouble_of(-1, written.error()));
      if (const auto bound = ask(player, fmt::format("bind {}", sets), "bound"); !bound)
        return stop(bound.error());
      process.rest();
    }
    return {};
  }

  Status play_nothing(int player) {
    const int number = ++played_;
    for (const auto& [line, wanted] :
         {std::pair{fmt::format("order {}", number), fmt::format("ordered {}", number)},
          std::pair{fmt::format("play {}", number), fmt::format("played {}", number)}})
      if (const auto answer = ask(player, line, wanted); !answer) {
        asked_ = answer.error();
        return fail(ErrorKind::environment, "the player did not play");
      }
    return {};
  }

  // Whether the calls that a player has queued can still end.
  Status look_at(int player) {
    if (InterruptGuard::interrupted()) return fail(ErrorKind::environment, "the match was interrupted");
    const int number = ++looked_;
    if (const auto answer = ask(player, fmt::format("look {}", number), fmt::format("looked {}", number));
        !answer) {
      asked_ = answer.error();
      return fail(ErrorKind::environment, "the calls cannot end");
    }
    return {};
  }

  // Why a Play failed.
  Trouble trouble_of(int player, const Error& error) {
    Trouble trouble = asked_ ? *std::exchange(asked_, std::nullopt) : Trouble{player, cause_of(error)};
    trouble.lost = arena_.side.lost();
    return trouble;
  }

  // May run on a thread of its own; nothing else calls the workload meanwhile.
  std::vector<Drawn> draw_hand(int count) {
    const Seconds begin = arena_.clock();
    std::vector<Drawn> drawn;
    try {
      for (int i = 0; i < count; ++i) drawn.push_back(draw(*workload_, planned_.params, problem_, seeds_()));
    } catch (const std::exception& exception) {
      failed_drawing_ = Trouble{baseline, {CauseCode::threw, {{"what", printable(exception.what())}}}};
    }
    const Seconds took = arena_.clock() - begin;
    drawing_ = took / std::max(count, 1);
    drawing_in_all_ += took;
    return drawn;
  }

  // Brings inputs to the device, where no player sees them.
  Step bring(const std::vector<Drawn>& drawn) {
    Memory& memory = arena_.device.memory();
    while (masters_.size() < drawn.size()) {
      auto& set = masters_.emplace_back();
      for (const sdk::HostTensor& input : drawn.front().inputs) {
        auto buffer = memory.allocate(std::max<std::size_t>(input.data.size(), 1));
        if (!buffer) return stop({-1, cause_of(buffer.error())});
        set.push_back(std::move(*buffer));
      }
    }
    for (std::size_t i = 0; i < drawn.size(); ++i)
      for (std::size_t t = 0; t < drawn[i].inputs.size(); ++t)
        if (const Status sent = memory.upload(*masters_[i][t], drawn[i].inputs[t].data); !sent)
          return stop({-1, cause_of(sent.error()), false, true});
    return {};
  }

  void add_writes(const std::vector<std::byte*>& set, std::size_t master, unsigned char fill,
                  std::vector<SharedWrite>& writes) const {
    std::size_t input = 0;
    for (std::size_t t = 0; t < problem_.tensors.size(); ++t) {
      const sdk::TensorSpec& tensor = problem_.tensors[t];
      if (tensor.bytes() == 0) continue;
      if (sdk::is_input(tensor.role))
        writes.push_back({set[t], masters_[master][input]->data(), tensor.bytes(), 0});
      else
        writes.push_back({set[t], nullptr, tensor.bytes(), fill});
      if (sdk::is_input(tensor.role)) ++input;
    }
  }

  // One batch: each call has a set of its own, and inputs of its own. All results are checked.
  Or<PlayTiming> play_batch(int player, std::span<const Drawn> drawn, std::size_t first_master) {
    const Field& field = *fields_[static_cast<std::size_t>(player)];
    std::vector<std::size_t> order(field.sets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), turns_);
    order.resize(drawn.size());
    constexpr int bytes = 254;
    const auto fill = static_cast<unsigned char>(1 + turns_() % bytes);  // neither zero nor the usual poison
    std::vector<SharedWrite> writes;
    std::vector<SharedRead> reads;
    const int number = ++played_;
    std::string line = fmt::format("order {}", number);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::vector<std::byte*>& set = field.sets[order[i]];
      add_writes(set, first_master + i, fill, writes);
      add_reads(problem_, drawn[i], set, reads);
      line += fmt::format(" {}", order[i]);
    }
    PlayerProcess& process = *players_[static_cast<std::size_t>(player)];
    process.wake();
    if (const auto ordered = ask(player, line, fmt::format("ordered {}", number)); !ordered)
      return stop(ordered.error());
    const auto start = [&]() -> Status {
      if (const auto played = ask(player, fmt::format("play {}", number), fmt::format("played {}", number));
          !played) {
        asked_ = played.error();
        return fail(ErrorKind::environment, "the player did not play");
      }
      return {};
    };
    std::vector<std::uint64_t> read(reads.size());
    const Play play{player,
                    static_cast<int>(drawn.size()),
                    writes,
                    reads,
                    start,
                    planned_.sampling.timeout,
                    [&] { return look_at(player); },
                    draw_hold()};
    const Result<PlayTiming> timing = arena_.side.time(play, read);
    process.rest();
    if (!timing) return stop(trouble_of(player, timing.error()));
    used_ += timing->used;
    std::size_t next = 0;
    for (const Drawn& one : drawn) {
      const std::size_t count = reads_of(problem_, one);
      const Finding finding = check_reads(problem_, one, std::span(read).subspan(next, count), fill);
      next += count;
      ++checked_;
      if (finding.wrong) return stop({player, *finding.wrong, true});
    }
    return *timing;
  }

  // One batch in four is held, so that work outside of the order is found; most rounds take no longer.
  Seconds draw_hold() {
    if (turns_() % batches_a_hold != 0) return 0;
    return std::uniform_real_distribution(least_hold, most_hold)(turns_);
  }

  // The time of a call of the slower build, roughly.
  Or<Seconds> try_out(const BatchLengths& lengths) {
    std::array<std::vector<double>, 2> slopes;
    for (int i = 0; i < tries; ++i) {
      const std::vector<Drawn> drawn = draw_hand(lengths.longer);
      if (failed_drawing_) return stop(*failed_drawing_);
      if (Step brought = bring(drawn); !brought) return stop(brought.error());
      for (const int player : {baseline, current}) {
        const auto longer = play_batch(player, drawn, 0);
        if (!longer) return stop(longer.error());
        const auto shorter =
            play_batch(player, std::span(drawn).first(static_cast<std::size_t>(lengths.shorter)), 0);
        if (!shorter) return stop(shorter.error());
        if (shorter->gate_forced) return stop({-1, cannot_be_queued()});
        slopes[static_cast<std::size_t>(player)].push_back(slope(shorter->elapsed, longer->elapsed, lengths));
      }
    }
    const auto least = [](const std::vector<double>& all) {
      return *std::min_element(all.begin(), all.end());
    };
    return std::max({least(slopes[0]), least(slopes[1]), 1e-7});
  }

  // Until there are so many rounds, or the device was used so long. False: the batches are too long to be
  // queued before they begin.
  Or<bool> play_rounds(const BatchLengths& lengths, int most, Seconds until) {
    const int count = lengths.shorter + lengths.longer;
    const bool ahead = is_gpu_device(arena_.device_name);
    int forced = 0;
    std::vector<Drawn> drawn = draw_hand(count);
    Seconds longest = 0;
    while (rounds_.size() < static_cast<std::size_t>(most) && used_ + longest < until &&
           !InterruptGuard::interrupted()) {
      if (failed_drawing_) return stop(*failed_drawing_);
      std::future<std::vector<Drawn>> next;
      const Seconds begun = arena_.clock(), used = used_;
      if (Step brought = bring(drawn); !brought) return stop(brought.error());
      used_ += arena_.clock() - begun;
      const bool is_last = rounds_.size() + 1 == static_cast<std::size_t>(most);
      if (ahead && !is_last) next = std::async(std::launch::async, [&] { return draw_hand(count); });
      const Or<bool> whole = play_round(lengths, drawn);
      std::vector<Drawn> others = next.valid() ? next.get() : std::vector<Drawn>();
      if (!whole) return stop(whole.error());
      if (!*whole && ++forced >= most_forced) return false;
      longest = std::max(longest, used_ - used);
      if (rounds_.size() == static_cast<std::size_t>(most)) break;
      drawn = others.empty() ? draw_hand(count) : std::move(others);
    }
    return true;
  }

  // The batches of both builds in random order, on the same values. Nobody has seen them before. False: a
  // gate was forced, and the round does not count.
  Or<bool> play_round(const BatchLengths& lengths, const std::vector<Drawn>& drawn) {
    const auto shorter = static_cast<std::size_t>(lengths.shorter);
    RoundTimes times;
    std::array<int, 4> turns{0, 1, 2, 3};
    std::shuffle(turns.begin(), turns.end(), turns_);
    for (const int turn : turns) {
      const int player = turn % 2;
      const bool is_longer = turn / 2 == 1;
      const std::span<const Drawn> hand(drawn);
      const auto timing = is_longer ? play_batch(player, hand.subspan(shorter), shorter)
                                    : play_batch(player, hand.first(shorter), 0);
      if (!timing) return stop(timing.error());
      if (timing->gate_forced) return false;
      Seconds& time = player == baseline ? (is_longer ? times.baseline_longer : times.baseline_shorter)
                                         : (is_longer ? times.current_longer : times.current_shorter);
      time = timing->elapsed;
    }
    rounds_.push_back(times);
    return true;
  }

  const Arena& arena_;
  const PlannedCase planned_;
  const MatchOptions& options_;
  RefereedCase& result_;
  const sdk::Workload* workload_ = nullptr;
  sdk::Problem problem_;
  std::random_device seed_;
  // The seeds of inputs, on the thread that draws. No player is told.
  std::mt19937_64 seeds_{std::uint64_t{seed_()} << 32 | seed_()};
  std::mt19937_64 turns_{std::uint64_t{seed_()} << 32 | seed_()};
  std::array<std::optional<Field>, 2> fields_;
  std::vector<std::vector<std::unique_ptr<Buffer>>> masters_;  // inputs, in memory that no player can open
  std::vector<RoundTimes> rounds_;
  std::optional<Trouble> asked_;           // within a Play
  std::optional<Trouble> failed_drawing_;  // on the thread that draws
  Seconds used_ = 0, drawing_ = 0, drawing_in_all_ = 0;
  std::int64_t checked_ = 0;
  int played_ = 0, looked_ = 0;
  std::array<std::optional<PlayerProcess>, 2> players_;  // killed before their memory goes
};

// A build that lacks the case is no failure of it.
bool lacks_case(CauseCode code) {
  switch (code) {
    case CauseCode::no_workload:
    case CauseCode::no_variant:
    case CauseCode::unsupported:
    case CauseCode::not_built:
    case CauseCode::no_cuda_module:
    case CauseCode::architecture:
    case CauseCode::other_tensors:
    case CauseCode::device_refused: return true;
    default: return false;
  }
}

}  // namespace

Seconds monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

RefereedCase referee_case(const Arena& arena, const PlannedCase& planned, const MatchOptions& options,
                          bool& lost) {
  RefereedCase result;
  result.id = planned.id;
  if (planned.skip) {
    result.reason = planned.skip;
    return result;
  }
  auto match = std::make_unique<Match>(arena, planned, options, result);
  const Step played = match->play();
  match->tell(result);
  if (played) return result;
  const Trouble& trouble = played.error();
  lost = trouble.lost;
  if (lost) {
    match->dismiss_players();
    (void)match.release();  // giving its memory back would wait for ever
  }
  result.reason = trouble.cause;
  if (trouble.player >= 0) result.build = trouble.player == baseline ? baseline_side : current_side;
  result.ruling = trouble.player != current || lacks_case(trouble.cause.code) ? Ruling::unjudged
                  : trouble.wrong                                             ? Ruling::incorrect
                                                                              : Ruling::failed;
  return result;
}

}  // namespace harness::referee
