#include "harness/report/words/summary_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/report/words/diagnostic_words.h"
#include "harness/report/words/note_words.h"

namespace harness::report {
namespace {

// The common part of a group: code, texts, names of figures, and signs of numbers. Words may depend on these.
using Kind = std::pair<DiagnosticCode, std::vector<std::pair<std::string, std::string>>>;

Kind kind_of(const Diagnostic& diagnostic) {
  Kind kind{diagnostic.code, {}};
  for (const Figure& figure : diagnostic.figures) {
    const double number = diagnostic.number(figure.name);
    kind.second.emplace_back(figure.name, number > 0 ? "+" : number < 0 ? "-" : diagnostic.text(figure.name));
  }
  return kind;
}

struct Noted {
  std::string id;
  const Diagnostic* diagnostic;
};

ReasonGroup group_of(const std::vector<Noted>& members) {
  std::vector<const Figures*> figures;
  ReasonGroup group;
  for (const Noted& member : members) {
    figures.push_back(&member.diagnostic->figures);
    group.ids.push_back(member.id);
  }
  const Told told(std::move(figures));
  group.reason = words(members.front().diagnostic->code, told);
  std::vector<std::string> differing = told.differing();
  if (std::any_of(differing.begin(), differing.end(), [](const std::string& one) { return !one.empty(); }))
    group.figures = std::move(differing);
  return group;
}

}  // namespace

std::vector<std::string> note_words(const Summary& summary) {
  std::vector<std::string> notes;
  for (const Note& note : summary.notes) notes.push_back(words(note));
  for (const Diagnostic& diagnostic : summary.diagnostics) notes.push_back(words(diagnostic));
  return notes;
}

std::vector<ReasonGroup> grouped_notes(const std::vector<Summary>& summaries) {
  std::vector<Reasoned> texts;
  std::set<std::pair<std::string_view, std::string>> told;
  std::vector<std::vector<Noted>> kinds;
  std::map<Kind, std::size_t> places;
  for (const Summary& summary : summaries) {
    for (const Note& note : summary.notes)
      if (told.emplace(summary.case_id, words(note)).second) texts.push_back({summary.case_id, words(note)});
    for (const Diagnostic& diagnostic : summary.diagnostics) {
      if (!told.emplace(summary.case_id, words(diagnostic)).second) continue;
      const auto [at, is_new] = places.try_emplace(kind_of(diagnostic), kinds.size());
      if (is_new) kinds.emplace_back();
      kinds[at->second].push_back({summary.case_id, &diagnostic});
    }
  }
  std::vector<ReasonGroup> groups = group_by_reason(texts);
  for (const std::vector<Noted>& members : kinds) groups.push_back(group_of(members));
  return groups;
}

}  // namespace harness::report
