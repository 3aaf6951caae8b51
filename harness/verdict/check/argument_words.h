// Argument words: what traced programs give their kernels, word by word. A structure has bytes that nobody
// sets, so some words differ from start to start of one build; they tell nothing about another. Pure.
//
// In a training step of PyTorch on an H200, 288 of 4,473 words differed between five starts, and nine more in
// one of five other starts of the same build. So a word has changed where all starts of the baseline agree on
// a value that no start of the other side has.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/model/record.h"

namespace harness {

// How the words of a program's kernels compare, where its steps are the same but for them.
struct WordMatch {
  std::vector<std::string> changed = {};  // kernels with a word that has changed
  std::size_t loose_words = 0;            // that differ between starts of a side, and have not changed

  [[nodiscard]] bool same() const { return changed.empty(); }
};

// By name of the program. Left out are programs of which some start's launches are unknown, or differ in more
// than words, and programs whose baseline started once: nothing tells which of its words count.
std::map<std::string, WordMatch> match_words(const Record& baseline, const Record& current);

// Whether both sides' starts of a traced program agree on a frame each, and the sides do not.
bool have_other_frames(const CaseRecord& baseline, const CaseRecord& current);

}  // namespace harness
