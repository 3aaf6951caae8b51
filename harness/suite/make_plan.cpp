#include "harness/suite/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <span>
#include <utility>

#include "harness/base/filter.h"
#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/model/known_metrics.h"
#include "harness/suite/load_suite.h"
#include "harness/suite/plan/case_list.h"
#include "harness/suite/plan/counters.h"
#include "harness/suite/plan/expand.h"
#include "harness/suite/plan/metric_names.h"
#include "harness/suite/plan/programs.h"
#include "harness/suite/plan/selection.h"
#include "harness/suite/plan/settings.h"
#include "harness/suite/plan/target.h"
#include "harness/suite/plan/tuned_points.h"

namespace harness {
namespace {

// The workload's description of a point: the work of a call, or why it does not support the point.
struct Support {
  sdk::Work work;
  std::optional<Cause> unsupported;
  int gpus = 1;
};

// Names a tensor with fewer than no elements, or more bytes than any machine holds; "" when there is none.
std::string impossible_tensor(const sdk::Problem& problem) {
  constexpr double most_bytes = 0x1p50;
  for (const sdk::TensorSpec& tensor : problem.tensors) {
    double bytes = static_cast<double>(size_of(tensor.dtype));
    for (const std::int64_t extent : tensor.shape) bytes *= static_cast<double>(extent);
    const bool negative =
        std::any_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t extent) { return extent < 0; });
    if (!negative && bytes <= most_bytes) continue;
    return fmt::format("tensor `{}` of {} has {}", printable(tensor.name), fmt::join(tensor.shape, " x "),
                       negative ? "a negative extent" : format_si(bytes, "B"));
  }
  return {};
}

// Says what is wrong with the number of GPUs and the tensors on them; "" when nothing is.
std::string impossible_gpus(const sdk::Problem& problem) {
  if (problem.gpus < 1 || problem.gpus > most_gpus)
    return fmt::format("{} GPUs; a case has 1 to {}", problem.gpus, most_gpus);
  for (const sdk::TensorSpec& tensor : problem.tensors)
    if (tensor.gpu != sdk::host_memory && (tensor.gpu < 0 || tensor.gpu >= problem.gpus))
      return fmt::format("tensor `{}` lies on GPU {} of {}", printable(tensor.name), tensor.gpu,
                         problem.gpus);
  return {};
}

// Asks a workload about points. One error for each place in the suite is enough: a refused value of an axis
// is in many points.
class SupportCheck {
 public:
  SupportCheck(const Target& target, ErrorList& errors) : target_(target), errors_(errors) {}

  // std::nullopt, with an error, when the workload refuses the values.
  std::optional<Support> of(const ExpandedPoint& point) {
    std::string why;
    try {
      const sdk::Params own = workload_params(point.params, target_.specs);
      const sdk::Problem problem = target_.workload->problem(own);
      why = impossible_tensor(problem);
      if (why.empty()) why = impossible_gpus(problem);
      if (why.empty()) return Support{problem.work, {}, problem.gpus};
    } catch (const sdk::Unsupported& reason) {
      return Support{{}, cause_with_why(CauseCode::unsupported, reason.what())};
    } catch (const std::exception& error) {
      why = printable(error.what());
    } catch (...) {
      why = "an unknown exception";
    }
    if (refused_.emplace(point.where.line, point.where.column).second)
      errors_.add(point.where,
                  fmt::format("workload {} refuses {}: {}", in_ticks(std::string(target_.workload->name())),
                              in_ticks(point.params.text_id()), why),
                  "correct the values, or exclude this point");
    return std::nullopt;
  }

 private:
  const Target& target_;
  ErrorList& errors_;
  std::set<std::pair<int, int>> refused_;  // line and column
};

