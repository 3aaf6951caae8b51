// The share of the measured ceiling that each variant reaches, by size: a line a variant, sizes in the order
// of their work. Cases belong together that differ by numbers and variant alone (names.ts, form_of).

import type { EChartsOption } from "echarts";
import type { CaseDetails } from "../data";
import { counted, percent, printable } from "../format";
import type { RunCase } from "../reports";
import { series_colour, symbol_at } from "../theme";
import { sizes_beside } from "./names";
import { axis_style, base, type Drawn, type Look, told } from "./plot";

interface Dot {
  one: RunCase;
  variant: string;
  size: string;
  work: number;
  share: number;
}

export function ceiling(cases: readonly RunCase[], details: readonly CaseDetails[], name: string, look: Look): Drawn {
  const title = `Share of the measured ceiling by size${name === "" ? "" : `: ${printable(name, 60)}`}`;
  const dots = dots_of(cases, details);
  if (dots.length === 0) {
    return {
      title,
      missing: "No case here has a share of a measured ceiling.",
      remedy: "`harness run` measures ceilings once a record; the workload must tell its operations or bytes.",
    };
  }
  const sizes = [...new Set([...dots].sort((left, right) => left.work - right.work).map((dot) => dot.size))];
  const variants = [...new Set(dots.map((dot) => dot.variant))];
  const best = dots.reduce((most, dot) => (dot.share > most.share ? dot : most));
  const legend_height = 20 * Math.ceil((variants.length * 150) / Math.max(300, look.width));
  return {
    title,
    summary:
      `${counted(variants.length, "variant")} of ${printable(name, 120)} at ${counted(sizes.length, "size")}. ` +
      `Nearest to its ceiling is ${printable(best.one.case, 200)} with ${percent(best.share)} (${best.one.bound ?? "unknown"}).`,
    notes: [
      "The ceiling is the larger share of what this machine was measured to do, in arithmetic or in copying.",
      dots.some((dot) => dot.share > 1)
        ? "Above 100 %: the declared operations or bytes are too many, or the data stayed in a cache."
        : "",
    ].filter(Boolean),
    height: 400 + legend_height,
    option: option_of(dots, sizes, variants, legend_height, look),
    table: {
      columns: ["case", "of ceiling", "bound by"],
      rows: dots.map(({ one, share }) => [one.case, percent(share), one.bound ?? ""]),
    },
  };
}

function dots_of(cases: readonly RunCase[], details: readonly CaseDetails[]): Dot[] {
  const sizes = sizes_beside(details);
  const of_case = new Map(details.map((one, at) => [one.case, { one, size: sizes[at] ?? "" }]));
  return cases.flatMap((one): Dot[] => {
    const own = of_case.get(one.case);
    if (!own || one.share_of_ceiling == null) return [];
    const work = own.one.flops ?? own.one.bytes ?? 0;
    return [{ one, variant: own.one.variant, size: own.size, work, share: one.share_of_ceiling }];
  });
}

function option_of(
  dots: readonly Dot[],
  sizes: readonly string[],
  variants: readonly string[],
  legend_height: number,
  look: Look,
): EChartsOption {
  const { theme } = look;
  const place = (dot: Dot) => sizes.indexOf(dot.size);
  const of_variant = (variant: string) =>
    dots.filter((dot) => dot.variant === variant).sort((left, right) => place(left) - place(right));
  return {
    ...base(look),
    legend: {
      data: variants.map((name) => printable(name, 40)),
      bottom: 0,
      itemWidth: 14,
      itemGap: 18,
      textStyle: { color: theme.text },
      selectedMode: false,
    },
    grid: { left: 96, right: 24, top: 24, bottom: 104 + legend_height },
    xAxis: {
      ...axis_style(look),
      type: "category",
      data: sizes.map((size) => printable(size, 40)),
      axisLabel: { color: theme.faint, fontSize: 11, rotate: 35, interval: 0 },
    },
    yAxis: {
      ...axis_style(look),
      type: "value",
      min: 0,
      axisLabel: { color: theme.faint, fontSize: 11, formatter: (value: number) => `${value} %` },
    },
    tooltip: told(look, ({ seriesIndex, dataIndex }) => {
      const dot = of_variant(variants[seriesIndex] ?? "")[dataIndex];
      return dot
        ? [printable(dot.one.case, 90), `${percent(dot.share)} (${dot.one.bound ?? "unknown"})`].join("\n")
        : "";
    }),
    series: variants.map((variant, at) => ({
      type: "line" as const,
      name: printable(variant, 40),
      symbol: symbol_at(at),
      symbolSize: 9,
      lineStyle: { width: 2, color: series_colour(theme, at) },
      itemStyle: { color: series_colour(theme, at) },
      data: of_variant(variant).map((dot): [number, number] => [place(dot), dot.share * 100]),
    })),
  };
}
