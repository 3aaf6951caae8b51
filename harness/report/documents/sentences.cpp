// Reasons that differ by their figures alone, as one sentence (identity.h).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "harness/base/text.h"
#include "harness/report/documents/identity.h"

namespace harness::report {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

// A sign that ends a word ends none in "1,234" and "12:30".
bool ends_word(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  if (std::string_view(" .,;:%)]").find(text[at]) == std::string_view::npos) return false;
  return at + 1 >= text.size() || !is_digit(text[at + 1]);
}

// Where the number that starts at `begin` ends, or `begin` where none does.
std::size_t end_of_number(std::string_view text, std::size_t begin) {
  if (begin > 0 && std::string_view(" ([+").find(text[begin - 1]) == std::string_view::npos) return begin;
  std::size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() &&
                                                       is_digit(text[end + 1]) && end > begin)))
    ++end;
  return end > begin && ends_word(text, end) ? end : begin;
}

// A sentence in pieces: words[0] numbers[0] words[1] ... words[n].
struct Sentence {
  std::vector<std::string> words = {""};
  std::vector<std::string> numbers;
};

Sentence take_apart(std::string_view text) {
  Sentence sentence;
  bool quoted = false;  // what stands between backticks is a name
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '`') quoted = !quoted;
    const std::size_t end = quoted || !is_digit(text[at]) ? at : end_of_number(text, at);
    if (end == at) {
      sentence.words.back() += text[at++];
      continue;
    }
    sentence.numbers.emplace_back(text.substr(at, end - at));
    sentence.words.emplace_back();
    at = end;
  }
  return sentence;
}

double value_of(const std::string& number) {
  return std::strtod(number.c_str(), nullptr);
}

std::string range_of(const std::vector<Sentence>& sentences, std::size_t number) {
  const auto less = [&](const Sentence& a, const Sentence& b) {
    return value_of(a.numbers[number]) < value_of(b.numbers[number]);
  };
  const auto [least, most] = std::minmax_element(sentences.begin(), sentences.end(), less);
  return fmt::format("{} to {}", least->numbers[number], most->numbers[number]);
}

// Of sentences with the same words.
ReasonGroup merge(const std::vector<Sentence>& sentences, std::vector<std::string> ids) {
  const Sentence& first = sentences.front();
  ReasonGroup group{first.words.front(), std::move(ids), {}};
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    const bool differs = std::any_of(sentences.begin(), sentences.end(), [&](const Sentence& other) {
      return other.numbers[i] != first.numbers[i];
    });
    if (differs) differing.push_back(i);
    group.reason += (differs ? range_of(sentences, i) : first.numbers[i]) + first.words[i + 1];
  }
  if (differing.empty()) return group;
  for (const Sentence& sentence : sentences) {
    std::vector<std::string> figures;
    for (const std::size_t i : differing) figures.push_back(sentence.numbers[i]);
    group.figures.push_back(join(figures, ", "));
  }
  return group;
}

}  // namespace

std::vector<ReasonGroup> group_by_sentence(std::span<const Reasoned> cases) {
  struct Gathered {
    std::vector<Sentence> sentences;
    std::vector<std::string> ids;
  };
  std::vector<Gathered> all;
  std::map<std::vector<std::string>, std::size_t> known;
  for (const Reasoned& one : cases) {
    Sentence sentence = take_apart(one.reason);
    const auto [at, is_new] = known.try_emplace(sentence.words, all.size());
    if (is_new) all.emplace_back();
    all[at->second].sentences.push_back(std::move(sentence));
    all[at->second].ids.push_back(one.id);
  }
  std::vector<ReasonGroup> groups;
  groups.reserve(all.size());
  for (Gathered& one : all) groups.push_back(merge(one.sentences, std::move(one.ids)));
  return groups;
}

}  // namespace harness::report
