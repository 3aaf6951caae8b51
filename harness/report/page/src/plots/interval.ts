// The change of one case against its margin: each process of both sides relative to the baseline's
// centre, and below them the change with its interval.

import { change, change_interval, percent, printable, tick, verdict_words } from "../format";
import type { ComparisonRow } from "../reports";
import { base, type Drawn, type Look, row_axis, told, value_axis, whiskers } from "./plot";

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
  const { theme } = look;
  const center = row.baseline?.center ?? null;
  const relative = (values: (number | null)[] | undefined) =>
    center === null ? [] : (values ?? []).flatMap((value) => (value === null ? [] : [(value / center - 1) * 100]));
  const sides = [
    { name: "baseline", values: relative(row.baseline?.process_values), symbol: "circle", colour: theme.baseline },
    { name: "current", values: relative(row.current?.process_values), symbol: "diamond", colour: theme.current },
  ];
  const margin = (row.margin ?? 0) * 100;
  const [lo, hi] = [(bounds[0] - 1) * 100, (bounds[1] - 1) * 100];
  const mid = (row.ratio - 1) * 100;
  const worse = (row.direction ?? "lower") === "lower" ? "right of it is worse" : "left of it is worse";
  const level = row.alpha != null ? `${Math.round((1 - 2 * row.alpha) * 100)} % interval` : "interval";
  const every = [...sides.flatMap((side) => side.values), lo, hi, -margin, margin, 0];
  const [least, most] = [Math.min(...every), Math.max(...every)];
  const room = (most - least) * 0.06;
  return {
    title,
    summary:
      `${verdict_words[row.verdict]}: the change is ${change(row.ratio)}, ${level} ${change_interval(bounds)}, ` +
      `against a margin of ${percent(row.margin)} either way.`,
    notes: [
      `Band: the margin, ±${percent(row.margin)}. Zero is the centre of the baseline; ${worse}.`,
      center === null ? "" : "Points: one value a process, relative to the baseline's centre.",
    ].filter(Boolean),
    height: 200,
    option: {
      ...base(look),
      grid: { left: 84, right: 24, top: 12, bottom: 44 },
      xAxis: {
        ...value_axis(look, "change in %"), min: least - room, max: most + room,
        axisLabel: {
          color: theme.faint, fontSize: 11, showMinLabel: false, showMaxLabel: false, hideOverlap: true,
          formatter: tick,
        },
      },
      yAxis: row_axis(look, ["baseline", "current", "change"]),
      tooltip: told(look, (item) => {
        const { seriesName, value } = item;
        return `${seriesName ?? ""}: ${change(1 + value[0] / 100)}`;
      }),
      series: [
        ...sides.map((side, at) => ({
          type: "scatter" as const, name: `${side.name} process`, symbol: side.symbol, symbolSize: 9,
          itemStyle: { color: side.colour, opacity: 0.75, borderColor: theme.surface, borderWidth: 1 },
          data: side.values.map((value) => [value, at]),
        })),
        {
          type: "scatter", name: "change", symbol: "rect", symbolSize: 11, itemStyle: { color: theme.text },
          data: [[mid, 2]], z: 6,
          markArea: {
            silent: true, animation: false, itemStyle: { color: theme.band },
            data: [[{ xAxis: -margin }, { xAxis: margin }]],
          },
          markLine: {
            silent: true, symbol: "none", animation: false, label: { show: false },
            data: [
              { xAxis: 0, lineStyle: { color: theme.text, type: "solid", width: 1 } },
              { xAxis: -margin, lineStyle: { color: theme.faint, type: "dashed", width: 1 } },
              { xAxis: margin, lineStyle: { color: theme.faint, type: "dashed", width: 1 } },
            ],
          },
        },
        whiskers([[2, lo, hi]], [theme.text], 16),
      ],
    },
    table: {
      columns: ["what", "change"],
      rows: [
        ...sides.flatMap((side) => side.values.map((value, at) => [`${side.name} process ${at + 1}`, change(1 + value / 100)])),
        ["change", change(row.ratio)],
        ["lower bound", change(bounds[0])],
        ["upper bound", change(bounds[1])],
        ["margin", `±${percent(row.margin)}`],
      ],
    },
  };
}
