#include "harness/store/sql/database.h"

#include <fmt/format.h>

#include <array>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/store/store.h"
#include "harness/store/store_wait.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds usual_patience{30'000}, brief_patience{100}, told_after{1'000};
thread_local std::chrono::milliseconds patience = usual_patience;
thread_local bool was_locked = false;

std::function<void(const std::string&)>& listener() {
  static std::function<void(const std::string&)> told;
  return told;
}

struct Scheme {
  std::string_view prefix;
  Result<std::unique_ptr<Database>> (*open)(const std::string& rest, bool create);
  bool whole_url;  // `open` takes the URL with its scheme
};

constexpr std::array<Scheme, 3> schemes{{{"sqlite:", open_sqlite, false},
                                         {"postgresql://", open_postgresql, true},
                                         {"postgres://", open_postgresql, true}}};

// A few milliseconds, different for everyone who waits.
void wait_a_little() {
  static thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 4000));
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::string& url, bool create) {
  for (const Scheme& scheme : schemes)
    if (url.starts_with(scheme.prefix))
      return scheme.open(scheme.whole_url ? url : url.substr(scheme.prefix.size()), create);
  for (const Scheme& scheme : schemes)
    if (url.starts_with(scheme.prefix.substr(0, scheme.prefix.find(':') + 1)))
      return fail(ErrorKind::usage, fmt::format("such a URL begins with {}", scheme.prefix),
                  "give postgresql://USER@HOST/DATABASE, or ./FILE for a file of such a name");
  const std::size_t colon = url.find("://");
  if (colon == std::string::npos) return open_sqlite(url, create);
  const std::vector<std::string> known{"sqlite", "postgresql"};
  return fail(ErrorKind::usage,
              fmt::format("`{}` is no kind of store; {}", printable(url.substr(0, colon)),
                          suggestion(url.substr(0, colon), known)),
              "give a file, sqlite:FILE or postgresql://USER@HOST/DATABASE");
}

Status Database::patiently(const std::function<Status()>& step) {
  const Clock::time_point begin = Clock::now(), deadline = begin + patience;
  bool revived = false, told = false;
  was_locked = false;
  while (true) {
    try {
      return step();
    } catch (const soci::soci_error& error) {
      const Error explained = explain(error);
      const bool busy = is_busy(error);
      roll_back();
      if (busy && Clock::now() < deadline) {
        if (!told && listener() && Clock::now() - begin >= told_after) listener()(name_), told = true;
        wait_a_little();
        continue;
      }
      try {
        if (!busy && !revived && (revived = revive())) continue;
      } catch (const soci::soci_error& refused) {  // why the lost connection cannot be made again
        was_locked = busy;
        return fail(explain(refused));
      }
      was_locked = busy;
      return fail(explained);
    }
  }
}

void on_store_wait(std::function<void(const std::string&)> told) {
  listener() = std::move(told);
}

BriefPatience::BriefPatience() {
  patience = brief_patience;
}

BriefPatience::~BriefPatience() {
  patience = usual_patience;
}

bool store_was_locked() {
  return was_locked;
}

Status Database::transaction(const char* begin, const std::function<Status()>& body) {
  return patiently([&]() -> Status {
    sql_ << begin;
    Status done = body();
    if (done)
      sql_ << "COMMIT";
    else
      roll_back();
    return done;
  });
}

void Database::roll_back() {
  try {
    sql_ << "ROLLBACK";
  } catch (const soci::soci_error&) {  // no transaction, or no connection: nothing to undo
  }
}

std::vector<TextRange> passwords_in(const std::string& url) {
  std::vector<TextRange> ranges;
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return ranges;
  const std::size_t query = std::min(url.find('?', scheme), url.size());
  const std::size_t at = url.substr(0, query).rfind('@');
  const std::size_t colon = url.find(':', scheme + 3);
  if (at != std::string::npos && colon < at) ranges.push_back({colon + 1, at});
  static constexpr std::string_view key = "password=";
  for (std::size_t i = url.find(key, query); i != std::string::npos; i = url.find(key, i + 1))
    ranges.push_back({i + key.size(), std::min(url.find('&', i), url.size())});
  return ranges;
}

std::string without_password(const std::string& url) {
  std::string out = url;
  const std::vector<TextRange> ranges = passwords_in(url);
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range)
    out.replace(range->begin, range->end - range->begin, "***");
  return out;
}

}  // namespace harness
