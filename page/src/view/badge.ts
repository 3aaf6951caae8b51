// A verdict or an outcome: a sign, a word and a colour, of which any two may be missing for a reader.

import { verdict_signs, verdict_words } from "../format";
import type { Outcome, Verdict } from "../reports";
import { el } from "./dom";

const outcomes: Record<Outcome, { sign: string; word: string; tone: string }> = {
  measured: { sign: "✓", word: "measured", tone: "improved" },
  incorrect: { sign: "✕", word: "incorrect", tone: "failed" },
  failed: { sign: "✕", word: "failed", tone: "failed" },
  timed_out: { sign: "✕", word: "timed out", tone: "failed" },
  looked_at: { sign: "≡", word: "looked at", tone: "looked_at" },
  skipped: { sign: "–", word: "skipped", tone: "skipped" },
};

export const outcomes_worst_first: Outcome[] = [
  "incorrect",
  "failed",
  "timed_out",
  "measured",
  "looked_at",
  "skipped",
];

export function shape(sign: string, word: string, tone: string): HTMLElement {
  return el(
    "span",
    `badge ${tone}`,
    el("span", { class: "sign", attributes: { "aria-hidden": true } }, sign),
    el("span", null, word),
  );
}

export function verdict_badge(verdict: Verdict): HTMLElement {
  return shape(verdict_signs[verdict] ?? "?", verdict_words[verdict] ?? String(verdict), verdict);
}

export function outcome_badge(outcome: Outcome): HTMLElement {
  const { sign, word, tone } = outcomes[outcome] ?? { sign: "?", word: String(outcome), tone: "skipped" };
  return shape(sign, word, tone);
}
