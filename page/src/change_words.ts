// The change of a result, its interval and its margin in words: percentages, or the metric's own unit where the
// suite gives the margin so.
import { change, change_interval, percent, printable, tick, unknown } from "./format";
import type { ComparisonRow } from "./reports";

function after_number(unit: string): string {
  return unit === "absolute" ? "" : ` ${printable(unit, 20)}`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : value > 0 ? "+" : "±"}${tick(Number(Math.abs(value).toPrecision(3)))}`;
}

export function change_of(row: ComparisonRow | null | undefined): string {
  if (!row?.in_unit) return change(row?.ratio);
  if (!row.in_unit.interval) return unknown;
  return signed(row.in_unit.difference) + after_number(row.in_unit.unit);
}

export function interval_of(row: ComparisonRow | null | undefined): string {
  if (!row?.in_unit) return change_interval(row?.interval);
  const bounds = row.in_unit.interval;
  if (!bounds) return unknown;
  return `${signed(bounds[0])} to ${signed(bounds[1])}${after_number(row.in_unit.unit)}`;
}

// Without its sign: it holds either way.
export function margin_of(row: ComparisonRow | null | undefined): string {
  if (!row?.in_unit) return percent(row?.margin);
  return tick(row.in_unit.margin) + after_number(row.in_unit.unit);
}
