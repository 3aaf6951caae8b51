// The value of every placement and process in the order in which they were taken, and below it what the
// device was like meanwhile: clock, power, temperature. One picture, one horizontal axis.

import type { PlacementDetails } from "../data";
import { moment, printable, quantity, tick, with_unit } from "../format";
import { axis_style, base, type Drawn, type Look, told, value_axis } from "./plot";
import { colour_of, every_process, no_samples, type SeriesSide, type SideName, symbol_of } from "./sides";

interface Point {
  side: SideName;
  process: number;
  placement: number;
  process_value: number | null;
  details: PlacementDetails;
}

interface Panel {
  name: string;
  unit: string;
  of: (point: Point) => number | null;
}

const conditions: Panel[] = [
  { name: "SM clock", unit: "MHz", of: ({ details }) => details.sm_clock_mhz },
  { name: "measured clock", unit: "GHz", of: ({ details }) => details.clock_ghz },
  { name: "power", unit: "W", of: ({ details }) => details.power_w },
  { name: "temperature", unit: "°C", of: ({ details }) => details.temperature_c },
];

// In the order taken where every placement says when; else side by side in their numbered order.
export function in_order(sides: readonly SeriesSide[]): { points: Point[]; timed: boolean } {
  const points = every_process(sides).flatMap(({ side, process }) =>
    process.placements.map((details, placement): Point => ({
      side, process: process.process, placement, process_value: process.value, details,
    })),
  );
  const timed = points.length > 0 && points.every((point) => (point.details.started ?? 0) > 0);
  if (timed) points.sort((left, right) => (left.details.started ?? 0) - (right.details.started ?? 0));
  return { points, timed };
}

