// The page: reads the documents in it, and builds each report once.

import type { Contents, PageDocument } from "./data";
import { decode, type Packed, Unreadable } from "./decode";
import { counted, printable } from "./format";
import { type Entry, entries_of } from "./report";
import { case_link, linked_entry } from "./view/case_link";
import { case_panel } from "./view/case_panel";
import { claims_section } from "./view/claims";
import { contents_section } from "./view/contents";
import { type Child, el } from "./view/dom";
import { environment_section } from "./view/environment";
import { redraw_all } from "./view/figure";
import { HistoryView } from "./view/history";
import { open_around, unfold_for_print } from "./view/folds";
import { pictures_section } from "./view/pictures";
import { suite_section } from "./view/suite";
import { CaseTable } from "./view/table";
import { theme_switch } from "./view/theme_switch";
import { verdict_section } from "./view/verdict";

const place = document.getElementById("page") as HTMLElement;

interface View {
  sections: HTMLElement[];
  place: HTMLElement; // of what is filtered
  focus_filter: () => void;
  follow: (hash: string) => boolean; // false where the address names nothing of it
  unfold: () => void; // for paper
}

interface ReportView extends View {
  environment: HTMLElement;
}

// `scope` begins every id of a report that is one of several; "" where it is alone. A chapter of the deep dive folds its
// table, which is made when it is opened, and leaves the environment to the end.
function report_view(page: PageDocument, scope: string, name: string, chapter = false): ReportView {
  const entries = entries_of(page, scope === "" ? "" : name);
  const panel = (entry: Entry, close: () => void) => case_panel(entry, close, page.comparison);
  const folded = el("details", "folded chapter-table", el("summary", null, `All ${counted(entries.length, "result")}`));
  let made: CaseTable | null = null;
  const table = () => {
    if (made) return made;
    made = new CaseTable(entries, page.comparison !== null, scope, panel, (entry) =>
      history.replaceState(null, "", entry ? case_link(entry) : location.pathname + location.search),
    );
    folded.append(made.element);
    return made;
  };
  folded.addEventListener("toggle", table);
  const verdict = verdict_section(page, entries, scope, (entry) => table().reveal(entry), chapter);
  const suite = suite_section(page, scope, !chapter);
  const environment = environment_section(page, scope, chapter ? printable(name, 60) : "");
  const sections = chapter ? [verdict, suite, folded] : [verdict, table().element, suite, environment];
  const follow = (hash: string) => {
    const entry = linked_entry(entries, hash);
    if (entry) table().reveal(entry);
    return entry !== undefined;
  };
  const focus_filter = () => {
    table().element.closest("details")?.setAttribute("open", "");
    table().focus_filter();
  };
  const place = chapter ? folded : table().element;
  return { sections, environment, place, focus_filter, follow, unfold: table };
}

function header(brand: string, links: [string, string][]): HTMLElement {
  return el(
    "header",
    "top",
    el("a", { class: "skip", attributes: { href: "#verdict" } }, "Skip to the verdict"),
    el("div", "brand", el("strong", null, "harness"), " ", el("span", "faint", brand)),
    el(
      "nav",
      { attributes: { "aria-label": "Sections" } },
      ...links.map(([id, label]) => el("a", { attributes: { href: `#${id}` } }, label)),
    ),
    theme_switch(() => redraw_all()),
  );
}

function footer(page: PageDocument | undefined): HTMLElement {
  return el(
    "footer",
    null,
    el(
      "p",
      "faint",
      `${printable(page?.tool ?? "harness", 80)}. Every figure and plot is of measured data; raw samples stay in the records. Nothing on this page is fetched from or sent to anywhere.`,
    ),
  );
}

const sections_of_one: [string, string][] = [
  ["verdict", "Verdict"],
  ["cases", "Cases"],
  ["suite", "Suite"],
  ["environment", "Environment"],
];

const sections_of_history: [string, string][] = [
  ["verdict", "History"],
  ["changes", "Changes"],
  ["series", "Series"],
];

