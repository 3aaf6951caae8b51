// Quality against cost: which cases no other case beats in both. Cost is a time, quality any other
// metric of the same cases, or the error against the reference that verification measured.

import type { EChartsOption } from "echarts";
import type { CaseDetails } from "../data";
import { counted, percent, printable, quantity, seconds_per_unit, tick, with_unit } from "../format";
import type { Direction, RunCase } from "../reports";
import { short_names, size_of } from "./names";
import { axis_style, base, type DataTable, type Drawn, type Look, told, value_axis } from "./plot";

export const verification_error = "error against the reference";

export interface Quality {
  name: string;
  unit: string;
  direction: Direction;
}

interface Dot {
  name: string;
  cost: number;
  quality: number;
}

// Metrics that may stand on the vertical axis: those that are no time and differ between the cases.
export function qualities(cases: readonly RunCase[], details: readonly CaseDetails[], cost: string): Quality[] {
  const found = new Map<string, Quality>();
  for (const detail of details)
    for (const series of detail.series)
      if (series.metric !== cost && seconds_per_unit(series.unit) === null)
        found.set(series.metric, { name: series.metric, unit: series.unit, direction: series.direction });
  const error: Quality = { name: verification_error, unit: "", direction: "lower" };
  const higher_first = [...found.values()].sort((left, right) => left.direction.localeCompare(right.direction));
  return [...higher_first, error].filter((quality) => varies(cases, cost, quality));
}

// By more than a thousandth: less is noise.
function varies(cases: readonly RunCase[], cost: string, quality: Quality): boolean {
  const values = cases
    .filter((one) => one.metric === cost)
    .flatMap((one) => quality_of(cases, one.case, quality) ?? []);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.length > 1 && most - least > 1e-3 * Math.max(Math.abs(least), Math.abs(most));
}

// The metric that costs are told in, where none is chosen: GPU time before other times before anything that is lower-better.
export function cost_metric(cases: readonly RunCase[]): RunCase | undefined {
  return (
    cases.find((one) => one.metric === "gpu_time" && one.center !== null) ??
    cases.find((one) => seconds_per_unit(one.unit) !== null && one.center !== null)
  );
}

// The metrics in bytes that differ between cases with another declared quality: sizes that may be a cost.
export function size_metrics(cases: readonly RunCase[], details: readonly CaseDetails[]): RunCase[] {
  const first = new Map(cases.filter((one) => one.unit === "bytes").map((one) => [one.metric, one]));
  return [...first.values()].filter(
    (size) =>
      varies(cases, size.metric, { name: size.metric, unit: size.unit, direction: "lower" }) &&
      qualities(cases, details, size.metric).some(({ name, unit }) => name !== verification_error && unit !== "bytes"),
  );
}

// Dots that no other dot beats in both; cheapest first.
export function front(dots: readonly Dot[], direction: Direction): Dot[] {
  const better = (left: number, right: number) => (direction === "lower" ? left < right : left > right);
  const ordered = [...dots].sort(
    (left, right) => left.cost - right.cost || (better(left.quality, right.quality) ? -1 : 1),
  );
  const kept: Dot[] = [];
  for (const dot of ordered) {
    const last = kept[kept.length - 1];
    if (last === undefined || better(dot.quality, last.quality)) kept.push(dot);
  }
  return kept;
}

// The smallest of the cases drawn, and how many there are: cases of several types have several.
interface Tolerance {
  least: number;
  several: number;
}

// The parts of the picture.
interface Field {
  cost: RunCase;
  quality: Quality;
  dots: Dot[];
  best: Dot[]; // the front, cheapest first
  size: string | null; // of the problem, where all cases are of one
  tolerance: Tolerance | null; // of errors
}

