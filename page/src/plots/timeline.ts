// The value of every placement and process in the order in which they were taken, and below it what the
// device was like meanwhile: clock, power, temperature. One picture, one horizontal axis.

import type { EChartsOption } from "echarts";
import type { PlacementDetails } from "../data";
import { counted, moment, printable, quantity, range_with_unit, tick, with_unit } from "../format";
import type { Theme } from "../theme";
import { axis_style, base, type DataTable, type Drawn, type Look, told, value_axis } from "./plot";
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
      side,
      process: process.process,
      placement,
      process_value: process.value,
      details,
    })),
  );
  const timed = points.length > 0 && points.every((point) => (point.details.started ?? 0) > 0);
  if (timed) points.sort((left, right) => (left.details.started ?? 0) - (right.details.started ?? 0));
  return { points, timed };
}

interface Course {
  points: Point[];
  timed: boolean;
  sides: readonly SeriesSide[];
  panels: Panel[]; // the value, then the conditions that somebody recorded
  tops: number[]; // of the panels, pixels
  height: number; // of all
}

const [value_height, condition_height, gap] = [150, 74, 26];

export function timeline(sides: readonly SeriesSide[], look: Look): Drawn {
  const title = "In the order taken";
  const course = course_of(sides);
  if (!course) return { title, ...no_samples };
  return {
    title,
    summary: summary_of(course),
    notes: notes_of(course),
    height: course.height,
    option: option_of(course, look),
    table: table_of(course),
  };
}

function course_of(sides: readonly SeriesSide[]): Course | null {
  const { points, timed } = in_order(sides);
  const series = sides[0]?.series;
  if (points.length === 0 || !series) return null;
  const value: Panel = {
    name: printable(series.metric, 40),
    unit: printable(series.unit, 20),
    of: ({ details }) => details.value,
  };
  const known = conditions.filter((panel) => points.some((point) => panel.of(point) !== null));
  const panels = [value, ...known];
  const tops = panels.map((_, at) => 40 + (at === 0 ? 0 : value_height + gap + (at - 1) * (condition_height + gap)));
  return {
    points,
    timed,
    sides,
    panels,
    tops,
    height: 40 + value_height + gap + known.length * (condition_height + gap) + 24,
  };
}

const is_throttled = (point: Point) => point.details.throttled.length > 0;

function reasons(points: readonly Point[]): string {
  return [...new Set(points.flatMap((point) => point.details.throttled))].map((why) => printable(why, 40)).join(", ");
}

function summary_of({ points, timed, panels }: Course): string {
  const processes = new Set(points.map((point) => `${point.side} ${point.process}`)).size;
  const [first, last] = [points[0]?.details.started ?? 0, points[points.length - 1]?.details.started ?? 0];
  const throttled = points.filter(is_throttled);
  return (
    `${counted(points.length, "placement")} of ${counted(processes, "process", "processes")}, ` +
    `${timed ? `from ${moment(first)} to ${moment(last)}` : "in their numbered order"}. ` +
    `${panels.map((panel) => `${panel.name}: ${range_of(points, panel)}`).join("; ")}.` +
    (throttled.length > 0 ? ` ${counted(throttled.length, "placement")} throttled (${reasons(throttled)}).` : "")
  );
}

function notes_of({ points, timed, panels }: Course): string[] {
  const absent = conditions.filter((panel) => !panels.includes(panel)).map((panel) => panel.name);
  const shared = points.filter((point) => point.details.other_processes > 0);
  return [
    "Points: a placement each (one allocation of the buffers); level strokes: the value of their process.",
    timed ? "" : "When each was taken is not in the records: the order is that of their numbers, the baseline first.",
    absent.length > 0
      ? `Not recorded here: ${absent.join(", ")}. \`harness run\` reads what the device tells; imported samples hold what their tool wrote.`
      : "",
    points.some(is_throttled) ? "Crosses: the device was throttled." : "",
    shared.length > 0 ? `${counted(shared.length, "placement")} shared the device with other processes.` : "",
  ].filter(Boolean);
}

