#include "harness/verdict/decide/call_verdicts.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "harness/stats/hypothesis/multiplicity.h"

namespace harness {
namespace {

// The numbers of the look that decided, or of the last one.
void show(ComparisonRow& row, Evidence& evidence) {
  LookEvidence& look = evidence.looks[evidence.shown];
  row.look.number = look.number;
  show_effect(row, look.effect.difference, look.bounds);
  row.degrees_of_freedom = look.effect.degrees_of_freedom;
  row.p = look.p_worse;
  row.p_passes = look.p_passes;
  row.p_improved = look.p_better;
  row.baseline = std::move(look.baseline);
  row.current = std::move(look.current);
}

// The places of the values in ascending order, from 1.
std::vector<std::size_t> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return values[one] < values[other]; });
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i + 1;
  return ranks;
}

// Takes the looks in the order in which they were measured: all rows at the first, open ones at the second,
// and so on.
//
// A row's p is the smallest of its looks so far, times the number of declared looks. It can only fall from
// look to look, and Holm's adjusted p falls only when some p does. So a row called at a look would also be
// called if every row had gone through all its looks. For those the family-wise rate is alpha by Bonferroni
// and Holm. Hence the choice to continue may depend on anything seen. Passing keeps its level by Bonferroni
// alike.
class LookByLook {
 public:
  LookByLook(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence, int least)
      : rows_(rows), evidence_(evidence), least_(least) {
    for (Evidence& one : evidence_) {
      if (is_judged(one)) judged_.push_back(&one);
      for (const LookEvidence& look : one.looks) last_ = std::max(last_, look.number);
    }
  }

  // Returns how many rows were corrected together.
  std::size_t run() {
    for (int number = 1; number <= last_; ++number) {
      for (Evidence& one : evidence_)
        if (open(one)) take(one, number);
      correct();
      for (Evidence& one : evidence_)
        if (open(one)) call(one, number);
    }
    return judged_.size();
  }

 private:
  [[nodiscard]] bool open(const Evidence& one) const {
    return rows_[one.row].verdict == Verdict::inconclusive;
  }

  // A row takes part by its number of processes, conditions and gates, never by its p-value. A row with later
  // looks takes part from the start, so that the others' correction does not change.
  [[nodiscard]] bool is_judged(const Evidence& one) const {
    const ComparisonRow& row = rows_[one.row];
    if (row.informative) return false;
    if (row.look.declared.size() > 1) return one.baseline_processes >= least_;
    return std::any_of(one.looks.begin(), one.looks.end(),
                       [](const LookEvidence& look) { return look.counts(); });
  }

  [[nodiscard]] double looks_of(const Evidence& one) const {
    return static_cast<double>(std::max<std::size_t>(rows_[one.row].look.declared.size(), 1));
  }

  void take(Evidence& one, int number) {
    for (std::size_t i = 0; i < one.looks.size(); ++i) {
      const LookEvidence& look = one.looks[i];
      if (look.number != number) continue;
      one.shown = i;
      if (!look.counts()) continue;
      one.p_worse = std::min(one.p_worse, looks_of(one) * look.p_worse);
      one.p_better = std::min(one.p_better, looks_of(one) * look.p_better);
      one.p_passes = std::min(one.p_passes, looks_of(one) * look.p_passes);
      if (look.slow_calls) one.p_slow = std::min(one.p_slow, looks_of(one) * look.slow_calls->p);
    }
  }

