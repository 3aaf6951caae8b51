// The processes of one case and metric, of one or both sides, as the plots of samples take them.

import type { ProcessDetails, SeriesDetails } from "../data";
import { values_of } from "../decode";
import { counted, printable, with_unit } from "../format";
import { clipped, finite, sorted } from "../statistics";
import type { Theme } from "../theme";

export type SideName = "baseline" | "current";

export interface SeriesSide {
  name: SideName;
  series: SeriesDetails;
}

export function sides_of(baseline: SeriesDetails | undefined, current: SeriesDetails | undefined): SeriesSide[] {
  const sides: SeriesSide[] = [];
  if (baseline && baseline.processes.length > 0) sides.push({ name: "baseline", series: baseline });
  if (current && current.processes.length > 0) sides.push({ name: "current", series: current });
  return sides;
}

export function every_process(sides: readonly SeriesSide[]): { side: SideName; process: ProcessDetails }[] {
  return sides.flatMap((side) => side.series.processes.map((process) => ({ side: side.name, process })));
}

// "baseline 3"; where there is one side only, "process 3".
export function process_name(sides: readonly SeriesSide[], side: SideName, process: number): string {
  return sides.length > 1 ? `${side} ${process}` : `process ${process}`;
}

// How a sentence about one of the sides begins; nothing where there is one only.
export function side_prefix(sides: readonly SeriesSide[], side: SideName): string {
  return sides.length > 1 ? `${side}: ` : "";
}

// Every process with its samples, and the axis that shows them with some room at its ends; null where
// nobody holds a sample.
export interface Samples {
  rows: { side: SideName; process: ProcessDetails; name: string; values: number[] }[];
  lo: number;
  hi: number;
  below: number; // far outliers left of the axis
  above: number; // and right of it
  unit: string;
  axis_name: string;
}

export function samples_of(sides: readonly SeriesSide[]): Samples | null {
  const rows = every_process(sides).map((one) => ({
    ...one,
    name: process_name(sides, one.side, one.process.process),
    values: finite(values_of(one.process)),
  }));
  const range = clipped(rows.map((row) => row.values));
  const series = sides[0]?.series;
  if (!range || !series) return null;
  const room = (range.hi - range.lo) * 0.03 || Math.abs(range.lo) * 0.01 || 1;
  const unit = printable(series.unit, 20);
  const axis_name = `${printable(series.metric, 40)} in ${unit}`;
  const { below, above } = range;
  return { rows, lo: range.lo - room, hi: range.hi + room, below, above, unit, axis_name };
}

// The values that the axis leaves out; "" where it holds every value.
export function clip_note({ rows, below, above, unit }: Samples): string {
  if (below + above === 0) return "";
  const values = sorted(rows.flatMap((row) => row.values));
  const ends = [
    below > 0 ? `${below} to the left, down to ${with_unit(values[0], unit)}` : "",
    above > 0 ? `${above} to the right, up to ${with_unit(values[values.length - 1], unit)}` : "",
  ];
  return `Clipped: ${counted(below + above, "far outlier")} beyond the axis (${ends.filter(Boolean).join("; ")}).`;
}

export function colour_of(side: SideName, theme: Theme): string {
  return side === "baseline" ? theme.baseline : theme.current;
}

export function symbol_of(side: SideName): string {
  return side === "baseline" ? "circle" : "diamond";
}

// The drawn values: all samples, or a number of quantiles in place of them.
export function form_note(sides: readonly SeriesSide[]): string {
  const all = every_process(sides).map(({ process }) => process);
  const taken = all.reduce((sum, process) => sum + process.count, 0);
  const reduced = all.filter((process) => process.form === "quantiles");
  if (reduced.length === 0) return `All ${counted(taken, "sample")} are drawn.`;
  const few = Math.min(...reduced.map((process) => process.deltas.length));
  const some = reduced.length === all.length ? "each process" : `${reduced.length} of ${all.length} processes`;
  return `Quantiles, not samples: ${few} at equal steps of probability stand for ${some} (${counted(taken, "sample")} in all); the record holds every sample.`;
}

export const no_samples = {
  missing: "This page holds no samples of this case.",
  remedy: "Measure it with `harness run`, or write the report from records that hold raw samples.",
};