function option_of(course: Course, look: Look): EChartsOption {
  const { points, panels, tops, sides, timed } = course;
  const { theme } = look;
  const last = panels.length - 1;
  const axis_name = timed ? "placements in the order taken" : "placements by number";
  return {
    ...base(look),
    legend: {
      show: sides.length > 1,
      data: sides.map((side) => side.name),
      top: 0,
      right: 16,
      itemWidth: 14,
      textStyle: { color: theme.text },
      selectedMode: false,
    },
    grid: tops.map((top, at) => ({ left: 64, right: 20, top, height: at === 0 ? value_height : condition_height })),
    title: panels.map((panel, at) => ({
      text: panel.unit === "" ? panel.name : `${panel.name} in ${panel.unit}`,
      left: 60,
      top: (tops[at] ?? 0) - 19,
      padding: 0,
      textStyle: { color: theme.faint, fontSize: 11, fontWeight: "normal" as const },
    })),
    xAxis: panels.map((_, at) => ({
      ...value_axis(look, at === last ? axis_name : ""),
      gridIndex: at,
      min: -0.6,
      max: points.length - 0.4,
      splitLine: { show: false },
      axisLabel: { show: false },
      axisTick: { show: false },
      nameGap: 10,
    })),
    yAxis: panels.map((_, at) => ({
      ...axis_style(look),
      type: "value" as const,
      gridIndex: at,
      scale: true,
      splitNumber: at === 0 ? 4 : 2,
      axisLabel: { color: theme.faint, fontSize: 11, formatter: tick },
    })),
    tooltip: told(look, (item) => {
      const point = points[Math.round(item.value[0])];
      return point ? words_of(point, panels) : "";
    }),
    series: series_of(course, theme),
  };
}

function series_of({ points, panels, sides }: Course, theme: Theme) {
  const spots = (panel: Panel, wanted: (point: Point) => boolean) =>
    points.flatMap((point, at) => {
      const value = panel.of(point);
      return value === null || !wanted(point) ? [] : [[at, value]];
    });
  return [
    ...sides.map((side) => ({
      type: "line" as const,
      name: `${side.name} process`,
      showSymbol: false,
      silent: true,
      connectNulls: false,
      lineStyle: { color: colour_of(side.name, theme), width: 2, opacity: 0.65 },
      data: strokes(points, side.name),
    })),
    ...panels.flatMap((panel, at) =>
      sides.map((side) => ({
        type: "scatter" as const,
        name: side.name,
        xAxisIndex: at,
        yAxisIndex: at,
        symbol: symbol_of(side.name),
        symbolSize: at === 0 ? 7 : 5,
        itemStyle: { color: colour_of(side.name, theme) },
        data: spots(panel, (point) => point.side === side.name),
      })),
    ),
    {
      type: "scatter" as const,
      name: "throttled",
      symbol: "path://M0 0L10 10M10 0L0 10",
      symbolSize: 13,
      itemStyle: { color: "transparent", borderColor: theme.bad, borderWidth: 2 },
      z: 6,
      data: panels[0] ? spots(panels[0], is_throttled) : [],
    },
  ];
}

// A level stroke for each process of a side over the placements that it covers, with breaks between.
function strokes(points: readonly Point[], side: SideName): ([number, number] | [null, null])[] {
  const data: ([number, number] | [null, null])[] = [];
  let before: Point | undefined;
  points.forEach((point, at) => {
    const continues = before?.side === side && point.side === side && before.process === point.process;
    if (!continues) data.push([null, null]);
    if (point.side === side && point.process_value !== null)
      data.push([at - 0.4, point.process_value], [at + 0.4, point.process_value]);
    before = point;
  });
  return data;
}

function table_of({ points, panels, timed }: Course): DataTable {
  return {
    columns: [
      "side",
      "process",
      "placement",
      ...(timed ? ["started"] : []),
      ...panels.map((panel) => `${panel.name} (${panel.unit})`),
      "throttled",
    ],
    rows: points.map((point) => [
      point.side,
      String(point.process),
      String(point.placement + 1),
      ...(timed ? [moment(point.details.started ?? 0)] : []),
      ...panels.map((panel) => quantity(panel.of(point))),
      point.details.throttled.join(", "),
    ]),
  };
}

function range_of(points: readonly Point[], panel: Panel): string {
  const values = points.map(panel.of).filter((value): value is number => value !== null);
  if (values.length === 0) return "unknown";
  return range_with_unit(Math.min(...values), Math.max(...values), panel.unit);
}

function words_of(point: Point, panels: readonly Panel[]): string {
  return [
    `${point.side} process ${point.process}, placement ${point.placement + 1}`,
    ...panels.flatMap((panel) =>
      panel.of(point) === null ? [] : [`${panel.name} ${with_unit(panel.of(point), panel.unit)}`],
    ),
    ...(point.details.started ? [moment(point.details.started)] : []),
    ...(point.details.throttled.length > 0
      ? [`throttled: ${point.details.throttled.map((why) => printable(why, 40)).join(", ")}`]
      : []),
    ...(point.details.forced_gates > 0 ? [`${point.details.forced_gates} samples forced by the gate's deadline`] : []),
  ].join("\n");
}
