// The columns of the table: what each shows of an entry and what it sorts by.

import {
  change,
  change_interval,
  percent,
  p_value,
  printable,
  quantity,
  rate,
  times,
  unknown,
  verdict_words,
  with_unit,
  worst_first,
} from "../format";
import type { Entry } from "../report";
import { outcome_badge, outcomes_worst_first, verdict_badge } from "./badge";
import { type Child, el, svg } from "./dom";

export interface Column {
  key: string;
  label: string;
  title: string; // in words, for the heading's tooltip
  numeric: boolean;
  drawn?: boolean; // holds a small picture
  rank: number; // columns with a higher rank leave first where it is narrow: 0 stays
  sorts: (entry: Entry) => number | string | null; // null sorts last either way
  cell: (entry: Entry) => Child;
}

const case_column: Column = {
  key: "case",
  label: "case",
  title: "workload / variant / parameters",
  numeric: false,
  rank: 0,
  sorts: (entry) => entry.case,
  cell: () => null, // the table makes it: it opens the row
};

function metric_column(entries: readonly Entry[]): Column[] {
  if (new Set(entries.map((entry) => entry.metric)).size < 2) return [];
  return [
    {
      key: "metric",
      label: "metric",
      title: "what was measured",
      numeric: false,
      rank: 1,
      sorts: (entry) => entry.metric,
      cell: (entry) => printable(entry.metric, 60),
    },
  ];
}

export function columns_of(entries: readonly Entry[], compared: boolean): Column[] {
  return compared ? comparison_columns(entries) : run_columns(entries);
}

// Half the width of the small intervals' axis: what shows most of them and every margin.
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
function small_interval(entry: Entry, scale: number): Child {
  const { row } = entry;
  if (!row?.interval || row.ratio === null) return "";
  const [lo, hi] = row.interval;
  const x = (value: number) => width / 2 + (Math.max(-1, Math.min(1, value / scale)) * (width - 8)) / 2;
  const margin = row.margin ?? 0;
  const place = { x1: x(lo - 1), x2: x(hi - 1), y1: height / 2, y2: height / 2 };
  return svg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, class: `small-interval ${row.verdict}`, "aria-hidden": "true" },
    svg("rect", { x: x(-margin), y: 0, width: Math.max(1, x(margin) - x(-margin)), height, class: "band" }),
    svg("line", { x1: width / 2, x2: width / 2, y1: 0, y2: height, class: "zero" }),
    svg("line", { ...place, class: "range" }),
    ...(Math.abs(hi - 1) > scale ? [svg("path", { d: `M${width - 4} 5l4 4l-4 4z`, class: "more" })] : []),
    ...(Math.abs(lo - 1) > scale && lo < 1 ? [svg("path", { d: "M4 5l-4 4l4 4z", class: "more" })] : []),
    svg("circle", { cx: x(row.ratio - 1), cy: height / 2, r: 3.5, class: "point" }),
  );
}

function comparison_columns(entries: readonly Entry[]): Column[] {
  const scale = interval_scale(entries);
  // Up is worse, whatever the metric's direction.
  const worse = (entry: Entry) =>
    entry.row?.ratio == null ? null : (entry.row.ratio - 1) * (entry.row.direction === "higher" ? -1 : 1);
  return [
    {
      key: "verdict",
      label: "verdict",
      title: "worst first",
      numeric: false,
      rank: 0,
      sorts: (entry) => worst_first.indexOf(entry.row?.verdict ?? "skipped"),
      cell: (entry) =>
        entry.row
          ? el(
              "span",
              null,
              verdict_badge(entry.row.verdict),
              entry.row.waiver ? el("span", "tag", "waived") : null,
              entry.row.informative ? el("span", "tag", "informative") : null,
            )
          : "",
    },
    case_column,
    ...metric_column(entries),
    {
      key: "change",
      label: "change",
      title: "current against baseline",
      numeric: true,
      rank: 0,
      sorts: worse,
      cell: (entry) => el("strong", null, change(entry.row?.ratio)),
    },
    {
      key: "interval",
      label: "interval against margin",
      title: "interval of the change; the band is the margin, the line zero",
      numeric: false,
      drawn: true,
      rank: 2,
      sorts: (entry) => entry.row?.interval?.[0] ?? null,
      cell: (entry) =>
        el(
          "span",
          "with-interval",
          small_interval(entry, scale),
          el("span", "interval-words", change_interval(entry.row?.interval)),
        ),
    },
    {
      key: "margin",
      label: "margin",
      title: "changes within it do not matter",
      numeric: true,
      rank: 5,
      sorts: (entry) => entry.row?.margin ?? null,
      cell: (entry) => percent(entry.row?.margin),
    },
    {
      key: "baseline",
      label: "baseline",
      title: "geometric mean of one value a process",
      numeric: true,
      rank: 4,
      sorts: (entry) => entry.row?.baseline?.center ?? null,
      cell: (entry) => with_unit(entry.row?.baseline?.center, entry.row?.unit ?? ""),
    },
    {
      key: "current",
      label: "current",
      title: "geometric mean of one value a process",
      numeric: true,
      rank: 4,
      sorts: (entry) => entry.row?.current?.center ?? null,
      cell: (entry) => with_unit(entry.row?.current?.center, entry.row?.unit ?? ""),
    },
    {
      key: "p",
      label: "p adjusted",
      title: "of being worse by no more than the margin, one-sided, after Holm",
      numeric: true,
      rank: 3,
      sorts: (entry) => entry.row?.p_adjusted ?? null,
      cell: (entry) => p_value(entry.row?.p_adjusted),
    },
    {
      key: "processes",
      label: "processes",
      title: "baseline / current",
      numeric: true,
      rank: 6,
      sorts: (entry) => (entry.row ? Math.min(...entry.row.processes) : null),
      cell: (entry) => entry.row?.processes.join(" / ") ?? unknown,
    },
    {
      key: "detectable",
      label: "detectable",
      title: "a true change of this size would be found with 80 % power, margin included",
      numeric: true,
      rank: 6,
      sorts: (entry) => entry.row?.minimum_detectable ?? null,
      cell: (entry) => percent(entry.row?.minimum_detectable),
    },
  ];
}

