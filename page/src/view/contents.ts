// The head of a page of several suites: the answer over all of them, and a list that leads to each. Where claims lead,
// the first part is theirs.

import type { Contents, PageDocument, Tone } from "../data";
import { printable, verdict_signs } from "../format";
import { el } from "./dom";

export const classes: Partial<Record<Tone, string>> = { bad: "regressed", good: "improved", doubtful: "inconclusive" };
export const signs: Partial<Record<Tone, string>> = { bad: "▲", good: "✓", doubtful: "?" };

export function contents_section(contents: Contents, pages: readonly PageDocument[], claimed: boolean): HTMLElement {
  const left = [...pages];
  const lines = contents.parts.map((part, at) => {
    const claims = part.page && at === 0 && claimed;
    const page = part.page && !claims ? left.shift() : undefined;
    const verdict = page?.comparison?.verdict;
    const sign = verdict ? verdict_signs[verdict] : (signs[part.tone] ?? "–");
    const name = printable(part.name, 80);
    return el(
      "li",
      verdict ?? classes[part.tone] ?? "uncompared",
      el("span", { class: "sign", attributes: { "aria-hidden": true } }, sign),
      part.page
        ? el("a", { attributes: { href: `#suite-${at + 1}` } }, el("bdi", null, name))
        : el("bdi", null, name),
      el("span", "rest", printable(part.headline, 300)),
    );
  });
  return el(
    "section",
    {
      class: `verdict ${classes[contents.tone] ?? "uncompared"}`,
      attributes: { id: "verdict", "aria-labelledby": "verdict-title" },
    },
    el(
      "h1",
      { class: "answer", attributes: { id: "verdict-title" } },
      el("span", { class: "sign", attributes: { "aria-hidden": true } }, signs[contents.tone] ?? ""),
      el("span", "rest", printable(contents.headline, 400)),
    ),
    el("nav", { attributes: { "aria-label": "Suites" } }, el("ol", "contents", ...lines)),
  );
}
