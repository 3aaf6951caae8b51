// The data of a page: one JSON document, `harness-page` version 1, written by
// harness/report/media/page/page_data.cpp and embedded in the page. It holds the two JSON reports that
// harness/report/formats.md describes, and beside them what only a page shows.
//
// Every text in it comes from suites, records and machines and is untrusted: it reaches the document
// as text nodes and attributes, never as markup.

import type { Comparison, RunReport } from "./reports";

export interface PageDocument {
  format: "harness-page";
  version: 1;
  tool: string; // "harness 0.1.0"
  title: string;
  command: string; // how this page's verdict or table is made again
  headline: string; // the verdict in one sentence, as on the terminal: "REGRESSED: 2 of 8 cases are ..."
  steps: string[]; // what to do next, one sentence each
  comparison: Comparison | null; // `harness-comparison`; null on the page of a run
  current: Side;
  baseline: Side | null;
}

// A page of several reports, one a suite: its data are packed texts one a line, this one first, then a PageDocument of
// each part that has one.
export interface Contents {
  format: "harness-pages";
  version: 1;
  headline: string;
  tone: Tone;
  parts: { name: string; headline: string; tone: Tone; page: boolean }[];
}

export type Tone = "plain" | "strong" | "faint" | "good" | "bad" | "doubtful";

export interface Side {
  report: RunReport; // `harness-run-report`
  details: CaseDetails[]; // in the order of the record; cases without samples are left out
}

export interface CaseDetails {
  case: string;
  workload: string;
  variant: string;
  device: string;
  params: Record<string, string | number | boolean>;
  tags: string[];
  flops: number | null; // of one call
  bytes: number | null;
  series: SeriesDetails[];
  // Wall seconds by phase, the mean over processes, in the order they ended; null when unknown. Older documents have
  // an object a process, of which parse() makes the mean.
  phases: Record<string, number> | null;
  kernels: Kernel[] | null; // of the first process that saw some; null when none did
  reproduce: string; // the command that measures this case again
}

export interface SeriesDetails {
  metric: string;
  unit: string;
  direction: "lower" | "higher";
  processes: ProcessDetails[];
}

export interface ProcessDetails {
  process: number;
  value: number | null; // the one value that the process stands for
  first_call: number | null;
  count: number; // samples taken
  // All samples in the order taken where that fits ("samples"); else their quantiles at equal steps of
  // probability from minimum to maximum ("quantiles"), and the page says so.
  form: "samples" | "quantiles";
  // Differences in steps of 1 / per_unit, each from the value before it, the first from 0. A recorded value that
  // is no number is null and leaves the sum as it is. Value i is the sum of the numbers up
  // to i, divided by per_unit (a power of ten). Rounded far below what a clock resolves; an eighth of
  // the bytes that the values themselves would take.
  per_unit: number;
  deltas: (number | null)[];
  placements: PlacementDetails[]; // travel as PlacementColumns; parse() makes rows of them
}

// The values that all placements of a process share, and a column for each other quantity. This takes a third of
// the text of rows.
export interface PlacementColumns {
  rows: number;
  same: Partial<PlacementDetails>;
  each: { [Name in keyof PlacementDetails]?: PlacementDetails[Name][] };
}

export interface PlacementDetails {
  started: number | null; // Unix time, seconds
  count: number;
  value: number | null; // trimmed mean of the placement
  forced_gates: number;
  clock_ghz: number | null; // measured by a kernel
  sm_clock_mhz: number | null; // as the driver reports, from here on
  memory_clock_mhz: number | null;
  power_w: number | null;
  temperature_c: number | null;
  throttled: string[];
  other_processes: number;
}

export interface Kernel {
  name: string;
  grid: [number, number, number];
  block: [number, number, number];
  registers: number;
  static_shared_bytes: number;
  dynamic_shared_bytes: number;
  launches: number; // a call
  us: number | null; // median of one launch; null when not timed
  code: string | null;
}
