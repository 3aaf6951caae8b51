#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "harness/base/text.h"
#include "harness/model/known_metrics.h"
#include "harness/suite/counters.h"
#include "harness/suite/expand.h"
#include "harness/suite/gate_metrics.h"
#include "harness/suite/selection.h"
#include "harness/suite/settings.h"
#include "harness/suite/suite.h"

namespace harness {
namespace {

// A reference is the name of a variant or, with slashes, a whole case id.
bool is_variant_name(const At<std::string>& reference) {
  return reference.value.find('/') == std::string::npos;
}

bool lists(const CaseGroup& group, const std::string& variant) {
  return std::any_of(group.variants.begin(), group.variants.end(),
                     [&](const At<std::string>& name) { return name.value == variant; });
}

class Planner {
 public:
  Planner(const Suite& suite, const Catalog& catalog, const PlanOptions& options)
      : suite_(suite), catalog_(catalog), options_(options) {}

  Checked<Plan> run() {
    plan_.suite = suite_.identity;
    plan_.modules = module_paths(suite_);
    for (const CaseGroup& group : suite_.groups)
      if (!too_many_) add_group(group);
    check_gate_metrics(suite_, catalog_, errors_);
    if (errors_.empty())
      check_batches(suite_.defaults, errors_,
                    std::count_if(plan_.cases.begin(), plan_.cases.end(), is_batched));
    report_duplicates();
    plan_counters(suite_, options_, plan_, errors_);
    if (errors_.empty()) resolve_references();
    if (errors_.empty()) select_cases(plan_, options_, errors_);
    if (!errors_.empty()) return tl::unexpected(errors_.take());
    return std::move(plan_);
  }

 private:
  struct Duplicate {
    std::string id;
    int first_line = 0;
    int count = 0;
  };

  // The group's names, checked. A target without workload: an error was reported.
  Target target_of(const CaseGroup& group) {
    Target target;
    const sdk::Workload* workload = catalog_.workload(group.workload.value);
    if (workload == nullptr) {
      const std::vector<std::string> known = catalog_.workload_names();
      errors_.add(group.workload.where, fmt::format("unknown workload {}", in_ticks(group.workload.value)),
                  known.empty() ? "there are none; is a plugin missing in `modules`?"
                                : suggestion(group.workload.value, known));
      return target;
    }
    bool good = true;
    for (const At<std::string>& variant : group.variants) good = known_variant(group, variant) && good;
    std::vector<const At<std::string>*> references;
    if (group.reference) references.push_back(&*group.reference);
    for (const auto& [device, points] : group.per_device)
      if (points.reference) references.push_back(&*points.reference);
    for (const At<std::string>* reference : references)
      if (is_variant_name(*reference) && !lists(group, reference->value))
        good = known_variant(group, *reference) && good;
    good = known_metrics(group, *workload) && good;
    if (!good) return target;
    target.specs = workload->params();
    for (const sdk::ParamSpec& mode : mode_axes())
      if (target.find(mode.name) == nullptr) target.modes.push_back(mode);
    target.workload = workload;
    for (const At<std::string>& variant : group.variants) {
      target.variants.push_back(variant.value);
      const std::string& device = variant_of(group, variant.value).device;
      if (std::find(target.devices.begin(), target.devices.end(), device) == target.devices.end())
        target.devices.push_back(device);
    }
    return target;
  }

  bool known_metrics(const CaseGroup& group, const sdk::Workload& workload) {
    std::vector<std::string> known;
    for (const BuiltInMetric& metric : built_in_metrics) known.emplace_back(metric.name);
    for (const sdk::MetricSpec& metric : workload.metrics()) known.push_back(metric.name);
    bool good = true;
    for (const At<std::string>& metric : group.metrics) {
      if (std::find(known.begin(), known.end(), metric.value) != known.end()) continue;
      if (is_counter_name(metric.value)) continue;  // counters.h looks it up
      const bool is_time = is_time_of_device(metric.value);
      errors_.add(metric.where,
                  fmt::format("unknown metric {} of workload {}", in_ticks(metric.value),
                              in_ticks(group.workload.value)),
                  is_time ? "write `time`: records name it after what the device measures"
                  : metric.value.find("__") != std::string::npos
                      ? fmt::format("a hardware counter ends in how it is summed up: write {}",
                                    in_ticks(metric.value + ".sum"))
                      : suggestion(metric.value, known));
      good = false;
    }
    return good;
  }

