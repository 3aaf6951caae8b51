// The change of one case against its margin: each process of both sides relative to the baseline's
// centre, and below them the change with its interval.

import type { EChartsOption } from "echarts";
import { change_of, interval_of, margin_of } from "../change_words";
import { change, interval_level, percent, printable, verdict_words } from "../format";
import type { Bounds, ComparisonRow } from "../reports";
import type { Theme } from "../theme";
import { base, bounded_axis, type DataTable, type Drawn, type Look, row_axis, told, whiskers } from "./plot";

// In percent of the baseline's centre.
interface Changes {
  baseline: number[];
  current: number[];
  lo: number;
  mid: number;
  hi: number;
  margin: number;
}

export function interval(row: ComparisonRow, look: Look): Drawn {
  const title = "Change against the margin";
  const bounds = row.interval;
  if (row.ratio == null || !bounds || bounds[0] == null || bounds[1] == null) {
    return {
      title,
      missing: `There is no interval of the change: ${printable(row.reason, 300) || "one side has no value"}.`,
      remedy: "Measure at least two processes a side of this case, with `harness run`.",
    };
  }
  const changes = changes_of(row, row.ratio, bounds);
  const worse = (row.direction ?? "lower") === "lower" ? "right of it is worse" : "left of it is worse";
  const level = interval_level(row);
  return {
    title,
    summary:
      `${verdict_words[row.verdict]}: the change is ${change_of(row)}, ${level} ${interval_of(row)}, ` +
      `against a margin of ${margin_of(row)} either way.`,
    notes: [
      `Band: the margin, ±${margin_of(row)}${row.in_unit ? `, here ${percent(row.margin)} of the value` : ""}. Zero is the centre of the baseline; ${worse}.`,
      changes.baseline.length > 0 ? "Points: one value a process, relative to the baseline's centre." : "",
    ].filter(Boolean),
    height: 200,
    option: option_of(changes, look),
    table: table_of(row, changes),
  };
}

function changes_of(row: ComparisonRow, ratio: number, bounds: Bounds): Changes {
  const center = row.baseline?.center ?? null;
  const relative = (values: (number | null)[] | undefined) =>
    !center ? [] : (values ?? []).flatMap((value) => (value === null ? [] : [(value / center - 1) * 100]));
  return {
    baseline: relative(row.baseline?.process_values),
    current: relative(row.current?.process_values),
    lo: (bounds[0] - 1) * 100,
    mid: (ratio - 1) * 100,
    hi: (bounds[1] - 1) * 100,
    margin: (row.margin ?? 0) * 100,
  };
}

function option_of(changes: Changes, look: Look): EChartsOption {
  const { baseline, current, lo, mid, hi, margin } = changes;
  const { theme } = look;
  const every = [...baseline, ...current, lo, hi, -margin, margin, 0];
  const room = (Math.max(...every) - Math.min(...every)) * 0.06;
  const processes = (name: string, values: number[], at: number, symbol: string, color: string) => ({
    type: "scatter" as const,
    name: `${name} process`,
    symbol,
    symbolSize: 9,
    itemStyle: { color, opacity: 0.75, borderColor: theme.surface, borderWidth: 1 },
    data: values.map((value) => [value, at]),
  });
  return {
    ...base(look),
    grid: { left: 84, right: 24, top: 12, bottom: 44 },
    xAxis: bounded_axis(look, "change in %", Math.min(...every) - room, Math.max(...every) + room),
    yAxis: row_axis(look, ["baseline", "current", "change"]),
    tooltip: told(look, ({ seriesName, value }) => `${seriesName ?? ""}: ${change(1 + value[0] / 100)}`),
    series: [
      processes("baseline", baseline, 0, "circle", theme.baseline),
      processes("current", current, 1, "diamond", theme.current),
      {
        type: "scatter",
        name: "change",
        symbol: "rect",
        symbolSize: 11,
        itemStyle: { color: theme.text },
        data: [[mid, 2]],
        z: 6,
        ...margin_marks(margin, theme),
      },
      whiskers([[2, lo, hi]], [theme.text], 16),
    ],
  };
}

// The band between both margins, lines at its ends, and one at zero.
function margin_marks(margin: number, theme: Theme) {
  const line = (at: number, color: string, type: "solid" | "dashed") => ({
    xAxis: at,
    lineStyle: { color, type, width: 1 },
  });
  return {
    markArea: {
      silent: true,
      animation: false,
      itemStyle: { color: theme.band },
      data: [[{ xAxis: -margin }, { xAxis: margin }]] as [{ xAxis: number }, { xAxis: number }][],
    },
    markLine: {
      silent: true,
      symbol: "none",
      animation: false,
      label: { show: false },
      data: [line(0, theme.text, "solid"), line(-margin, theme.faint, "dashed"), line(margin, theme.faint, "dashed")],
    },
  };
}

function table_of(row: ComparisonRow, changes: Changes): DataTable {
  const processes = (name: string, values: number[]) =>
    values.map((value, at) => [`${name} process ${at + 1}`, change(1 + value / 100)]);
  return {
    columns: ["what", "change"],
    rows: [
      ...processes("baseline", changes.baseline),
      ...processes("current", changes.current),
      ["change", change_of(row)],
      ["lower bound", change(row.interval?.[0])],
      ["upper bound", change(row.interval?.[1])],
      ["margin", `±${margin_of(row)}`],
    ],
  };
}