std::optional<Cause> why_skipped(const sdk::Variant& variant, int gpus, const PlanOptions& options) {
  if (variant.make == nullptr && variant.absence != sdk::Absence::in_cuda_module)
    return cause_of_absence(variant);
  const auto missing = options.unavailable_devices.find(variant.device);
  if (missing != options.unavailable_devices.end()) return missing->second;
  const auto count = options.gpus.find(variant.device);
  if (count == options.gpus.end() || gpus <= count->second.has) return std::nullopt;
  Cause too_few{CauseCode::too_few_gpus, {{"needs", gpus}, {"has", count->second.has}}};
  if (!count->second.chosen.empty()) too_few.figures.emplace_back("device", printable(count->second.chosen));
  return too_few;
}

std::vector<std::string> metrics_of(const CaseGroup& group) {
  std::vector<std::string> names{std::string(time_metric.name), std::string(first_call_metric.name)};
  for (const At<std::string>& metric : group.metrics)
    if (std::find(names.begin(), names.end(), metric.value) == names.end()) names.push_back(metric.value);
  return names;
}

// A whole case id as written, in which `m=*` stands for the point's m.
std::string reference_at(const std::string& written, const sdk::Params& params) {
  std::vector<std::string> parts = split(written, '/');
  for (std::string& part : parts)
    if (part.ends_with("=*"))
      if (const sdk::Value* value = params.find(part.substr(0, part.size() - 2)))
        part.replace(part.size() - 1, 1, sdk::to_string(*value));
  return join(parts, "/");
}

std::string case_id(const sdk::Variant& variant, const sdk::Params& params) {
  const std::string point = params.text_id();
  return variant.workload + "/" + variant.name + (point.empty() ? "" : "/" + point);
}

// Everything but sampling and gate, which settle() fills.
PlannedCase planned_case(const CaseGroup& group, const At<std::string>* reference, const sdk::Params& params,
                         const sdk::Variant& variant, const Support& support) {
  PlannedCase planned;
  const std::string point = params.text_id();
  const std::string tail = point.empty() ? "" : "/" + point;
  planned.id = case_id(variant, params);
  planned.workload = variant.workload;
  planned.variant = variant.name;
  planned.device = variant.device;
  planned.params = params;
  if (reference != nullptr)
    planned.reference = is_variant_name(*reference) ? variant.workload + "/" + reference->value + tail
                                                    : reference_at(reference->value, params);
  planned.tags = group.tags;
  planned.metrics = metrics_of(group);
  planned.where = group.where;
  planned.flops = support.work.flops;
  planned.bytes = support.work.bytes;
  planned.items = support.work.items;
  planned.item_name =
      support.work.items > 0 && support.work.item_name.empty() ? "items" : support.work.item_name;
  planned.link_bytes = support.work.link_bytes;
  planned.gpus = support.gpus;
  planned.skip = support.unsupported;
  return planned;
}

// The variants of a group that are measured at the same points. They stay together, so that a table shows
// them side by side.
struct PointSet {
  const Points* points;
  std::vector<const sdk::Variant*> variants;
};

std::vector<PointSet> point_sets(const CaseGroup& group, const Target& target) {
  std::vector<PointSet> sets;
  for (const sdk::Variant* variant : target.variants) {
    const auto own = group.per_device.find(variant->device);
    const Points* points = own != group.per_device.end() ? &own->second : &group.points;
    const auto same =
        std::find_if(sets.begin(), sets.end(), [&](const PointSet& set) { return set.points == points; });
    if (same != sets.end())
      same->variants.push_back(variant);
    else
      sets.push_back({points, {variant}});
  }
  return sets;
}

// Expands the groups of a suite into a list of cases.
class Planner {
 public:
  Planner(const Suite& suite, const PlanOptions& options, CaseList& list, ErrorList& errors)
      : suite_(suite), options_(options), list_(list), errors_(errors) {}

  void add(const CaseGroup& group, const Target& target) {
    const std::size_t before = errors_.size();
    const std::size_t first = list_.cases.size();
    for (const PointSet& set : point_sets(group, target)) add_points(group, target, set);
    if (errors_.size() > before) return;
    if (list_.cases.size() == first && (!options_.axes.empty() || options_.arms)) return;
    if (list_.cases.size() == first)
      errors_.add(group.where, "this case expands to nothing: `exclude` leaves no point", "exclude less");
    else
      settle(suite_.defaults, group, target, options_.overrides, std::span(list_.cases).subspan(first),
             errors_);
  }

