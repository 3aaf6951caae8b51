// The evidence on one case and metric: why the verdict, what to do, how to measure it again, its plots,
// its kernels.

import {
  exponent,
  counted,
  interval_level,
  process_words,
  percent,
  printable,
  p_value,
  interval_with_unit,
  quantity,
  with_unit,
} from "../format";
import { change_of, interval_of, margin_of } from "../change_words";
import { ecdf } from "../plots/ecdf";
import { interval } from "../plots/interval";
import { sides_of } from "../plots/sides";
import { timeline } from "../plots/timeline";
import { violin } from "../plots/violin";
import { type Entry, reproduce, series_of } from "../report";
import type { Comparison, ComparisonRow, RunCase } from "../reports";
import { verdict_badge, outcome_badge } from "./badge";
import { command, copy_button, el, prose } from "./dom";
import { figure } from "./figure";
import { cause_section } from "./causes";
import { kernel_section } from "./kernels";
import { case_link } from "./case_link";

type Pair = [string, string];

// The p that the verdict rests on first.
function p_facts(row: ComparisonRow): Pair[] {
  const alpha = ` (alpha ${percent(row.alpha)})`;
  const worse: Pair = ["p, worse than the margin", `${p_value(row.p)} raw, ${p_value(row.p_adjusted)} adjusted`];
  const better: Pair = [
    "p, better than the margin",
    `${p_value(row.p_improved)} raw, ${p_value(row.p_improved_adjusted)} adjusted`,
  ];
  const [first, second] = row.verdict === "improved" ? [better, worse] : [worse, better];
  return [[first[0], first[1] + alpha], ...(row.p_improved != null ? [second] : [])];
}

function freedom_words(row: ComparisonRow, shared: boolean): string {
  if (row.in_unit?.by_process) return "Student, of the processes' differences";
  return shared && !row.in_unit ? "Student, of the processes' log ratios" : "Welch and Satterthwaite";
}

function comparison_facts(row: ComparisonRow, shared: boolean): Pair[] {
  const unit = row.unit ?? "";
  const side = (of: "baseline" | "current") =>
    `${with_unit(row[of]?.center, unit)}, sd between processes ${percent(row[of]?.process_sd)}, far outliers ${percent(row[of]?.outlier_rate)}`;
  const level = interval_level(row);
  const facts: (Pair | null)[] = [
    ["change", `${change_of(row)}${row.exact ? ", compared as numbers: it does not vary" : ""}`],
    [level, interval_of(row)],
    ["margin", `±${margin_of(row)}${row.informative ? ", informative: it decides nothing" : ""}`],
    ...p_facts(row),
    ["minimum detectable", `${percent(row.minimum_detectable)}, with 80 % power, margin included`],
    ["processes", process_words(row, shared)],
    row.degrees_of_freedom != null
      ? [
          "degrees of freedom",
          `${quantity(row.degrees_of_freedom, 3)} (${freedom_words(row, shared)})`,
        ]
      : null,
    ["baseline", side("baseline")],
    ["current", side("current")],
  ];
  return facts.filter((fact): fact is Pair => fact !== null);
}

function run_facts(run: RunCase, compared: boolean): Pair[] {
  const facts: (Pair | null)[] = [
    compared
      ? null
      : [
          "centre",
          `${with_unit(run.center, run.unit)}${run.interval ? `, ${Math.round((run.confidence ?? 0.99) * 100)} % interval: ${interval_with_unit(run.interval, run.unit)}` : ""}`,
        ],
    compared ? null : ["sd between processes", percent(run.process_sd)],
    [
      compared ? "samples, current" : "samples",
      `${counted(run.samples, "sample")} in ${counted(run.processes, "process", "processes")}: median ${quantity(run.median)}, p95 ${quantity(run.p95)}, p99 ${quantity(run.p99)}, CV ${percent(run.cv)}`,
    ],
    [
      "outliers",
      `${run.mild_outliers} mild, ${run.far_outliers} far (beyond 1.5 and 3 interquartile ranges of their placement)`,
    ],
    run.first_call !== null
      ? ["first call", `${with_unit(run.first_call, run.unit)}, cold; part of no other figure`]
      : null,
    run.verification
      ? [
          "verified",
          `error ${exponent(run.verification.before)} before and ${exponent(run.verification.after)} after timing, tolerance ${exponent(run.verification.tolerance)}, ${counted(run.verification.elements, "element")}`,
        ]
      : null,
  ];
  return facts.filter((fact): fact is Pair => fact !== null);
}

