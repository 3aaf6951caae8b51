// The columns of the table: what each shows of an entry and what it sorts by.

import { printable, verdict_words } from "../format";
import type { Entry } from "../report";
import { type Child, name_of } from "./dom";

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

type Value = number | null | undefined;

// A column of numbers: sorted by the number, shown as `say` has it.
export function numbers(
  key: string,
  label: string,
  title: string,
  rank: number,
  of: (entry: Entry) => Value,
  say: (value: Value, entry: Entry) => Child,
): Column {
  const cell = (entry: Entry) => say(of(entry), entry);
  return { key, label, title, numeric: true, rank, sorts: (entry) => of(entry) ?? null, cell };
}

// The cell with the button that opens the row is made by the table.
export const case_column: Column = {
  key: "case",
  label: "case",
  title: "workload / variant / parameters",
  numeric: false,
  rank: 0,
  sorts: (entry) => entry.case,
  cell: () => null,
};

// Only where there is more than one metric.
export function metric_column(entries: readonly Entry[]): Column[] {
  if (new Set(entries.map((entry) => entry.metric)).size < 2) return [];
  return [
    {
      key: "metric",
      label: "metric",
      title: "what was measured",
      numeric: false,
      rank: 1,
      sorts: (entry) => entry.metric,
      cell: (entry) => name_of(printable(entry.metric, 60)),
    },
  ];
}

// The words that a case's name, verdict and reason offer to the filter.
export function words_of(entry: Entry): string {
  const { row, run } = entry;
  const state = row ? (verdict_words[row.verdict] ?? row.verdict) : (run?.outcome ?? "");
  const tags = entry.current_details?.tags.join(" ") ?? "";
  return `${entry.case} ${entry.metric} ${state} ${row?.reason ?? run?.reason ?? ""} ${tags}`.toLowerCase();
}