  [[nodiscard]] bool too_many() const { return points_ > most_cases || list_.cases.size() > most_cases; }

 private:
  void add_points(const CaseGroup& group, const Target& target, const PointSet& set) {
    Points points = *set.points;
    if (options_.arms && points.tune.empty()) return;
    const std::size_t before = errors_.size();
    if (!check_points(target, points, errors_)) return;
    const std::vector<sdk::Params> tune = tuned_values(points, errors_);
    fix_tuned(points);
    const std::vector<ExpandedPoint> expanded = expand_points(target, points, group.where, errors_);
    points_ += expanded.size() * std::max<std::size_t>(tune.size(), 1);
    const At<std::string>* reference = points.reference  ? &*set.points->reference
                                       : group.reference ? &*group.reference
                                                         : nullptr;
    std::vector<std::size_t> hits(points.exclude.size(), 0);
    SupportCheck workload(target, errors_);
    for (const ExpandedPoint& point : expanded) {
      if (too_many()) break;
      std::vector<const sdk::Variant*> measured;
      for (const sdk::Variant* variant : set.variants)
        if (!excluded(points.exclude, point.params, *variant, hits)) measured.push_back(variant);
      if (measured.empty()) continue;  // so that a point that the workload refuses can be excluded
      if (!options_.arms) {
        const std::optional<Support> support = workload.of(point);
        if (!support) continue;
        for (const sdk::Variant* variant : measured) {
          PlannedCase planned = planned_case(group, reference, point.params, *variant, *support);
          if (!planned.skip) planned.skip = why_skipped(*variant, planned.gpus, options_);
          list_.add(std::move(planned), reference, point.where);
        }
      }
      for (const sdk::Variant* variant : measured) {
        std::vector<sdk::Params> arms;
        for (const sdk::Params& values : tune)
          if (!excluded(points.exclude, with_tuned(point.params, values), *variant, hits))
            arms.push_back(values);
        if (options_.arms)
          for (const sdk::Params& values : arms) add_arm(group, point, values, *variant, workload);
        else if (!arms.empty())
          add_tuned(group, point, arms, *variant, workload);
      }
    }
    if (too_many())
      errors_.add(group.where, fmt::format("the suite has more than {} cases", most_cases),
                  "give fewer values");
    if (errors_.size() > before) return;
    for (std::size_t i = 0; i < hits.size(); ++i)
      if (hits[i] == 0)
        errors_.add(points.exclude[i].front().name.where, "this point excludes nothing",
                    "no case has these values; correct it or remove it");
  }

  // One of the values that `harness tune` tries at a point. Its reference is the fixed one.
  void add_arm(const CaseGroup& group, const ExpandedPoint& point, const sdk::Params& values,
               const sdk::Variant& variant, SupportCheck& workload) {
    const ExpandedPoint arm{with_tuned(point.params, values), point.where};
    const std::optional<Support> support = workload.of(arm);
    if (!support) return;
    PlannedCase planned = planned_case(group, nullptr, arm.params, variant, *support);
    planned.tuned = values;
    planned.reference = case_id(variant, point.params);
    if (planned.reference == planned.id) planned.reference.clear();
    if (!planned.skip) planned.skip = why_skipped(variant, planned.gpus, options_);
    list_.add(std::move(planned), nullptr, point.where);
  }