export function pairs(facts: readonly Pair[]): HTMLElement {
  return el("dl", "pairs", ...facts.flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
}

function diagnostics(entry: Entry): HTMLElement | null {
  const { row, run } = entry;
  const notes = [...(row?.advice ?? []), ...(run?.notes ?? [])];
  if (notes.length === 0) return null;
  return el(
    "div",
    null,
    el("h4", null, "Diagnostics"),
    el("ul", null, ...[...new Set(notes)].map((note) => el("li", null, el("bdi", null, prose(printable(note, 600)))))),
  );
}

function waiver_note(row: ComparisonRow | null): HTMLElement | null {
  const waiver = row?.waiver;
  if (!waiver) return null;
  return el(
    "p",
    "waived",
    el("strong", null, "Waived: "),
    `up to ${percent(waiver.ceiling)} worse until ${printable(waiver.expires, 20)}. ${printable(waiver.reason, 400)}`,
    waiver.issue ? ` (${printable(waiver.issue, 200)})` : "",
  );
}

function head(entry: Entry, close: () => void): HTMLElement {
  const { row, run } = entry;
  const shut = el("button", { class: "small", attributes: { type: "button" } }, "Close");
  shut.addEventListener("click", close);
  const here = () => location.href.split("#")[0] + case_link(entry);
  return el(
    "div",
    "panel-head",
    row ? verdict_badge(row.verdict) : run ? outcome_badge(run.outcome) : null,
    el("h3", "case-name", el("bdi", null, printable(entry.case))),
    el(
      "div",
      "controls",
      copy_button("Copy link", here),
      copy_button("Copy name", () => entry.case),
      shut,
    ),
  );
}

function facts_of({ row, run }: Entry, shared: boolean): Pair[] {
  const where = row?.where;
  return [
    ...(row ? comparison_facts(row, shared) : []),
    ...(run ? run_facts(run, row !== null) : []),
    ...(where ? [["in the suite", `${printable(where.file, 200)}:${where.line}`] as Pair] : []),
  ];
}

function again(entry: Entry): HTMLElement {
  const text = reproduce(entry);
  return el(
    "div",
    null,
    el("h4", null, "Measure it again"),
    text
      ? command(printable(text, 4000))
      : el("p", "faint", "The records do not say how: they were imported from another tool."),
  );
}

function environment(differences: readonly string[]): HTMLElement {
  return el(
    "div",
    null,
    el("h4", null, "Environment"),
    differences.length > 0
      ? el("ul", null, ...differences.map((one) => el("li", null, el("bdi", null, printable(one, 300)))))
      : el("p", null, "Nothing differs between both sides that bears on the comparison."),
  );
}

// `comparison`: that the entry is of; null on the page of a run.
export function case_panel(entry: Entry, close: () => void, comparison: Comparison | null): HTMLElement {
  const shared = comparison?.pairing === "process";
  const { row, run } = entry;
  const sides = sides_of(
    series_of(entry.baseline_details, entry.metric),
    series_of(entry.current_details, entry.metric),
  );
  return el(
    "article",
    { class: "panel", attributes: { "aria-label": `Evidence on ${printable(entry.case, 120)}` } },
    head(entry, close),
    el("p", "reason", printable(row?.reason || run?.reason || "", 1000)),
    waiver_note(row),
    el(
      "div",
      "columns",
      el(
        "div",
        null,
        diagnostics(entry),
        pairs(facts_of(entry, shared)),
        row ? environment(comparison?.differences ?? []) : null,
      ),
      el("div", null, again(entry), row ? figure((look) => interval(row, look), "h4") : null),
    ),
    el(
      "div",
      "charts",
      figure((look) => violin(sides, look), "h4"),
      figure((look) => ecdf(sides, look), "h4"),
      figure((look) => timeline(sides, look), "h4"),
    ),
    cause_section(row),
    kernel_section(entry),
  );
}
