// Numbers and names as people read them. The same rules as the terminal's: a quantity with four
// figures, a change with two decimals, an unknown number as "-".

import type { ComparisonRow, Verdict } from "./reports";

export const unknown = "–";

function known(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

// Four significant figures without an exponent, thousands apart: 0.01234, 12.82, 1,028.
export function quantity(value: number | null | undefined, figures = 4): string {
  if (!known(value)) return unknown;
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -6 || size > 14) return value.toExponential(Math.max(0, figures - 1));
  const decimals = Math.min(12, Math.max(0, figures - 1 - size));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

// The same for the ends of an axis, without zeros that say nothing: 5, 2.5, 18.6.
export function tick(value: number): string {
  if (!known(value)) return "";
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential().replace("e+", "e");
  return Number(value.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 9 }).replace("-", "−");
}

// 2.1e-4: an error.
export function exponent(value: number | null | undefined): string {
  return known(value) ? value.toExponential(1) : unknown;
}

export function with_unit(value: number | null | undefined, unit: string, figures = 4): string {
  if (!known(value)) return unknown;
  const [factor, shown] = readable_unit(Math.abs(value), unit);
  return `${quantity(value * factor, figures)} ${shown}`.trim();
}

// Both ends in the unit of the larger one: 48.80 to 52.46 ms.
export function range_with_unit(lo: number | null | undefined, hi: number | null | undefined, unit: string): string {
  if (!known(lo) || !known(hi)) return unknown;
  const [factor, shown] = readable_unit(Math.max(Math.abs(lo), Math.abs(hi)), unit);
  return `${quantity(lo * factor)} to ${quantity(hi * factor)} ${shown}`.trim();
}

// The unit that a value of this size is told in, as a factor and a name: its own, or another one of time below 0.1 and
// from 10,000 on.
function readable_unit(size: number, unit: string): [number, string] {
  const own = seconds_per_unit(unit);
  // "1" is the unit of a pure number, and says nothing behind one.
  if (own === null || size === 0 || (size >= 0.1 && size < 1e4)) return [1, unit === "1" ? "" : printable(unit, 20)];
  const seconds = size * own;
  for (const [scale, name] of scales_of_time) if (seconds >= scale) return [own / scale, name];
  return [own * 1e9, "ns"];
}

// +1.51 %: a change, from a ratio.
export function change(ratio: number | null | undefined): string {
  if (!known(ratio)) return unknown;
  const percent = (ratio - 1) * 100;
  if (Math.abs(percent) >= 1000) return `${quantity(ratio, 3)}×`;
  const text = Math.abs(percent).toFixed(2);
  return `${Number(text) === 0 ? "±" : percent < 0 ? "−" : "+"}${text} %`;
}

type Interval = [number, number] | null | undefined;

const too_wide = "varies too much to say";

// The rule of the terminal: harness/report/numbers.h.
function says_little([lo, hi]: [number, number]): boolean {
  return lo >= 0 && hi > 10 * lo;
}

export function change_interval(interval: Interval): string {
  if (!interval || !known(interval[0]) || !known(interval[1])) return unknown;
  if (says_little(interval) && interval[0] <= 1 && interval[1] >= 1) return too_wide;
  return `${change(interval[0])} to ${change(interval[1])}`;
}

export function interval_with_unit(interval: Interval, unit: string): string {
  if (!interval || !known(interval[0]) || !known(interval[1])) return unknown;
  return says_little(interval) ? too_wide : range_with_unit(interval[0], interval[1], unit);
}

// A share or rate: 0.5 %, 77 %.
export function percent(value: number | null | undefined): string {
  if (!known(value)) return unknown;
  const scaled = value * 100;
  const size = Math.abs(scaled);
  return `${size === 0 ? "0" : size >= 100 ? scaled.toFixed(0) : Number(scaled.toPrecision(2)).toString()} %`;
}

export function p_value(p: number | null | undefined): string {
  if (!known(p)) return unknown;
  if (p < 1e-16) return "< 1e-16"; // as the terminal has it: beyond, no model of noise holds
  return p < 0.001 ? p.toExponential(1) : p.toFixed(3);
}

export function times(ratio: number | null | undefined): string {
  return known(ratio)
    ? `${ratio < 1 ? ratio.toFixed(3) : ratio < 10 ? ratio.toFixed(2) : quantity(ratio, 3)}×`
    : unknown;
}