  static std::vector<std::string> metrics_of(const CaseGroup& group) {
    std::vector<std::string> names;
    for (const At<std::string>& metric : group.metrics)
      if (std::find(names.begin(), names.end(), metric.value) == names.end()) names.push_back(metric.value);
    if (names.empty()) names = {std::string(time_metric.name), std::string(first_call_metric.name)};
    return names;
  }

  bool known_variant(const CaseGroup& group, const At<std::string>& variant) {
    if (catalog_.variant(group.workload.value, variant.value) != nullptr) return true;
    const std::vector<std::string> known = catalog_.variant_names(group.workload.value);
    errors_.add(variant.where,
                fmt::format("unknown variant {} of workload {}", in_ticks(variant.value),
                            in_ticks(group.workload.value)),
                suggestion(variant.value, known));
    return false;
  }

  const sdk::Variant& variant_of(const CaseGroup& group, const std::string& name) const {
    return *catalog_.variant(group.workload.value, name);
  }

  // Variants that are measured at the same points stay together, so that a table shows them side by
  // side.
  void add_group(const CaseGroup& group) {
    const Target target = target_of(group);
    if (target.workload == nullptr) return;
    std::vector<std::pair<const Points*, std::vector<const sdk::Variant*>>> sets;
    for (const At<std::string>& name : group.variants) {
      const sdk::Variant& variant = variant_of(group, name.value);
      const auto own = group.per_device.find(variant.device);
      const Points* points = own != group.per_device.end() ? &own->second : &group.points;
      const auto same =
          std::find_if(sets.begin(), sets.end(), [&](const auto& set) { return set.first == points; });
      if (same != sets.end())
        same->second.push_back(&variant);
      else
        sets.push_back({points, {&variant}});
    }
    const std::size_t before = errors_.size();
    const std::size_t first = plan_.cases.size();
    for (const auto& [points, variants] : sets) add_points(group, target, *points, variants);
    if (errors_.size() > before) return;
    if (plan_.cases.size() == first)
      errors_.add(group.where, "this case expands to nothing: `exclude` leaves no point", "exclude less");
    else
      apply_overrides(group, target, first);
  }

  void add_points(const CaseGroup& group, const Target& target, const Points& points,
                  const std::vector<const sdk::Variant*>& variants) {
    std::vector<std::size_t> hits(points.exclude.size(), 0);
    const std::size_t before = errors_.size();
    const std::vector<ExpandedPoint> expanded = expand_points(target, points, group.where, errors_);
    points_ += expanded.size();
    if (points_ > most_cases) return too_many(group);
    for (const ExpandedPoint& point : expanded) {
      std::vector<const sdk::Variant*> measured;
      for (const sdk::Variant* variant : variants)
        if (!excluded(target, points, point, *variant, hits)) measured.push_back(variant);
      if (measured.empty()) continue;  // so that a point that the workload refuses can be excluded
      const std::optional<Support> support = support_of(target, point);
      if (!support) continue;
      for (const sdk::Variant* variant : measured) add_case(group, points, point, *variant, *support);
      if (plan_.cases.size() > most_cases) return too_many(group);
    }
    if (errors_.size() > before) return;
    for (std::size_t i = 0; i < hits.size(); ++i)
      if (hits[i] == 0)
        errors_.add(points.exclude[i].front().name.where, "this point excludes nothing",
                    "no case has these values; correct it or remove it");
  }

  void too_many(const CaseGroup& group) {
    too_many_ = true;
    errors_.add(group.where, fmt::format("the suite has more than {} cases", most_cases),
                "give fewer values");
  }

  static bool excluded(const Target& target, const Points& points, const ExpandedPoint& point,
                       const sdk::Variant& variant, std::vector<std::size_t>& hits) {
    bool any = false;
    for (std::size_t i = 0; i < points.exclude.size(); ++i)
      if (selects(target, points.exclude[i], point.params, variant.name, variant.device)) {
        ++hits[i];
        any = true;
      }
    return any;
  }

  // What the workload says of a point: the work of a call, or why it is unsupported.
  struct Support {
    sdk::Work work;
    std::optional<Cause> unsupported;
  };

