// Where both sides came from and what differs between them, the policy that judged, and its waivers.

import type { PageDocument } from "../data";
import { counted, percent, printable, unknown } from "../format";
import { machine_of } from "../report";
import type { Comparison, Machine, Policy, Revision, RunReport, Source, WaiverUse } from "../reports";
import { el, names_of, scrolling, table } from "./dom";

interface Fact {
  name: string;
  values: string[]; // baseline (where there is one), current
  matters: boolean; // a difference bears on comparing
}

function revision_text(revision: Revision | undefined): string {
  if (!revision || (!revision.commit && !revision.branch)) return unknown;
  return [
    revision.commit.slice(0, 12),
    revision.branch && `on ${revision.branch}`,
    revision.dirty && "with uncommitted changes",
  ]
    .filter(Boolean)
    .join(" ");
}

export function device_text(report: RunReport): string {
  return (
    Object.entries(report.machines)
      .map(
        ([kind, machine]) =>
          `${machine.fields.find((field) => field.name === "device")?.value ?? machine.class} (${kind})`,
      )
      .join(", ") || unknown
  );
}

function source_facts(reports: RunReport[], sources: Source[]): Fact[] {
  const fact = (name: string, of: (report: RunReport, at: number) => string, matters = false): Fact => ({
    name,
    values: reports.map((report, at) => of(report, at) || unknown),
    matters,
  });
  return [
    ...(sources.length > 0 ? [fact("record", (_, at) => sources[at]?.described ?? "")] : []),
    ...(sources.some((source) => source.distance > 0)
      ? [
          fact(
            "distance",
            (_, at) => (sources[at]?.distance ? `${sources[at]?.distance} commits from the one asked for` : "none"),
            true,
          ),
        ]
      : []),
    fact("revision", (report) => revision_text(report.revision)),
    fact("device", (report, at) => sources[at]?.device || device_text(report), true),
    fact("suite", (report) =>
      [report.suite.name, report.suite.file && `(${report.suite.file})`].filter(Boolean).join(" "),
    ),
    fact("suite contents", (report) => report.suite.hash?.slice(0, 12) ?? "", true),
    fact("measured", (report) => report.started),
    fact("tool", (report) => report.tool),
    fact("estimator", (report) => report.estimator, true),
    fact("record id", (report) => report.record),
    ...(reports.some((report) => report.promotion)
      ? [
          fact("pinned by", (report) =>
            report.promotion ? `${report.promotion.author}, ${report.promotion.date}: ${report.promotion.reason}` : "",
          ),
        ]
      : []),
  ];
}

// Every field of the fingerprints, by device kind.
function machine_facts(reports: RunReport[]): Fact[] {
  const kinds = [...new Set(reports.flatMap((report) => Object.keys(report.machines)))];
  return kinds.flatMap((kind) => {
    const machines: (Machine | undefined)[] = reports.map((report) => machine_of(report, kind));
    const names = [...new Set(machines.flatMap((machine) => (machine?.fields ?? []).map((field) => field.name)))];
    const field = (machine: Machine | undefined, name: string) => machine?.fields.find((one) => one.name === name);
    return [
      { name: `${kind}: class`, values: machines.map((machine) => machine?.class || unknown), matters: true },
      { name: `${kind}: id`, values: machines.map((machine) => machine?.uuid || unknown), matters: true },
      ...names.map((name) => ({
        name: `${kind}: ${name}`,
        values: machines.map((machine) => field(machine, name)?.value ?? unknown),
        matters: machines.some((machine) => field(machine, name) && field(machine, name)?.kind !== "info"),
      })),
    ];
  });
}

function differs(fact: Fact): boolean {
  return new Set(fact.values).size > 1;
}

function fact_table(facts: Fact[], two: boolean, label: string): HTMLElement {
  const heads = two ? ["", "baseline", "current"] : ["", "value"];
  const rows = facts.map((fact) => [
    printable(fact.name, 60),
    ...fact.values.map((value, at) =>
      two && at === 1 && differs(fact) && fact.matters
        ? el("span", "differs", el("strong", null, "≠ "), el("bdi", null, printable(value, 200)))
        : el("bdi", null, printable(value, 200)),
    ),
  ]);
  const whole = table(
    heads.map((head) => (head === "" ? el("span", "offscreen", "field") : head)),
    rows,
    { class: "facts" },
  );
  return scrolling(label, whole);
}