export function pareto(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  quality_name: string | null,
  look: Look,
  cost = cost_metric(cases),
): Drawn {
  const title = `Quality against ${cost && seconds_per_unit(cost.unit) === null ? printable(cost.metric, 40) : "time"}`;
  if (!cost) {
    const remedy = "Measure `gpu_time` or `wall_time` with `harness run`.";
    return { title, missing: "No case here has a time.", remedy };
  }
  const offered = qualities(cases, details, cost.metric);
  const quality = offered.find((one) => one.name === quality_name) ?? offered[0];
  if (!quality) {
    return {
      title,
      missing:
        `Beside ${printable(cost.metric, 60)} nothing differs between the cases: ` +
        "there is no quality or size to weigh it against.",
      remedy:
        "Let the workload check its result (then its error is known), or report a second metric, such as " +
        "accuracy or bytes, from a command or an import.",
    };
  }
  const dots = dots_of(cases, cost, quality);
  if (dots.length === 0) {
    const missing = `No case here has both ${printable(cost.metric, 60)} and ${printable(quality.name, 60)}.`;
    return { title, missing, remedy: "Both metrics must belong to the same case names." };
  }
  const sizes = [...new Set(details.map(size_of))];
  const field: Field = {
    cost,
    quality,
    dots,
    best: front(dots, quality.direction),
    size: sizes.length === 1 ? (sizes[0] ?? null) : null,
    tolerance: quality.name === verification_error ? tolerance_of(cases, dots) : null,
  };
  return {
    title,
    summary: summary_of(field),
    notes: notes_of(quality),
    height: 360,
    option: option_of(field, look),
    table: table_of(field),
  };
}

function quality_of(cases: readonly RunCase[], name: string, quality: Quality): number | null {
  if (quality.name !== verification_error)
    return cases.find((one) => one.case === name && one.metric === quality.name)?.center ?? null;
  const checked = cases.find((one) => one.case === name && one.verification)?.verification;
  return checked && checked.before !== null && checked.after !== null ? Math.max(checked.before, checked.after) : null;
}

function tolerance_of(cases: readonly RunCase[], dots: readonly Dot[]): Tolerance | null {
  const drawn = new Set(dots.map((dot) => dot.name));
  const known = cases.flatMap((one) => (drawn.has(one.case) ? (one.verification?.tolerance ?? []) : []));
  const several = new Set(known).size;
  return several > 0 ? { least: Math.min(...known), several } : null;
}

function dots_of(cases: readonly RunCase[], cost: RunCase, quality: Quality): Dot[] {
  return cases
    .filter((one) => one.metric === cost.metric && one.unit === cost.unit)
    .flatMap((one): Dot[] => {
      const value = quality_of(cases, one.case, quality);
      return one.center === null || value === null ? [] : [{ name: one.case, cost: one.center, quality: value }];
    });
}

function number(value: number): string {
  return Math.abs(value) > 0 && Math.abs(value) < 1e-3 ? value.toExponential(1) : quantity(value, 3);
}

function tolerance_name({ several }: Tolerance): string {
  return several === 1 ? "tolerance" : `smallest of ${several} tolerances`;
}

// How far the errors are from the tolerance: differences between errors that all pass say little.
function tolerance_words({ dots, tolerance: of_cases }: Field): string {
  if (of_cases === null) return "";
  const tolerance = of_cases.least;
  const worst = Math.max(...dots.map((dot) => dot.quality));
  return worst <= tolerance
    ? ` All errors are within the tolerance of ${number(tolerance)}; the largest is ${percent(worst / tolerance)} of it.`
    : ` The ${tolerance_name(of_cases)} is ${number(tolerance)}.`;
}

function summary_of(field: Field): string {
  const { best, dots, cost } = field;
  const told = best
    .slice(0, 8)
    .map((dot) => `${printable(dot.name, 120)} (${with_unit(dot.cost, cost.unit)}, ${number(dot.quality)})`);
  const are = best.length === 1 ? "is" : "are";
  return `${counted(best.length, "case")} of ${dots.length} ${are} beaten by no other in both: ${told.join("; ")}.${tolerance_words(field)}`;
}

function notes_of(quality: Quality): string[] {
  return [
    quality.name === verification_error
      ? "Error: ‖out − ref‖ / ‖ref‖ of the worst output, against the float64 reference, the larger of before and after timing."
      : "",
    quality.direction === "lower" ? "Below and left is better." : "Above and left is better.",
  ].filter(Boolean);
}

