#include "harness/verdict/check/argument_words.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "harness/model/results/program_trace.h"

namespace harness {
namespace {

constexpr std::size_t digits = 8;  // of a word

using Starts = std::vector<const ProcessResult*>;

// Nothing where a start's launches are unknown.
std::optional<Starts> starts_of(const CaseRecord& program) {
  Starts starts;
  for (const ProcessResult& one : program.processes) {
    if (!one.identity) continue;
    if (one.identity->gap || one.identity->frame.empty()) return std::nullopt;
    starts.push_back(&one);
  }
  return starts;
}

bool same_kernel(const KernelUse& one, const KernelUse& other) {
  return one.name == other.name && one.grid == other.grid && one.block == other.block &&
         one.code == other.code;
}

bool same_kernels(const std::vector<KernelUse>& one, const std::vector<KernelUse>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_kernel);
}

bool same_frame(const ProcessResult& one, const ProcessResult& other) {
  return one.identity->frame == other.identity->frame && same_kernels(one.kernels, other.kernels) &&
         same_kernels(one.identity->setup, other.identity->setup);
}

// The kernels of the steps have the first numbers, and those beside them the next.
const KernelUse& kernel_of(const ProcessResult& start, std::size_t number) {
  return number < start.kernels.size() ? start.kernels[number]
                                       : start.identity->setup[number - start.kernels.size()];
}

// One kernel in all starts of both sides.
class WordTable {
 public:
  WordTable(const Starts& baseline, const Starts& current, std::size_t kernel)
      : baseline_(baseline), current_(current), kernel_(kernel), words_(words(*baseline.front())) {}

  // False: some start has no words, or more or less of them than another.
  [[nodiscard]] bool has_words() const {
    return !words_.empty() && all(baseline_, &WordTable::as_long) && all(current_, &WordTable::as_long);
  }
  [[nodiscard]] bool same_arguments() const {
    return !use(*baseline_.front()).arguments.empty() && all(baseline_, &WordTable::as_given) &&
           all(current_, &WordTable::as_given);
  }
  [[nodiscard]] std::size_t count() const { return words_.size() / digits; }
  [[nodiscard]] bool loose(std::size_t word) const {
    return starts_like_first(baseline_, word) < baseline_.size() ||
           starts_like_first(current_, word) < current_.size();
  }
  [[nodiscard]] bool changed(std::size_t word) const {
    return starts_like_first(baseline_, word) == baseline_.size() && starts_like_first(current_, word) == 0;
  }

 private:
  [[nodiscard]] const KernelUse& use(const ProcessResult& start) const { return kernel_of(start, kernel_); }
  [[nodiscard]] std::string_view words(const ProcessResult& start) const { return use(start).words; }
  [[nodiscard]] bool as_long(const ProcessResult& start) const {
    return words(start).size() == words_.size();
  }
  [[nodiscard]] bool as_given(const ProcessResult& start) const {
    return use(start).arguments == use(*baseline_.front()).arguments;
  }
  [[nodiscard]] bool all(const Starts& starts, bool (WordTable::*holds)(const ProcessResult&) const) const {
    return std::all_of(starts.begin(), starts.end(),
                       [&](const ProcessResult* one) { return (this->*holds)(*one); });
  }
  [[nodiscard]] std::size_t starts_like_first(const Starts& starts, std::size_t word) const {
    return static_cast<std::size_t>(std::count_if(starts.begin(), starts.end(), [&](const auto* one) {
      return words(*one).substr(word * digits, digits) == words_.substr(word * digits, digits);
    }));
  }

  const Starts& baseline_;
  const Starts& current_;
  std::size_t kernel_;
  std::string_view words_;
};

void add_kernel(WordMatch& match, const WordTable& table, const std::string& name) {
  bool changed = false;
  std::size_t loose = 0;
  if (!table.has_words()) {
    changed = !table.same_arguments();
  } else {
    for (std::size_t word = 0; word < table.count(); ++word) {
      changed |= table.changed(word);
      loose += table.loose(word) ? 1 : 0;
    }
  }
  if (changed) match.changed.push_back(name);
  match.loose_words += loose;
}

std::optional<WordMatch> match_words(const CaseRecord& baseline, const CaseRecord& current) {
  const std::optional<Starts> before = starts_of(baseline), after = starts_of(current);
  if (!before || !after || before->size() < 2 || after->empty()) return std::nullopt;
  const ProcessResult& first = *before->front();
  const auto like_first = [&](const ProcessResult* one) { return same_frame(first, *one); };
  if (!std::all_of(before->begin(), before->end(), like_first) ||
      !std::all_of(after->begin(), after->end(), like_first))
    return std::nullopt;
  WordMatch match;
  for (std::size_t i = 0; i < first.kernels.size() + first.identity->setup.size(); ++i)
    add_kernel(match, WordTable(*before, *after, i), kernel_of(first, i).name);
  return match;
}

// "" where some start has none, or another one.
std::string agreed_frame(const CaseRecord& program) {
  const std::optional<Starts> starts = starts_of(program);
  if (!starts || starts->empty()) return {};
  const std::string& frame = starts->front()->identity->frame;
  const bool agreed = std::all_of(starts->begin(), starts->end(),
                                  [&](const ProcessResult* one) { return one->identity->frame == frame; });
  return agreed ? frame : std::string();
}

bool is_traced_program(const CaseRecord& one) {
  return one.program && one.program->reads == trace_format && !is_traced_kernel(one);
}

}  // namespace

bool have_other_frames(const CaseRecord& baseline, const CaseRecord& current) {
  const std::string before = agreed_frame(baseline), after = agreed_frame(current);
  return !before.empty() && !after.empty() && before != after;
}

std::map<std::string, WordMatch> match_words(const Record& baseline, const Record& current) {
  std::unordered_map<std::string_view, const CaseRecord*> before;
  for (const CaseRecord& one : baseline.cases)
    if (is_traced_program(one)) before.emplace(one.id, &one);
  std::map<std::string, WordMatch> matches;
  for (const CaseRecord& one : current.cases) {
    const auto found = before.find(one.id);
    if (found == before.end() || !is_traced_program(one)) continue;
    if (std::optional<WordMatch> match = match_words(*found->second, one))
      matches.emplace(one.id, std::move(*match));
  }
  return matches;
}

}  // namespace harness
