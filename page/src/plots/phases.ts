// Where the wall time of measuring a case goes: set-up, compiling, the first call, sampling. The mean
// over the case's processes, stacked.

import type { EChartsOption } from "echarts";
import type { CaseDetails } from "../data";
import { counted, duration, printable } from "../format";
import { series_colour } from "../theme";
import { short_names } from "./names";
import { base, type Drawn, label_width, labels_at, type Look, row_axis, row_height, told, value_axis } from "./plot";
import { most_rows } from "./speedup";

const words = new Map([
  ["construct", "set-up"],
  ["compile", "compile"],
  ["first_call", "first call"],
  ["sampling", "steady (sampling)"],
]);

interface Stack {
  one: CaseDetails;
  label: string;
  seconds: number[]; // by phase
  total: number;
}

export function phases(details: readonly CaseDetails[], look: Look): Drawn {
  const title = "Set-up, first call and steady time";
  const all = details.filter((one) => one.phases);
  const shown = all.slice(0, most_rows);
  if (shown.length === 0) {
    return {
      title,
      missing: "How long each phase of measuring took is not in the record.",
      remedy: "`harness run` of this version keeps it; imported samples and older records hold none.",
    };
  }
  const names = [...new Set(shown.flatMap((one) => Object.keys(one.phases ?? {})))];
  const labels = short_names(shown.map((one) => one.case));
  const stacks = shown.map((one, at): Stack => {
    const known = new Map(Object.entries(one.phases ?? {}));
    const seconds = names.map((name) => known.get(name) ?? 0);
    return { one, label: labels[at] ?? "", seconds, total: seconds.reduce((sum, part) => sum + part, 0) };
  });
  return {
    title,
    summary: summary_of(stacks, names),
    notes: all.length > shown.length ? [`The first ${shown.length} of ${all.length} cases.`] : [],
    height: 76 + legend_height(names, look) + row_height(look, labels) * shown.length,
    option: option_of(stacks, names, look),
    table: {
      columns: ["case", ...names.map(word), "in all"],
      rows: stacks.map(({ one, seconds, total }) => [one.case, ...seconds.map(duration), duration(total)]),
    },
  };
}

function word(name: string): string {
  return words.get(name) ?? printable(name, 40);
}

function legend_height(names: readonly string[], look: Look): number {
  const letters = names.reduce((sum, name) => sum + word(name).length, 0);
  return 22 * Math.ceil((letters * 7 + names.length * 34) / Math.max(260, look.width - 20));
}

function summary_of(stacks: readonly Stack[], names: readonly string[]): string {
  const overall = stacks.reduce((sum, stack) => sum + stack.total, 0);
  const share = (at: number) => stacks.reduce((sum, stack) => sum + (stack.seconds[at] ?? 0), 0) / (overall || 1);
  const longest = stacks.reduce((most, stack) => (stack.total > most.total ? stack : most));
  return (
    `Wall time a process, mean over processes, of ${counted(stacks.length, "case")}: ` +
    names.map((name, at) => `${word(name)} ${Math.round(100 * share(at))} %`).join(", ") +
    `. The longest is ${printable(longest.one.case, 200)} with ${duration(longest.total)}.`
  );
}

function option_of(stacks: readonly Stack[], names: readonly string[], look: Look): EChartsOption {
  const { theme } = look;
  const labels = stacks.map((stack) => stack.label);
  return {
    ...base(look),
    legend: {
      data: names.map(word),
      top: 0,
      itemWidth: 14,
      textStyle: { color: theme.text },
      selectedMode: false,
    },
    grid: { left: label_width(look, labels) + 16, right: 64, top: 16 + legend_height(names, look), bottom: 44 },
    xAxis: { ...value_axis(look, "seconds of wall time a process"), scale: false, min: 0 },
    yAxis: row_axis(look, labels),
    tooltip: told(look, (item) => {
      const stack = stacks[item.dataIndex];
      if (!stack) return "";
      const parts = names.map((name, at) => `${word(name)} ${duration(stack.seconds[at])}`);
      return [printable(stack.one.case, 90), ...parts, `in all ${duration(stack.total)}`].join("\n");
    }),
    series: [
      ...names.map((name, at) => ({
        type: "bar" as const,
        name: word(name),
        stack: "phases",
        barMaxWidth: 16,
        itemStyle: {
          color: series_colour(theme, at),
          borderColor: theme.surface,
          borderWidth: 1,
        },
        data: stacks.map((stack) => stack.seconds[at] ?? 0),
      })),
      labels_at(
        stacks.map((stack, row) => [stack.total, row]),
        stacks.map((stack) => duration(stack.total)),
        look,
      ),
    ],
  };
}
