#include "house_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "harness/base/text.h"
#include "source_parts.h"

namespace harness::tree {
namespace {

namespace fs = std::filesystem;

constexpr int most_words = 30;

std::string place(const SourceFile& file, int line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

// Each line of code that `matches`.
std::vector<std::string> lines_of_code(const SourceFile& file,
                                       const std::function<bool(const std::string&)>& matches) {
  std::vector<std::string> found;
  int number = 0;
  for (const std::string& line : split(take_apart(file.text).code, '\n')) {
    ++number;
    if (matches(line)) found.push_back(place(file, number) + std::string(trim(line)));
  }
  return found;
}

std::vector<std::string> literals_that(const SourceFile& file,
                                       const std::function<bool(const std::string&)>& match) {
  std::vector<std::string> found;
  for (const Piece& literal : take_apart(file.text).literals)
    if (match(literal.text)) found.push_back(place(file, literal.line) + literal.text);
  return found;
}

std::string folder(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}
std::string unit_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

using Graph = std::map<std::string, std::set<std::string>>;

// The units that can be reached from `start`.
std::set<std::string> reach(const Graph& graph, const std::string& start) {
  std::set<std::string> seen;
  std::vector<std::string> open{start};
  while (!open.empty()) {
    const std::string unit = open.back();
    open.pop_back();
    const auto next = graph.find(unit);
    if (next == graph.end()) continue;
    for (const std::string& to : next->second)
      if (seen.insert(to).second) open.push_back(to);
  }
  return seen;
}

std::vector<Piece> prose_of(const SourceFile& file) {
  static constexpr std::array<std::string_view, 7> scripts{".sh",  ".py",  ".ts",   ".mjs",
                                                           ".cjs", ".yml", ".cmake"};
  if (file.path.ends_with(".md")) return paragraphs(file.text);
  const bool script = file.path.ends_with("CMakeLists.txt") ||
                      std::any_of(scripts.begin(), scripts.end(),
                                  [&](std::string_view ending) { return file.path.ends_with(ending); });
  return script ? line_comments(file.text) : take_apart(file.text).comments;
}

}  // namespace

std::vector<std::string> environment_reads(const SourceFile& file) {
  return lines_of_code(file,
                       [](const std::string& line) { return line.find("getenv") != std::string::npos; });
}

std::vector<std::string> cuda_literals(const SourceFile& file) {
  return literals_that(file, [](const std::string& text) { return text == "cuda"; });
}

std::vector<std::string> read_sentences(const SourceFile& file) {
  // Comparing with an enumerator (`Reason::throttled`) reads a code.
  static const std::regex read(
      R"((\.|->)(message|reason|described)\b(\(\))?\s*(\.(find|rfind|starts_with|ends_with|substr|contains|compare)\(|[!=]=\s*("|[a-z_.\->]+[^:\w(]|[a-z_.\->]+$)))"
      R"(|"\s*[!=]=\s*[\w.\->()]+(\.|->)(message|reason|described)\b)"
      R"(|\b(split|find|starts_with|from_chars|regex_\w+)\([^;]*(\.|->)(message|reason|described)\b)");
  return lines_of_code(file, [](const std::string& line) {
    const bool possible = line.find("message") != std::string::npos ||
                          line.find("reason") != std::string::npos ||
                          line.find("described") != std::string::npos;
    const bool into_lines =
        line.find("split(") != std::string::npos && line.find("'\\n'") != std::string::npos;
    return possible && !into_lines && std::regex_search(line, read);
  });
}

std::vector<std::string> english_literals(const SourceFile& file) {
  static const std::regex words(R"([A-Za-z]{2,},? [A-Za-z]{2,})");
  return literals_that(file, [](const std::string& text) {
    return text.find(' ') != std::string::npos && std::regex_search(text, words);
  });
}

std::vector<std::string> uninstalled_files(const SourceFile& file) {
  static const std::regex inside(
      R"(\b(manual|tests|kernels|harness/(cli|store|suite|report|verdict))/|\bsuites/README)");
  return literals_that(file, [](const std::string& text) {
    return text.find(' ') != std::string::npos && std::regex_search(text, inside);
  });
}

