// Quality against cost: which cases no other case beats in both. Cost is a time, quality any other
// metric of the same cases, or the error against the reference that verification measured.

import type { CaseDetails } from "../data";
import { counted, printable, quantity, seconds_per_unit, tick, with_unit } from "../format";
import type { Direction, RunCase } from "../reports";
import { symbols } from "../theme";
import { short_names, size_of } from "./names";
import { axis_style, base, type Drawn, type Look, told, value_axis } from "./plot";

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

// Metrics that may stand on the vertical axis: all but the cost itself, user metrics before times.
export function qualities(cases: readonly RunCase[], details: readonly CaseDetails[], cost: string): Quality[] {
  const found = new Map<string, Quality>();
  for (const detail of details)
    for (const series of detail.series)
      if (series.metric !== cost) found.set(series.metric, { name: series.metric, unit: series.unit, direction: series.direction });
  const list = [...found.values()].sort((left, right) => Number(is_time(left)) - Number(is_time(right)));
  if (cases.some((one) => one.verification)) {
    const times_from = list.findIndex(is_time);
    list.splice(times_from < 0 ? list.length : times_from, 0, { name: verification_error, unit: "", direction: "lower" });
  }
  return list;
}

function is_time(quality: Quality): boolean {
  return seconds_per_unit(quality.unit) !== null;
}

// The metric that costs are told in: GPU time before other times before anything that is lower-better.
export function cost_metric(cases: readonly RunCase[]): RunCase | undefined {
  return (
    cases.find((one) => one.metric === "gpu_time" && one.center !== null) ??
    cases.find((one) => seconds_per_unit(one.unit) !== null && one.center !== null)
  );
}

// Dots that no other dot beats in both; cheapest first.
export function front(dots: readonly Dot[], direction: Direction): Dot[] {
  const better = (left: number, right: number) => (direction === "lower" ? left < right : left > right);
  const ordered = [...dots].sort((left, right) => left.cost - right.cost || (better(left.quality, right.quality) ? -1 : 1));
  const kept: Dot[] = [];
  for (const dot of ordered) {
    const last = kept[kept.length - 1];
    if (last === undefined || better(dot.quality, last.quality)) kept.push(dot);
  }
  return kept;
}

