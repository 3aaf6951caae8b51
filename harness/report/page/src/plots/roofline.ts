// Achieved FLOP/s against arithmetic intensity (FLOP per byte that must move), under the ceilings that
// this machine was measured to reach (Williams, Waterman and Patterson 2009).

import type { CaseDetails } from "../data";
import { counted, percent, printable, quantity, rate, tick } from "../format";
import type { Machine, RunCase } from "../reports";
import { axis_style, base, type Drawn, type Look, told } from "./plot";
import { symbols } from "../theme";

interface Dot {
  one: RunCase;
  variant: string;
  intensity: number;
  flops_per_s: number;
}

export function roofline(
  cases: readonly RunCase[], details: readonly CaseDetails[], device: string, machine: Machine | undefined, look: Look,
): Drawn {
  const title = `Roofline (${printable(device, 40)})`;
  const peak = machine?.ceilings["gemm_flops_per_s"] ?? null;
  const bandwidth = machine?.ceilings["copy_bytes_per_s"] ?? null;
  if (!peak || !bandwidth) {
    return {
      title,
      missing: "This machine's ceilings (copy bandwidth, matrix product) are not in the record.",
      remedy: "`harness run` measures them once a record; imported samples carry none.",
    };
  }
  const of_case = new Map(details.filter((one) => one.device === device).map((one) => [one.case, one]));
  const own = cases.filter((one) => of_case.has(one.case));
  const dots = own.flatMap((one): Dot[] => {
    const detail = of_case.get(one.case);
    if (!detail?.flops || !detail.bytes || !one.flops_per_s) return [];
    return [{ one, variant: detail.variant, intensity: detail.flops / detail.bytes, flops_per_s: one.flops_per_s }];
  });
  if (dots.length === 0) {
    return {
      title,
      missing: "No case here says how many operations it does and how many bytes it moves.",
      remedy: "A workload tells them by `flops()` and `bytes()` of its problem (kernels/README.md).",
    };
  }
  const { theme } = look;
  const ridge = peak / bandwidth;
  const least = Math.min(ridge / 4, ...dots.map((dot) => dot.intensity)) / 1.5;
  const most = Math.max(ridge * 4, ...dots.map((dot) => dot.intensity)) * 1.5;
  const lowest = Math.min(...dots.map((dot) => dot.flops_per_s), bandwidth * least) / 1.5;
  const variants = [...new Set(dots.map((dot) => dot.variant))];
  const best = dots.reduce((one, other) => ((other.one.share_of_ceiling ?? 0) > (one.one.share_of_ceiling ?? 0) ? other : one));
  const decade = (value: number) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  return {
    title,
    summary:
      `${counted(dots.length, "case")} under a ceiling of ${rate(peak, "FLOP/s")} for arithmetic and ${rate(bandwidth, "B/s")} for copying; ` +
      `they meet at ${quantity(ridge, 3)} FLOP per byte. Nearest to its ceiling is ${printable(best.one.case, 200)} with ` +
      `${percent(best.one.share_of_ceiling)} (${best.one.bound ?? "unknown"}).`,
    notes: [
      "Ceilings are those measured on this machine, not those of a data sheet.",
      own.length > dots.length ? `${counted(own.length - dots.length, "case")} without operations, bytes or a time left out.` : "",
    ].filter(Boolean),
    height: 380 + 20 * Math.ceil((variants.length * 150) / Math.max(300, look.width)),
    option: {
      ...base(look),
      legend: { data: variants.map((name) => printable(name, 40)), bottom: 0, itemWidth: 14, itemGap: 18, textStyle: { color: theme.text }, selectedMode: false },
      grid: { left: 84, right: 24, top: 24, bottom: 56 + 20 * Math.ceil((variants.length * 150) / Math.max(300, look.width)) },
      xAxis: {
        ...axis_style(look), type: "log", name: "FLOP per byte", nameLocation: "middle", nameGap: 26, min: least, max: most,
        axisLabel: { color: theme.faint, fontSize: 11, formatter: (value: number) => (decade(value) ? tick(value) : "") },
      },
      yAxis: {
        ...axis_style(look), type: "log", min: lowest, max: peak * 2,
        axisLabel: { color: theme.faint, fontSize: 11, formatter: (value: number) => (decade(value) ? rate(value, "FLOP/s", tick) : "") },
      },
      tooltip: told(look, (item) => {
        const { seriesIndex, dataIndex } = item;
        const dot = dots.filter((some) => some.variant === variants[seriesIndex - 1])[dataIndex];
        if (!dot) return "";
        return [
          printable(dot.one.case, 90), rate(dot.flops_per_s, "FLOP/s"), `${quantity(dot.intensity, 3)} FLOP per byte`,
          `${percent(dot.one.share_of_ceiling)} of the ceiling (${dot.one.bound ?? "unknown"})`,
        ].join("\n");
      }),
      series: [
        {
          type: "line", name: "ceiling", showSymbol: false, silent: true, lineStyle: { color: theme.text, width: 2 },
          data: [[least, bandwidth * least], [ridge, peak], [most, peak]],
        },
        ...variants.map((variant, at) => ({
          type: "scatter" as const, name: printable(variant, 40), symbol: symbols[at % symbols.length] ?? "circle", symbolSize: 11,
          itemStyle: { color: theme.series[at % theme.series.length] ?? theme.text, borderColor: theme.surface, borderWidth: 1 },
          data: dots.filter((dot) => dot.variant === variant).map((dot) => [dot.intensity, dot.flops_per_s]),
        })),
        {
          type: "scatter", symbolSize: 0, silent: true,
          label: { show: true, color: theme.text, fontSize: 11, formatter: (item) => String((item.data as { name?: string }).name ?? "") },
          data: [
            { name: `measured: ${rate(peak, "FLOP/s")}`, value: [Math.sqrt(ridge * most), peak], label: { position: "top" } },
            { name: `measured: ${rate(bandwidth, "B/s")}`, value: [Math.sqrt(least * ridge), bandwidth * Math.sqrt(least * ridge)], label: { position: "right", distance: 14, offset: [0, 8] } },
          ],
        },
      ],
    },
    table: {
      columns: ["case", "FLOP per byte", "achieved", "of ceiling", "bound by"],
      rows: dots.map((dot) => [
        dot.one.case, quantity(dot.intensity, 3), rate(dot.flops_per_s, "FLOP/s"), percent(dot.one.share_of_ceiling), dot.one.bound ?? "",
      ]),
    },
  };
}
