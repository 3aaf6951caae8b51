#include "harness/verdict/check/tool_cases.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/results/machine_differences.h"

namespace harness {
namespace {

using Cases = std::vector<const CaseRecord*>;

struct Group {
  Cases before, after;
};

const std::string& name_of(const CaseRecord& one) {
  return one.tool_case ? one.tool_case->name : one.id;
}

// Whether all values agree that both have.
bool agree(const Texts& one, const Texts& other) {
  return std::all_of(one.begin(), one.end(), [&](const auto& entry) {
    const auto found = other.find(entry.first);
    return found == other.end() || found->second == entry.second;
  });
}

const Texts& parameters_of(const CaseRecord& one) {
  static const Texts none;
  return one.tool_case ? one.tool_case->parameters : none;
}

const Texts& launch_of(const CaseRecord& one) {
  static const Texts none;
  return one.tool_case ? one.tool_case->launch : none;
}

bool are_alike(const CaseRecord& one, const CaseRecord& other) {
  return agree(parameters_of(one), parameters_of(other)) && agree(launch_of(one), launch_of(other));
}

// Groups of cases with one name, on either side, some of which a tool told more of.
std::unordered_map<std::string_view, Group> groups_of(const Record& baseline, const Record& current) {
  std::unordered_map<std::string_view, Group> groups;
  const auto is_told = [](const CaseRecord& one) { return one.tool_case.has_value(); };
  for (const Record* record : {&baseline, &current})
    for (const CaseRecord& one : record->cases)
      if (is_told(one)) groups.try_emplace(name_of(one));
  if (groups.empty()) return groups;
  for (const CaseRecord& one : baseline.cases)
    if (const auto found = groups.find(name_of(one)); found != groups.end())
      found->second.before.push_back(&one);
  for (const CaseRecord& one : current.cases)
    if (const auto found = groups.find(name_of(one)); found != groups.end())
      found->second.after.push_back(&one);
  return groups;
}

// Whether pairing by ids is right: both sides have the same ones, for the same things.
bool pairs_by_id(const Group& group) {
  if (group.before.size() != group.after.size()) return false;
  std::unordered_map<std::string_view, const CaseRecord*> before;
  for (const CaseRecord* one : group.before) before.emplace(one->id, one);
  return std::all_of(group.after.begin(), group.after.end(), [&](const CaseRecord* one) {
    const auto found = before.find(one->id);
    return found != before.end() && (are_alike(*found->second, *one) || group.after.size() == 1);
  });
}

// The number of threads that a kernel was launched with, "80x2" blocks of "256".
double threads_of(const CaseRecord& one) {
  double threads = 1;
  for (const char* name : {"grid", "block"})
    if (const auto found = launch_of(one).find(name); found != launch_of(one).end())
      for (const std::string& size : split(found->second, 'x')) {
        double value = 1;
        std::from_chars(size.data(), size.data() + size.size(), value);
        threads *= value;
      }
  return threads;
}

// Places of cases from the smallest to the largest; those that are as large stay in their order.
std::vector<std::size_t> by_size(const Cases& cases) {
  std::vector<std::pair<double, std::size_t>> sizes;
  for (std::size_t i = 0; i < cases.size(); ++i) sizes.emplace_back(threads_of(*cases[i]), i);
  std::sort(sizes.begin(), sizes.end());
  std::vector<std::size_t> places;
  for (const auto& [size, place] : sizes) places.push_back(place);
  return places;
}

}  // namespace

std::map<const CaseRecord*, const CaseRecord*> paired_tool_cases(const Record& baseline,
                                                                 const Record& current) {
  std::map<const CaseRecord*, const CaseRecord*> pairs;
  for (const auto& [name, group] : groups_of(baseline, current)) {
    if (pairs_by_id(group)) continue;
    Cases before = group.before, after = group.after;
    const auto pair_those = [&](const auto& fit) {
      std::erase_if(after, [&](const CaseRecord* now) {
        const auto old = std::find_if(before.begin(), before.end(),
                                      [&](const CaseRecord* one) { return fit(*one, *now); });
        if (old == before.end()) return false;
        pairs.emplace(now, *old);
        before.erase(old);
        return true;
      });
    };
    pair_those([](const CaseRecord& one, const CaseRecord& other) {
      return one.id == other.id && are_alike(one, other);
    });
    // Where a side tells less, a case can agree with several.
    const Cases old = before, now = after;
    const auto fits = [](const Cases& cases, const CaseRecord& one) {
      return std::count_if(cases.begin(), cases.end(),
                           [&](const CaseRecord* other) { return are_alike(*other, one); });
    };
    pair_those([&](const CaseRecord& one, const CaseRecord& other) {
      return are_alike(one, other) && fits(old, other) == 1 && fits(now, one) == 1;
    });
    // In another order of sizes nothing tells whether other kernels came first, or their sizes changed.
    if (before.size() == after.size() && by_size(before) == by_size(after))
      pair_those([](const CaseRecord& one, const CaseRecord& other) {
        return agree(parameters_of(one), parameters_of(other));
      });
  }
  return pairs;
}

std::vector<Difference> differing_parameters(const CaseRecord& before, const CaseRecord& after) {
  std::vector<Difference> found;
  for (const auto& [name, value] : parameters_of(before))
    if (const auto now = parameters_of(after).find(name);
        now != parameters_of(after).end() && now->second != value)
      found.push_back(difference_of(name, value, now->second));
  return found;
}

std::set<std::string> parameters_of_one_side(const CaseRecord& before, const CaseRecord& after) {
  std::set<std::string> names;
  for (const auto& [one, other] : {std::pair(&before, &after), std::pair(&after, &before)})
    for (const auto& [name, value] : parameters_of(*one))
      if (!parameters_of(*other).contains(name)) names.insert(name);
  return names;
}

}  // namespace harness