  // Holm over the rows that decide: worse, better and slow calls as three families. Decided rows stay as they
  // were.
  void correct() {
    std::vector<double> worse, better, slow;
    for (const Evidence* one : judged_) {
      worse.push_back(one->p_worse);
      better.push_back(one->p_better);
      slow.push_back(one->p_slow);
    }
    const std::vector<double> worse_adjusted = stats::holm(worse), better_adjusted = stats::holm(better);
    const std::vector<double> slow_adjusted = stats::holm(slow);
    const std::vector<std::size_t> worse_ranks = ranks_of(worse), better_ranks = ranks_of(better);
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      ComparisonRow& row = rows_[judged_[i]->row];
      if (!open(*judged_[i]) || judged_[i]->looks.empty()) continue;
      row.p_adjusted = worse_adjusted[i];
      row.p_improved_adjusted = better_adjusted[i];
      slow_[judged_[i]] = slow_adjusted[i];
      judged_[i]->rank_worse = worse_ranks[i];
      judged_[i]->rank_better = better_ranks[i];
    }
  }

  // Shows the look with the strongest evidence for what is called.
  template <class P>
  void show_smallest(Evidence& one, P p_of) {
    double smallest = 2;
    std::size_t best = one.shown;
    for (std::size_t i = 0; i < one.looks.size() && one.looks[i].number <= one.looks[one.shown].number; ++i)
      if (one.looks[i].counts() && p_of(one.looks[i]) < smallest) {
        smallest = p_of(one.looks[i]);
        best = i;
      }
    one.shown = best;
  }

  // The p of the gate on slow calls, corrected like the row's others.
  [[nodiscard]] double p_slow(const Evidence& one) const {
    const auto found = slow_.find(&one);
    return found == slow_.end() ? one.p_slow : found->second;
  }

  void call(Evidence& one, int number) {
    if (one.looks.empty()) return;
    ComparisonRow& row = rows_[one.row];
    const LookEvidence& look = one.looks[one.shown];
    if (row.p_adjusted.value_or(one.p_worse) < row.alpha) {
      row.verdict = Verdict::regressed;
      row.reason = {ReasonCode::worse};
      show_smallest(one, [](const LookEvidence& at) { return at.p_worse; });
    } else if (p_slow(one) < row.alpha) {
      row.verdict = Verdict::regressed;
      show_smallest(one, [](const LookEvidence& at) { return at.slow_calls ? at.slow_calls->p : 1; });
      row.reason = one.looks[one.shown].slow_calls->reason;
    } else if (look.slow_calls && look.slow_calls->open) {
      return;  // it neither passes nor is shown to be worse
    } else if (row.p_improved_adjusted.value_or(one.p_better) < row.alpha) {
      row.verdict = Verdict::improved;
      show_smallest(one, [](const LookEvidence& at) { return at.p_better; });
    } else if (look.number == number && look.counts() && look.p_passes < alpha_to_pass(row)) {
      row.verdict = look.bounds.lo > -effect_margin(row) ? Verdict::unchanged : Verdict::not_worse;
    }
  }

  std::vector<ComparisonRow>& rows_;
  std::vector<Evidence>& evidence_;
  int least_;
  int last_ = 0;
  std::vector<Evidence*> judged_;
  std::unordered_map<const Evidence*, double> slow_;  // adjusted p of the gate on slow calls
};

// Takes back what the load of the host forbids. The row counts among those corrected together all the same,
// because this depends on its effect.
void heed_load(ComparisonRow& row, LookEvidence& look) {
  const bool passes = row.verdict == Verdict::improved || row.verdict == Verdict::unchanged ||
                      row.verdict == Verdict::not_worse;
  const auto& doubt = row.verdict == Verdict::regressed ? look.load.if_worse : look.load.if_passes;
  if (!doubt || (!passes && row.verdict != Verdict::regressed)) return;
  row.verdict = Verdict::inconclusive;
  look.doubt = doubt;
}

}  // namespace

std::size_t call_verdicts(std::vector<ComparisonRow>& rows, std::vector<Evidence>& evidence,
                          const Policy& policy) {
  const std::size_t family = LookByLook(rows, evidence, least_processes(policy)).run();
  for (Evidence& one : evidence)
    if (!one.looks.empty()) {
      heed_load(rows[one.row], one.looks[one.shown]);
      show(rows[one.row], one);
    }
  return family;
}

}  // namespace harness
