// The first answer: the verdict in one sentence, what the exit code means, a picture of the worst cases, what to do.

import type { PageDocument } from "../data";
import { counted, printable, verdict_signs, verdict_words, worst_first } from "../format";
import { speedup } from "../plots/speedup";
import type { Entry } from "../report";
import type { Verdict } from "../reports";
import { command, el, names_of, prose } from "./dom";
import { device_text } from "./environment";
import { figure } from "./figure";
import { cases_over_shapes } from "./over_shapes";
import { worst_picture } from "./worst_picture";

const exit_meanings: Record<number, string> = {
  0: "no regression",
  1: "at least one case regressed",
  2: "wrong usage or configuration",
  3: "nothing regressed, but something is inconclusive",
  4: "a baseline is missing or must not be compared",
  5: "a case failed or computed a wrong result",
};

export function exit_meaning(page: PageDocument): string {
  const { comparison } = page;
  if (!comparison) return "";
  const stale = comparison.exit_code === 1 && !comparison.cases.some((row) => row.verdict === "regressed");
  return stale
    ? "the baseline is stale: a case improved, and the policy fails on that"
    : (exit_meanings[comparison.exit_code] ?? "unknown");
}

export function count_verdicts(page: PageDocument): [Verdict, number][] {
  const rows = page.comparison?.cases ?? [];
  return worst_first
    .map((verdict): [Verdict, number] => [
      verdict,
      rows.filter((row) => row.verdict === verdict && !row.informative).length,
    ])
    .filter(([, count]) => count > 0);
}

function tally(page: PageDocument): string {
  const counts = count_verdicts(page).map(([verdict, count]) => `${count} ${verdict_words[verdict]}`);
  const informative = page.comparison?.cases.filter((row) => row.informative).length ?? 0;
  return [...counts, ...(informative > 0 ? [`${informative} informative`] : [])].join(", ") + ".";
}

// `REGRESSED: 2 of 8 cases ...` has its own shape here: the word beside the sign, the rest after it.
function split_headline(headline: string): [string, string] {
  const at = headline.indexOf(": ");
  return at > 0 && at < 24 ? [headline.slice(0, at), headline.slice(at + 2)] : ["", headline];
}

// The records that were compared, or where the run was made.
function sides_line(page: PageDocument): string {
  const { comparison, current } = page;
  const revision = current.report.revision.commit.slice(0, 10);
  const device = comparison?.current.device || device_text(current.report);
  const parts = comparison
    ? [`baseline ${comparison.baseline.described || "none"}`, `current ${comparison.current.described}`, device]
    : [revision, device, current.report.started];
  return parts.filter(Boolean).join(" · ");
}

export function verdict_section(
  page: PageDocument,
  entries: readonly Entry[],
  scope: string,
  open: (entry: Entry) => void,
  chapter = false,
): HTMLElement {
  const { comparison } = page;
  const suite = printable(page.current.report.suite.name, 80);
  const [word, rest] = split_headline(printable(page.headline ?? page.title, 400));
  const failed = page.current.report.cases.some((one) => ["incorrect", "failed", "timed_out"].includes(one.outcome));
  const tone = comparison?.verdict ?? (failed ? "failed" : "uncompared");
  const id = `${scope}verdict-title`;
  const cases = counted(new Set(entries.map((entry) => entry.case)).size, "case");
  return el(
    "section",
    { class: `verdict ${tone}`, attributes: { id: `${scope}verdict`, "aria-labelledby": names_of(scope, id) } },
    scope === "" ? null : el("p", { class: "suite-name", attributes: { id: `${scope}name` } }, suite),
    el(
      scope === "" ? "h1" : "h2",
      { class: "answer", attributes: { id } },
      comparison
        ? el("span", { class: "sign", attributes: { "aria-hidden": true } }, verdict_signs[comparison.verdict])
        : null,
      word && comparison ? el("span", "word", verdict_words[comparison.verdict]) : word ? `${word}:` : null,
      word ? " " : null,
      el("span", "rest", rest),
    ),
    comparison
      ? el(
          "p",
          "exit",
          "Exit code ",
          el("strong", null, String(comparison.exit_code)),
          `: ${exit_meaning(page)}. `,
          tally(page),
        )
      : el("p", "exit", `${cases} of the suite ${suite}, with nothing to compare them with.`),
    el("p", "faint sides", el("bdi", null, printable(sides_line(page), 300))),
    el(
      "div",
      "answer-columns",
      comparison ? worst_picture(entries, scope, open) : run_picture(page, chapter),
      what_to_do(page),
    ),
  );
}

// The gains over the references, where there are some; in a chapter over all shapes.
function run_picture(page: PageDocument, chapter: boolean): HTMLElement | null {
  const { cases } = page.current.report;
  const over_all = chapter ? cases_over_shapes(page.current.report) : [];
  if (over_all.length > 0) {
    const title = "Speedup over the reference, geometric mean over all shapes";
    return el(
      "div",
      { attributes: { "data-picture": "over-shapes" } },
      figure((look) => speedup(over_all, look, title), "h3"),
    );
  }
  return cases.some((one) => one.speedup) ? figure((look) => speedup(cases, look), "h2") : null;
}

function what_to_do(page: PageDocument): HTMLElement | null {
  const steps = page.steps ?? [];
  const remarks = page.comparison?.remarks ?? [];
  if (steps.length + remarks.length === 0 && !page.command) return null;
  return el(
    "div",
    "to-do",
    steps.length > 0 ? el("h2", "small-heading", "What to do next") : null,
    steps.length > 0 ? el("ul", "steps", ...steps.map((step) => el("li", null, prose(printable(step, 600))))) : null,
    ...remarks.map((remark) => el("p", null, prose(printable(remark, 600)))),
    page.command
      ? el("details", null, el("summary", null, "Make this report again"), command(printable(page.command, 4000)))
      : null,
  );
}
