// The table's columns on the page of a run. Columns that no case has a value for are left out.

import { interval_with_unit, percent, rate, times, unknown, with_unit } from "../format";
import type { Entry } from "../report";
import { outcome_badge, outcomes_worst_first } from "./badge";
import { case_column, type Column, metric_column, numbers } from "./columns";

const outcome_column: Column = {
  key: "outcome",
  label: "outcome",
  title: "worst first",
  numeric: false,
  rank: 0,
  sorts: (entry) => outcomes_worst_first.indexOf(entry.run?.outcome ?? "skipped"),
  cell: (entry) => (entry.run ? outcome_badge(entry.run.outcome) : ""),
};

function interval_words(entry: Entry): string {
  return interval_with_unit(entry.run?.interval, entry.run?.unit ?? "");
}

const measured: Column[] = [
  numbers(
    "center",
    "centre",
    "geometric mean of one value a process",
    0,
    (entry) => entry.run?.center,
    (value, entry) => with_unit(value, entry.run?.unit ?? ""),
  ),
  numbers(
    "interval",
    "interval",
    "of the centre",
    4,
    (entry) => entry.run?.interval?.[0],
    (_, entry) => interval_words(entry),
  ),
  numbers("speedup", "speedup", "over the case's reference", 1, (entry) => entry.run?.speedup?.ratio, times),
];

const achieved: Column[] = [
  numbers(
    "flops",
    "FLOP/s",
    "achieved",
    4,
    (entry) => entry.run?.flops_per_s,
    (value) => rate(value, "FLOP/s"),
  ),
  numbers(
    "bytes",
    "B/s",
    "achieved",
    5,
    (entry) => entry.run?.bytes_per_s,
    (value) => rate(value, "B/s"),
  ),
  numbers(
    "ceiling",
    "of ceiling",
    "the larger share of what this machine was measured to do",
    2,
    (entry) => entry.run?.share_of_ceiling,
    (value, entry) => `${percent(value)} ${entry.run?.bound ?? ""}`,
  ),
  numbers("cv", "CV", "coefficient of variation of all samples", 6, (entry) => entry.run?.cv, percent),
  numbers(
    "processes",
    "processes",
    "fresh processes, the replicates",
    6,
    (entry) => entry.run?.processes,
    (value) => String(value ?? unknown),
  ),
];

export function run_columns(entries: readonly Entry[]): Column[] {
  const told = (column: Column) => entries.some((entry) => column.sorts(entry) !== null);
  return [outcome_column, case_column, ...metric_column(entries), ...[...measured, ...achieved].filter(told)];
}
