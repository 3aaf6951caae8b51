// change_scores: scores of the change points of `history` on labelled series, and of Otava's and of plain
// e-divisive. README.md of this folder says what comes out; series.py writes the input.
//
//   change_scores FILE       {"name": ..., "values": [...], "labels": [[...], ...]} a line, or "planted":
//   [[from, to]]
//
// With --published FILE it also prints the mean of the published scores over the same series.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/series/change_points.h"
#include "harness/stats/series/level_changes.h"
#include "harness/study/peers/peer_calls.h"
#include "scores.h"

namespace harness {
namespace {

using nlohmann::json;
using peers::Values;

struct Labelled {
  std::string name;
  Values values;
  std::vector<Places> annotators;
  std::vector<Planted> planted;
};

struct Settings {
  double alpha = 0.01;
  std::size_t least = 3;
};

std::vector<stats::ChangePoint> by_divisive(const Values& values, const Settings& settings) {
  stats::ChangePointOptions options;
  options.alpha = settings.alpha;
  options.min_segment = settings.least;
  return stats::change_points(values, options).value();
}

Places places(const std::vector<stats::ChangePoint>& points) {
  Places all;
  for (const stats::ChangePoint& point : points) all.insert(point.index);
  return all;
}

Places by_history(const Values& values, const Settings& settings) {
  return places(stats::level_changes(values, by_divisive(values, settings), settings.alpha));
}

Places by_otava(const Values& values, const Settings&) {
  const auto points = peers::otava(values);
  return {points.begin(), points.end()};
}

struct Method {
  const char* name;
  std::function<Places(const Values&, const Settings&)> find;
};

const Method methods[] = {
    {"never a change", [](const Values&, const Settings&) { return Places{}; }},
    {"e-divisive", [](const Values& values, const Settings& s) { return places(by_divisive(values, s)); }},
    {"Otava", by_otava},
    {"history", by_history},
};

// Change points whose step is larger than the margin, as `history` counts them. Values are logs.
Places beyond(const Places& points, const Values& values, double margin) {
  Places kept;
  std::size_t from = 0;
  for (auto at = points.begin(); at != points.end(); ++at) {
    const std::size_t to = std::next(at) == points.end() ? values.size() : *std::next(at);
    const auto all = std::span(values);
    const double step = stats::mean(all.subspan(*at, to - *at)) - stats::mean(all.subspan(from, *at - from));
    if (std::abs(step) > std::log1p(margin)) kept.insert(*at);
    from = *at;
  }
  return kept;
}

std::vector<Labelled> load(const std::string& name) {
  std::ifstream file(name);
  std::vector<Labelled> all;
  for (std::string line; std::getline(file, line);) {
    const json row = json::parse(line);
    Labelled one{row.at("name"), row.at("values"), {}, {}};
    for (const json& labels : row.value("labels", json::array()))
      one.annotators.push_back(labels.get<Places>());
    for (const json& change : row.value("planted", json::array()))
      one.planted.push_back({change[0], change[1]});
    all.push_back(std::move(one));
  }
  return all;
}

struct Scores {
  double f1 = 0, cover = 0, best_f1 = 0, best_cover = 0;
};

// With the defaults, and with the best settings for each series ("oracle").
Scores scores_of(const Method& method, const std::vector<Labelled>& all, double margin) {
  Scores sums;
  for (const Labelled& one : all) {
    double best_f1 = 0, best_cover = 0;
    for (const double alpha : {0.01, 0.05, 0.001})
      for (const std::size_t least : {3UL, 2UL, 5UL, 10UL, 30UL}) {
        Places found = method.find(one.values, {alpha, least});
        if (margin > 0) found = beyond(found, one.values, margin);
        const double f1 = f1_score(one.annotators, found);
        const double cover = cover_score(one.annotators, found, one.values.size());
        best_f1 = std::max(best_f1, f1);
        best_cover = std::max(best_cover, cover);
        if (alpha == Settings{}.alpha && least == Settings{}.least) {
          sums.f1 += f1;
          sums.cover += cover;
        }
      }
    sums.best_f1 += best_f1;
    sums.best_cover += best_cover;
  }
  const double count = static_cast<double>(all.size());
  return {sums.f1 / count, sums.cover / count, sums.best_f1 / count, sums.best_cover / count};
}

// Each series with our scores and the published ones.
void print_each(const std::vector<Labelled>& all, const std::string& published) {
  const json table = published.empty() ? json::object() : json::parse(std::ifstream(published));
  fmt::print("| series | method | F1 | cover | change points |\n|---|---|--:|--:|---|\n");
  for (const Labelled& one : all) {
    for (const Method& method : methods) {
      const Places found = method.find(one.values, {});
      fmt::print("| {} | {} | {:.3f} | {:.3f} | {} |\n", one.name, method.name,
                 f1_score(one.annotators, found), cover_score(one.annotators, found, one.values.size()),
                 fmt::join(found, " "));
    }
    for (const auto& [method, by_series] : table.items())
      fmt::print("| {} | published: {} | {:.3f} | {:.3f} | |\n", one.name, method,
                 by_series.at(one.name).at(0).get<double>(), by_series.at(one.name).at(1).get<double>());
  }
}

void print_labelled(const std::vector<Labelled>& all, double margin, const std::string& published) {
  fmt::print(
      "\n| {} series, method | F1 | cover | F1, best settings | cover, best settings "
      "|\n|---|--:|--:|--:|--:|\n",
      all.size());
  for (const Method& method : methods) {
    const Scores scores = scores_of(method, all, margin);
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", method.name, scores.f1, scores.cover,
               scores.best_f1, scores.best_cover);
  }
  if (published.empty()) return;
  std::ifstream file(published);
  const json table = json::parse(file);
  for (const auto& [method, by_series] : table.items()) {
    double f1 = 0, cover = 0;
    for (const Labelled& one : all) {
      f1 += by_series.at(one.name).at(0).get<double>();
      cover += by_series.at(one.name).at(1).get<double>();
    }
    const double count = static_cast<double>(all.size());
    fmt::print("| published: {} | {:.3f} | {:.3f} | | |\n", method, f1 / count, cover / count);
  }
}

// Prints precision and recall; true if ours reach both.
bool print_planted(const std::vector<Labelled>& all, double margin, double precision, double recall) {
  bool reached = true;
  fmt::print(
      "\n| {} series, method | precision | recall | beyond the margin: precision | recall "
      "|\n|---|--:|--:|--:|--:|\n",
      all.size());
  for (const Method& method : methods) {
    Tally every, large;
    for (const Labelled& one : all) {
      const Places found = method.find(one.values, {});
      every.add(one.planted, found);
      large.add(one.planted, beyond(found, one.values, margin));
    }
    if (every.found == 0) continue;
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", method.name, every.precision(), every.recall(),
               large.precision(), large.recall());
    if (method.name == std::string("history"))
      reached = large.precision() >= precision && large.recall() >= recall;
  }
  return reached;
}

int run(int argc, char** argv) {
  CLI::App program("Scores of change points on labelled series");
  std::string file, published;
  bool each = false;
  double margin = 0, precision = 0, recall = 0;
  program.add_option("file", file)->required()->check(CLI::ExistingFile);
  program.add_option("--published", published, "scores of others by method and series")
      ->check(CLI::ExistingFile);
  program.add_flag("--each", each, "print each labelled series");
  program.add_option("--margin", margin, "0.05: count steps of more than 5 %; the values are logs");
  program.add_option("--precision", precision,
                     "of the change points beyond the margin, at least; else exit 1");
  program.add_option("--recall", recall, "likewise");
  CLI11_PARSE(program, argc, argv);
  const std::vector<Labelled> all = load(file);
  if (all.empty()) {
    std::cerr << file << " holds no series\n";
    return 2;
  }
  if (!all.front().annotators.empty()) {
    if (each) print_each(all, published);
    print_labelled(all, margin, published);
    return 0;
  }
  return print_planted(all, margin, precision, recall) ? 0 : 1;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  return harness::run(argc, argv);
}