function option_of(field: Field, look: Look): EChartsOption {
  const { cost, quality, dots, best, size } = field;
  const { theme } = look;
  const values = [...dots.map((dot) => dot.quality), ...(field.tolerance === null ? [] : [field.tolerance.least])];
  const log = Math.min(...values) > 0 && Math.max(...values) > 20 * Math.min(...values);
  const unit = quality.unit ? ` in ${printable(quality.unit, 20)}` : "";
  const axis_name = `${printable(quality.name, 60)}${unit}, ${quality.direction} is better`;
  const series = kinds_of(field);
  return {
    ...base(look),
    legend: {
      data: series.map((one) => one.name),
      top: 0,
      right: 16,
      itemWidth: 14,
      textStyle: { color: theme.text },
      selectedMode: false,
    },
    title: {
      text: size === null || look.width < 560 ? axis_name : `${axis_name} · ${printable(size, 90)}`,
      left: 8,
      top: 22,
      padding: 0,
      textStyle: {
        color: theme.faint,
        fontSize: 11,
        fontWeight: "normal",
        width: look.width - 24,
        overflow: "truncate",
      },
    },
    grid: { left: 76, right: 32, top: 46, bottom: 44 },
    xAxis: value_axis(look, `${printable(cost.metric, 40)} in ${printable(cost.unit, 20)}, lower is better`),
    yAxis: {
      ...axis_style(look),
      type: log ? "log" : "value",
      scale: true,
      ...(field.tolerance === null ? {} : tolerance_ends(values, log)),
      axisLabel: { color: theme.faint, fontSize: 11, formatter: tick },
    },
    tooltip: told(look, ({ seriesName, dataIndex }) => {
      const dot = series.find((one) => one.name === seriesName)?.dots[dataIndex];
      if (!dot) return "";
      const told_quality = `${printable(quality.name, 60)} ${number(dot.quality)}`;
      return [printable(dot.name, 90), with_unit(dot.cost, cost.unit), told_quality].join("\n");
    }),
    series: [
      {
        type: "line",
        name: "front",
        step: "end",
        showSymbol: false,
        silent: true,
        lineStyle: { color: theme.current, width: 1.5, type: "dashed" },
        data: best.map((dot) => [dot.cost, dot.quality]),
        ...(field.tolerance === null ? {} : tolerance_line(field.tolerance, look)),
      },
      ...series.map((one) => dots_drawn(one, field, look)),
    ],
  };
}

// Ends that show every error and the tolerance.
function tolerance_ends(values: readonly number[], log: boolean) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return log ? { min: least / 2, max: most * 2 } : { min: 0, max: most * 1.1 || 1 };
}

function tolerance_line(tolerance: Tolerance, { theme }: Look) {
  return {
    markLine: {
      silent: true,
      symbol: "none",
      animation: false,
      label: {
        color: theme.bad,
        fontSize: 11,
        position: "insideStartTop" as const,
        formatter: `${tolerance_name(tolerance)} ${number(tolerance.least)}`,
      },
      lineStyle: { color: theme.bad, type: "solid" as const, width: 1.5 },
      data: [{ yAxis: tolerance.least }],
    },
  };
}

interface Kind {
  name: string;
  dots: Dot[];
  on_front: boolean;
}

function kinds_of({ dots, best }: Field): Kind[] {
  return [
    { name: "on the front", dots: best, on_front: true },
    { name: "beaten in both", dots: dots.filter((dot) => !best.includes(dot)), on_front: false },
  ];
}

function dots_drawn(kind: Kind, { dots }: Field, look: Look) {
  const names = short_names(dots.map((dot) => dot.name));
  const costs = dots.map((dot) => dot.cost);
  const middle = (Math.min(...costs) + Math.max(...costs)) / 2;
  const color = kind.on_front ? look.theme.current : look.theme.faint;
  return {
    type: "scatter" as const,
    name: kind.name,
    symbol: kind.on_front ? "diamond" : "circle",
    symbolSize: kind.on_front ? 13 : 8,
    itemStyle: { color, borderColor: look.theme.surface, borderWidth: 1 },
    label: {
      show: dots.length <= 12 && look.width >= 560,
      color: look.theme.text,
      fontSize: 11,
      distance: 6,
      formatter: (item: { dataIndex: number }) => {
        const dot = kind.dots[item.dataIndex];
        return dot ? (names[dots.indexOf(dot)] ?? "") : "";
      },
    },
    labelLayout: { hideOverlap: true, moveOverlap: "shiftY" as const },
    // Labels point to the middle, where there is room for them.
    data: kind.dots.map((dot) => ({
      value: [dot.cost, dot.quality],
      label: { position: dot.cost > middle ? ("left" as const) : ("right" as const) },
    })),
  };
}

function table_of({ cost, quality, dots, best }: Field): DataTable {
  return {
    columns: ["case", `${cost.metric} (${cost.unit})`, quality.name, "on the front"],
    rows: dots.map((dot) => [dot.name, quantity(dot.cost), number(dot.quality), best.includes(dot) ? "yes" : "no"]),
  };
}