// A section a report, below the contents. Where claims lead it is the deep dive: the claims, then a chapter a suite, then
// what all of them ran on.
function several(
  contents: Contents,
  { claims, pages, histories }: Packed,
): { children: Child[]; views: View[] } {
  const [left, left_histories] = [[...pages], [...histories]];
  const views: View[] = [];
  const environments: HTMLElement[] = [];
  const reports = contents.parts.map((part, at) => {
    if (claims && at === 0) return null;
    if (!part.page) return null;
    const scope = `suite-${at + 1}-`;
    const along = left_histories.shift();
    const page = along ? undefined : left.shift();
    const report = page ? report_view(page, scope, part.name, claims !== null) : null;
    const view = along ? new HistoryView(along, scope) : report;
    if (!view) return null;
    if (report) environments.push(report.environment);
    views.push(view);
    const attributes = { id: `suite-${at + 1}`, "aria-label": `Report of ${printable(part.name, 80)}` };
    return el("section", { class: "report", attributes }, ...view.sections);
  });
  const title = `History of ${counted(histories.length, "suite")}`;
  if (histories.length > 0) document.title = title;
  const told = histories.length > 0 ? { ...contents, headline: title } : contents;
  const head = contents_section(told, pages, claims !== null);
  if (!claims) return { children: [head, ...reports], views };
  const chapters = reports.filter((one) => one !== null);
  return {
    children: [
      head,
      claims_section(claims, "suite-1"),
      ...chapters,
      pictures_section(pages, chapters),
      ...environments,
    ],
    views,
  };
}

function build(packed: Packed): void {
  const { contents, claims, pages, histories } = packed;
  const [[first], [along]] = [pages, histories];
  const alone = contents ? null : along ? new HistoryView(along, "") : first ? report_view(first, "", "") : null;
  const single = claims ? [claims_section(claims, "verdict")] : (alone?.sections ?? []);
  const all = contents ? several(contents, packed) : { children: single, views: alone ? [alone] : [] };
  const suite = contents ? "" : printable(along?.head.suite ?? first?.current.report.suite.name ?? "", 60);
  const there = ([id]: [string, string]) => id !== "changes" || (along?.head.causes.length ?? 0) > 0;
  const links: [string, string][] = contents
    ? [
        ["verdict", "Verdict"],
        ...contents.parts.flatMap((part, at): [string, string][] =>
          part.page ? [[`suite-${at + 1}`, printable(part.name, 40)]] : [],
        ),
        ...(claims ? [["pictures", "Pictures"] as [string, string]] : []),
      ]
    : along
      ? sections_of_history.filter(there)
      : claims
        ? [["verdict", "Claims"]]
        : sections_of_one;
  place.replaceChildren(
    header(suite, links),
    el("main", null, ...all.children),
    footer(first),
    el("div", { class: "offscreen", attributes: { id: "announcements", role: "status", "aria-live": "polite" } }),
  );
  const follow = () => {
    if (all.views.some((view) => view.follow(location.hash))) return;
    open_around(document.getElementById(location.hash.slice(1)));
  };
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.matches("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const near = all.views.find(({ place }) => place.getBoundingClientRect().bottom > 0) ?? all.views[0];
    event.preventDefault();
    near?.focus_filter();
  });
  addEventListener("beforeprint", () => {
    all.views.forEach((view) => view.unfold());
    unfold_for_print();
    redraw_all(true);
  });
  addEventListener("afterprint", () => redraw_all());
  follow();
}

function start(): void {
  try {
    build(decode(document.getElementById("harness-data")?.textContent ?? ""));
  } catch (problem) {
    const words = problem instanceof Unreadable ? problem.message : `The report could not be shown: ${String(problem)}`;
    place.replaceChildren(
      el(
        "main",
        null,
        el(
          "section",
          { class: "verdict failed", attributes: { role: "alert" } },
          el("h1", null, "No report"),
          el("p", null, printable(words, 600)),
        ),
      ),
    );
    if (!(problem instanceof Unreadable)) console.error(problem);
  }
  document.documentElement.dataset["ready"] = "yes";
  performance.mark("harness-interactive");
}

start();
