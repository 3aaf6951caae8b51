// Which share of the samples took no longer than this: a thin line a process, a thick one a side.

import { values_of } from "../decode";
import { percent, printable, quantity, tick, with_unit } from "../format";
import { bulk, distribution, finite, quantile, sorted } from "../statistics";
import { base, type Drawn, type Look, told, value_axis } from "./plot";
import { colour_of, every_process, form_note, no_samples, type SeriesSide } from "./sides";

export function ecdf(sides: readonly SeriesSide[], look: Look): Drawn {
  const title = "Cumulative distribution";
  const rows = every_process(sides).map((one) => ({ ...one, values: finite(values_of(one.process)) }));
  const range = bulk(rows.flatMap((row) => row.values));
  if (!range) return { title, ...no_samples };
  const { theme } = look;
  const unit = sides[0]?.series.unit ?? "";
  const room = (range.hi - range.lo) * 0.03 || Math.abs(range.lo) * 0.01 || 1;
  const start = range.lo - room;
  const line = (values: readonly number[]) => [[start, 0], ...distribution(values), [range.hi + room, 1]];
  const pooled = sides.map((side) => ({
    side, ordered: sorted(rows.filter((row) => row.side === side.name).flatMap((row) => row.values)),
  }));
  return {
    title,
    summary: pooled
      .map(({ side, ordered }) =>
        `${side.name}: half of the samples within ${with_unit(quantile(ordered, 0.5), unit)}, 90 % within ` +
        `${with_unit(quantile(ordered, 0.9), unit)}, 99 % within ${with_unit(quantile(ordered, 0.99), unit)}.`)
      .join(" "),
    notes: [form_note(sides), "Thick: all processes of a side (baseline dashed); thin: each process."],
    height: 300,
    option: {
      ...base(look),
      legend: {
        data: sides.map((side) => side.name), top: 0, right: 16, textStyle: { color: theme.text }, selectedMode: false,
        icon: "rect", itemHeight: 3,
      },
      grid: { left: 48, right: 20, top: 28, bottom: 44 },
      xAxis: {
        ...value_axis(look, `${printable(sides[0]?.series.metric ?? "", 40)} in ${printable(unit, 20)}`),
        min: start, max: range.hi + room,
        axisLabel: { color: theme.faint, fontSize: 11, showMinLabel: false, showMaxLabel: false, hideOverlap: true, formatter: tick },
      },
      yAxis: { ...value_axis(look, ""), min: 0, max: 1, axisLabel: { color: theme.faint, fontSize: 11, formatter: (share: number) => percent(share) } },
      tooltip: told(look, (item) => {
        const { seriesName, value } = item;
        return `${seriesName ?? ""}: ${percent(value[1])} within ${with_unit(value[0], unit)}`;
      }),
      series: [
        ...rows.map((row) => ({
          type: "line" as const, name: `${row.side} ${row.process.process}`, step: "end" as const, showSymbol: false, silent: true,
          lineStyle: { color: colour_of(row.side, theme), width: 1, opacity: 0.35 }, data: line(row.values), clip: true,
        })),
        ...pooled.map(({ side, ordered }) => ({
          type: "line" as const, name: side.name, step: "end" as const, showSymbol: false, z: 4, clip: true,
          itemStyle: { color: colour_of(side.name, theme) },
          lineStyle: { color: colour_of(side.name, theme), width: 2.5, type: side.name === "baseline" ? ("dashed" as const) : ("solid" as const) },
          data: line(ordered),
        })),
      ],
    },
    table: {
      columns: ["share of samples", ...pooled.map(({ side }) => `${side.name} (${printable(unit, 20)})`)],
      rows: [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1].map((share) => [
        percent(share), ...pooled.map(({ ordered }) => quantity(ordered.length > 0 ? quantile(ordered, share) : null)),
      ]),
    },
  };
}
