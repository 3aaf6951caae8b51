#include "harness/store/adapters/known_units.h"

#include <algorithm>
#include <array>

#include "harness/base/text.h"

namespace harness {
namespace {

struct Spelling {
  std::string_view text;
  TimeUnit unit;
};
constexpr TimeUnit hours{3.6e9, 1}, minutes{6e7, 1}, seconds{1e6, 1}, milliseconds{1e3, 1},
    microseconds{1, 1}, nanoseconds{1, 1e3}, picoseconds{1, 1e6};
constexpr std::array<Spelling, 41> spellings{{{"h", hours},
                                              {"hour", hours},
                                              {"hours", hours},
                                              {"min", minutes},
                                              {"mins", minutes},
                                              {"minute", minutes},
                                              {"minutes", minutes},
                                              {"s", seconds},
                                              {"sec", seconds},
                                              {"secs", seconds},
                                              {"second", seconds},
                                              {"seconds", seconds},
                                              {"ms", milliseconds},
                                              {"msec", milliseconds},
                                              {"msecs", milliseconds},
                                              {"msecond", milliseconds},
                                              {"millis", milliseconds},
                                              {"millisecond", milliseconds},
                                              {"milliseconds", milliseconds},
                                              {"us", microseconds},
                                              {"\xC2\xB5s", microseconds},  // MICRO SIGN
                                              {"\xCE\xBCs", microseconds},  // GREEK SMALL LETTER MU
                                              {"usec", microseconds},
                                              {"usecs", microseconds},
                                              {"usecond", microseconds},
                                              {"micros", microseconds},
                                              {"microsec", microseconds},
                                              {"microsecond", microseconds},
                                              {"microseconds", microseconds},
                                              {"ns", nanoseconds},
                                              {"nsec", nanoseconds},
                                              {"nsecs", nanoseconds},
                                              {"nsecond", nanoseconds},
                                              {"nanos", nanoseconds},
                                              {"nanosec", nanoseconds},
                                              {"nanosecond", nanoseconds},
                                              {"nanoseconds", nanoseconds},
                                              {"ps", picoseconds},
                                              {"psec", picoseconds},
                                              {"picosecond", picoseconds},
                                              {"picoseconds", picoseconds}}};

constexpr std::array<std::string_view, 14> things{"b",    "byte",  "bytes",   "bit",   "bits",
                                                  "flop", "flops", "item",    "items", "tok",
                                                  "t",    "token", "request", "req"};

// "bytes" of "GiBytes": without a decimal or a binary prefix.
std::string_view without_prefix(std::string_view thing) {
  if (thing.empty() || std::string_view("kKMGTPE").find(thing.front()) == std::string_view::npos)
    return thing;
  thing.remove_prefix(1);
  if (thing.starts_with('i') && thing.size() > 1) thing.remove_prefix(1);
  return thing;
}

bool is_thing(std::string_view text) {
  const auto known = [](std::string_view one) {
    const std::string lower = to_lower(one);
    return std::find(things.begin(), things.end(), lower) != things.end() ||
           (lower.ends_with('s') &&
            std::find(things.begin(), things.end(), lower.substr(0, lower.size() - 1)) != things.end());
  };
  return known(text) || known(without_prefix(text));
}

// Work that Nsight Compute counts: less of it is better.
constexpr std::array<std::string_view, 6> counts_of_work{"inst",   "sector", "warp",
                                                         "thread", "block",  "cycle"};

// Rates that have a word of their own.
constexpr std::array<std::string_view, 9> rate_words{"fps", "qps", "rps", "iops", "tps",
                                                     "ops", "hz",  "bps", "flops"};

// The numerator of a rate; std::nullopt for a unit that is no rate.
std::optional<std::string> counted(std::string_view unit) {
  for (const std::string_view per : {"/", " per "})
    for (std::size_t at = unit.find(per); at != std::string_view::npos; at = unit.find(per, at + 1)) {
      const std::string_view rest = trim(unit.substr(at + per.size()));
      if (time_unit(rest.substr(0, rest.find('/'))))
        return std::string(trim(unit.substr(0, at)));  // GB/s/GPU
    }
  for (const std::string_view text : {unit, without_prefix(unit)})
    for (const std::string_view rate : rate_words)
      if (to_lower(text) == rate)
        return std::string(rate == "bps" ? "b" : rate == "flops" ? "flop" : rate == "hz" ? "" : "request");
  return std::nullopt;
}

}  // namespace

std::optional<TimeUnit> time_unit(std::string_view spelling) {
  const std::string lower = to_lower(trim(spelling));
  const auto found = std::find_if(spellings.begin(), spellings.end(),
                                  [&](const Spelling& one) { return one.text == lower; });
  return found == spellings.end() ? std::nullopt : std::optional(found->unit);
}

UsualDirection usual_direction(std::string_view unit) {
  unit = trim(unit);
  if (const std::optional<std::string> rate = counted(unit))
    return {Direction::higher_is_better, is_thing(*rate)};
  const std::string_view numerator = unit.substr(0, unit.find('/'));
  const bool is_work =
      std::find(counts_of_work.begin(), counts_of_work.end(), numerator) != counts_of_work.end();
  return {Direction::lower_is_better, time_unit(numerator).has_value() || is_thing(numerator) || is_work};
}

bool is_named_time(std::string_view metric) {
  for (const std::string_view end : {"time", "latency", "duration", "_ms", "_us", "_ns", "_seconds"})
    if (metric.ends_with(end)) return true;
  return metric == "first_call";
}

}  // namespace harness