  // std::nullopt, with an error, when the workload refuses the values.
  std::optional<Support> support_of(const Target& target, const ExpandedPoint& point) {
    std::string why;
    try {
      const sdk::Params own = workload_params(point.params, target.specs);
      return Support{target.workload->problem(own).work, {}};
    } catch (const sdk::Unsupported& reason) {
      return Support{{}, cause_with_why(CauseCode::unsupported, reason.what())};
    } catch (const std::exception& error) {
      why = printable(error.what());
    } catch (...) {
      why = "an unknown exception";
    }
    // One point of each place in the text is enough: a refused axis value is in many.
    if (!refused_.emplace(point.where.line, point.where.column).second) return std::nullopt;
    errors_.add(point.where,
                fmt::format("workload {} refuses {}: {}", in_ticks(std::string(target.workload->name())),
                            in_ticks(point.params.text_id()), why),
                "correct the values, or exclude this point");
    return std::nullopt;
  }

  void add_case(const CaseGroup& group, const Points& points, const ExpandedPoint& point,
                const sdk::Variant& variant, const Support& support) {
    PlannedCase planned;
    const std::string point_id = point.params.text_id();
    const std::string tail = point_id.empty() ? "" : "/" + point_id;
    planned.id = variant.workload + "/" + variant.name + tail;
    const auto [known, is_new] = index_.emplace(planned.id, plan_.cases.size());
    if (!is_new) return note_duplicate(known->second, planned.id, point.where);
    planned.workload = variant.workload;
    planned.variant = variant.name;
    planned.device = variant.device;
    planned.params = point.params;
    const auto& reference = points.reference ? points.reference : group.reference;
    if (reference)
      planned.reference =
          is_variant_name(*reference) ? variant.workload + "/" + reference->value + tail : reference->value;
    planned.tags = group.tags;
    planned.metrics = metrics_of(group);
    planned.where = group.where;
    planned.flops = support.work.flops;
    planned.bytes = support.work.bytes;
    planned.items = support.work.items;
    planned.item_name =
        support.work.items > 0 && support.work.item_name.empty() ? "items" : support.work.item_name;
    planned.skip = support.unsupported ? support.unsupported : why_skipped(variant);
    Settings settings;
    apply(suite_.defaults, settings);
    apply(group.overrides, settings);
    planned.sampling = settings.sampling;
    planned.gate = settings.gate;
    origins_.push_back(Origin{reference ? &*reference : nullptr, point.where.line});
    plan_.cases.push_back(std::move(planned));
  }

  [[nodiscard]] std::optional<Cause> why_skipped(const sdk::Variant& variant) const {
    if (variant.make == nullptr && variant.absence != sdk::Absence::in_cuda_module)
      return cause_of_absence(variant);
    const auto missing = options_.unavailable_devices.find(variant.device);
    if (missing == options_.unavailable_devices.end()) return std::nullopt;
    return missing->second;
  }

  void note_duplicate(std::size_t first, const std::string& id, const Location& where) {
    Duplicate& duplicate = duplicates_[{where.line, where.column}];
    if (duplicate.count++ == 0) duplicate = {id, origins_[first].line, 1};
  }

  void report_duplicates() {
    for (const auto& [place, duplicate] : duplicates_)
      errors_.add({suite_.identity.file, place.first, place.second},
                  duplicate.count == 1 ? fmt::format("duplicate case {}", in_ticks(duplicate.id))
                                       : fmt::format("duplicate case {} and {} more", in_ticks(duplicate.id),
                                                     duplicate.count - 1),
                  fmt::format("line {} gives it already; remove one of them", duplicate.first_line));
  }

