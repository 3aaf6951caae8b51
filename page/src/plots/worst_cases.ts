// The results that a reader asks about first, worst first, on one axis of how much worse they are. The page draws
// them (view/worst_picture.ts).

import type { Entry } from "../report";
import type { ComparisonRow, Verdict } from "../reports";

export const most_marks = 12;
const least_marks = 8; // filled up with the passing results that are nearest to their margins
const most_margins = 12; // half the axis, in margins, where no point lies further out: intervals are cut there

const quiet_verdicts: Verdict[] = ["not_worse", "unchanged", "identical", "skipped"];

// Under which heading a row is folded away, because nobody has to act on it; null where somebody may.
export function fold_of({ row, run }: Entry): string | null {
  if (row?.informative) return "informative";
  if (row) return quiet_verdicts.includes(row.verdict) ? row.verdict : null;
  return run && (run.outcome === "skipped" || run.outcome === "looked_at") ? run.outcome : null;
}

// In shares; above 0 is worse, whatever the metric's direction.
export interface Effect {
  lo: number;
  mid: number;
  hi: number;
  margin: number;
}

export function effect_of(row: ComparisonRow | null): Effect | null {
  if (!row?.interval || row.ratio === null || row.interval.some((bound) => !Number.isFinite(bound))) return null;
  const turn = row.direction === "higher" ? -1 : 1;
  const [one, other] = [(row.interval[0] - 1) * turn, (row.interval[1] - 1) * turn];
  return {
    lo: Math.min(one, other),
    mid: (row.ratio - 1) * turn,
    hi: Math.max(one, other),
    margin: Math.max(0, row.margin ?? 0),
  };
}

export interface Worst {
  entries: Entry[];
  results: number; // that count, shown or not
  axis: Axis | null; // null where nothing here has an interval
}

export interface Axis {
  lo: number;
  hi: number;
  ticks: number[];
}

export function worst_of(entries: readonly Entry[]): Worst {
  const counted = entries.filter((entry) => entry.row && !entry.row.informative && entry.row.verdict !== "skipped");
  const urgent = counted.filter((entry) => fold_of(entry) === null).slice(0, most_marks);
  const room = (entry: Entry) => {
    const effect = effect_of(entry.row);
    return effect ? effect.margin - effect.hi : Number.POSITIVE_INFINITY;
  };
  const quiet = counted
    .filter((entry) => fold_of(entry) !== null && Number.isFinite(room(entry)))
    .sort((left, right) => room(left) - room(right))
    .slice(0, Math.max(0, least_marks - urgent.length));
  const shown = [...urgent, ...quiet];
  const effects = shown.flatMap((entry) => effect_of(entry.row) ?? []);
  return { entries: shown, results: counted.length, axis: effects.length > 0 ? axis_of(effects) : null };
}

export function axis_of(effects: readonly Effect[]): Axis {
  const margin = Math.max(...effects.map((effect) => effect.margin));
  const limit = margin > 0 ? most_margins * margin : Number.POSITIVE_INFINITY;
  // Every point is drawn, however far out; an interval that reaches beyond the axis ends in an arrow.
  const points = effects.map((effect) => effect.mid).filter(Number.isFinite);
  const least = Math.min(...points, Math.max(-limit, Math.min(-1.4 * margin, ...effects.map((effect) => effect.lo))));
  const most = Math.max(...points, Math.min(limit, Math.max(1.4 * margin, ...effects.map((effect) => effect.hi))));
  const room = (most - least) * 0.04 || 0.01;
  const [lo, hi] = [least - room, most + room];
  const step = round_step((hi - lo) / 6);
  const first = Math.ceil(lo / step);
  const ticks = Array.from({ length: Math.floor(hi / step) - first + 1 }, (_, at) => (first + at) * step).filter(
    (tick) => tick - lo > room / 2 && hi - tick > room / 2,
  );
  return { lo, hi, ticks };
}

// The nearest of 1, 2 and 5 times a power of ten that is not smaller.
function round_step(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((step) => step * power >= least * 0.999) ?? 10);
}

// The place of a value between the ends of the axis, from 0 to 1; beyond them, that end.
export function place_on({ lo, hi }: Axis, value: number): number {
  return Math.max(0, Math.min(1, (value - lo) / (hi - lo)));
}
