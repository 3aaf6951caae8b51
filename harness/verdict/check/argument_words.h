// Argument words: what traced programs give their kernels, word by word. A structure has bytes that nobody
// sets, so some words differ from start to start of one build; they tell nothing about another. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/model/record.h"

namespace harness {

// How the words of a program's kernels compare, where its steps are the same but for them.
struct WordMatch {
  std::vector<std::string> changed =
      {};  // kernels whose words are the same in all starts of the baseline, and not here
  std::size_t loose_words = 0;    // that differ between starts of the baseline, and so do not count
  std::size_t loose_kernels = 0;  // that have some

  [[nodiscard]] bool same() const { return changed.empty(); }
};

// By name of the program. Those of which some start's launches are unknown, or differ in more than words, are
// left out, and those whose baseline started once: nothing tells which of its words count.
std::map<std::string, WordMatch> match_words(const Record& baseline, const Record& current);

}  // namespace harness
