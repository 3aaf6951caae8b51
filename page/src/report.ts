// A page document with its parts joined: one entry a row of the table, with what either side knows of it.

import type { CaseDetails, PageDocument, SeriesDetails, Side } from "./data";
import type { ComparisonRow, Machine, RunCase, RunReport } from "./reports";

export interface Entry {
  id: number; // position in the report, which is worst first
  suite: string; // "" on a page of one report
  case: string;
  metric: string;
  row: ComparisonRow | null; // null on the page of a run
  run: RunCase | null; // of the current side
  baseline_details: CaseDetails | undefined;
  current_details: CaseDetails | undefined;
}

const key_of = (name: string, metric: string) => `${metric}\n${name}`;

export function entries_of(page: PageDocument, suite = ""): Entry[] {
  const details = (side: Side | null) => new Map((side?.details ?? []).map((one) => [one.case, one]));
  const [baseline, current] = [details(page.baseline), details(page.current)];
  const runs = new Map(page.current.report.cases.map((one) => [key_of(one.case, one.metric), one]));
  const rows: (ComparisonRow | RunCase)[] = page.comparison ? page.comparison.cases : page.current.report.cases;
  return rows.map((one, id) => ({
    id,
    suite,
    case: one.case,
    metric: one.metric,
    row: page.comparison ? (one as ComparisonRow) : null,
    run: runs.get(key_of(one.case, one.metric)) ?? null,
    baseline_details: baseline.get(one.case),
    current_details: current.get(one.case),
  }));
}

// By own property: a device may be called "constructor".
export function machine_of(report: RunReport, device: string): Machine | undefined {
  return Object.hasOwn(report.machines, device) ? report.machines[device] : undefined;
}

export function series_of(details: CaseDetails | undefined, metric: string): SeriesDetails | undefined {
  return details?.series.find((one) => one.metric === metric);
}

// The command that measures a case again, of whichever side knows it.
export function reproduce(entry: Entry): string {
  return entry.current_details?.reproduce ?? entry.baseline_details?.reproduce ?? "";
}

export function find_entry(
  entries: readonly Entry[],
  name: string,
  metric: string | null,
  suite: string | null = null,
): Entry | undefined {
  return entries.find(
    (entry) =>
      entry.case === name && (metric === null || entry.metric === metric) && (suite === null || entry.suite === suite),
  );
}