export function timeline(sides: readonly SeriesSide[], look: Look): Drawn {
  const title = "In the order taken";
  const { points, timed } = in_order(sides);
  if (points.length === 0) return { title, ...no_samples };
  const { theme } = look;
  const unit = printable(sides[0]?.series.unit ?? "", 20);
  const value_panel: Panel = { name: printable(sides[0]?.series.metric ?? "value", 40), unit, of: ({ details }) => details.value };
  const known = conditions.filter((panel) => points.some((point) => panel.of(point) !== null));
  const absent = conditions.filter((panel) => !known.includes(panel)).map((panel) => panel.name);
  const panels = [value_panel, ...known];
  const tops: number[] = [];
  let top = 40;
  for (const panel of panels) {
    tops.push(top);
    top += (panel === value_panel ? 150 : 74) + 26;
  }
  const throttled = points.filter((point) => point.details.throttled.length > 0);
  const shared = points.filter((point) => point.details.other_processes > 0);
  const position = new Map(points.map((point, at) => [point, at]));
  const of_side = (side: SideName) => points.filter((point) => point.side === side);

  // A level stroke for each process over the placements that it covers.
  const process_strokes = (side: SideName) => {
    const data: ([number, number] | [null, null])[] = [];
    let before: Point | undefined;
    for (const point of points) {
      const continues = before && before.side === side && point.side === side && before.process === point.process;
      if (!continues) data.push([null, null]);
      if (point.side === side && point.process_value !== null) {
        const at = position.get(point) ?? 0;
        data.push([at - 0.4, point.process_value], [at + 0.4, point.process_value]);
      }
      before = point;
    }
    return data;
  };

  return {
    title,
    summary:
      `${points.length} placements of ${new Set(points.map((point) => `${point.side} ${point.process}`)).size} processes, ` +
      `${timed ? `from ${moment(points[0]?.details.started ?? 0)} to ${moment(points[points.length - 1]?.details.started ?? 0)}` : "in their numbered order"}. ` +
      panels.map((panel) => `${panel.name}: ${range_of(points, panel)}`).join("; ") + "." +
      (throttled.length > 0 ? ` ${throttled.length} placements were throttled (${[...new Set(throttled.flatMap((point) => point.details.throttled))].map((why) => printable(why, 40)).join(", ")}).` : ""),
    notes: [
      "Points: a placement each (one allocation of the buffers); level strokes: the value of their process.",
      timed ? "" : "When each was taken is not in the records, so the order is that of their numbers, the baseline first.",
      absent.length > 0 ? `Not recorded here: ${absent.join(", ")}. \`harness run\` on a GPU reads them from the driver; imported samples hold what their tool wrote.` : "",
      throttled.length > 0 ? "Crosses: the device was throttled." : "",
      shared.length > 0 ? `${shared.length} placements shared the device with other processes.` : "",
    ].filter(Boolean),
    height: top + 24,
    option: {
      ...base(look),
      legend: {
        data: sides.map((side) => side.name), top: 0, right: 16, itemWidth: 14, textStyle: { color: theme.text }, selectedMode: false,
      },
      grid: panels.map((panel, at) => ({ left: 64, right: 20, top: tops[at] ?? 0, height: panel === value_panel ? 150 : 74 })),
      title: panels.map((panel, at) => ({
        text: panel.unit === "" ? panel.name : `${panel.name} in ${panel.unit}`, left: 60, top: (tops[at] ?? 0) - 19,
        padding: 0, textStyle: { color: theme.faint, fontSize: 11, fontWeight: "normal" as const },
      })),
      xAxis: panels.map((_, at) => {
        const last = at === panels.length - 1;
        const shape = value_axis(look, last ? (timed ? "placements in the order taken" : "placements by number") : "");
        return {
          ...shape, gridIndex: at, min: -0.6, max: points.length - 0.4, splitLine: { show: false },
          axisLabel: { show: false }, axisTick: { show: false }, nameGap: 10,
        };
      }),
      yAxis: panels.map((_, at) => ({
        ...axis_style(look), type: "value" as const, gridIndex: at, scale: true, splitNumber: at === 0 ? 4 : 2,
        axisLabel: { color: theme.faint, fontSize: 11, formatter: tick },
      })),
      tooltip: told(look, (item) => {
        const point = points[Math.round(item.value[0])];
        return point ? words_of(point, panels) : "";
      }),
      series: [
        ...sides.map((side) => ({
          type: "line" as const, name: `${side.name} process`, showSymbol: false, silent: true, connectNulls: false,
          lineStyle: { color: colour_of(side.name, theme), width: 2, opacity: 0.65 }, data: process_strokes(side.name),
        })),
        ...panels.flatMap((panel, at) =>
          sides.map((side) => ({
            type: "scatter" as const, name: side.name, xAxisIndex: at, yAxisIndex: at, symbol: symbol_of(side.name),
            symbolSize: at === 0 ? 7 : 5, itemStyle: { color: colour_of(side.name, theme) },
            data: of_side(side.name).flatMap((point) => {
              const value = panel.of(point);
              return value === null ? [] : [[position.get(point) ?? 0, value]];
            }),
          })),
        ),
        {
          type: "scatter" as const, name: "throttled", symbol: "path://M0 0L10 10M10 0L0 10", symbolSize: 13,
          itemStyle: { color: "transparent", borderColor: theme.bad, borderWidth: 2 }, z: 6,
          data: throttled.flatMap((point) => (point.details.value === null ? [] : [[position.get(point) ?? 0, point.details.value]])),
        },
      ],
    },
    table: {
      columns: ["side", "process", "placement", ...(timed ? ["started"] : []), ...panels.map((panel) => `${panel.name} (${panel.unit})`), "throttled"],
      rows: points.map((point) => [
        point.side, String(point.process), String(point.placement + 1), ...(timed ? [moment(point.details.started ?? 0)] : []),
        ...panels.map((panel) => quantity(panel.of(point))), point.details.throttled.join(", "),
      ]),
    },
  };
}

function range_of(points: readonly Point[], panel: Panel): string {
  const values = points.map(panel.of).filter((value): value is number => value !== null);
  if (values.length === 0) return "unknown";
  return `${quantity(Math.min(...values))} to ${with_unit(Math.max(...values), panel.unit)}`;
}

function words_of(point: Point, panels: readonly Panel[]): string {
  return [
    `${point.side} process ${point.process}, placement ${point.placement + 1}`,
    ...panels.flatMap((panel) => (panel.of(point) === null ? [] : [`${panel.name} ${with_unit(panel.of(point), panel.unit)}`])),
    ...(point.details.started ? [moment(point.details.started)] : []),
    ...(point.details.throttled.length > 0 ? [`throttled: ${point.details.throttled.map((why) => printable(why, 40)).join(", ")}`] : []),
    ...(point.details.forced_gates > 0 ? [`${point.details.forced_gates} samples forced by the gate's deadline`] : []),
  ].join("\n");
}