  // The case that runs with the values that are pinned for this machine's class.
  void add_tuned(const CaseGroup& group, const ExpandedPoint& point, const std::vector<sdk::Params>& arms,
                 const sdk::Variant& variant, SupportCheck& workload) {
    const sdk::Params named = named_tuned(point.params, arms.front());
    const auto known = options_.tuned.find(variant.device);
    const TunedCase* pinned =
        known == options_.tuned.end() ? nullptr : find_tuned(known->second, case_id(variant, named));
    Support support;
    std::optional<Cause> skip = why_skipped(variant, 1, options_);
    const auto missing = [&](CauseCode code) {
      Cause cause{code,
                  {{"class", known == options_.tuned.end() ? "" : known->second.machine_class},
                   {"suite", suite_.identity.file}}};
      if (pinned != nullptr) cause.figures.emplace_back("values", printable(pinned->values.text_id()));
      if (!skip) skip = std::move(cause);
    };
    if (pinned == nullptr) {
      missing(CauseCode::not_tuned);
    } else if (std::find(arms.begin(), arms.end(), pinned->values) == arms.end()) {
      missing(CauseCode::tuned_to_other);
    } else if (const auto found = workload.of({with_tuned(point.params, pinned->values), point.where})) {
      support = *found;
    }
    PlannedCase planned = planned_case(group, nullptr, named, variant, support);
    planned.reference = case_id(variant, point.params);
    if (!skip) skip = why_skipped(variant, planned.gpus, options_);
    if (skip) planned.skip = std::move(skip);
    if (pinned != nullptr && !planned.skip) planned.tuned = pinned->values;
    list_.add(std::move(planned), nullptr, point.where);
  }

  // Counts what each selector matches.
  static bool excluded(const std::vector<Point>& selectors, const sdk::Params& params,
                       const sdk::Variant& variant, std::vector<std::size_t>& hits) {
    bool any = false;
    for (std::size_t i = 0; i < selectors.size(); ++i)
      if (selects(selectors[i], params, variant.name, variant.device)) {
        ++hits[i];
        any = true;
      }
    return any;
  }

  const Suite& suite_;
  const PlanOptions& options_;
  CaseList& list_;
  ErrorList& errors_;
  std::size_t points_ = 0;
};

// A claim about no case would never be refuted. Names of benchmarks in the output of programs are not known
// before they run.
void check_claimed_cases(const Suite& suite, const std::vector<PlannedCase>& cases, ErrorList& errors) {
  for (const ProgramCase& program : suite.programs)
    if (!program.reads.empty()) return;
  for (const Claim& claim : suite.claims)
    for (const std::string* pattern : {&claim.of, &claim.against}) {
      const bool found = std::any_of(cases.begin(), cases.end(),
                                     [&](const PlannedCase& one) { return filter_match(*pattern, one.id); });
      if (pattern->empty() || found || cases.empty()) continue;
      errors.add(claim.where,
                 fmt::format("`{}` of the claim matches no case: {}", pattern == &claim.of ? "of" : "against",
                             in_ticks(*pattern)),
                 fmt::format("cases are named such as `{}`", printable(cases.front().id)));
    }
}

}  // namespace

Checked<Plan> make_plan(const Suite& written, const Catalog& catalog, const PlanOptions& options) {
  ErrorList errors;
  Suite suite = written;
  set_axes(suite, options.axes, errors);
  CaseList list;
  Planner planner(suite, options, list, errors);
  for (const CaseGroup& group : suite.groups)
    if (!planner.too_many())
      if (const auto target = find_target(group, catalog, errors)) planner.add(group, *target);
  if (!options.arms) add_programs(suite, options, list, errors);
  check_gate_metrics(suite, catalog, errors);
  if (errors.empty()) check_batches(suite.defaults, list.cases, errors);
  if (errors.empty()) check_full_power(list.cases, errors);
  if (errors.empty() && !options.scripted) check_gpu_metrics(suite, list.cases, errors);
  // Points that differed in what is set are one case now.
  if (options.axes.empty()) list.report_duplicates(suite.identity.file, errors);
  if (errors.empty()) list.resolve_references(errors);
  if (errors.empty() && options.axes.empty() && !options.arms) check_claimed_cases(suite, list.cases, errors);
  Plan plan{suite.identity, module_paths(suite), std::move(list.cases)};
  for (PlannedCase& one : plan.cases)
    if (!one.program) one.hides = catalog.module_hiding(one.workload);
  plan_counters(suite, options, plan, errors);
  if (errors.empty())
    options.arms ? select_points(plan, options, errors) : select_cases(plan, options, errors);
  if (!errors.empty()) return tl::unexpected(errors.take());
  return plan;
}

}  // namespace harness
