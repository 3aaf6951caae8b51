// Achieved FLOP/s against arithmetic intensity (FLOP per byte that must move), under the ceilings that
// this machine was measured to reach (Williams, Waterman and Patterson 2009).

import type { EChartsOption } from "echarts";
import type { CaseDetails } from "../data";
import { counted, percent, printable, quantity, rate, tick } from "../format";
import type { Machine, RunCase } from "../reports";
import { series_colour, symbol_at } from "../theme";
import { axis_style, base, type Drawn, type Look, told } from "./plot";

interface Dot {
  one: RunCase;
  variant: string;
  intensity: number;
  flops_per_s: number;
}

interface Roof {
  peak: number; // FLOP/s
  bandwidth: number; // bytes/s
  ridge: number; // FLOP per byte where they meet
  least: number; // ends of the horizontal axis
  most: number;
}

export function roofline(
  cases: readonly RunCase[],
  details: readonly CaseDetails[],
  device: string,
  machine: Machine | undefined,
  look: Look,
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
  const dots = own.flatMap((one) => dot_of(one, of_case.get(one.case)));
  if (dots.length === 0) {
    return {
      title,
      missing: "No case here says how many operations it does and how many bytes it moves.",
      remedy: "A workload tells them by `flops()` and `bytes()` of its problem (kernels/README.md).",
    };
  }
  const left_out = new Set(own.map((one) => one.case)).size - new Set(dots.map(({ one }) => one.case)).size;
  const variants = [...new Set(dots.map((dot) => dot.variant))];
  const legend_height = 20 * Math.ceil((variants.length * 150) / Math.max(300, look.width));
  return {
    title,
    summary: summary_of(dots, peak, bandwidth),
    notes: [
      "Ceilings are those measured on this machine, not those of a data sheet.",
      left_out > 0 ? `${counted(left_out, "case")} without operations, bytes or a time left out.` : "",
    ].filter(Boolean),
    height: 380 + legend_height,
    option: option_of(dots, variants, roof_over(dots, peak, bandwidth), legend_height, look),
    table: {
      columns: ["case", "FLOP per byte", "achieved", "of ceiling", "bound by"],
      rows: dots.map(({ one, intensity, flops_per_s }) => [
        one.case,
        quantity(intensity, 3),
        rate(flops_per_s, "FLOP/s"),
        percent(one.share_of_ceiling),
        one.bound ?? "",
      ]),
    },
  };
}

function dot_of(one: RunCase, detail: CaseDetails | undefined): Dot[] {
  if (!detail?.flops || !detail.bytes || !one.flops_per_s) return [];
  return [{ one, variant: detail.variant, intensity: detail.flops / detail.bytes, flops_per_s: one.flops_per_s }];
}

function roof_over(dots: readonly Dot[], peak: number, bandwidth: number): Roof {
  const ridge = peak / bandwidth;
  const intensities = dots.map((dot) => dot.intensity);
  const [least, most] = [Math.min(ridge / 4, ...intensities) / 1.5, Math.max(ridge * 4, ...intensities) * 1.5];
  return { peak, bandwidth, ridge, least, most };
}

function summary_of(dots: readonly Dot[], peak: number, bandwidth: number): string {
  const share = ({ one }: Dot) => one.share_of_ceiling ?? 0;
  const best = dots.reduce((most, dot) => (share(dot) > share(most) ? dot : most));
  return (
    `${counted(dots.length, "case")} under a ceiling of ${rate(peak, "FLOP/s")} for arithmetic and ` +
    `${rate(bandwidth, "B/s")} for copying; they meet at ${quantity(peak / bandwidth, 3)} FLOP per byte. ` +
    `Nearest to its ceiling is ${printable(best.one.case, 200)} with ${percent(best.one.share_of_ceiling)} ` +
    `(${best.one.bound ?? "unknown"}).`
  );
}

function option_of(
  dots: readonly Dot[],
  variants: readonly string[],
  roof: Roof,
  legend_height: number,
  look: Look,
): EChartsOption {
  const { theme } = look;
  const lowest = Math.min(...dots.map((dot) => dot.flops_per_s), roof.bandwidth * roof.least) / 1.5;
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
    grid: { left: 84, right: 24, top: 24, bottom: 56 + legend_height },
    xAxis: {
      ...log_axis(look, roof.least, roof.most, tick),
      name: "FLOP per byte",
      nameLocation: "middle",
      nameGap: 26,
    },
    yAxis: log_axis(look, lowest, roof.peak * 2, (value) => rate(value, "FLOP/s", tick)),
    tooltip: told(look, ({ seriesIndex, dataIndex }) => {
      const dot = dots.filter((some) => some.variant === variants[seriesIndex - 1])[dataIndex];
      return dot ? tooltip_of(dot) : "";
    }),
    series: [
      roof_line(roof, look),
      ...variants.map((variant, at) => ({
        type: "scatter" as const,
        name: printable(variant, 40),
        symbol: symbol_at(at),
        symbolSize: 11,
        itemStyle: {
          color: series_colour(theme, at),
          borderColor: theme.surface,
          borderWidth: 1,
        },
        data: dots.filter((dot) => dot.variant === variant).map((dot) => [dot.intensity, dot.flops_per_s]),
      })),
      roof_labels(roof, look),
    ],
  };
}

// Labels at powers of ten only.
function log_axis(look: Look, lo: number, hi: number, say: (value: number) => string) {
  const decade = (value: number) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  return {
    ...axis_style(look),
    type: "log" as const,
    min: lo,
    max: hi,
    axisLabel: {
      color: look.theme.faint,
      fontSize: 11,
      formatter: (value: number) => (decade(value) ? say(value) : ""),
    },
  };
}

function roof_line({ peak, bandwidth, ridge, least, most }: Roof, look: Look) {
  return {
    type: "line" as const,
    name: "ceiling",
    showSymbol: false,
    silent: true,
    lineStyle: { color: look.theme.text, width: 2 },
    data: [
      [least, bandwidth * least],
      [ridge, peak],
      [most, peak],
    ],
  };
}

function roof_labels({ peak, bandwidth, ridge, least, most }: Roof, look: Look) {
  const texts = [`measured: ${rate(peak, "FLOP/s")}`, `measured: ${rate(bandwidth, "B/s")}`];
  const slope = Math.sqrt(least * ridge);
  return {
    type: "scatter" as const,
    symbolSize: 0,
    silent: true,
    label: {
      show: true,
      color: look.theme.text,
      fontSize: 11,
      formatter: (item: { dataIndex: number }) => texts[item.dataIndex] ?? "",
    },
    data: [
      { value: [Math.sqrt(ridge * most), peak], label: { position: "top" as const } },
      { value: [slope, bandwidth * slope], label: { position: "right" as const, distance: 14, offset: [0, 8] } },
    ],
  };
}

function tooltip_of({ one, flops_per_s, intensity }: Dot): string {
  return [
    printable(one.case, 90),
    rate(flops_per_s, "FLOP/s"),
    `${quantity(intensity, 3)} FLOP per byte`,
    `${percent(one.share_of_ceiling)} of the ceiling (${one.bound ?? "unknown"})`,
  ].join("\n");
}
