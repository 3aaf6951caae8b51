// The two JSON reports that a page document embeds, as harness/report/formats.md describes them. A key
// marked `?` came later than version 1 began: a page made from older reports does without it.

export type Verdict =
  | "identical"
  | "environment"
  | "moved"
  | "not_worse"
  | "unchanged"
  | "improved"
  | "regressed"
  | "inconclusive"
  | "missing"
  | "not_comparable"
  | "failed"
  | "skipped";

export type Outcome = "measured" | "looked_at" | "incorrect" | "failed" | "timed_out" | "skipped";
export type Direction = "lower" | "higher";
export type Bounds = [number, number];

export interface Where {
  file: string;
  line: number;
  column?: number;
}

export interface Revision {
  commit: string;
  branch: string;
  dirty: boolean;
}

// --- harness-comparison -------------------------------------------------------------------------------

export interface Comparison {
  verdict: Verdict;
  exit_code: number;
  suite: string;
  suite_file: string;
  baseline: Source;
  current: Source;
  policy: Policy;
  differences: string[];
  pairing?: "session" | "process" | null; // of an A/B run: process: both builds in the same processes
  policy_facts?: { name: string; value: string; source: string }[]; // the policy in effect, in words
  waivers?: WaiverUse[];
  gates_loosened?: number; // results that are judged more leniently than the baseline was
  remarks?: string[]; // about the comparison as a whole
  cases: ComparisonRow[];
}

export interface Source {
  id: string;
  described: string;
  revision: Revision;
  device: string;
  distance: number;
}

export interface Policy {
  margin: number | null;
  alpha: number | null;
  allow_inconclusive: boolean;
  allow_missing: boolean;
  allow_not_comparable: boolean;
  allow_other_device: boolean;
  session_sd: number | null;
  device_sd: number | null;
  learned?: {
    case: string;
    metric: string;
    session_sd: number;
    device_sd: number;
    sessions: number;
    devices: number;
  }[];
  min_processes: number;
  min_shared_processes?: number; // of those that hold both builds
  fail_on_improved?: boolean;
  waivers_file?: string | null;
  today?: string | null;
  allow_skipped?: boolean;
  accept_proposed?: boolean; // the change's own looser gates and waivers count
}

export interface Waiver {
  pattern: string;
  metric: string | null; // null: every metric
  ceiling: number | null;
  expires: string;
  reason: string;
  issue: string | null;
  where?: Where | null;
}

export interface WaiverUse extends Waiver {
  state: "holds" | "exceeded" | "expired" | "unused" | "unmatched" | "proposed";
  waived: number; // rows that do not fail because of it
  refused: number; // rows that fail although it matches them
  advice: string[];
}

export interface KernelChange {
  kernel: string;
  change: "moved" | "appeared" | "vanished" | "reshaped";
  ratio: number | null;
  what: string;
}

// The machine code of a kernel in both builds. Figures that differ come with their names.
export interface CodeSides {
  kernel: string;
  architecture: string; // "" where a build lacks the kernel
  same: boolean;
  differing: { figure: string; baseline: number; current: number }[];
  different: number; // lines, of all
  too_long?: boolean; // to be aligned
  lines: { baseline: string; current: string; gap?: boolean }[];
}

export interface ComparisonSide {
  processes: number;
  center: number | null;
  process_sd: number | null;
  outlier_rate: number | null;
  process_values: (number | null)[];
}

export interface ComparisonRow {
  case: string;
  metric: string;
  verdict: Verdict;
  ratio: number | null;
  interval: Bounds | null;
  confidence?: number | null; // of the interval
  p: number | null;
  p_adjusted: number | null;
  p_improved?: number | null;
  p_improved_adjusted?: number | null;
  processes: Bounds;
  margin: number | null;
  alpha: number | null;
  minimum_detectable: number | null;
  processes_needed?: number | null;
  look?: { number: number; declared: number[]; next: number | null } | null;
  degrees_of_freedom?: number | null;
  reason: string;
  advice: string[];
  unit?: string;
  direction?: Direction;
  baseline?: ComparisonSide;
  current?: ComparisonSide;
  kernels?: KernelChange[];
  why?: string[]; // causes of a change, the likeliest first
  code?: CodeSides[];
  waiver?: Waiver | null;
  informative?: boolean;
  loosened?: { margin: number | null; alpha: number | null; regressed: boolean } | null; // the baseline's gate
  // A margin in the metric's own unit, and the change in it; ratio and margin are shares of the baseline's value.
  in_unit?: { margin: number; unit: string; difference: number; interval: Bounds | null; by_process: boolean } | null;
  exact?: boolean; // no variation on either side: compared as numbers, without a test
  where: Where | null;
}

// --- harness-run-report -------------------------------------------------------------------------------

export interface RunReport {
  record: string;
  tool: string;
  suite: { name: string; file: string; hash?: string };
  revision: Revision;
  started: string;
  finished: string | null;
  estimator: string;
  promotion: { author: string; reason: string; date: string } | null;
  machines: Record<string, Machine>;
  cases: RunCase[];
  speedups_over_shapes?: SpeedupOverShapes[];
}

export interface Speedup {
  ratio: number | null;
  interval: Bounds | null;
}

// A variant's gain over its reference across the shapes of an entry of the suite.
export interface SpeedupOverShapes {
  workload: string;
  variant: string;
  reference: string; // a variant
  metric: string;
  tags: string[];
  shapes: number;
  confidence: number | null;
  geometric_mean: Speedup;
  arithmetic_mean: Speedup;
  median: Speedup;
  min: Speedup & { case: string };
  max: Speedup & { case: string };
}

export interface Machine {
  class: string;
  uuid: string;
  fields: { name: string; value: string; kind: "block" | "warn" | "info" }[];
  ceilings: Record<string, number | null>;
}

export interface RunCase {
  case: string;
  metric: string;
  unit: string;
  outcome: Outcome;
  reason: string;
  processes: number;
  samples: number;
  median: number | null;
  mean: number | null;
  sd: number | null;
  min: number | null;
  max: number | null;
  p95: number | null;
  p99: number | null;
  cv: number | null;
  mild_outliers: number;
  far_outliers: number;
  center: number | null;
  process_sd: number | null;
  confidence: number | null;
  interval: Bounds | null;
  first_call: number | null;
  flops_per_s: number | null;
  bytes_per_s: number | null;
  share_of_ceiling: number | null;
  bound: "compute" | "memory" | null;
  speedup: { reference: string; ratio: number | null; interval: Bounds | null } | null;
  verification: { before: number | null; after: number | null; tolerance: number | null; elements: number } | null;
  notes: string[];
}
