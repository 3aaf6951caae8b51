// The data of a case's page in the site of `harness history --html`: the contract with
// harness/report/media/site/site_data.cpp. A page holds its series; a file that all pages of a suite share holds the
// commits.

export interface HistoryCommit {
  hash: string;
  date: string; // UTC
  subject: string;
  record: string;
}

export interface HistoryChange {
  index: number; // of the first point after it
  ratio: number;
  worse: boolean;
}

export interface HistorySeries {
  metric: string;
  unit: string;
  device: string;
  margin: number;
  anchor: { name: string; center: number } | null;
  at: number[]; // of each point, its commit in the shared list
  center: number[];
  low: (number | null)[];
  high: (number | null)[];
  changes: HistoryChange[];
}

export interface HistoryPage {
  format: "harness-history-page";
  version: 1;
  series: HistorySeries[];
}

export interface HistoryCommits {
  format: "harness-history-commits";
  version: 1;
  commits: [hash: string, date: string, subject: string, record: string][];
}
