// Every process of both sides in a row of its own: the density of its samples, a tick a sample, and
// the one value that the process stands for.

import type { EChartsOption } from "echarts";
import { counted, quantity, range_with_unit, with_unit } from "../format";
import { density, quantile, sorted } from "../statistics";
import type { Theme } from "../theme";
import {
  base,
  bounded_axis,
  type DataTable,
  type Drawn,
  label_width,
  type Look,
  type RenderItem,
  row_axis,
  told,
} from "./plot";
import {
  clip_note,
  colour_of,
  form_note,
  no_samples,
  type Samples,
  samples_of,
  type SeriesSide,
  side_prefix,
} from "./sides";

type Row = Samples["rows"][number];

const row_height = 26;

export function violin(sides: readonly SeriesSide[], look: Look): Drawn {
  const title = "Samples of each process";
  const samples = samples_of(sides);
  if (!samples) return { title, ...no_samples };
  const notes = [
    form_note(sides),
    "Shape: density of the samples; ticks: where they lie; marker: the value that the process stands for.",
    clip_note(samples),
  ];
  return violin_of(samples, title, sides.map((side) => words_of(side, sides, samples)).join(" "), notes, look);
}

export function violin_of(samples: Samples, title: string, summary: string, notes: string[], look: Look): Drawn {
  return {
    title,
    summary,
    notes: notes.filter(Boolean),
    height: 56 + row_height * samples.rows.length,
    option: option_of(samples, look),
    table: table_of(samples),
  };
}

function words_of(side: SeriesSide, sides: readonly SeriesSide[], samples: Samples): string {
  const own = samples.rows.filter((row) => row.side === side.name);
  const pooled = sorted(own.flatMap((row) => row.values));
  return (
    `${side_prefix(sides, side.name)}${counted(own.length, "process", "processes")}, ` +
    `median ${with_unit(quantile(pooled, 0.5), samples.unit)}, ` +
    `middle half ${range_with_unit(quantile(pooled, 0.25), quantile(pooled, 0.75), samples.unit)}.`
  );
}

function option_of(samples: Samples, look: Look): EChartsOption {
  const { rows } = samples;
  const names = rows.map((row) => row.name);
  return {
    ...base(look),
    grid: { left: label_width(look, names) + 14, right: samples.above > 0 ? 52 : 20, top: 8, bottom: 44 },
    xAxis: bounded_axis(look, samples.axis_name, samples.lo, samples.hi),
    yAxis: row_axis(look, names),
    tooltip: told(look, (item) => {
      const row = rows[item.dataIndex];
      return row ? tooltip_of(row, samples.unit) : "";
    }),
    series: [
      {
        type: "custom",
        renderItem: drawing_of(samples, look.theme),
        encode: { x: 0, y: 1 },
        data: rows.map((row, at) => [row.process.value ?? row.values[0] ?? 0, at]),
      },
    ],
  };
}

function tooltip_of(row: Row, unit: string): string {
  const ordered = sorted(row.values);
  return [
    row.name,
    `value ${with_unit(row.process.value, unit)}`,
    `median ${with_unit(quantile(ordered, 0.5), unit)}`,
    range_with_unit(ordered[0], ordered[ordered.length - 1], unit),
    counted(row.process.count, "sample"),
  ].join("\n");
}

// Three paths a row: the density, mirrored; the ticks; the marker.
function drawing_of(samples: Samples, theme: Theme): RenderItem {
  const within = samples.rows.map((row) => row.values.filter((value) => value >= samples.lo && value <= samples.hi));
  const curves = within.map((values) => density(values));
  return (params, api) => {
    const row = samples.rows[params.dataIndex];
    if (!row) return { type: "group", children: [] };
    const x = (value: number) => (api.coord([value, params.dataIndex]) as [number, number])[0].toFixed(1);
    const y = (api.coord([samples.lo, params.dataIndex]) as [number, number])[1];
    const colour = colour_of(row.side, theme);
    const path = (pathData: string, style: object) => ({ type: "path" as const, shape: { pathData }, style });
    const ticks = [...new Set(within[params.dataIndex] ?? [])].map((value) => `M${x(value)} ${y - 4}v8`).join("");
    return {
      type: "group",
      children: [
        path(outline(curves[params.dataIndex] ?? [], x, y), {
          fill: colour,
          opacity: 0.22,
          stroke: colour,
          lineWidth: 1,
        }),
        path(ticks || "M0 0", { stroke: colour, opacity: 0.55, fill: "none", lineWidth: 1 }),
        ...clip_counts(row, samples).map(({ text, right }) => ({
          type: "text" as const,
          style: {
            text,
            x: Number(x(right ? samples.hi : samples.lo)) + (right ? 4 : 2),
            y,
            verticalAlign: "middle" as const,
            fill: theme.text,
            fontSize: 11,
          },
        })),
        ...(row.process.value === null || row.process.value < samples.lo || row.process.value > samples.hi
          ? []
          : [
              path(marker(row, Number(x(row.process.value)), y), {
                fill: colour,
                stroke: theme.surface,
                lineWidth: 1.5,
              }),
            ]),
      ],
    };
  };
}

// How many of a row's values lie beyond each end of the axis.
function clip_counts({ values }: Row, { lo, hi }: Samples): { text: string; right: boolean }[] {
  const [below, above] = [values.filter((value) => value < lo).length, values.filter((value) => value > hi).length];
  return [
    ...(below > 0 ? [{ text: `◂ ${below}`, right: false }] : []),
    ...(above > 0 ? [{ text: `▸ ${above}`, right: true }] : []),
  ];
}

function outline(curve: readonly [number, number][], x: (value: number) => string, y: number): string {
  if (curve.length === 0) return "M0 0";
  const peak = Math.max(...curve.map(([, height]) => height));
  const half = (height: number) => ((row_height / 2 - 2) * height) / peak;
  const up = curve.map(([value, height]) => `${x(value)} ${(y - half(height)).toFixed(1)}`);
  const down = curve.map(([value, height]) => `${x(value)} ${(y + half(height)).toFixed(1)}`).reverse();
  return `M${[...up, ...down].join("L")}Z`;
}

function marker(row: Row, x: number, y: number): string {
  return row.side === "baseline"
    ? `M${x - 5} ${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z`
    : `M${x - 6} ${y}L${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}Z`;
}

function table_of(samples: Samples): DataTable {
  return {
    columns: ["process", "value", "minimum", "25 %", "median", "75 %", "maximum", "samples"],
    rows: samples.rows.map((row) => {
      const ordered = sorted(row.values);
      const shares = [0, 0.25, 0.5, 0.75, 1].map((share) => quantity(quantile(ordered, share)));
      return [row.name, quantity(row.process.value), ...shares, String(row.process.count)];
    }),
  };
}
