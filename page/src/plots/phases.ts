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

const most_phases = 7; // told apart; the rest, which is bookkeeping of the harness, is one more
const least_share = 0.02; // of the whole time, for a phase that is none of the above

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
  const known = shown.map((one) => new Map(Object.entries(one.phases ?? {})));
  const { names, rest } = parted(known);
  const labels = short_names(shown.map((one) => one.case));
  const stacks = shown.map((one, at): Stack => {
    const seconds = names.map((name) => known[at]?.get(name) ?? 0);
    if (rest.length > 0) seconds.push(rest.reduce((sum, name) => sum + (known[at]?.get(name) ?? 0), 0));
    return { one, label: labels[at] ?? "", seconds, total: seconds.reduce((sum, part) => sum + part, 0) };
  });
  if (rest.length > 0) names.push(others);
  return {
    title,
    summary: summary_of(stacks, names),
    notes: [
      rest.length > 0 ? `Others: ${rest.map(word).join(", ")}.` : "",
      all.length > shown.length ? `The first ${shown.length} of ${all.length} cases.` : "",
    ].filter(Boolean),
    height: 76 + legend_height(names, look) + row_height(look, labels) * shown.length,
    option: option_of(stacks, names, look),
    table: {
      columns: ["case", ...names.map(word), "in all"],
      rows: stacks.map(({ one, seconds, total }) => [one.case, ...seconds.map((one) => duration(one)), duration(total)]),
    },
  };
}

const others = "others";

// The phases that are drawn, in the order of the record, and those that are drawn as one.
function parted(known: readonly Map<string, number>[]): { names: string[]; rest: string[] } {
  const all = [...new Set(known.flatMap((one) => [...one.keys()]))];
  const seconds = (name: string) => known.reduce((sum, one) => sum + (one.get(name) ?? 0), 0);
  const whole = all.reduce((sum, name) => sum + seconds(name), 0) || 1;
  const drawn = new Set(
    all
      .filter((name) => words.has(name) || seconds(name) >= least_share * whole)
      .sort((left, right) => Number(words.has(right)) - Number(words.has(left)) || seconds(right) - seconds(left))
      .slice(0, most_phases),
  );
  const rest = all.filter((name) => !drawn.has(name));
  return rest.length > 1 ? { names: all.filter((name) => drawn.has(name)), rest } : { names: all, rest: [] };
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
