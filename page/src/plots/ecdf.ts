// The share of samples that took no longer than a time: a thin line a process, a thick one a side.

import type { EChartsOption } from "echarts";
import { percent, quantity, with_unit } from "../format";
import { distribution, quantile, sorted } from "../statistics";
import { base, bounded_axis, type Drawn, type Look, told, value_axis } from "./plot";
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

interface Pooled {
  side: SeriesSide;
  ordered: number[];
}

const shares = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1];

export function ecdf(sides: readonly SeriesSide[], look: Look): Drawn {
  const title = "Cumulative distribution";
  const samples = samples_of(sides);
  if (!samples) return { title, ...no_samples };
  const pooled = sides.map((side) => ({
    side,
    ordered: sorted(samples.rows.filter((row) => row.side === side.name).flatMap((row) => row.values)),
  }));
  const within = (ordered: number[], share: number) => with_unit(quantile(ordered, share), samples.unit);
  return {
    title,
    summary: pooled
      .map(
        ({ side, ordered }) =>
          `${side_prefix(sides, side.name)}half of the samples within ${within(ordered, 0.5)}, ` +
          `90 % within ${within(ordered, 0.9)}, 99 % within ${within(ordered, 0.99)}.`,
      )
      .join(" "),
    notes: [
      form_note(sides),
      sides.length > 1
        ? "Thick: all processes of a side (baseline dashed); thin: each process."
        : "Thick: all processes; thin: each process.",
      clip_note(samples),
    ].filter(Boolean),
    height: 300,
    option: option_of(samples, pooled, look),
    table: {
      columns: ["share of samples", ...pooled.map(({ side }) => `${side.name} (${samples.unit})`)],
      rows: shares.map((share) => [percent(share), ...pooled.map(({ ordered }) => quantity(quantile(ordered, share)))]),
    },
  };
}

function option_of(samples: Samples, pooled: readonly Pooled[], look: Look): EChartsOption {
  const { theme } = look;
  return {
    ...base(look),
    legend: {
      show: pooled.length > 1,
      data: pooled.map(({ side }) => side.name),
      top: 0,
      right: 16,
      textStyle: { color: theme.text },
      selectedMode: false,
      icon: "rect",
      itemHeight: 3,
    },
    grid: { left: 48, right: 20, top: 28, bottom: 44 },
    xAxis: bounded_axis(look, samples.axis_name, samples.lo, samples.hi),
    yAxis: {
      ...value_axis(look, ""),
      min: 0,
      max: 1,
      axisLabel: { color: theme.faint, fontSize: 11, formatter: (share: number) => percent(share) },
    },
    tooltip: told(
      look,
      ({ seriesName, value }) =>
        `${seriesName ?? ""}: ${percent(value[1])} within ${with_unit(value[0], samples.unit)}`,
    ),
    series: lines_of(samples, pooled, look),
  };
}

function lines_of(samples: Samples, pooled: readonly Pooled[], look: Look) {
  const shape = { type: "line" as const, step: "end" as const, showSymbol: false, clip: true };
  // From the left end of the axis to the right one; nothing where there is no value.
  const line = (values: readonly number[]) => {
    if (values.length === 0) return [];
    const corners = distribution(values);
    const before = corners.filter(([value]) => value < samples.lo);
    const within = corners.filter(([value]) => value >= samples.lo && value <= samples.hi);
    const last = within[within.length - 1] ?? before[before.length - 1];
    return [[samples.lo, before[before.length - 1]?.[1] ?? 0], ...within, [samples.hi, last?.[1] ?? 0]];
  };
  return [
    ...samples.rows.map((row) => ({
      ...shape,
      name: row.name,
      silent: true,
      lineStyle: { color: colour_of(row.side, look.theme), width: 1, opacity: 0.35 },
      data: line(row.values),
    })),
    ...pooled.map(({ side, ordered }) => ({
      ...shape,
      name: side.name,
      z: 4,
      itemStyle: { color: colour_of(side.name, look.theme) },
      lineStyle: {
        color: colour_of(side.name, look.theme),
        width: 2.5,
        type: side.name === "baseline" ? ("dashed" as const) : ("solid" as const),
      },
      data: line(ordered),
    })),
  ];
}