export function pareto(cases: readonly RunCase[], details: readonly CaseDetails[], quality_name: string | null, look: Look): Drawn {
  const title = "Quality against time";
  const cost = cost_metric(cases);
  if (!cost) {
    return { title, missing: "No case here has a time.", remedy: "Measure `gpu_time` or `wall_time` with `harness run`." };
  }
  const offered = qualities(cases, details, cost.metric);
  const quality = offered.find((one) => one.name === quality_name) ?? offered[0];
  if (!quality) {
    return {
      title,
      missing: `The cases have one metric only, ${printable(cost.metric, 60)}: there is no quality or size to weigh it against.`,
      remedy: "Let the workload check its result (then its error is known), or report a second metric, such as accuracy or bytes, from a command or an import.",
    };
  }
  const value_of = (name: string): number | null => {
    if (quality.name !== verification_error) return cases.find((one) => one.case === name && one.metric === quality.name)?.center ?? null;
    const checked = cases.find((one) => one.case === name && one.verification)?.verification;
    return checked ? Math.max(checked.before, checked.after) : null;
  };
  const dots = cases
    .filter((one) => one.metric === cost.metric && one.unit === cost.unit && one.center !== null)
    .flatMap((one): Dot[] => {
      const value = value_of(one.case);
      return value === null || !Number.isFinite(value) ? [] : [{ name: one.case, cost: one.center as number, quality: value }];
    });
  if (dots.length === 0) {
    return {
      title,
      missing: `No case here has both ${printable(cost.metric, 60)} and ${printable(quality.name, 60)}.`,
      remedy: "Both metrics must belong to the same case names.",
    };
  }
  const { theme } = look;
  const best = front(dots, quality.direction);
  const names = short_names(dots.map((dot) => dot.name));
  const log = dots.every((dot) => dot.quality > 0) && Math.max(...dots.map((dot) => dot.quality)) > 20 * Math.min(...dots.map((dot) => dot.quality));
  const middle = (Math.min(...dots.map((dot) => dot.cost)) + Math.max(...dots.map((dot) => dot.cost))) / 2;
  const sizes = new Set(details.map(size_of));
  const size = sizes.size === 1 ? ([...sizes][0] ?? null) : null;
  const on_front = new Set(best.map((dot) => dot.name));
  const series = [
    { name: "on the front", dots: dots.filter((dot) => on_front.has(dot.name)), colour: theme.current, symbol: symbols[1], size: 13 },
    { name: "beaten in both", dots: dots.filter((dot) => !on_front.has(dot.name)), colour: theme.faint, symbol: symbols[0], size: 8 },
  ];
  const axis_name = `${printable(quality.name, 60)}${quality.unit ? ` in ${printable(quality.unit, 20)}` : ""}, ${quality.direction} is better`;
  const number = (value: number) => (Math.abs(value) > 0 && Math.abs(value) < 1e-3 ? value.toExponential(1) : quantity(value, 3));
  return {
    title,
    summary:
      `${counted(best.length, "case")} of ${dots.length} ${best.length === 1 ? "is" : "are"} beaten by no other in both: ` +
      best.slice(0, 8).map((dot) => `${printable(dot.name, 120)} (${with_unit(dot.cost, cost.unit)}, ${number(dot.quality)})`).join("; ") + ".",
    notes: [
      quality.name === verification_error ? "Error: ‖out − ref‖ / ‖ref‖ of the worst output, against the float64 reference, the larger of before and after timing." : "",
      `Below and left is better${quality.direction === "higher" ? " for time; above is better for quality" : ""}.`,
    ].filter(Boolean),
    height: 360,
    option: {
      ...base(look),
      legend: { data: series.map((one) => one.name), top: 0, right: 16, itemWidth: 14, textStyle: { color: theme.text }, selectedMode: false },
      title: { text: size === null ? axis_name : `${axis_name} · ${printable(size, 90)}`, left: 8, top: 22, padding: 0, textStyle: { color: theme.faint, fontSize: 11, fontWeight: "normal" } },
      grid: { left: 76, right: 32, top: 46, bottom: 44 },
      xAxis: { ...value_axis(look, `${printable(cost.metric, 40)} in ${printable(cost.unit, 20)}, lower is better`) },
      yAxis: {
        ...axis_style(look), type: log ? "log" : "value", scale: true,
        axisLabel: { color: theme.faint, fontSize: 11, formatter: tick },
      },
      tooltip: told(look, (item) => {
        const { seriesName, dataIndex } = item;
        const dot = series.find((one) => one.name === seriesName)?.dots[dataIndex];
        return dot ? `${printable(dot.name, 90)}\n${with_unit(dot.cost, cost.unit)}\n${printable(quality.name, 60)} ${number(dot.quality)}` : "";
      }),
      series: [
        {
          type: "line", name: "front", step: "end", showSymbol: false, silent: true,
          lineStyle: { color: theme.current, width: 1.5, type: "dashed" }, data: best.map((dot) => [dot.cost, dot.quality]),
        },
        ...series.map((one) => ({
          type: "scatter" as const, name: one.name, symbol: one.symbol ?? "circle", symbolSize: one.size,
          itemStyle: { color: one.colour, borderColor: theme.surface, borderWidth: 1 },
          label: {
            show: dots.length <= 12, color: theme.text, fontSize: 11, distance: 6,
            formatter: (item: { dataIndex: number }) => {
              const dot = one.dots[item.dataIndex];
              return dot ? (names[dots.indexOf(dot)] ?? "") : "";
            },
          },
          labelLayout: { hideOverlap: true, moveOverlap: "shiftY" as const },
          // Labels point to the middle, where there is room for them.
          data: one.dots.map((dot) => ({
            value: [dot.cost, dot.quality], label: { position: dot.cost > middle ? ("left" as const) : ("right" as const) },
          })),
        })),
      ],
    },
    table: {
      columns: ["case", `${cost.metric} (${cost.unit})`, quality.name, "on the front"],
      rows: dots.map((dot) => [dot.name, quantity(dot.cost), number(dot.quality), on_front.has(dot.name) ? "yes" : "no"]),
    },
  };
}
