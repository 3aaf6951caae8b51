// The script of the site of `harness history --html`: draws the series of a case's page, and filters long tables. The
// rest of a page is there without it.

import { unpacked } from "./decode";
import { printable } from "./format";
import type { HistoryCommits, HistoryPage } from "./history_data";
import { history } from "./plots/history";
import { el } from "./view/dom";
import { figure, redraw_all } from "./view/figure";
import { theme_switch } from "./view/theme_switch";

declare const SITE_STYLES: string;
declare global {
  var harness_commits: string | undefined; // packed, by the suite's own file
}

function draw(data: Element): void {
  const page = JSON.parse(unpacked(data.textContent?.trim() ?? "")) as HistoryPage;
  const shared = JSON.parse(unpacked(globalThis.harness_commits ?? "")) as HistoryCommits;
  if (page.version !== 1 || shared.version !== 1) throw new Error("the site is of another version; write it again");
  const commits = shared.commits.map(([hash, date, subject, record]) => ({ hash, date, subject, record }));
  page.series.forEach((series, at) => {
    document.getElementById(`series-${at}`)?.replaceChildren(figure((look) => history(series, commits, look), "h3"));
  });
}

// A field that leaves the rows of the table that hold every word.
function filter_of(table: HTMLTableElement): HTMLElement {
  const rows = [...table.querySelectorAll<HTMLTableRowElement>("tbody > tr")];
  const field = el("input", { attributes: { type: "search", placeholder: "words of its name" } });
  const count = el("span", { class: "faint", attributes: { role: "status" } });
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent?.toLowerCase() ?? "";
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${rows.length}`;
  });
  return el("p", "site-filter", el("label", null, "Filter: ", field), " ", count);
}

function start(): void {
  document.head.prepend(el("style", null, SITE_STYLES));
  document.querySelector("header.top")?.append(theme_switch(() => redraw_all()));
  for (const table of document.querySelectorAll<HTMLTableElement>("table.filtered")) table.before(filter_of(table));
  const data = document.getElementById("harness-data");
  try {
    if (data) draw(data);
  } catch (problem) {
    data?.before(el("p", { attributes: { role: "alert" } }, printable(`The pictures could not be drawn: ${String(problem)}`, 400)));
    console.error(problem);
  }
  addEventListener("beforeprint", () => redraw_all(true));
  addEventListener("afterprint", () => redraw_all());
  document.documentElement.dataset["ready"] = "yes";
}

start();