  // The group's own overrides in their order, then those of the command line, on the cases from
  // `first` on.
  void apply_overrides(const CaseGroup& group, const Target& target, std::size_t first) {
    std::vector<bool> good;
    for (const PointOverride& entry : group.point_overrides)
      good.push_back(check_selector(target, entry.match, errors_));
    std::vector<std::size_t> hits(good.size(), 0);
    std::vector<std::ptrdiff_t> batched(good.size(), 0);
    std::string contradicted;
    for (std::size_t i = first; i < plan_.cases.size(); ++i) {
      PlannedCase& planned = plan_.cases[i];
      Settings settings{planned.sampling, planned.gate};
      std::vector<std::size_t> used;
      for (std::size_t k = 0; k < good.size(); ++k) {
        const PointOverride& entry = group.point_overrides[k];
        if (!good[k] || !selects(target, entry.match, planned.params, planned.variant, planned.device))
          continue;
        apply(entry.overrides, settings);
        ++hits[k];
        used.push_back(k);
      }
      apply(options_.overrides, settings);
      settings.sampling.min_samples = std::min(settings.sampling.min_samples, settings.sampling.samples);
      apply_modes(target.modes, planned.params, settings.sampling);
      planned.sampling = settings.sampling;
      planned.gate = settings.gate;
      if (is_batched(planned))
        for (const std::size_t k : used) ++batched[k];
      if (contradicted.empty()) contradicted = contradiction(planned.sampling);
    }
    if (!contradicted.empty())
      errors_.add(group.where,
                  contradicted + ", with what `defaults`, the built-in defaults or `overrides` say",
                  "give both `min` and `max`");
    for (std::size_t k = 0; k < good.size(); ++k)
      if (good[k] && hits[k] == 0)
        errors_.add(group.point_overrides[k].where, "this override matches no case",
                    "no case has these values; correct `match` or remove the override");
    check_batches(group.overrides, errors_,
                  std::count_if(plan_.cases.begin() + static_cast<std::ptrdiff_t>(first), plan_.cases.end(),
                                is_batched));
    for (std::size_t k = 0; k < good.size(); ++k)
      if (hits[k] > 0) check_batches(group.point_overrides[k].overrides, errors_, batched[k]);
  }

  // A reference must be a case of the suite. It has none itself: it would be compared with itself.
  void resolve_references() {
    std::map<const At<std::string>*, std::size_t> compared;  // cases that a reference is good for
    for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
      PlannedCase& planned = plan_.cases[i];
      const At<std::string>* written = origins_[i].reference;
      if (written == nullptr) continue;
      const bool is_itself = planned.reference == planned.id;
      compared[written] += is_itself ? 0 : 1;
      if (is_itself)
        planned.reference.clear();
      else if (!index_.contains(planned.reference))
        unknown_reference(*written, planned.reference);
    }
    for (const auto& [written, count] : compared)
      if (count == 0)
        errors_.add(written->where,
                    fmt::format("the reference {} is all that is measured here", in_ticks(written->value)),
                    "add a variant to compare with it, or remove `reference`");
  }

  void unknown_reference(const At<std::string>& written, const std::string& id) {
    if (!reported_.insert(&written).second) return;
    if (is_variant_name(written)) {
      errors_.add(
          written.where,
          fmt::format("the reference {} has no case {}", in_ticks(written.value), in_ticks(id)),
          "measure it at the same points: add it to `variants`, or exclude less; or give `per_device` "
          "a reference of its own");
      return;
    }
    std::vector<std::string> ids;  // in a large plan, or after some, the search takes longer than it is worth
    if (reported_.size() <= 5 && plan_.cases.size() <= 5000)
      for (const PlannedCase& planned : plan_.cases) ids.push_back(planned.id);
    const auto near = nearest(id, ids);
    errors_.add(
        written.where, fmt::format("unknown reference {}", in_ticks(id)),
        near ? "did you mean `" + *near + "`?" : "name a case of this suite, as `harness list` prints it");
  }

  struct Origin {
    const At<std::string>* reference;  // as written, or null
    int line;
  };

  const Suite& suite_;
  const Catalog& catalog_;
  const PlanOptions& options_;
  Plan plan_;
  ErrorList errors_;
  std::vector<Origin> origins_;  // of the plan's cases, by index
  std::unordered_map<std::string, std::size_t> index_;
  std::map<std::pair<int, int>, Duplicate> duplicates_;
  std::set<const At<std::string>*> reported_;  // references
  std::set<std::pair<int, int>> refused_;
  std::size_t points_ = 0;
  bool too_many_ = false;  // planning has stopped
};

}  // namespace

Checked<Plan> make_plan(const Suite& suite, const Catalog& catalog, const PlanOptions& options) {
  return Planner(suite, catalog, options).run();
}

}  // namespace harness
