// A history: a line a series, those that got worse first, with its chart over the commits. A click on a point tells its
// commit, the verdict of its case, and the command that compares it with the commit before.

import { change, counted, printable, with_unit } from "../format";
import type { CaseSeries, HistoryChart, HistoryCommit } from "../history_data";
import { commit_at, history, verdict_at } from "../plots/history";
import { copy_button, el, name_of } from "./dom";
import { figure } from "./figure";

const opened = 3; // charts that are there at once

function standing(series: CaseSeries): { sign: string; word: string; tone: string } {
  const last = series.changes.at(-1);
  if (series.worse) return { sign: "▲", word: "worse", tone: "regressed" };
  if (last?.worse) return { sign: "▲", word: series.informative ? "worse (informative)" : "worse before", tone: "inconclusive" };
  if (last) return { sign: "▼", word: "better", tone: "improved" };
  return { sign: "=", word: "no change", tone: "unchanged" };
}

function newest(series: CaseSeries): string {
  const value = series.center.at(-1);
  const since = series.anchor && value !== undefined ? `, ${change(value / series.anchor.center)} since the anchor` : "";
  return `${with_unit(value, series.unit)}${since}`;
}

// A click on a point shows it.
function commit_card(series: CaseSeries, commits: readonly HistoryCommit[], point: number): HTMLElement {
  const commit = commit_at(series, commits, point);
  const before = point > 0 ? commit_at(series, commits, point - 1) : null;
  const verdict = verdict_at(series, point);
  const command = before
    ? `harness compare --baseline ${before.record.slice(0, 8)} --current ${commit.record.slice(0, 8)}`
    : `harness report ${commit.record.slice(0, 8)}`;
  return el(
    "div",
    "card",
    el("p", null, el("strong", null, commit.hash.slice(0, 10)), ` ${commit.date.slice(0, 10)} `, printable(commit.subject, 200)),
    el(
      "p",
      null,
      `${with_unit(series.center[point], series.unit)}; `,
      verdict ? `its case was judged: ${verdict}` : "its case was not judged",
      before
        ? `; ${change((series.center[point] ?? 0) / (series.center[point - 1] ?? Number.NaN))} to the measured commit before`
        : "",
      ".",
    ),
    el(
      "p",
      "command",
      before ? "Compare it with the measured commit before: " : "Its report: ",
      el("code", null, command),
      " ",
      copy_button("Copy", () => command),
    ),
  );
}

function series_fold(series: CaseSeries, commits: readonly HistoryCommit[], open: boolean): HTMLElement {
  const { sign, word, tone } = standing(series);
  const card = el("div", { class: "commit-card", attributes: { "aria-live": "polite" } });
  const choose = (point: number) => card.replaceChildren(commit_card(series, commits, point));
  const fold = el(
    "details",
    { class: "series-fold", attributes: { open } },
    el(
      "summary",
      null,
      el("span", `badge ${tone}`, el("span", { class: "sign", attributes: { "aria-hidden": true } }, sign), el("span", null, word)),
      " ",
      el("span", "of-series", name_of(printable(series.case, 300)), ` ${printable(series.metric, 60)}`),
      " ",
      el("span", "faint", newest(series)),
    ),
  );
  const draw = () => {
    if (fold.childElementCount > 1) return;
    // Points only: a line at a change has no place of its own.
    const picture = figure((look) => history(series, commits, look), "h2", [], (item) => {
      if (item.seriesName === "commit") choose(Math.round(item.value[0]));
    });
    const which = el("select", null, ...series.at.map((_, point) => option_of(series, commits, point)).reverse());
    which.addEventListener("change", () => choose(Number(which.value)));
    fold.append(picture, el("p", "choose-commit", el("label", null, "Commit: ", which)), card);
    choose(series.changes.at(-1)?.index ?? series.at.length - 1);
    which.value = String(series.changes.at(-1)?.index ?? series.at.length - 1);
  };
  fold.addEventListener("toggle", () => fold.open && draw());
  addEventListener("beforeprint", draw); // paper has all folds open
  if (open) draw();
  return fold;
}

function option_of(series: CaseSeries, commits: readonly HistoryCommit[], point: number): HTMLElement {
  const commit = commit_at(series, commits, point);
  const verdict = verdict_at(series, point);
  const text = `${commit.hash.slice(0, 10)} ${commit.date.slice(0, 10)}${verdict ? ` ${verdict}` : ""} ${printable(commit.subject, 60)}`;
  return el("option", { attributes: { value: point } }, text);
}

export function history_section(page: HistoryChart): HTMLElement {
  const commits = page.commits.map(([hash, date, subject, record]) => ({ hash, date, subject, record }));
  const worse = page.series.filter((series) => series.worse).length;
  const folds = page.series.map((series, at) => series_fold(series, commits, at < opened));
  return el(
    "section",
    { class: `verdict ${worse > 0 ? "regressed" : "unchanged"}`, attributes: { id: "verdict", "aria-labelledby": "history-title" } },
    el("h1", { attributes: { id: "history-title" } }, printable(page.headline, 400)),
    el(
      "p",
      "faint",
      `${printable(page.suite, 60)} on ${printable(page.branch, 60)}: ${counted(commits.length, "record")}, ` +
        `${counted(page.series.length, "series", "series")}` +
        (page.left_out > 0 ? `; ${page.left_out} more have no room here: \`harness history PATTERN\` shows them` : "") +
        ".",
    ),
    ...folds,
  );
}
