// The first answer: the verdict in one sentence, what the exit code means, what to do next.

import type { PageDocument } from "../data";
import { change, change_interval, counted, printable, verdict_signs, verdict_words, worst_first } from "../format";
import type { Entry } from "../report";
import type { Verdict } from "../reports";
import { command, el, name_of, prose } from "./dom";

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

export function verdict_section(
  page: PageDocument,
  entries: readonly Entry[],
  open: (entry: Entry) => void,
): HTMLElement {
  const { comparison } = page;
  const steps = page.steps ?? [];
  const [word, rest] = split_headline(printable(page.headline ?? page.title, 400));
  const tone =
    comparison?.verdict ??
    (page.current.report.cases.some((one) => ["incorrect", "failed", "timed_out"].includes(one.outcome))
      ? "failed"
      : "measured");
  const worst = entries.find(
    (entry) => entry.row && (entry.row.verdict === "regressed" || entry.row.verdict === "failed"),
  );
  return el(
    "section",
    { class: `verdict ${tone}`, attributes: { id: "verdict", "aria-labelledby": "verdict-title" } },
    el(
      "h1",
      { attributes: { id: "verdict-title" } },
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
      : el(
          "p",
          "exit",
          `${counted(new Set(entries.map((entry) => entry.case)).size, "case")} of the suite ${printable(page.current.report.suite.name, 80)}, with nothing to compare them with.`,
        ),
    worst?.row ? worst_case(worst, open) : null,
    ...(comparison?.remarks ?? []).map((remark) => el("p", null, prose(printable(remark, 600)))),
    steps.length > 0 ? el("h2", "small-heading", "What to do next") : null,
    steps.length > 0 ? el("ul", "steps", ...steps.map((step) => el("li", null, prose(printable(step, 600))))) : null,
    page.command
      ? el("details", null, el("summary", null, "Make this report again"), command(printable(page.command, 4000)))
      : null,
  );
}

function worst_case(entry: Entry, open: (entry: Entry) => void): HTMLElement {
  const link = el("a", { attributes: { href: case_link(entry) } }, name_of(printable(entry.case, 200)));
  link.addEventListener("click", (event) => {
    event.preventDefault();
    open(entry);
  });
  const { row } = entry;
  return el(
    "p",
    "worst",
    "Worst: ",
    link,
    row?.ratio != null
      ? `, ${change(row.ratio)}${row.interval ? ` (${change_interval(row.interval)})` : ""}`
      : `: ${printable(row?.reason ?? "", 200)}`,
  );
}

export function case_link(entry: Entry): string {
  return `#case=${encodeURIComponent(well_formed(entry.case))}&metric=${encodeURIComponent(well_formed(entry.metric))}`;
}

// encodeURIComponent throws on half a surrogate pair.
function well_formed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