std::vector<std::string> hard_sentences(const SourceFile& file) {
  static constexpr std::array<std::string_view, 9> dangling{
      "Of ", "What ", "Those ", "Whoever ", "Whose ", "One that ", "Which ", "Whatever ", "That which "};
  std::vector<std::string> found;
  for (const Piece& text : prose_of(file))
    for (const std::string& sentence : sentences(text.text)) {
      const auto words = std::count(sentence.begin(), sentence.end(), ' ') + 1;
      const bool hangs =
          !sentence.ends_with("?") && std::any_of(dangling.begin(), dangling.end(), [&](auto start) {
            return sentence.starts_with(start) && sentence.size() > start.size() &&
                   std::islower(static_cast<unsigned char>(sentence[start.size()])) != 0;
          });
      if (words > most_words)
        found.push_back(place(file, text.line) + std::to_string(words) + " words: " + sentence);
      else if (hangs)
        found.push_back(place(file, text.line) + "starts with nothing to hold on to: " + sentence);
    }
  return found;
}

std::vector<std::string> missing_files(const SourceFile& file, const std::set<std::string>& paths) {
  static const std::regex named(
      R"((^|[^\w/.<{*-])((harness/)?(base|catalog|cli|device|doctor|measure|model|report|schema|sdk|stats|store|study|suite|verdict)/[\w/]+\.(h|cpp|md))\b)");
  static const std::regex linked(R"(\]\(([^)#: ]+)\))");
  const bool markdown = file.path.ends_with(".md");
  std::vector<std::string> found;
  const auto check = [&](int line, const std::string& name) {
    if (name.starts_with(".") && !name.starts_with("..")) return;  // hidden folders are not listed
    const std::string beside = fs::path(folder(file.path) + "/" + name).lexically_normal().generic_string();
    const std::string there = beside.ends_with("/") ? beside.substr(0, beside.size() - 1) : beside;
    for (const std::string& path :
         {name, "harness/" + name, there, fs::path(name).lexically_normal().string()})
      if (paths.contains(path)) return;
    found.push_back(place(file, line) + name + " is not there");
  };
  for (const Piece& text : prose_of(file)) {
    for (std::sregex_iterator at(text.text.begin(), text.text.end(), named), end; at != end; ++at)
      check(text.line, (*at)[2].str());
  }
  int number = 0;
  for (const std::string& line : markdown ? split(file.text, '\n') : std::vector<std::string>{}) {
    ++number;
    for (std::sregex_iterator at(line.begin(), line.end(), linked), end; at != end; ++at)
      check(number, (*at)[1].str());
  }
  return found;
}

std::vector<std::vector<std::string>> include_circles(const std::vector<SourceFile>& files) {
  static const std::regex include(R"(^\s*#\s*include\s*"(harness/[^"]+)\")");
  Graph graph;
  for (const SourceFile& file : files)
    for (const std::string& line : split(file.text, '\n')) {
      std::smatch match;
      if (line.find("include") == std::string::npos || !std::regex_search(line, match, include)) continue;
      const std::string to = unit_of(match[1].str());
      if (to != unit_of(file.path)) graph[unit_of(file.path)].insert(to);
    }
  std::map<std::string, std::set<std::string>> reachable;
  for (const auto& [unit, unused] : graph) reachable[unit] = reach(graph, unit);
  std::vector<std::vector<std::string>> circles;
  std::set<std::string> told;
  for (const auto& [unit, to] : reachable) {
    if (!to.contains(unit) || told.contains(unit)) continue;
    std::vector<std::string> circle;
    for (const std::string& other : to)
      if (reachable[other].contains(unit)) circle.push_back(other);
    told.insert(circle.begin(), circle.end());
    circles.push_back(std::move(circle));
  }
  return circles;
}

std::vector<std::string> repeated_base_names(const std::vector<SourceFile>& files) {
  std::map<std::string, std::set<std::string>> places;
  for (const SourceFile& file : files) {
    const std::string unit = unit_of(file.path);
    places[unit.substr(unit.rfind('/') + 1)].insert(folder(unit));
  }
  std::vector<std::string> found;
  for (const auto& [name, folders] : places)
    if (folders.size() > 1)
      found.push_back(name + ": " + join(std::vector<std::string>(folders.begin(), folders.end()), ", "));
  return found;
}

std::vector<std::pair<std::string, int>> large_folders(const std::vector<SourceFile>& files, int limit) {
  std::map<std::string, int> sizes;
  for (const SourceFile& file : files) ++sizes[folder(file.path)];
  std::vector<std::pair<std::string, int>> found;
  for (const auto& [name, count] : sizes)
    if (count > limit) found.emplace_back(name, count);
  return found;
}

}  // namespace harness::tree