// A speedup by the lower end of its interval, as harness/report/documents/claims/claim_words.cpp has it.
export function rating(interval: [number, number] | null | undefined): string {
  if (!interval || !known(interval[0])) return "";
  const [lower] = interval;
  return lower > 1.5 ? "excellent" : lower > 1.2 ? "good" : lower > 1 ? "measured" : "investigate";
}

const prefixes: [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

// 801 TFLOP/s: a rate with its SI prefix.
export function rate(
  value: number | null | undefined,
  unit: string,
  say: (value: number) => string = (scaled) => quantity(scaled, 3),
): string {
  if (!known(value)) return unknown;
  for (const [scale, prefix] of prefixes) if (Math.abs(value) >= scale) return `${say(value / scale)} ${prefix}${unit}`;
  return `${say(value)} ${unit}`;
}

const seconds_of = new Map([
  ["s", 1],
  ["ms", 1e-3],
  ["us", 1e-6],
  ["µs", 1e-6],
  ["ns", 1e-9],
]);

const scales_of_time: [number, string][] = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
];

// Seconds in one unit of time, or null for a unit that is no time.
export function seconds_per_unit(unit: string): number | null {
  return seconds_of.get(unit) ?? null;
}

export function duration(seconds: number | null | undefined): string {
  if (!known(seconds)) return unknown;
  const size = Math.abs(seconds);
  if (size >= 120) return `${quantity(seconds / 60, 3)} min`;
  if (size >= 1 || size === 0) return `${quantity(seconds, 3)} s`;
  if (size >= 1e-3) return `${quantity(seconds * 1e3, 3)} ms`;
  if (size >= 1e-6) return `${quantity(seconds * 1e6, 3)} µs`;
  return `${quantity(seconds * 1e9, 3)} ns`;
}

export function moment(unix_seconds: number): string {
  return new Date(unix_seconds * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC";
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

// Letters that steer a terminal or the direction of text are shown, not obeyed; the middle of an
// overlong text is left out.
// eslint-disable-next-line no-control-regex
const steering =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function printable(text: string, longest = Number.POSITIVE_INFINITY): string {
  const clean = text.replace(steering, (letter) =>
    letter === "\t" ? " " : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  if (clean.length <= longest) return clean;
  const half = Math.floor((longest - 1) / 2);
  return `${clean.slice(0, half)}…${clean.slice(clean.length - half)}`;
}

// "90 % interval": at the level that the report says. Older ones do not say it.
export function interval_level(row: ComparisonRow): string {
  return known(row.confidence) ? `${Number((row.confidence * 100).toPrecision(5))} % interval` : "interval";
}

/** " (look 2)" where several looks were declared and one was taken. */
export function look_words(row: ComparisonRow): string {
  return row.look && row.look.declared.length > 1 && row.look.number > 0 ? ` (look ${row.look.number})` : "";
}

// How many processes a row rests on; where both builds ran in the same ones (`shared`), those are counted once.
export function process_words(row: ComparisonRow, shared: boolean): string {
  const [before, now] = row.processes;
  const have = shared && before === now ? `${now} with both builds` : `${before} baseline, ${now} current`;
  const needed =
    row.processes_needed == null ? "" : `; ${row.processes_needed} ${shared ? "of them" : "a side"} would settle it`;
  return `${have}${look_words(row)}${needed}`;
}

export const verdict_words: Record<Verdict, string> = {
  failed: "failed",
  regressed: "regressed",
  missing: "missing",
  not_comparable: "not comparable",
  inconclusive: "inconclusive",
  improved: "improved",
  environment: "environment",
  moved: "moved",
  not_worse: "not worse",
  unchanged: "unchanged",
  identical: "identical",
  skipped: "skipped",
};

export const worst_first = Object.keys(verdict_words) as Verdict[];

// A shape beside each colour, so that neither has to be told apart alone.
export const verdict_signs: Record<Verdict, string> = {
  failed: "✕",
  regressed: "▲",
  missing: "○",
  not_comparable: "≠",
  inconclusive: "?",
  improved: "▼",
  environment: "◇",
  moved: "↔",
  not_worse: "≤",
  unchanged: "=",
  identical: "≡",
  skipped: "–",
};
