// The table's columns on the page of a comparison.

import { change_of, interval_of, margin_of } from "../change_words";
import { look_words, p_value, percent, unknown, with_unit, worst_first } from "../format";
import type { Entry } from "../report";
import type { ComparisonRow } from "../reports";
import { verdict_badge } from "./badge";
import { case_column, type Column, metric_column, numbers } from "./columns";
import { type Child, el, svg } from "./dom";

const verdict_column: Column = {
  key: "verdict",
  label: "verdict",
  title: "worst first",
  numeric: false,
  rank: 0,
  sorts: (entry) => worst_first.indexOf(entry.row?.verdict ?? "skipped"),
  cell: ({ row }) =>
    row
      ? el(
          "span",
          null,
          verdict_badge(row.verdict),
          row.waiver ? el("span", "tag", "waived") : null,
          row.informative ? el("span", "tag", "informative") : null,
        )
      : "",
};

// Up is worse, whatever the metric's direction.
function worsening({ row }: Entry): number | null {
  return row?.ratio == null ? null : (row.ratio - 1) * (row.direction === "higher" ? -1 : 1);
}

// The end of the interval that is worst, so that ties of the change are told apart by it.
export function worst_bound({ row }: Entry): number | null {
  if (!row?.interval) return null;
  return row.direction === "higher" ? 1 - row.interval[0] : row.interval[1] - 1;
}

// The p of the question that the verdict answers: better for what improved, worse for all else.
export function judged_p(row: ComparisonRow | null): number | null | undefined {
  return row?.verdict === "improved" ? row.p_improved_adjusted : row?.p_adjusted;
}

const change_column = numbers("change", "change", "current against baseline", 0, worsening, (_, entry) =>
  el("strong", null, change_of(entry.row)),
);

function interval_column(entries: readonly Entry[]): Column {
  const scale = interval_scale(entries);
  return {
    key: "interval",
    label: "interval against margin",
    title: "interval of the change; the band is the margin, the line zero",
    numeric: false,
    drawn: true,
    rank: 2,
    sorts: worst_bound,
    cell: (entry) => {
      const words = el("span", "interval-words", interval_of(entry.row));
      return el("span", "with-interval", small_interval(entry, scale), words);
    },
  };
}

const evidence: Column[] = [
  numbers("margin", "margin", "changes within it do not matter", 5, (entry) => entry.row?.margin, (_, entry) =>
    margin_of(entry.row),
  ),
  ...(["baseline", "current"] as const).map((side) =>
    numbers(
      side,
      side,
      "geometric mean of one value a process",
      4,
      (entry) => entry.row?.[side]?.center,
      (value, entry) => with_unit(value, entry.row?.unit ?? ""),
    ),
  ),
  numbers(
    "p",
    "p adjusted",
    "of the change being no more than the margin, in the direction of the verdict, one-sided, after Holm",
    3,
    (entry) => judged_p(entry.row),
    p_value,
  ),
  numbers(
    "processes",
    "processes",
    "baseline / current",
    6,
    (entry) => (entry.row ? Math.min(...entry.row.processes) : null),
    (_, entry) => (entry.row ? entry.row.processes.join(" / ") + look_words(entry.row) : unknown),
  ),
  numbers(
    "detectable",
    "detectable",
    "a true change of this size would be found with 80 % power, margin included",
    6,
    (entry) => entry.row?.minimum_detectable,
    percent,
  ),
];

export function comparison_columns(entries: readonly Entry[]): Column[] {
  return [verdict_column, case_column, ...metric_column(entries), change_column, interval_column(entries), ...evidence];
}

// --- the small intervals --------------------------------------------------------------------------------

// Half the width of their common axis: what shows most of them and every margin.
function interval_scale(entries: readonly Entry[]): number {
  const ends = entries
    .flatMap((entry) => (entry.row?.interval ? entry.row.interval.map((bound) => Math.abs(bound - 1)) : []))
    .filter(Number.isFinite)
    .sort((left, right) => left - right);
  const margins = entries.map((entry) => entry.row?.margin ?? 0);
  return Math.max(ends[Math.floor(ends.length * 0.9)] ?? 0, 2 * Math.min(...margins, 1), 0.002) * 1.1;
}

const [width, height] = [132, 18];

// The interval of the change against zero and the margin, without words: the cells beside it say it.
function small_interval({ row }: Entry, scale: number): Child {
  if (!row?.interval || row.ratio === null) return "";
  const [lo, hi] = [row.interval[0] - 1, row.interval[1] - 1];
  const x = (value: number) => width / 2 + (Math.max(-1, Math.min(1, value / scale)) * (width - 8)) / 2;
  const middle = height / 2;
  const margin = row.margin ?? 0;
  return svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      class: `small-interval ${row.verdict}`,
      "aria-hidden": "true",
    },
    svg("rect", { x: x(-margin), y: 0, width: Math.max(1, x(margin) - x(-margin)), height, class: "band" }),
    svg("line", { x1: width / 2, x2: width / 2, y1: 0, y2: height, class: "zero" }),
    svg("line", { x1: x(lo), x2: x(hi), y1: middle, y2: middle, class: "range" }),
    ...(hi > scale ? [svg("path", { d: `M${width - 4} 5l4 4l-4 4z`, class: "more" })] : []),
    ...(lo < -scale ? [svg("path", { d: "M4 5l-4 4l4 4z", class: "more" })] : []),
    svg("circle", { cx: x(row.ratio - 1), cy: middle, r: 3.5, class: "point" }),
  );
}