function policy_list(policy: Policy, page: PageDocument): HTMLElement {
  const facts_told = page.comparison?.policy_facts ?? [];
  if (facts_told.length > 0) {
    const source = (text: string) => (text === "" ? null : el("span", "faint", ` (${printable(text, 200)})`));
    return el(
      "dl",
      "pairs",
      ...facts_told.flatMap((fact) => [
        el("dt", null, printable(fact.name, 60)),
        el("dd", null, printable(fact.value, 300), source(fact.source)),
      ]),
    );
  }
  const judged = page.comparison?.cases.filter((row) => row.p_adjusted !== null) ?? [];
  const shared = (set: number | null, of: (row: (typeof judged)[number]) => number | null) => {
    if (set !== null) return `${percent(set)} for every case, from the command line`;
    const values = [...new Set(judged.map(of))];
    return values.length === 1 ? percent(values[0]) : "each case's own";
  };
  const allowed = [
    policy.allow_inconclusive && "inconclusive results",
    policy.allow_missing && "missing counterparts",
    policy.allow_not_comparable && "sides that must not be compared",
    policy.allow_skipped && "a run in which no case can run",
    policy.allow_other_device && "another device of the same model",
  ].filter(Boolean);
  const facts: [string, string][] = [
    [
      "rule",
      `${rule_words(page)} on one value a process${judged.length > 1 ? `, Holm over ${judged.length} results` : ""}`,
    ],
    ["margin", shared(policy.margin, (row) => row.margin)],
    ["alpha, one-sided", shared(policy.alpha, (row) => row.alpha)],
    ...(page.comparison?.gates_loosened
      ? [["gates loosened", loosened_words(page.comparison)] as [string, string]]
      : []),
    ...(page.comparison?.policy_facts ?? [])
      .filter((one) => one.name === "proposed by the change")
      .map((one): [string, string] => [one.name, printable(one.value, 200)]),
    ["fewest processes", fewest_processes(policy, page.comparison?.pairing === "process")],
    ["let through", allowed.length > 0 ? `${allowed.join(", ")} (with a warning)` : "nothing"],
    ["improvements", policy.fail_on_improved ? "fail the build: the baseline is stale" : "never fail the build"],
    ["between sessions", `sd ${percent(policy.session_sd)} a side`],
    ...(policy.allow_other_device
      ? [["between devices", `sd ${percent(policy.device_sd)} a side`] as [string, string]]
      : []),
  ];
  return el("dl", "pairs", ...facts.flatMap(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
}

function rule_words(page: PageDocument): string {
  return page.comparison?.pairing === "process" ? "Student's t-test of both builds' difference" : "Welch's t-test";
}

// Where both builds ran in the same processes, those count.
export function fewest_processes(policy: Policy, shared: boolean): string {
  return shared && policy.min_shared_processes !== undefined
    ? `${policy.min_shared_processes} with both builds`
    : `${policy.min_processes} a side`;
}

function loosened_words(comparison: Comparison): string {
  const fact = comparison.policy_facts?.find((one) => one.name === "gates loosened");
  return printable(fact?.value ?? `for ${comparison.gates_loosened} results since the baseline`, 200);
}

const waiver_states: Record<WaiverUse["state"], string> = {
  holds: "✓ holds",
  exceeded: "▲ exceeded",
  expired: "✕ expired",
  unused: "– unused",
  unmatched: "? matches no case",
  proposed: "? proposed by the change",
};

function waiver_table(waivers: readonly WaiverUse[]): HTMLElement {
  const rows = waivers.map((waiver) => [
    el("code", null, printable(waiver.pattern, 200)),
    printable(waiver.metric ?? "every metric", 60),
    waiver_states[waiver.state] ?? "",
    waiver.ceiling === null ? unknown : `up to ${percent(waiver.ceiling)} worse`,
    printable(waiver.expires, 20),
    `${waiver.waived} waived, ${waiver.refused} not`,
    printable([waiver.reason, ...waiver.advice].join("; "), 600),
    printable(waiver.issue ?? "", 200),
  ]);
  const heads = ["cases", "metric", "state", "ceiling", "holds until", "results", "reason", "issue"];
  return scrolling("Waivers", table(heads, rows));
}

// Where each shown side came from: the baseline's only beside a baseline.
export function sources_of({ comparison, baseline }: PageDocument): Source[] {
  if (!comparison) return [];
  return baseline ? [comparison.baseline, comparison.current] : [comparison.current];
}

export function environment_section(page: PageDocument, scope: string, of = ""): HTMLElement {
  const { comparison, baseline, current } = page;
  const two = baseline !== null;
  const reports = baseline ? [baseline.report, current.report] : [current.report];
  const facts = source_facts(reports, sources_of(page));
  const machines = machine_facts(reports);
  const differing = two ? machines.filter((fact) => differs(fact) && fact.matters) : [];
  const told = comparison?.differences ?? [];
  const waivers = comparison?.waivers ?? [];
  const unlike = told.length || differing.length;
  const id = `${scope}environment-title`;
  return el(
    "section",
    { attributes: { id: `${scope}environment`, "aria-labelledby": names_of(scope, id) } },
    el(
      "details",
      "folded",
      el(
        "summary",
        null,
        el("h2", { attributes: { id } }, `${comparison ? "Environment and policy" : "Environment"}${of && ` of ${of}`}`),
        " ",
        two
          ? el(
              "span",
              unlike > 0 ? "differs" : "faint",
              unlike > 0 ? el("strong", null, `≠ ${counted(unlike, "difference")}`) : "nothing differs that matters",
            )
          : null,
        waivers.length > 0 ? el("span", "faint", `, ${counted(waivers.length, "waiver")}`) : null,
      ),
      el(
        "div",
        "columns",
        el(
          "div",
          "card",
          el("h3", null, two ? "Both sides" : "This run"),
          fact_table(facts, two, "Both sides"),
          two
            ? el(
                "div",
                null,
                el("h4", null, "What differs between the machines"),
                told.length > 0
                  ? el("ul", null, ...told.map((one) => el("li", null, el("bdi", null, printable(one, 300)))))
                  : null,
                differing.length > 0 && told.length === 0 ? fact_table(differing, two, "Differing fields") : null,
                told.length === 0 && differing.length === 0
                  ? el("p", null, "Nothing that bears on the comparison: the fields that both records hold agree.")
                  : null,
              )
            : null,
          el(
            "details",
            null,
            el("summary", null, `All ${machines.length} fields of the machine`),
            fact_table(machines, two, "All fields of the machine"),
          ),
        ),
        comparison
          ? el(
              "div",
              "card",
              el("h3", null, "Policy in effect"),
              policy_list(comparison.policy, page),
              el("h4", null, "Waivers"),
              waivers.length > 0 ? waiver_table(waivers) : el("p", null, "None: every regression counts."),
            )
          : null,
      ),
    ),
  );
}