function run_columns(entries: readonly Entry[]): Column[] {
  const any = (of: (entry: Entry) => unknown) => entries.some((entry) => of(entry) != null);
  const number = (
    key: string,
    label: string,
    title: string,
    rank: number,
    of: (entry: Entry) => number | null | undefined,
    say: (value: number | null | undefined, entry: Entry) => string,
  ): Column[] =>
    any(of)
      ? [
          {
            key,
            label,
            title,
            numeric: true,
            rank,
            sorts: (entry) => of(entry) ?? null,
            cell: (entry) => say(of(entry), entry),
          },
        ]
      : [];
  return [
    {
      key: "outcome",
      label: "outcome",
      title: "worst first",
      numeric: false,
      rank: 0,
      sorts: (entry) => outcomes_worst_first.indexOf(entry.run?.outcome ?? "skipped"),
      cell: (entry) => (entry.run ? outcome_badge(entry.run.outcome) : ""),
    },
    case_column,
    ...metric_column(entries),
    ...number(
      "center",
      "centre",
      "geometric mean of one value a process",
      0,
      (entry) => entry.run?.center,
      (value, entry) => with_unit(value, entry.run?.unit ?? ""),
    ),
    ...(any((entry) => entry.run?.interval)
      ? [
          {
            key: "interval",
            label: "interval",
            title: "of the centre",
            numeric: true,
            rank: 4,
            sorts: (entry: Entry) => entry.run?.interval?.[0] ?? null,
            cell: (entry: Entry) =>
              entry.run?.interval
                ? `${quantity(entry.run.interval[0])} to ${quantity(entry.run.interval[1])}`
                : unknown,
          },
        ]
      : []),
    ...number(
      "speedup",
      "speedup",
      "over the case's reference",
      1,
      (entry) => entry.run?.speedup?.ratio,
      (value) => times(value),
    ),
    ...number(
      "flops",
      "FLOP/s",
      "achieved",
      4,
      (entry) => entry.run?.flops_per_s,
      (value) => rate(value, "FLOP/s"),
    ),
    ...number(
      "bytes",
      "B/s",
      "achieved",
      5,
      (entry) => entry.run?.bytes_per_s,
      (value) => rate(value, "B/s"),
    ),
    ...number(
      "ceiling",
      "of ceiling",
      "the larger share of what this machine was measured to do",
      2,
      (entry) => entry.run?.share_of_ceiling,
      (value, entry) => `${percent(value)} ${entry.run?.bound ?? ""}`,
    ),
    ...number(
      "cv",
      "CV",
      "coefficient of variation of all samples",
      6,
      (entry) => entry.run?.cv,
      (value) => percent(value),
    ),
    ...number(
      "processes",
      "processes",
      "fresh processes, the replicates",
      6,
      (entry) => entry.run?.processes,
      (value) => String(value ?? unknown),
    ),
  ];
}

// The words that a case's name, verdict and reason offer to the filter.
export function words_of(entry: Entry): string {
  const state = entry.row ? verdict_words[entry.row.verdict] : (entry.run?.outcome ?? "");
  return `${entry.case} ${entry.metric} ${state} ${entry.row?.reason ?? entry.run?.reason ?? ""} ${entry.current_details?.tags.join(" ") ?? ""}`.toLowerCase();
}
