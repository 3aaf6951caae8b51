// One network in stages, each with all that the stages before it brought: how many times as fast as the first each
// is, with its interval, and what each step alone is worth. Stages are the variants of a case with the tag `stages`,
// in the order of the suite.

import type { CaseDetails } from "../data";
import { printable, times } from "../format";
import type { RunCase } from "../reports";
import { ladders_of } from "./names";
import type { Drawn, Look } from "./plot";
import { type Bar, bar_of, drawn_bars, told_whiskers } from "./speedup";

export function staged(details: readonly CaseDetails[]): Map<string, CaseDetails[]> {
  return ladders_of(details.filter((one) => one.tags.includes("stages")));
}

export function stages(
  cases: readonly RunCase[],
  rungs: readonly CaseDetails[],
  ladder: string,
  metric: string,
  look: Look,
): Drawn {
  const title = "Speedup stage by stage";
  const of_case = new Map(cases.filter((one) => one.metric === metric).map((one) => [one.case, one]));
  const measured = rungs.flatMap((rung) => of_case.get(rung.case) ?? []);
  const [baseline] = measured;
  const over_baseline = measured.flatMap(bar_of).filter((bar) => bar.reference === baseline?.case);
  if (!baseline || over_baseline.length === 0) {
    return {
      title,
      missing: "No problem here was measured in stages, each relative to the first.",
      remedy:
        "List the stages as `variants` of one case of the suite, the first as its `reference`, with `tags: [stages]`.",
    };
  }
  const first: Bar = { one: baseline, reference: baseline.case, ratio: 1, interval: null, surely: "undecided" };
  const bars = [first, ...over_baseline];
  const name_of = new Map(rungs.map((rung) => [rung.case, printable(rung.variant, 60)]));
  const names = bars.map(({ one }) => name_of.get(one.case) ?? "");
  const steps = bars.map((bar, at) => (at === 0 ? "" : times(bar.ratio / (bars[at - 1]?.ratio ?? 1))));
  return {
    title,
    summary:
      `${printable(ladder, 200)}: relative to ${names[0] ?? ""}, ` +
      `${over_baseline.map(({ ratio }, at) => `${names[at + 1] ?? ""} is ${times(ratio)} as fast`).join(", ")}.`,
    notes: [
      "Each stage is measured with all that the stages before it brought. A step is relative to the stage before it.",
      told_whiskers(bars),
    ].filter(Boolean),
    ...drawn_bars(
      bars,
      bars.map(({ ratio }, at) => (at === 0 ? "baseline" : `${times(ratio)} (step ${steps[at] ?? ""})`)),
      look,
    ),
    table: {
      columns: ["stage", "speedup", "from", "to", "step"],
      rows: bars.map(({ ratio, interval }, at) => [
        names[at] ?? "",
        times(ratio),
        interval ? times(interval[0]) : "",
        interval ? times(interval[1]) : "",
        steps[at] ?? "",
      ]),
    },
  };
}
