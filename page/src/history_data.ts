// The data of a history: of a case's page in the site of `harness history --html`: the contract with
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

// A history in the page itself: the contract with harness/report/media/page/history_page.cpp.
export interface HistoryChart {
  format: "harness-history-chart";
  version: 1;
  headline: string;
  suite: string;
  branch: string;
  left_out: number; // series for which the page has no room
  commits: HistoryCommits["commits"];
  series: CaseSeries[]; // those that got worse first
}

export interface CaseSeries extends HistorySeries {
  case: string;
  worse: boolean; // since the anchor, in a metric that decides
  informative: boolean;
  verdicts: string[]; // of each point's case, as it was judged last; "": never
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
