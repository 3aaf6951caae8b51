// Cost against calls: set-up and first call once, then a time a call. And after how many calls a variant has cost
// less than the reference.

import type { EChartsOption } from "echarts";
import type { CaseDetails } from "../data";
import { counted, duration, printable, seconds_per_unit, tick } from "../format";
import type { RunCase } from "../reports";
import { series_colour, symbol_at } from "../theme";
import { cost_metric } from "./pareto";
import { axis_style, base, type Drawn, type Look, told } from "./plot";

// Seconds.
interface Cost {
  variant: string;
  set_up: number;
  first: number;
  call: number;
  after: number | null; // calls until it has cost less than the reference; null: never
}

// The times of a case by metric.
type Times = Map<string, RunCase>;

export const set_up_metric = "setup_time";

export function break_even(
  cases: readonly RunCase[],
  rungs: readonly CaseDetails[],
  ladder: string,
  look: Look,
): Drawn {
  const title = "Cost against calls";
  const times = rungs.map((rung): Times => {
    const own = cases.filter((one) => one.case === rung.case && seconds_per_unit(one.unit) !== null);
    return new Map(own.map((one) => [one.metric, one]));
  });
  const steady = cost_metric(times.flatMap((one) => [...one.values()]))?.metric ?? "";
  const reference_case = times.map((one) => one.get(steady)?.speedup?.reference).find(Boolean);
  const at = Math.max(
    0,
    rungs.findIndex((one) => one.case === reference_case),
  );
  const costs = costs_of(rungs, times, steady);
  const reference = costs.find((one) => one.variant === printable(rungs[at]?.variant ?? "", 40));
  if (costs.length < 2 || !reference) {
    return {
      title,
      missing: "No two variants of a problem have a set-up time here.",
      remedy: "Name it in the suite: `metrics: [time, first_call, setup_time]`.",
    };
  }
  for (const one of costs) one.after = calls_until(one, reference);
  return {
    title,
    summary: `${printable(ladder, 200)}: ${costs
      .filter((one) => one !== reference)
      .map((one) => `${one.variant} costs less than ${reference.variant} ${words_of(one)}`)
      .join(", ")}.`,
    notes: ["Set-up, the first call and all further calls are added; each is the centre over processes."],
    height: 380,
    option: option_of(costs, look),
    table: {
      columns: ["variant", "set-up", "first call", "call", `less than ${reference.variant}`],
      rows: costs.map((one) => [
        one.variant,
        duration(one.set_up),
        duration(one.first),
        duration(one.call),
        one === reference ? "" : words_of(one),
      ]),
    },
  };
}

function costs_of(rungs: readonly CaseDetails[], times: readonly Times[], steady: string): Cost[] {
  return rungs.flatMap((rung, at) => {
    const of = times[at];
    const seconds = (metric: string) => {
      const one = of?.get(metric);
      return one?.center == null ? null : one.center * (seconds_per_unit(one.unit) ?? 0);
    };
    const [set_up, call] = [seconds(set_up_metric), seconds(steady)];
    if (set_up === null || call === null) return [];
    return [{ variant: printable(rung.variant, 40), set_up, first: seconds("first_call") ?? call, call, after: null }];
  });
}

function cost_of(one: Cost, calls: number): number {
  return one.set_up + one.first + (calls - 1) * one.call;
}

function calls_until(one: Cost, reference: Cost): number | null {
  const more = cost_of(one, 1) - cost_of(reference, 1);
  if (more <= 0) return one.call <= reference.call ? 1 : null;
  return one.call < reference.call ? 1 + Math.ceil(more / (reference.call - one.call)) : null;
}

function words_of(one: Cost): string {
  if (one.after === null) return "never for good";
  return one.after === 1 ? "from the first call" : `after ${counted(one.after, "call")}`;
}

// One, two and five of each decade, to beyond the last crossing.
function numbers_of(costs: readonly Cost[]): number[] {
  const most = Math.max(1000, ...costs.map((one) => (one.after ?? 1) * 10));
  const decades = Math.min(9, Math.ceil(Math.log10(most)));
  return [...Array(decades).keys()].flatMap((decade) => [1, 2, 5].map((one) => one * 10 ** decade)).concat(10 ** decades);
}

function option_of(costs: readonly Cost[], look: Look): EChartsOption {
  const { theme } = look;
  const numbers = numbers_of(costs);
  const legend_height = 22 * Math.ceil((costs.length * 130) / Math.max(260, look.width - 20));
  return {
    ...base(look),
    legend: {
      data: costs.map((one) => one.variant),
      bottom: 0,
      itemWidth: 14,
      textStyle: { color: theme.text },
      selectedMode: false,
    },
    grid: { left: 84, right: 24, top: 24, bottom: 56 + legend_height },
    xAxis: {
      ...axis_style(look),
      type: "log",
      name: "calls",
      nameLocation: "middle",
      nameGap: 26,
      min: 1,
      max: numbers[numbers.length - 1] ?? 1000,
      axisLabel: { color: theme.faint, fontSize: 11, hideOverlap: true, formatter: tick },
    },
    yAxis: {
      ...axis_style(look),
      type: "log",
      axisLabel: { color: theme.faint, fontSize: 11, formatter: (seconds: number) => duration(seconds) },
    },
    tooltip: told(look, ({ seriesIndex, dataIndex }) => {
      const [one, calls] = [costs[seriesIndex], numbers[dataIndex]];
      return one && calls ? `${one.variant}\n${counted(calls, "call")}: ${duration(cost_of(one, calls))}` : "";
    }),
    series: costs.map((one, at) => ({
      type: "line" as const,
      name: one.variant,
      symbol: symbol_at(at),
      symbolSize: 6,
      lineStyle: { color: series_colour(theme, at), width: 2 },
      itemStyle: { color: series_colour(theme, at) },
      data: numbers.map((calls) => [calls, cost_of(one, calls)]),
    })),
  };
}
