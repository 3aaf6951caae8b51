// The data of a history, `harness-history-page` version 1: the contract with harness/report/media/page/history_page.cpp.
// They are packed texts with dots between them: a HistoryHead, then blocks of SeriesPoints, which are unpacked when one of
// their series is opened.

import type { Tone } from "./data";
import type { Bounds } from "./reports";

export interface HistoryCommit {
  hash: string;
  date: string; // UTC
  subject: string;
  record: string;
}

export interface HistoryHead {
  format: "harness-history-page";
  version: 1;
  headline: string;
  tone: Tone;
  suite: string;
  facts: [name: string, value: string][];
  links: { commit: string; record: string }; // URLs with {commit} and {record}; "": no links
  commits: [hash: string, date: string, subject: string, record: string][]; // the oldest first
  rows: SeriesRow[]; // those that got worse first
  causes: Cause[]; // the newest first
  notes: string[]; // records that were passed over
  alerts: { since: string; lines: string[] } | null;
  block: number; // series a block
}

// A series in a line.
export interface SeriesRow {
  case: string;
  metric: string;
  unit: string;
  device: string;
  finding: string; // "worse", "better" ...; "": no change
  tone: Tone;
  newest: number | null;
  ratio: number | null; // the newest result to the anchor
  interval: Bounds | null; // of the ratio
  measured: number; // commits
  trend: string; // as the terminal draws it, from ▁ to █
}

// Only an opened series shows these.
export interface SeriesPoints {
  margin: number;
  anchor: { name: string; center: number } | null;
  at: number[]; // of each point, its place in the commits of the head
  center: number[];
  low: (number | null)[];
  high: (number | null)[];
  verdicts: string[]; // of each point's case, as it was judged last; "": never
  changes: HistoryChange[];
  told: string[]; // sentences
}

export type CaseSeries = SeriesRow & SeriesPoints;

export interface HistoryChange {
  index: number; // of the first point after it
  ratio: number;
  worse: boolean;
}

// Lasting changes of series that came with the same commits.
export interface Cause {
  worse: boolean;
  before: string; // the commits after it, up to that of the members, hold the cause
  unmeasured: number; // of these
  members: [row: number, commit: number, ratio: number, verdict: string][]; // the largest change first
}

export interface History {
  head: HistoryHead;
  commits: HistoryCommit[];
  // Null where the page has no room for them.
  points_of: (row: number) => SeriesPoints | null;
}
