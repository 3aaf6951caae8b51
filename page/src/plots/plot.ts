// Every plot is a pure function from data and a look. It returns an ECharts option with its words and numbers, or
// the sentence that says which data is not there and how to get it. The page and the static renderer draw the
// same functions.

import type {
  CustomSeriesOption,
  CustomSeriesRenderItemAPI,
  CustomSeriesRenderItemParams,
  CustomSeriesRenderItemReturn,
  EChartsOption,
  ScatterSeriesOption,
} from "echarts";
import { tick } from "../format";
import { font, type Theme } from "../theme";

export interface Look {
  theme: Theme;
  width: number; // CSS pixels
}

export interface DataTable {
  columns: string[]; // the first names the row
  rows: string[][];
}

export interface Plot {
  title: string;
  summary: string; // what the picture shows, for those who do not see it
  notes: string[]; // what a reader must know: quantiles, values beyond the axis
  height: number; // CSS pixels
  option: EChartsOption;
  table: DataTable;
}

export interface Missing {
  title: string;
  missing: string; // which data is not there
  remedy: string; // how to get it
}

export type Drawn = Plot | Missing;

export function is_missing(drawn: Drawn): drawn is Missing {
  return "missing" in drawn;
}

export type RenderItem = (
  params: CustomSeriesRenderItemParams,
  api: CustomSeriesRenderItemAPI,
) => CustomSeriesRenderItemReturn;

export function base(look: Look): EChartsOption {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: font, color: look.theme.text, fontSize: 12 },
  };
}

// The thing under the pointer.
export interface Hovered {
  seriesIndex: number;
  seriesName?: string;
  dataIndex: number;
  value: [number, number];
}

// Tooltips are drawn as text in the picture (richText), never as HTML: names in them are untrusted.
export function told(look: Look, say: (item: Hovered) => string) {
  const { theme } = look;
  return {
    renderMode: "richText" as const,
    trigger: "item" as const,
    confine: true,
    backgroundColor: theme.surface,
    borderColor: theme.line,
    textStyle: { color: theme.text, fontSize: 12, fontFamily: font },
    formatter: (item: unknown) => say(item as Hovered),
  };
}

export function axis_style(look: Look) {
  const { theme } = look;
  return {
    axisLabel: { color: theme.faint, fontSize: 11, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: theme.line } },
    axisTick: { lineStyle: { color: theme.line } },
    splitLine: { lineStyle: { color: theme.line, opacity: 0.6 } },
    nameTextStyle: { color: theme.faint, fontSize: 11 },
  };
}

// A numeric axis below the picture with its name in the middle.
export function value_axis(look: Look, name: string) {
  return {
    ...axis_style(look),
    type: "value" as const,
    name,
    nameLocation: "middle" as const,
    nameGap: 28,
    scale: true,
  };
}

// A numeric axis with ends of its own, which carry no label: they are rarely round.
export function bounded_axis(look: Look, name: string, lo: number, hi: number) {
  return {
    ...value_axis(look, name),
    min: lo,
    max: hi,
    axisLabel: {
      color: look.theme.faint,
      fontSize: 11,
      showMinLabel: false,
      showMaxLabel: false,
      hideOverlap: true,
      formatter: tick,
    },
  };
}

// One label a row, the first on top.
export function row_axis(look: Look, labels: string[]) {
  const style = axis_style(look);
  return {
    ...style,
    type: "category" as const,
    data: labels,
    inverse: true,
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      color: look.theme.text,
      fontSize: 11,
      lineHeight: label_line,
      width: label_width(look, labels),
      overflow: "break" as const,
      interval: 0,
    },
  };
}

// Room for row labels: what they need, at most nine twentieths of the picture.
export function label_width(look: Look, labels: string[]): number {
  const longest = labels.reduce((most, label) => Math.max(most, label.length), 0);
  return Math.round(Math.min(longest * letter + 8, look.width * 0.45));
}

const letter = 6.4; // pixels of a label's letter, on average
const label_line = 13;

// Height of a row whose label takes as many lines as it needs.
export function row_height(look: Look, labels: string[]): number {
  const room = label_width(look, labels) - 8;
  const lines = Math.max(1, ...labels.map((label) => Math.ceil((label.length * letter) / Math.max(1, room))));
  return 24 + label_line * (lines - 1);
}

// Texts right of places in the picture.
export function labels_at(places: number[][], texts: string[], look: Look): ScatterSeriesOption {
  return {
    type: "scatter",
    symbolSize: 0,
    silent: true,
    data: places,
    label: {
      show: true,
      position: "right",
      color: look.theme.text,
      fontSize: 11,
      formatter: (item) => texts[item.dataIndex] ?? "",
    },
  };
}

// A horizontal interval with end caps, at [row, lo, hi] of each item. `size` is the height of the caps.
export function whiskers(data: [number, number, number][], colours: string[], size = 8): CustomSeriesOption {
  const renderItem: RenderItem = (params, api) => {
    const row = api.value(0) as number;
    const [from, y] = api.coord([api.value(1) as number, row]) as [number, number];
    const [to] = api.coord([api.value(2) as number, row]) as [number, number];
    const colour = colours[params.dataIndex] ?? colours[0] ?? "#888888";
    return {
      type: "path",
      shape: {
        pathData: `M${from} ${y - size / 2}V${y + size / 2}M${from} ${y}H${to}M${to} ${y - size / 2}V${y + size / 2}`,
      },
      style: { stroke: colour, fill: "none", lineWidth: 1.5 },
      silent: true,
    };
  };
  return {
    type: "custom",
    renderItem,
    data,
    encode: { x: [1, 2], y: 0 },
    silent: true,
    z: 5,
    tooltip: { show: false },
    clip: true,
  };
}
