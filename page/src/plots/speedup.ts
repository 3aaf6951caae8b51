// How many times as fast as its reference each case is: a bar from 0, its interval, and a line at 1.

import type { EChartsOption } from "echarts";
import { counted, printable, rating, seconds_per_unit, times } from "../format";
import type { Bounds, RunCase } from "../reports";
import type { Theme } from "../theme";
import { short_names } from "./names";
import {
  base,
  type Drawn,
  label_width,
  labels_at,
  type Look,
  row_axis,
  row_height,
  told,
  value_axis,
  whiskers,
} from "./plot";

export const most_rows = 60;

export interface Bar {
  one: RunCase;
  reference: string;
  ratio: number;
  interval: Bounds | null;
  surely: "faster" | "slower" | "undecided";
}

export function speedup(cases: readonly RunCase[], look: Look, title = "Speedup over the reference"): Drawn {
  const every = cases.flatMap(bar_of);
  const timed = every.filter(({ one }) => seconds_per_unit(one.unit) !== null);
  const all = timed.length > 0 ? timed : every; // ratios of errors or bytes are no speedups
  const bars = all.slice(0, most_rows);
  if (bars.length === 0) {
    return {
      title,
      missing: "No case here has a speedup, because none names a case to be relative to.",
      remedy: "Add `reference: <variant>` to the case in the suite and measure again.",
    };
  }
  return {
    title,
    summary: summary_of(bars),
    notes: [
      told_whiskers(bars),
      all.length > bars.length ? `The first ${bars.length} of ${all.length} cases; the table has them all.` : "",
    ].filter(Boolean),
    ...drawn_bars(bars, bars.map(({ ratio }) => times(ratio)), look),
    table: {
      columns: ["case", "reference", "speedup", "from", "to", "rating"],
      rows: bars.map(({ one, reference, ratio, interval }) => [
        one.case,
        reference,
        times(ratio),
        times(interval?.[0]),
        times(interval?.[1]),
        rating(interval),
      ]),
    },
  };
}

export function told_whiskers(bars: readonly Bar[]): string {
  const confidence = bars.find(({ one }) => one.confidence != null)?.one.confidence;
  return confidence != null
    ? `Whiskers: ${Math.round(confidence * 100)} % interval from the process values of both.`
    : "";
}

export function bar_of(one: RunCase): Bar[] {
  if (one.speedup?.ratio == null) return [];
  const { reference, ratio, interval } = one.speedup;
  const surely = !interval ? "undecided" : interval[0] > 1 ? "faster" : interval[1] < 1 ? "slower" : "undecided";
  return [{ one, reference, ratio, interval, surely }];
}

function summary_of(bars: readonly Bar[]): string {
  const count = (surely: Bar["surely"]) => bars.filter((bar) => bar.surely === surely).length;
  const most = bars.reduce((best, bar) => (bar.ratio > best.ratio ? bar : best));
  return (
    `Of ${counted(bars.length, "case")} with a reference, ${count("faster")} surely faster, ${count("slower")} surely slower, ` +
    `${count("undecided")} undecided or without an interval. The largest speedup is ${times(most.ratio)}, ` +
    `of ${printable(most.one.case, 200)}.`
  );
}

function colour_of({ surely }: Bar, theme: Theme): string {
  return { faster: theme.good, slower: theme.bad, undecided: theme.faint }[surely];
}

// `labels`: right of each bar.
export function drawn_bars(
  bars: readonly Bar[],
  labels: string[],
  look: Look,
): { height: number; option: EChartsOption } {
  const names = short_names(bars.map(({ one }) => one.case));
  return {
    height: 64 + row_height(look, names) * bars.length,
    option: option_of(bars, names, labels, look),
  };
}

function option_of(bars: readonly Bar[], names: string[], labels: string[], look: Look): EChartsOption {
  const { theme } = look;
  const intervals = bars.flatMap(({ interval }, row): [number, number, number][] =>
    interval ? [[row, interval[0], interval[1]]] : [],
  );
  return {
    ...base(look),
    grid: { left: label_width(look, names) + 16, right: Math.max(56, label_width(look, labels)), top: 24, bottom: 40 },
    xAxis: { ...value_axis(look, "times as fast as the reference"), scale: false, min: 0 },
    yAxis: row_axis(look, names),
    tooltip: told(look, (item) => {
      const bar = bars[item.dataIndex];
      return bar ? tooltip_of(bar) : "";
    }),
    series: [
      {
        type: "bar",
        barMaxWidth: 16,
        data: bars.map((bar) => ({ value: bar.ratio, itemStyle: { color: colour_of(bar, theme), opacity: 0.75 } })),
        markLine: {
          silent: true,
          symbol: "none",
          animation: false,
          lineStyle: { color: theme.text, type: "dashed", width: 1 },
          label: { show: false },
          data: [{ xAxis: 1 }],
        },
      },
      whiskers(intervals, [theme.text]),
      labels_at(
        bars.map(({ ratio, interval }, row) => [Math.max(ratio, interval?.[1] ?? 0), row]),
        labels,
        look,
      ),
    ],
  };
}

function tooltip_of({ one, reference, ratio, interval }: Bar): string {
  return [
    printable(one.case, 90),
    `${times(ratio)} as fast as ${printable(reference, 90)}`,
    interval ? `interval ${times(interval[0])} to ${times(interval[1])}` : "no interval",
  ].join("\n");
}
