// Every process of both sides in a row of its own: the density of its samples, a tick a sample, and
// the one value that the process stands for.

import { values_of } from "../decode";
import { counted, printable, quantity, tick, with_unit } from "../format";
import { bulk, density, finite, quantile, sorted } from "../statistics";
import { base, type Drawn, label_width, type Look, type RenderItem, row_axis, told, value_axis } from "./plot";
import { colour_of, every_process, form_note, no_samples, type SeriesSide } from "./sides";

const row_height = 26;

export function violin(sides: readonly SeriesSide[], look: Look): Drawn {
  const title = "Samples of each process";
  const rows = every_process(sides).map((one) => ({ ...one, values: finite(values_of(one.process)) }));
  const range = bulk(rows.flatMap((row) => row.values));
  if (!range) return { title, ...no_samples };
  const { theme } = look;
  const unit = sides[0]?.series.unit ?? "";
  const labels = rows.map((row) => `${row.side} ${row.process.process}`);
  const curves = rows.map((row) => density(row.values));
  const room = (range.hi - range.lo) * 0.03 || Math.abs(range.lo) * 0.01 || 1;

  const renderItem: RenderItem = (params, api) => {
    const row = rows[params.dataIndex];
    const curve = curves[params.dataIndex] ?? [];
    if (!row) return { type: "group", children: [] };
    const colour = colour_of(row.side, theme);
    const at = (value: number) => api.coord([value, params.dataIndex]) as [number, number];
    const y = at(range.lo)[1];
    const peak = Math.max(...curve.map(([, height]) => height), Number.MIN_VALUE);
    const half = (row_height / 2 - 2);
    const up = curve.map(([value, height]) => `${at(value)[0].toFixed(1)} ${(y - (half * height) / peak).toFixed(1)}`);
    const down = curve.map(([value, height]) => `${at(value)[0].toFixed(1)} ${(y + (half * height) / peak).toFixed(1)}`).reverse();
    const ticks = [...new Set(row.values)].map((value) => `M${at(value)[0].toFixed(1)} ${y - 4}v8`).join("");
    const marker = row.process.value === null ? null : at(row.process.value)[0];
    return {
      type: "group",
      children: [
        {
          type: "path", shape: { pathData: up.length > 0 ? `M${[...up, ...down].join("L")}Z` : "M0 0" },
          style: { fill: colour, opacity: 0.22, stroke: colour, lineWidth: 1 },
        },
        { type: "path", shape: { pathData: ticks || "M0 0" }, style: { stroke: colour, opacity: 0.55, fill: "none", lineWidth: 1 } },
        ...(marker === null
          ? []
          : [{
              type: "path" as const,
              shape: {
                pathData: row.side === "baseline"
                  ? `M${marker - 5} ${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z`
                  : `M${marker - 6} ${y}L${marker} ${y - 6}L${marker + 6} ${y}L${marker} ${y + 6}Z`,
              },
              style: { fill: colour, stroke: theme.surface, lineWidth: 1.5 },
            }]),
      ],
    };
  };

  const figures = rows.map((row) => ({ row, ordered: sorted(row.values) }));
  return {
    title,
    summary: sides
      .map((side) => {
        const own = figures.filter(({ row }) => row.side === side.name);
        const pooled = sorted(own.flatMap(({ ordered }) => ordered));
        return `${side.name}: ${counted(own.length, "process", "processes")}, median ${with_unit(quantile(pooled, 0.5), unit)}, ` +
          `middle half ${quantity(quantile(pooled, 0.25))} to ${quantity(quantile(pooled, 0.75))}.`;
      })
      .join(" "),
    notes: [
      form_note(sides),
      "Shape: density of the samples; ticks: where they lie; marker: the value that the process stands for.",
      range.beyond > 0 ? `${counted(range.beyond, "value")} beyond the right end of the axis, up to ${with_unit(Math.max(...rows.map((row) => Math.max(...row.values))), unit)}.` : "",
    ].filter(Boolean),
    height: 56 + row_height * rows.length,
    option: {
      ...base(look),
      grid: { left: label_width(look, labels) + 14, right: 20, top: 8, bottom: 44 },
      xAxis: {
        ...value_axis(look, `${printable(sides[0]?.series.metric ?? "", 40)} in ${printable(unit, 20)}`),
        min: range.lo - room, max: range.hi + room,
        axisLabel: { color: theme.faint, fontSize: 11, showMinLabel: false, showMaxLabel: false, hideOverlap: true, formatter: tick },
      },
      yAxis: row_axis(look, labels),
      tooltip: told(look, (item) => {
        const { row, ordered } = figures[item.dataIndex] ?? {};
        if (!row || !ordered) return "";
        return `${row.side} process ${row.process.process}\nvalue ${with_unit(row.process.value, unit)}\n` +
          `median ${with_unit(quantile(ordered, 0.5), unit)}\n${quantity(ordered[0])} to ${with_unit(ordered[ordered.length - 1], unit)}\n${counted(row.process.count, "sample")}`;
      }),
      series: [{
        type: "custom", renderItem, clip: true, encode: { x: 0, y: 1 },
        data: rows.map((row, at) => [row.process.value ?? row.values[0] ?? 0, at]),
      }],
    },
    table: {
      columns: ["process", "value", "minimum", "25 %", "median", "75 %", "maximum", "samples"],
      rows: figures.map(({ row, ordered }, at) => [
        labels[at] ?? "", quantity(row.process.value),
        ...[0, 0.25, 0.5, 0.75, 1].map((share) => quantity(ordered.length > 0 ? quantile(ordered, share) : null)),
        String(row.process.count),
      ]),
    },
  };
}
